"""What the user knows of the edges: tiers, required and forbidden directions."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from os import PathLike
from pathlib import Path

from bqcd.data.files.text import reason, text_up_to
from bqcd.errors import InvalidKnowledgeError
from bqcd.graphs.partial import Edge

MAX_BYTES = 2**19
"""Largest file of knowledge that is read: some ten thousand statements."""

_KEYS = ("tiers", "required", "forbidden")
_MOST_DOTS = 16
_WORDS = re.compile(r"[\w\-. \t]+")
# Strings and comments; one without an end goes to the end of its line, or of the text, where
# the reader stops too.
_QUOTED = re.compile(
    r'''"""(?:[^"\\]++|\\.|"(?!""))*+(?:"""|\Z)|"(?:[^"\\\n]++|\\[^\n])*+(?:"|$|\\)|'''
    r"""'''(?:[^']++|'(?!''))*+(?:'''|\Z)|'[^'\n]*+(?:'|$)|#[^\n]*+""",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Statements about directions. They say nothing about whether there is an edge.

    Parameters
    ----------
    tiers : tuple of tuples of str
        Groups of nodes, earlier ones first: no edge points from a later to an earlier group.
        Nodes in no group are free.
    required : tuple of (str, str)
        Cause and effect: an edge between them points this way.
    forbidden : tuple of (str, str)
        An edge between them does not point this way.

    Raises
    ------
    InvalidKnowledgeError
        If statements contradict each other. The message names them.

    Examples
    --------
    >>> known = Knowledge(tiers=(("age",), ("dose", "weight")), forbidden=(("weight", "dose"),))
    >>> known.direction("weight", "age").why
    "tier 1 of 'age' is before tier 2 of 'weight'"
    """

    tiers: tuple[tuple[str, ...], ...] = ()
    required: tuple[Edge, ...] = ()
    forbidden: tuple[Edge, ...] = ()
    _tier: Mapping[str, int] = field(init=False, repr=False, compare=False)
    _required: frozenset[Edge] = field(init=False, repr=False, compare=False)
    _forbidden: frozenset[Edge] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Look for contradictions."""
        object.__setattr__(self, "tiers", tuple(_tier(tier) for tier in self.tiers))
        for name in ("required", "forbidden"):
            object.__setattr__(self, name, tuple(_edge(name, one) for one in getattr(self, name)))
            object.__setattr__(self, f"_{name}", frozenset(getattr(self, name)))
        object.__setattr__(self, "_tier", _numbered(self.tiers))
        for edge in dict.fromkeys((*self.required, *self.forbidden)):
            self.direction(*edge)
        cycle = _cycle(self.required)
        if cycle is not None:
            raise InvalidKnowledgeError(
                f"Required edges must have no cycle, got {' -> '.join(cycle)}."
            )

    @property
    def nodes(self) -> set[str]:
        """Every node a statement is about."""
        edges = (*self.required, *self.forbidden)
        return {*self._tier, *(node for edge in edges for node in edge)}

    def direction(self, first: str, second: str) -> KnownDirection | None:
        """Direction that an edge between two nodes must have, None if both are open.

        Raises
        ------
        InvalidKnowledgeError
            If statements exclude both.
        """
        forward, backward = self._reasons(first, second), self._reasons(second, first)
        if forward and backward:
            raise InvalidKnowledgeError(
                f"What is known of {first!r} and {second!r} must leave one direction, but "
                f"{forward[0]}, and {backward[0]}."
            )
        if forward:
            return KnownDirection(first, second, forward[0])
        return KnownDirection(second, first, backward[0]) if backward else None

    def _reasons(self, tail: str, head: str) -> list[str]:
        """Why an edge must point from tail to head."""
        reasons = []
        if (tail, head) in self._required:
            reasons.append(f"{tail!r} -> {head!r} is required")
        if (head, tail) in self._forbidden:
            reasons.append(f"{head!r} -> {tail!r} is forbidden")
        early, late = self._tier.get(tail), self._tier.get(head)
        if early is not None and late is not None and early < late:
            reasons.append(f"tier {early + 1} of {tail!r} is before tier {late + 1} of {head!r}")
        return reasons


@dataclass(frozen=True, slots=True)
class KnownDirection:
    """A direction that is known, and why."""

    tail: str
    head: str
    why: str


def _tier(tier: object) -> tuple[str, ...]:
    if isinstance(tier, str) or not isinstance(tier, Iterable):
        raise InvalidKnowledgeError(
            f"tiers of the knowledge must be groups of names, got {tier!r}; a single name goes "
            "in a list of its own."
        )
    return tuple(str(node) for node in tier)


def _edge(name: str, edge: object) -> Edge:
    if not isinstance(edge, tuple | list) or len(edge) != 2:
        raise InvalidKnowledgeError(
            f"{name} of the knowledge must be pairs of a cause and an effect, got {edge!r}."
        )
    tail, head = (str(node) for node in edge)
    if tail == head:
        raise InvalidKnowledgeError(
            f"{name} of the knowledge must join two nodes, got {tail!r} with itself."
        )
    return tail, head


def _cycle(edges: Iterable[Edge]) -> list[str] | None:
    """Nodes of a cycle, the first in the alphabet at both ends; None if there is none."""
    causes: dict[str, list[str]] = {}
    for tail, head in edges:
        causes.setdefault(head, []).append(tail)
    try:
        TopologicalSorter(causes).prepare()
    except CycleError as error:
        nodes = error.args[1][1:]
        at = nodes.index(min(nodes))
        return [*nodes[at:], *nodes[: at + 1]]
    return None


def _numbered(tiers: Iterable[Iterable[str]]) -> dict[str, int]:
    number: dict[str, int] = {}
    for at, tier in enumerate(tiers):
        for node in tier:
            if node in number:
                raise InvalidKnowledgeError(
                    f"A node must be in one tier, got {node!r} in {number[node] + 1} and {at + 1}."
                )
            number[node] = at
    return number


def read_knowledge(path: str | PathLike[str]) -> Knowledge:
    """Knowledge from a TOML file.

    The file has up to three keys::

        tiers = [["age", "sex"], ["dose"], ["response"]]
        required = [["dose", "response"]]
        forbidden = [["response", "age"]]

    Raises
    ------
    InvalidKnowledgeError
        If the file cannot be read, is larger than ``MAX_BYTES``, has other keys, or
        contradicts itself.
    """
    label = repr(str(path))
    try:
        text = text_up_to(Path(path), MAX_BYTES)
        _check_keys(text)
        told = tomllib.loads(text)
    except RecursionError:
        raise InvalidKnowledgeError(f"{label} cannot be read as knowledge: too deep.") from None
    except (OSError, ValueError) as error:  # also a number of thousands of digits
        raise InvalidKnowledgeError(
            f"{label} cannot be read as knowledge: {reason(error)}."
        ) from error
    for key, value in told.items():
        if key not in _KEYS:
            raise InvalidKnowledgeError(f"{label} must have only {', '.join(_KEYS)}, got {key!r}.")
        if not _is_list_of_lists(value):
            raise InvalidKnowledgeError(
                f"{key} in {label} must be a list of lists of names, got {value!r}."
            )
    return Knowledge(**{key: tuple(tuple(one) for one in value) for key, value in told.items()})


def _check_keys(text: str) -> None:
    """Refuse keys of many parts, on which the reader of TOML takes the square of their number."""
    for words in _WORDS.finditer(_QUOTED.sub("s", text)):
        if words.group().count(".") > _MOST_DOTS:
            raise ValueError(f"a key must have at most {_MOST_DOTS} dots, but one has more")


def _is_list_of_lists(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, list) and all(isinstance(name, str) for name in one) for one in value
    )
