"""Smooth curves and sums of them."""
