"""Lengths of codes, entropies and mixtures."""
