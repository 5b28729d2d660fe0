"""How p-values, q-values and bounds of chances are told: one rule wherever they stand."""

from __future__ import annotations

LEAST = 0.001
"""What is smaller is only said to be so: nothing rests on how much."""


def if_tiny(chance: float) -> str:
    """Words for a chance that is too small to be told; nothing for others.

    Examples
    --------
    >>> if_tiny(9.6e-153), if_tiny(0.0312)
    ('< 0.001', '')
    """
    return f"< {LEAST:g}" if chance < LEAST else ""


def p_text(p_value: float) -> str:
    """A p-value for reading, with the sign before it.

    Examples
    --------
    >>> p_text(9.6e-153), p_text(0.031)
    ('< 0.001', '= 0.031')
    """
    return if_tiny(p_value) or f"= {p_value:.2g}"
