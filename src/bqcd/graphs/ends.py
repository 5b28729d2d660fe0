"""Marks at the ends of edges: tails and arrows, and the circles of graphs with hidden causes.

In a MAG or a PAG, ``a <-> b`` says that neither causes the other, and a circle that the data leave
open whether there is a tail or an arrow: ``a o-> b`` that b does not cause a, ``a o-o b`` nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

Mark = Literal["tail", "arrow", "circle"]
Ends = tuple[Mark, Mark]
"""Marks at the first and at the second node of an edge."""

_LEFT: Mapping[str, Mark] = {"-": "tail", "<": "arrow", "o": "circle"}
_RIGHT: Mapping[str, Mark] = {"-": "tail", ">": "arrow", "o": "circle"}
_SIGNS: Mapping[Mark, tuple[str, str]] = {
    "tail": ("", ""),
    "arrow": ("<", ">"),
    "circle": ("o", "o"),
}
_WORD = re.compile("([<o@]?)--?-?([>o@]?)")

DIRECTED: Ends = ("tail", "arrow")
OPEN: Ends = ("tail", "tail")


def ends_of(word: str) -> Ends | None:
    """Marks that a word for an edge with two heads or with circles stands for; None for others.

    Examples
    --------
    >>> ends_of("o->"), ends_of("@-@"), ends_of("bidirected"), ends_of("->")
    (('circle', 'arrow'), ('circle', 'circle'), ('arrow', 'arrow'), None)
    """
    if word == "bidirected":
        return "arrow", "arrow"
    found = _WORD.fullmatch(word)
    if found is None:
        return None
    left, right = (sign.replace("@", "o") or "-" for sign in found.groups())
    ends = _LEFT[left], _RIGHT[right]
    return ends if "circle" in ends or ends == ("arrow", "arrow") else None


def word_of(ends: Ends) -> str:
    """Word for an edge with some ends.

    Examples
    --------
    >>> word_of(("circle", "arrow")), word_of(("tail", "arrow")), word_of(("circle", "tail"))
    ('o->', '->', 'o-')
    """
    return f"{_SIGNS[ends[0]][0]}-{_SIGNS[ends[1]][1]}"


def turned(ends: Ends) -> Ends:
    """The same edge from its other node."""
    return ends[1], ends[0]


def edge_words(first: str, second: str, ends: Ends) -> str:
    """An edge as it is shown, its arrow to the right if it has one.

    Examples
    --------
    >>> edge_words("a", "b", ("arrow", "circle")), edge_words("a", "b", ("arrow", "arrow"))
    ('b o-> a', 'a <-> b')
    """
    backward = ends in (("arrow", "tail"), ("arrow", "circle"), ("tail", "circle"))
    if backward:
        return f"{second} {word_of(turned(ends))} {first}"
    return f"{first} {word_of(ends)} {second}"
