"""What the user knows of the edges: tiers, required and forbidden directions."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bqcd.data.files.text import reason, text_up_to
from bqcd.errors import InvalidKnowledgeError
from bqcd.graphs.partial import Edge
from bqcd.runtime.settings import nearest_names

Flags = NDArray[np.bool_]

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
        self._check_paths()

    def _check_paths(self) -> None:
        """Refuse required edges that lead from a later tier to an earlier one."""
        following: dict[str, list[str]] = {}
        for tail, head in self.required:
            following.setdefault(tail, []).append(head)
        # The latest tier that leads to each node, and the way from there.
        latest: dict[str, list[str]] = {}
        for node in _causes_first(self.required):
            way = latest.get(node)
            if node in self._tier:
                if way is not None and self._tier[way[0]] > self._tier[node]:
                    raise InvalidKnowledgeError(
                        f"Required edges must fit the tiers, but {' -> '.join([*way, node])} is "
                        f"required, and tier {self._tier[node] + 1} of {node!r} is before tier "
                        f"{self._tier[way[0]] + 1} of {way[0]!r}."
                    )
                way = []
            if way is None:
                continue
            for head in following.get(node, ()):
                before = latest.get(head)
                onward = [*way, node]
                if before is None or self._tier[before[0]] < self._tier[onward[0]]:
                    latest[head] = onward

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

    def __bool__(self) -> bool:
        """Whether anything is known."""
        return bool(self._tier or self.required or self.forbidden)

    def allows(self, tail: str, head: str) -> bool:
        """Whether an edge between two nodes may point from tail to head.

        Examples
        --------
        >>> known = Knowledge(tiers=(("age",), ("dose",)))
        >>> known.allows("age", "dose"), known.allows("dose", "age")
        (True, False)
        """
        return not self._reasons(head, tail)

    def allowed_edges(self, names: Sequence[str]) -> Flags:
        """Entry (i, j): whether an edge may point from the i-th node to the j-th.

        What every learner of graphs takes of the knowledge, with :meth:`order`.

        Parameters
        ----------
        names : sequence of str
            Nodes in the order of rows and columns.
        """
        place = {name: at for at, name in enumerate(names)}
        allowed = ~np.eye(len(names), dtype=np.bool_)
        tiers = np.array([self._tier.get(name, -1) for name in names])
        allowed &= ~((tiers[:, None] > tiers[None, :]) & (tiers[None, :] >= 0))
        turned = [(head, tail) for tail, head in self.required]
        for tail, head in (*self.forbidden, *turned):
            if tail in place and head in place:
                allowed[place[tail], place[head]] = False
        return allowed

    def order(self, names: Sequence[str]) -> Flags:
        """Entry (i, j): whether the i-th node comes before the j-th in every causal order.

        By tiers, by required edges, and by what follows from both.

        Parameters
        ----------
        names : sequence of str
            Nodes in the order of rows and columns.

        Examples
        --------
        >>> known = Knowledge(tiers=(("a",), ("b",)), required=(("b", "c"),))
        >>> known.order(["a", "b", "c"]).astype(int)
        array([[0, 1, 1],
               [0, 0, 1],
               [0, 0, 0]])
        """
        place = {name: at for at, name in enumerate(names)}
        tiers = np.array([self._tier.get(name, -1) for name in names])
        before = (tiers[:, None] < tiers[None, :]) & (tiers[:, None] >= 0)
        for tail, head in self.required:
            if tail in place and head in place:
                before[place[tail], place[head]] = True
        for middle in range(len(names)):
            before |= before[:, [middle]] & before[[middle], :]
        return before

    def among(self, names: Collection[str]) -> Knowledge:
        """Statements on some nodes alone.

        Examples
        --------
        >>> Knowledge(tiers=(("a", "x"), ("b",)), required=(("x", "b"),)).among("ab")
        Knowledge(tiers=(('a',), ('b',)), required=(), forbidden=())
        """
        kept = set(names)
        return Knowledge(
            tuple(tuple(name for name in tier if name in kept) for tier in self.tiers),
            tuple(edge for edge in self.required if kept.issuperset(edge)),
            tuple(edge for edge in self.forbidden if kept.issuperset(edge)),
        )

    def check_nodes(self, names: Collection[str], *, of: str = "the table") -> None:
        """Refuse statements on what is no node, with the nearest names.

        Raises
        ------
        InvalidKnowledgeError
            If a name is not among them.

        Examples
        --------
        >>> Knowledge(required=(("dsoe", "age"),)).check_nodes(["age", "dose"])
        Traceback (most recent call last):
        bqcd.errors.InvalidKnowledgeError: Background knowledge names 'dsoe', which is no column
        of the table. Nearest: 'dose'.
        """
        known = set(names)
        strange = next((name for name in sorted(self.nodes) if name not in known), None)
        if strange is not None:
            raise InvalidKnowledgeError(
                f"Background knowledge names {strange!r}, which is no column of {of}. "
                f"{nearest_names(strange, sorted(known))}"
            )

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


def _causes_first(edges: Iterable[Edge]) -> list[str]:
    """Nodes of edges without a cycle, causes before effects."""
    causes: dict[str, list[str]] = {}
    for tail, head in edges:
        causes.setdefault(head, []).append(tail)
    return list(TopologicalSorter(causes).static_order())


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


NOTHING_KNOWN = Knowledge()
"""No statement at all."""


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
