"""Graphs some of whose edges have a direction: what all of graph orientation works on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations

from bqcd.errors import InvalidGraphError
from bqcd.graphs.ends import DIRECTED, OPEN, Ends, edge_words, turned

Edge = tuple[str, str]
"""A directed edge, tail first; of an undirected one, the names in alphabetical order."""

VStructure = tuple[str, str, str]
"""Two causes that are not adjacent, alphabetically, around their common effect."""

Kin = Callable[[str], list[str]]
"""From a node to its parents, or to its children."""


class PartialGraph:
    """Nodes with directed and undirected edges, at most one between two nodes.

    Edges with two heads or with circles, as those of a PAG, are apart from these; what cannot
    take them refuses the graph, see :func:`refuse_mixed`.

    Everything is iterated in alphabetical order, so that nothing depends on the order in
    which a graph was written down.

    Parameters
    ----------
    nodes : iterable of str
        Names of the nodes; those of edges are added.
    directed, undirected : iterable of (str, str)
        Edges; tails come first.
    mixed : mapping of (str, str) to Ends, optional
        Marks at both nodes of edges that are neither: see :mod:`bqcd.graphs.ends`.

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
        mixed: Mapping[tuple[str, str], Ends] | None = None,
    ) -> None:
        self._mixed: dict[str, dict[str, Ends]] = {}
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
        for (first, second), ends in (mixed or {}).items():
            self._check_new(first, second)
            self._put(first, second, ends)

    def _add_node(self, node: str) -> None:
        for table in (self._parents, self._children, self._neighbours):
            table.setdefault(node, set())
        self._mixed.setdefault(node, {})

    def _put(self, first: str, second: str, ends: Ends) -> None:
        """Join two nodes that are not joined."""
        if ends == DIRECTED:
            self._children[first].add(second)
            self._parents[second].add(first)
        elif turned(ends) == DIRECTED:
            self._put(second, first, DIRECTED)
        elif ends == OPEN:
            self._neighbours[first].add(second)
            self._neighbours[second].add(first)
        else:
            self._mixed[first][second] = ends
            self._mixed[second][first] = turned(ends)

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

    @property
    def mixed(self) -> dict[Edge, Ends]:
        """Marks at both nodes of edges with two heads or with circles."""
        return {
            (first, second): self._mixed[first][second]
            for first in self.nodes
            for second in sorted(self._mixed[first])
            if first < second
        }

    def ends(self, first: str, second: str) -> Ends | None:
        """Marks at two nodes of the edge between them; None if there is none.

        Examples
        --------
        >>> graph = PartialGraph(directed=["ab"], mixed={("b", "c"): ("circle", "arrow")})
        >>> graph.ends("b", "a"), graph.ends("c", "b"), graph.ends("a", "c")
        (('arrow', 'tail'), ('arrow', 'circle'), None)
        """
        if second in self._mixed[first]:
            return self._mixed[first][second]
        if second in self._children[first]:
            return DIRECTED
        if second in self._parents[first]:
            return turned(DIRECTED)
        return OPEN if second in self._neighbours[first] else None

    def set_ends(self, first: str, second: str, ends: Ends) -> None:
        """Give the edge between two nodes other marks."""
        for one, other in ((first, second), (second, first)):
            self._mixed[one].pop(other, None)
            for table in (self._children, self._parents, self._neighbours):
                table[one].discard(other)
        self._put(first, second, ends)

    def joined(self, node: str) -> list[str]:
        """All nodes that any edge joins with one."""
        near = (self._parents, self._children, self._neighbours)
        return sorted(set(self._mixed[node]).union(*(table[node] for table in near)))

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
            or second in self._mixed[first]
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
        ends = self.ends(first, second)
        return "" if ends is None else edge_words(first, second, ends)

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
        twin._mixed = {node: dict(ends) for node, ends in self._mixed.items()}
        return twin

    def skeleton(self) -> PartialGraph:
        """The same edges without directions."""
        joined = [*self.directed, *self.undirected, *self.mixed]
        return PartialGraph(self.nodes, undirected=joined)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PartialGraph):
            return NotImplemented
        return (
            self._children == other._children
            and self._neighbours == other._neighbours
            and self._mixed == other._mixed
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        n_directed, n_undirected = len(self.directed), len(self.undirected)
        others = f", {len(self.mixed)} other" if self.mixed else ""
        return (
            f"<PartialGraph of {len(self._parents)} nodes, {n_directed} directed and "
            f"{n_undirected} undirected{others} edges>"
        )


def refuse_mixed(graph: PartialGraph, taker: str) -> None:
    """Refuse a graph with edges that have two heads or circles.

    Parameters
    ----------
    graph : PartialGraph
        Graph that is handed on.
    taker : str
        What takes directed and undirected edges only, for the message.

    Raises
    ------
    InvalidGraphError
        If there is such an edge. The message names it.
    """
    first = next(iter(graph.mixed), None)
    if first is not None:
        raise InvalidGraphError(
            f"{taker} must have directed and undirected edges only, got {graph.arrow(*first)}: "
            "edges with two heads or with circles belong to MAGs and PAGs."
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
