"""How p-values, bounds of chances and shares are told: one rule wherever they stand."""

from __future__ import annotations

from math import floor

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


def whole_percent(share: float) -> int:
    """A share in percent, rounded down: 100 means all of them.

    Examples
    --------
    >>> whole_percent(0.999), whole_percent(0.29)
    (99, 29)
    """
    return floor(100.0 * share + 1e-9)
