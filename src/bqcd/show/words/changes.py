"""Which answers of two reports differ, in words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bqcd.show.words import counted, joined, shown_name

CHANGES: Mapping[str, str] = MappingProxyType(
    {
        "turned": "the other way round",
        "new": "told now",
        "gone": "no longer told",
        "surer": "clear now, leaned before",
        "less sure": "leans now, clear before",
    }
)
"""What each kind of change means, the gravest first."""


def changes_told(counts: Mapping[str, int], same: int, label: str) -> str:
    """How many answers differ from those of another table.

    Parameters
    ----------
    counts : mapping of str to int
        Pairs by kind of change.
    same : int
        Pairs with the same answer.
    label : str
        Name of the other table.

    Examples
    --------
    >>> changes_told({"turned": 1, "gone": 2}, 12, "2023.csv")
    'Against 2023.csv, 3 of 15 answers changed: 1 the other way round, 2 no longer told.'
    """
    changed, name = sum(counts.values()), shown_name(label)
    whole = changed + same
    if not whole:
        return f"No pair was judged both here and in {name}."
    if not changed:
        return f"Against {name}, none of {counted(whole, 'answer')} changed."
    kinds = ", ".join(
        f"{counts[kind]:,} {said}" for kind, said in CHANGES.items() if counts.get(kind)
    )
    return f"Against {name}, {changed:,} of {counted(whole, 'answer')} changed: {kinds}."


def unmatched_told(only_here: int, only_there: int, label: str) -> str:
    """How many pairs are in one of two reports alone; nothing if there are none.

    Examples
    --------
    >>> unmatched_told(3, 1, "2023.csv")
    '3 pairs are not in 2023.csv. 1 pair is in 2023.csv alone.'
    """
    name = shown_name(label)
    here = f"{counted(only_here, 'pair')} {'is' if only_here == 1 else 'are'} not in {name}."
    there = f"{counted(only_there, 'pair')} {'is' if only_there == 1 else 'are'} in {name} alone."
    return joined(here if only_here else "", there if only_there else "")
