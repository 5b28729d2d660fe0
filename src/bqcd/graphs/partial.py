"""Graphs some of whose edges have a direction: what all of graph orientation works on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

from bqcd.errors import InvalidGraphError

Edge = tuple[str, str]
"""A directed edge, tail first; of an undirected one, the names in alphabetical order."""

VStructure = tuple[str, str, str]
"""Two causes that are not adjacent, alphabetically, around their common effect."""

Kin = Callable[[str], list[str]]
"""From a node to its parents, or to its children."""


class PartialGraph:
    """Nodes with directed and undirected edges, at most one between two nodes.

    Everything is iterated in alphabetical order, so that nothing depends on the order in
    which a graph was written down.

    Parameters
    ----------
    nodes : iterable of str
        Names of the nodes; those of edges are added.
    directed, undirected : iterable of (str, str)
        Edges; tails come first.

    Raises
    ------
    InvalidGraphError
        If an edge joins a node with itself, or two edges the same nodes.

    Examples
    --------
    >>> graph = PartialGraph("abc", directed=["ab"], undirected=["bc"])
    >>> graph.parents("b"), graph.neighbours("b")
    (['a'], ['c'])
    """

    def __init__(
        self,
        nodes: Iterable[str] = (),
        *,
        directed: Iterable[tuple[str, str]] = (),
        undirected: Iterable[tuple[str, str]] = (),
    ) -> None:
        self._parents: dict[str, set[str]] = {}
        self._children: dict[str, set[str]] = {}
        self._neighbours: dict[str, set[str]] = {}
        for node in nodes:
            self._add_node(node)
        for tail, head in directed:
            self._check_new(tail, head)
            self._children[tail].add(head)
            self._parents[head].add(tail)
        for first, second in undirected:
            self._check_new(first, second)
            self._neighbours[first].add(second)
            self._neighbours[second].add(first)

    def _add_node(self, node: str) -> None:
        for table in (self._parents, self._children, self._neighbours):
            table.setdefault(node, set())

    def _check_new(self, first: str, second: str) -> None:
        self._add_node(first)
        self._add_node(second)
        if first == second:
            raise InvalidGraphError(f"An edge must join two nodes, got {first!r} with itself.")
        if self.adjacent(first, second):
            raise InvalidGraphError(
                f"Two nodes must be joined by one edge, got two between {first!r} and {second!r}."
            )

    @property
    def nodes(self) -> list[str]:
        """Names of the nodes."""
        return sorted(self._parents)

    @property
    def directed(self) -> list[Edge]:
        """Directed edges, tail first."""
        return [(tail, head) for tail in self.nodes for head in sorted(self._children[tail])]

    @property
    def undirected(self) -> list[Edge]:
        """Undirected edges."""
        return [
            (first, second)
            for first in self.nodes
            for second in sorted(self._neighbours[first])
            if first < second
        ]

    def parents(self, node: str) -> list[str]:
        """Tails of the edges into a node."""
        return sorted(self._parents[node])

    def children(self, node: str) -> list[str]:
        """Heads of the edges out of a node."""
        return sorted(self._children[node])

    def neighbours(self, node: str) -> list[str]:
        """Nodes joined with one by an undirected edge."""
        return sorted(self._neighbours[node])

    def adjacent(self, first: str, second: str) -> bool:
        """Whether any edge joins two nodes."""
        return (
            second in self._neighbours[first]
            or second in self._children[first]
            or second in self._parents[first]
        )

    def is_directed(self, tail: str, head: str) -> bool:
        """Whether there is an edge from tail to head."""
        return head in self._children[tail]

    def is_undirected(self, first: str, second: str) -> bool:
        """Whether an edge without direction joins two nodes."""
        return second in self._neighbours[first]

    def arrow(self, first: str, second: str) -> str:
        """The edge between two nodes, e.g. ``a -> b`` or ``a - b``; empty if there is none.

        Examples
        --------
        >>> graph = PartialGraph("abc", directed=["ba"], undirected=["bc"])
        >>> graph.arrow("a", "b"), graph.arrow("b", "c"), graph.arrow("a", "c")
        ('b -> a', 'b - c', '')
        """
        if self.is_undirected(first, second):
            return f"{first} - {second}"
        if self.is_directed(first, second):
            return f"{first} -> {second}"
        return f"{second} -> {first}" if self.is_directed(second, first) else ""

    def orient(self, tail: str, head: str) -> None:
        """Give an undirected edge a direction."""
        self._neighbours[tail].remove(head)
        self._neighbours[head].remove(tail)
        self._children[tail].add(head)
        self._parents[head].add(tail)

    def copy(self) -> PartialGraph:
        """The same graph, free to change."""
        twin = PartialGraph()
        for mine, other in (
            (self._parents, twin._parents),
            (self._children, twin._children),
            (self._neighbours, twin._neighbours),
        ):
            other.update((node, set(others)) for node, others in mine.items())
        return twin

    def skeleton(self) -> PartialGraph:
        """The same edges without directions."""
        return PartialGraph(self.nodes, undirected=[*self.directed, *self.undirected])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PartialGraph):
            return NotImplemented
        return self._children == other._children and self._neighbours == other._neighbours

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        n_directed, n_undirected = len(self.directed), len(self.undirected)
        return (
            f"<PartialGraph of {len(self._parents)} nodes, {n_directed} directed and "
            f"{n_undirected} undirected edges>"
        )


def directed_path(graph: PartialGraph, start: str, end: str) -> list[str] | None:
    """Nodes of a shortest directed path, both ends included; None if there is none.

    Examples
    --------
    >>> directed_path(PartialGraph(directed=["ab", "bc", "cd", "bd"]), "a", "d")
    ['a', 'b', 'd']
    """
    before: dict[str, str | None] = {start: None}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        if node == end:
            return _traced(before, end)
        for child in graph.children(node):
            if child not in before:
                before[child] = node
                waiting.append(child)
    return None


def _traced(before: dict[str, str | None], end: str) -> list[str]:
    path, at = [end], before[end]
    while at is not None:
        path.append(at)
        at = before[at]
    return path[::-1]


def directed_cycle(graph: PartialGraph) -> list[str] | None:
    """Nodes of a directed cycle, the first one once more at the end; None if there is none.

    Examples
    --------
    >>> directed_cycle(PartialGraph(directed=["ab", "bc", "ca", "cd"]))
    ['a', 'b', 'c', 'a']
    """
    after_cycles = _without_ends(graph.nodes, graph.parents, graph.children)
    before_cycles = _without_ends(graph.nodes, graph.children, graph.parents)
    # On a cycle, or between two of them.
    for start in sorted(after_cycles & before_cycles):
        for child in graph.children(start):
            path = directed_path(graph, child, start)
            if path is not None:
                return [start, *path]
    return None


def _without_ends(nodes: Iterable[str], parents: Kin, children: Kin) -> set[str]:
    """Nodes that stay when those without parents are removed again and again."""
    missing = {node: len(parents(node)) for node in nodes}
    free = [node for node, count in missing.items() if count == 0]
    while free:
        node = free.pop()
        del missing[node]
        for child in children(node):
            missing[child] -= 1
            if missing[child] == 0:
                free.append(child)
    return set(missing)


def topological_order(graph: PartialGraph) -> list[str]:
    """Nodes, causes before effects, alphabetically where that leaves a choice.

    Raises
    ------
    InvalidGraphError
        If the directed edges have a cycle.

    Examples
    --------
    >>> topological_order(PartialGraph("abc", directed=["cb", "ba"]))
    ['c', 'b', 'a']
    """
    order: list[str] = []
    missing = {node: len(graph.parents(node)) for node in graph.nodes}
    while missing:
        free = [node for node in sorted(missing) if missing[node] == 0]
        if not free:
            cycle = directed_cycle(graph)
            raise InvalidGraphError(f"Edges must have no cycle, got {' -> '.join(cycle or [])}.")
        node = free[0]
        order.append(node)
        del missing[node]
        for child in graph.children(node):
            missing[child] -= 1
    return order


def v_structures(graph: PartialGraph) -> set[VStructure]:
    """Colliders of directed edges whose causes are not adjacent.

    Examples
    --------
    >>> v_structures(PartialGraph(directed=["ac", "bc", "cd"]))
    {('a', 'c', 'b')}
    """
    return set(_colliders(graph))


def _colliders(graph: PartialGraph) -> Iterator[VStructure]:
    for effect in graph.nodes:
        for first, second in combinations(graph.parents(effect), 2):
            if not graph.adjacent(first, second):
                yield first, effect, second
