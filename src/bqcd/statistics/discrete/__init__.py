"""Columns of few values: tables of counts, codes of them, couplings, regression on levels."""
