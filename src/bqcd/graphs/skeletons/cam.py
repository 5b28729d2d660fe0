"""Causal additive models: a DAG by greedy search for the order of its nodes, then pruning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bqcd.graphs.knowledge import NOTHING_KNOWN, Knowledge
from bqcd.graphs.partial import PartialGraph
from bqcd.graphs.skeletons.learner import Learner
from bqcd.graphs.skeletons.order_search import (
    AdditiveScores,
    Step,
    candidate_parents,
    ordered_edges,
)
from bqcd.graphs.skeletons.table import checked_columns
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import MOST_REPEATS, check_flag, check_integer, check_number
from bqcd.statistics.scaling import unit_variance

# Rows for each parent of a node, at least.
ROWS_PER_PARENT = 20


@dataclass(frozen=True, slots=True)
class CAMEdge:
    """An edge that the search added, and what became of it.

    Parameters
    ----------
    tail, head : str
        Its nodes.
    gain : float
        By how much it lowered the logarithm of the residual variance of its head, or with
        quantile CAM the code length in nats, given the parents found before.
    p_value : float or None
        Of its term in the model of the head on all its parents; None without pruning.
    kept : bool
        Whether the edge is in the graph.
    """

    tail: str
    head: str
    gain: float
    p_value: float | None
    kept: bool


@dataclass(frozen=True, slots=True)
class CAMSearch:
    """The graph found, with the edges tried.

    Parameters
    ----------
    graph : PartialGraph
        A DAG.
    edges : tuple of CAMEdge
        Edges in the order in which the search added them; of quantile CAM those that gain most
        first, and then those that were dropped before edges were turned once more.
    candidates : dict of str to list of str
        Nodes that were tried as parents of each node.
    """

    graph: PartialGraph
    edges: tuple[CAMEdge, ...]
    candidates: dict[str, list[str]]

    @property
    def score(self) -> float:
        """Sum of the gains: of CAM twice the log-likelihood per row over independent columns."""
        return float(sum(edge.gain for edge in self.edges))


@dataclass(frozen=True, kw_only=True)
class CAM(Learner):
    """Causal additive models: each node a sum of smooth functions of its parents [1]_.

    Edges are added one by one, that one first which lowers the residual variance most, as
    long as there is no cycle, until all nodes are in order. Then the additive model of each
    node on its parents is tested term by term.

    Parameters
    ----------
    prune : bool, default=True
        Whether parents with a large p-value are dropped. Without it the graph is (almost)
        complete: all it says is the order.
    cutoff : float, default=0.001
        Parents stay whose p-value is smaller.
    preselect : bool, default=False
        Whether candidates for the parents of each node are found by boosting first. Worth it
        from about 30 columns.
    min_share : float, default=0.02
        Candidates are chosen in more than this share of 100 boosting steps.
    max_candidates : int, default=10
        Candidates for the parents of a node, at most.
    n_basis : int, default=10
        Dimension of the thin-plate splines; fewer where a model has less than three rows to
        each of their functions.
    max_exact : int, default=20
        Columns up to which the gain of every edge is found by a model of its own. With more,
        gains are first found with the penalties of the model so far held, and then exactly
        of the edges that seem to gain nine tenths of the best one, or more.

    Notes
    -----
    Defaults are those of the R package CAM, but for ``prune``. Penalties are found by
    generalised cross-validation and p-values by Wood's test, as in the R package mgcv. A node
    has at most one parent for 20 rows. Where two edges gain the same, the first one in
    alphabetical order is taken. The graph does not depend on the order or the units of the
    columns. Edges that gain nothing are not added; the R package goes on until no edge can be.

    Time at 1,000 rows: 0.6 s for 10 columns, 7 s for 20, 100 s for 50; with ``preselect`` 0.2 s
    for 10, 2 s for 50 and 5 s for 100.

    References
    ----------
    .. [1] Bühlmann, Peters, Ernest. CAM: Causal additive models, high-dimensional order
       search and penalized regression. Annals of Statistics 2014.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, b, c = rng.normal(size=(3, 300))
    >>> columns = {"a": a, "b": b + np.sin(2.0 * a), "c": c}
    >>> CAM().learn(columns).directed
    [('a', 'b')]
    """

    prune: bool = True
    cutoff: float = 0.001
    preselect: bool = False
    min_share: float = 0.02
    max_candidates: int = 10
    n_basis: int = 10
    max_exact: int = 20

    def __post_init__(self) -> None:
        """Check the settings."""
        check_flag("CAM", "prune", self.prune)
        check_number("CAM", "cutoff", self.cutoff, above=0.0, at_most=1.0)
        check_flag("CAM", "preselect", self.preselect)
        check_number("CAM", "min_share", self.min_share, above=0.0, at_most=1.0)
        check_integer("CAM", "max_candidates", self.max_candidates, minimum=1, maximum=MOST_REPEATS)
        check_integer("CAM", "n_basis", self.n_basis, minimum=3, maximum=1_000)
        check_integer("CAM", "max_exact", self.max_exact, minimum=0, maximum=25)

    def search(
        self, columns: Mapping[str, Vector], *, knowledge: Knowledge = NOTHING_KNOWN
    ) -> CAMSearch:
        """DAG of some columns, with the edges that were tried, their gains and p-values."""
        table = checked_columns(columns, owner="CAM", min_rows=ROWS_PER_PARENT)
        names = list(table)
        knowledge.check_nodes(names)
        scores = AdditiveScores([unit_variance(table[name]) for name in names], self.n_basis)
        allowed = knowledge.allowed_edges(names)
        if self.preselect:
            allowed &= candidate_parents(scores, min_share=self.min_share, most=self.max_candidates)
        steps = ordered_edges(
            scores,
            allowed,
            max_parents=round(scores.n_rows / ROWS_PER_PARENT),
            exact=len(names) <= self.max_exact,
            before=knowledge.order(names),
        )
        p_values = _p_values(scores, steps) if self.prune else {}
        edges = tuple(self._edge(names, step, p_values) for step in steps)
        kept = [(edge.tail, edge.head) for edge in edges if edge.kept]
        candidates = {
            name: [names[i] for i in np.flatnonzero(allowed[:, j])] for j, name in enumerate(names)
        }
        return CAMSearch(PartialGraph(names, directed=kept), edges, candidates)

    def _edge(
        self, names: list[str], step: Step, p_values: dict[tuple[int, int], float]
    ) -> CAMEdge:
        p_value = p_values.get((step.tail, step.head))
        kept = p_value is None or p_value < self.cutoff
        return CAMEdge(names[step.tail], names[step.head], step.gain, p_value, kept)


def _p_values(scores: AdditiveScores, steps: list[Step]) -> dict[tuple[int, int], float]:
    """P-value of each edge in the model of its head on all its parents."""
    found: dict[tuple[int, int], float] = {}
    for node in range(scores.n_nodes):
        parents = sorted(step.tail for step in steps if step.head == node)
        if parents:
            values = scores.fit(node, parents).p_values
            found |= {(i, node): float(p) for i, p in zip(parents, values, strict=True)}
    return found
