"""What is known of a method, in words."""

from __future__ import annotations

from bqcd.methods.verdict import MethodCard, settings_of


def elsewhere(card: MethodCard) -> str:
    """What of a confidence depends on the machine.

    Examples
    --------
    >>> from bqcd import METHODS
    >>> elsewhere(METHODS["igci-u"])
    'the same to the bit on all kinds of processors tried'
    """
    if card.varies == 0.0:
        return "the same to the bit on all kinds of processors tried"
    return (
        "another kind of processor or C library changed a confidence by up to "
        f"{card.varies:g} of its usual size"
    )


def drawn_rows(card: MethodCard) -> str:
    """How a pair of too many rows is judged; nothing if all of them are taken."""
    if card.most_rows is None:
        return ""
    draws = settings_of(card.build()).get("draws")
    return f"of more than {card.most_rows:,} rows that many are drawn at random, {draws} times"
