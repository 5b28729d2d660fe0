"""Greedy equivalence search among the graphs that what is known allows.

The operators of Chickering (2002), on graphs in which known directions and what follows from them
by Meek's rules are fixed. Each step is checked by a DAG: it must have the edges, obey what is
known, and score more than the one before. Without knowledge that is the usual search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from bqcd.graphs.equivalence import consistent_extension, cpdag_of, with_known_directions
from bqcd.graphs.knowledge import Knowledge
from bqcd.graphs.partial import PartialGraph
from bqcd.runtime.arrays import Matrix

# Scores that differ by less are equal.
_ROUNDING = 1e-6


class GaussianScores:
    """BIC of linear Gaussian models of columns on each other; larger is better.

    Parameters
    ----------
    names : sequence of str
        Nodes.
    values : ndarray of shape (n, k)
        Their columns.
    penalty : float
        Factor of the term log(n) / 2 for each parameter.
    """

    def __init__(self, names: Sequence[str], values: Matrix, penalty: float) -> None:
        self._place = {name: at for at, name in enumerate(names)}
        self._covariance = np.atleast_2d(np.cov(values.T, bias=True))
        self._n = len(values)
        self._penalty = 0.5 * penalty * float(np.log(self._n))
        self._known: dict[tuple[str, frozenset[str]], float] = {}

    def of(self, node: str, parents: Iterable[str]) -> float:
        """Score of a node given its parents."""
        key = node, frozenset(parents)
        if key not in self._known:
            self._known[key] = self._score(self._place[node], [self._place[one] for one in key[1]])
        return self._known[key]

    def total(self, dag: PartialGraph) -> float:
        """Score of a whole DAG."""
        return sum(self.of(node, dag.parents(node)) for node in dag.nodes)

    def _score(self, node: int, parents: list[int]) -> float:
        left = self._covariance[node, node]
        if parents:
            given = self._covariance[parents, node]
            left -= given @ np.linalg.solve(self._covariance[np.ix_(parents, parents)], given)
        fit = -0.5 * self._n * (1.0 + np.log(max(left, np.finfo(float).eps)))
        return float(fit) - self._penalty * (len(parents) + 1)


@dataclass(frozen=True, slots=True, order=True)
class _Move:
    """An edge put in or taken out; the one that loses least, or gains most, comes first."""

    loss: float
    tail: str
    head: str
    others: tuple[str, ...]


def search_with_knowledge(
    names: Sequence[str], values: Matrix, *, penalty: float, knowledge: Knowledge
) -> PartialGraph:
    """CPDAG with known directions, by greedy search for the best BIC.

    Parameters
    ----------
    names : sequence of str
        Nodes.
    values : ndarray of shape (n, k)
        Their columns.
    penalty : float
        Factor of the term log(n) / 2 for each parameter.
    knowledge : Knowledge
        Directions that are known.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=200)
    >>> values = np.stack([a, a + rng.normal(size=200)], axis=1)
    >>> known = Knowledge(tiers=(("b",), ("a",)))
    >>> search_with_knowledge("ab", values, penalty=1.0, knowledge=known).directed
    [('b', 'a')]
    """
    search = _Search(PartialGraph(names), GaussianScores(names, values, penalty), knowledge)
    for moves, made in ((search.insertions, _inserted), (search.deletions, _deleted)):
        while search.take_best(moves(), made):
            pass
    return search.graph


_Change = Callable[[PartialGraph, _Move], PartialGraph]


class _Search:
    """A graph under way, and the score of its DAGs."""

    def __init__(self, graph: PartialGraph, scores: GaussianScores, knowledge: Knowledge) -> None:
        self.graph = graph
        self._scores = scores
        self._knowledge = knowledge
        self._total = scores.total(graph)

    def take_best(self, moves: Iterable[_Move], made: _Change) -> bool:
        """Make the best move that leads to a better graph; whether there is one."""
        for move in sorted(moves):
            if move.loss > -_ROUNDING:
                return False
            dag = consistent_extension(made(self.graph, move))
            if dag is None or not self._obeys(dag):
                continue
            total = self._scores.total(dag)
            if total > self._total + _ROUNDING:
                self._total = total
                self.graph = with_known_directions(cpdag_of(dag), self._knowledge)
                return True
        return False

    def _obeys(self, dag: PartialGraph) -> bool:
        return all(self._knowledge.allows(*edge) for edge in dag.directed)

    def insertions(self) -> Iterator[_Move]:
        """Edges that may be put in, with neighbours of their head that become its parents."""
        graph = self.graph
        for tail in graph.nodes:
            for head in graph.nodes:
                if tail == head or graph.adjacent(tail, head):
                    continue
                if not self._knowledge.allows(tail, head):
                    continue
                common, free = _neighbours(graph, tail, head)
                for given in _cliques(graph, common, free):
                    if _is_apart(graph, head, tail, given):
                        others = tuple(sorted(given - common))
                        yield self._move(tail, head, given, others, sign=1.0)

    def deletions(self) -> Iterator[_Move]:
        """Edges that may be taken out, with common neighbours that become effects."""
        graph = self.graph
        turned = [(second, first) for first, second in graph.undirected]
        for tail, head in (*graph.directed, *graph.undirected, *turned):
            common, _ = _neighbours(graph, tail, head)
            for given in _cliques(graph, set(), sorted(common)):
                others = tuple(sorted(common - given))
                yield self._move(tail, head, given, others, sign=-1.0)

    def _move(
        self, tail: str, head: str, given: set[str], others: tuple[str, ...], *, sign: float
    ) -> _Move:
        parents = given.union(self.graph.parents(head)) - {tail}
        gain = self._scores.of(head, {*parents, tail}) - self._scores.of(head, parents)
        # Rounded, so that moves that gain the same are taken in alphabetical order.
        return _Move(round(-sign * gain, 6), tail, head, others)


def _inserted(graph: PartialGraph, move: _Move) -> PartialGraph:
    changed = _edges_of(graph)
    changed[move.tail, move.head] = True
    _direct(changed, [(other, move.head) for other in move.others])
    return _graph_of(graph.nodes, changed)


def _deleted(graph: PartialGraph, move: _Move) -> PartialGraph:
    changed = _edges_of(graph)
    for edge in ((move.tail, move.head), (move.head, move.tail)):
        changed.pop(edge, None)
    outward = [(node, other) for other in move.others for node in (move.head, move.tail)]
    _direct(changed, [edge for edge in outward if graph.is_undirected(*edge)])
    return _graph_of(graph.nodes, changed)


def _edges_of(graph: PartialGraph) -> dict[tuple[str, str], bool]:
    """Edges, and whether they have a direction."""
    return dict.fromkeys(graph.directed, True) | dict.fromkeys(graph.undirected, False)


def _direct(changed: dict[tuple[str, str], bool], edges: Iterable[tuple[str, str]]) -> None:
    for tail, head in edges:
        changed.pop((min(tail, head), max(tail, head)), None)
        changed[tail, head] = True


def _graph_of(nodes: Iterable[str], edges: Mapping[tuple[str, str], bool]) -> PartialGraph:
    return PartialGraph(
        nodes,
        directed=[edge for edge, directed in edges.items() if directed],
        undirected=[edge for edge, directed in edges.items() if not directed],
    )


def _neighbours(graph: PartialGraph, tail: str, head: str) -> tuple[set[str], list[str]]:
    """Neighbours of the head that are adjacent to the tail, and those that are not."""
    near = [node for node in graph.neighbours(head) if node != tail]
    common = {node for node in near if graph.adjacent(node, tail)}
    return common, [node for node in near if node not in common]


def _cliques(graph: PartialGraph, held: set[str], more: Sequence[str]) -> Iterator[set[str]]:
    """Cliques of the nodes held and any of some more, none tried that holds no smaller one.

    A hub has as many subsets of neighbours as nobody can go through, and few of them are cliques.
    """
    if not all(graph.adjacent(*pair) for pair in combinations(sorted(held), 2)):
        return
    waiting = [(held, 0)]
    while waiting:
        clique, start = waiting.pop()
        yield clique
        for at in range(start, len(more)):
            if all(graph.adjacent(more[at], node) for node in clique):
                waiting.append(({*clique, more[at]}, at + 1))


def _is_apart(graph: PartialGraph, start: str, end: str, given: set[str]) -> bool:
    """Whether every way along arrows and open edges passes a given node."""
    seen, waiting = {start, *given}, [start]
    while waiting:
        node = waiting.pop()
        onward = {*graph.children(node), *graph.neighbours(node)} - seen
        if end in onward:
            return False
        seen |= onward
        waiting.extend(onward)
    return True
