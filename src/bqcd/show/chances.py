"""How p-values, bounds of chances and shares are told: one rule wherever they stand."""

from __future__ import annotations

from math import floor

from bqcd.methods.answers import BARS

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


def probability_percent(probability: float) -> int:
    """Probability in percent, rounded, but never up to a bar of the answers that it misses.

    Examples
    --------
    >>> [probability_percent(one) for one in (0.649, 0.65, 0.737, 0.7996)]
    [64, 65, 74, 79]
    """
    percent = int(f"{100.0 * probability:.0f}")
    missed = any(probability < bar <= percent / 100.0 for bar in (BARS.leaning, BARS.clear))
    return percent - 1 if missed else percent


def probability_text(probability: float) -> str:
    """Probability for reading, with two digits.

    Examples
    --------
    >>> probability_text(0.649), probability_text(0.97)
    ('0.64', '0.97')
    """
    return f"{probability_percent(probability) / 100.0:.2f}"
