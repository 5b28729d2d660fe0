"""Quantile CAM: a DAG by greedy search for an order, scored by conditional quantiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bqcd.graphs.knowledge import NOTHING_KNOWN, Knowledge
from bqcd.graphs.partial import PartialGraph
from bqcd.graphs.skeletons.cam import ROWS_PER_PARENT, CAMEdge, CAMSearch
from bqcd.graphs.skeletons.edge_turning import EdgeTurning, Flags
from bqcd.graphs.skeletons.learner import Learner
from bqcd.graphs.skeletons.level_scores import CodeLengths, LevelScores, pruned
from bqcd.graphs.skeletons.order_search import Step, ordered_edges
from bqcd.graphs.skeletons.table import checked_columns
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import MOST_REPEATS, check_flag, check_integer, check_number


@dataclass(frozen=True, kw_only=True)
class QuantileCAM(Learner):
    """CAM with conditional quantiles in place of means [1]_ [2]_.

    The quantiles of a node given its parents are q_τ(x) = m(x) + c_τ s(x), with location and log-
    scale sums of splines. Edges are added one by one, that one first which lowers the pinball
    scores of its head most, integrated over the levels of bQCD, in units of s(x) and on a
    logarithmic scale. For additive Gaussian noise that is CAM; where the spread depends on the
    parents, this counts too. Then edges are turned as long as that shortens the code of all columns
    given their parents: the entropy of the noise, which is the integral of log dc_τ/dτ over all
    levels [3]_, whatever the shape of the noise. There the log-scale has one more term, a spline of
    the location: of multiplied noise it is no sum over the parents. At last each parent is tested:
    do the levels of the rows, given the other parents, depend on it? What stays is turned once
    more.

    Parameters
    ----------
    prune : bool, default=True
        Whether parents with a large p-value are dropped.
    cutoff : float, default=0.001
        Parents stay whose p-value is smaller.
    preselect : bool, default=False
        Whether candidates for the parents of each node are chosen first, one after the other:
        columns that the levels of the node depend on, given those chosen before.
    select : float, default=0.05
        Candidates are chosen whose p-value is smaller, times the number of columns tried.
    max_candidates : int, default=10
        Candidates for the parents of a node, at most.
    n_basis : int, default=10
        Dimension of the splines; fewer where a model has less than three rows to each function.
    n_levels : int, default=3
        Levels of the Gauss-Legendre rule.
    max_exact : int, default=20
        Columns up to which every gain is found by a model of its own. With more, what parents so
        far explain is first held, and gains are then found exactly of the edges that seem to gain
        nine tenths of the best one, or more.

    Notes
    -----
    An edge must gain log(n) / n, what BIC asks of two straight lines, in location and scale. The
    search ends there; CAM goes on until all nodes are in order, and leaves it to pruning. Gains of
    edges are in nats of the code, of each parent given those of the same node that gain more. The
    graph does not depend on the order or the units of the columns.

    References
    ----------
    .. [1] Bühlmann, Peters, Ernest. CAM: Causal additive models, high-dimensional order search and
       penalized regression. Annals of Statistics 2014.
    .. [2] Tagasovska, Chavez-Demoulin, Vatter. Distinguishing cause from effect using quantiles.
       ICML 2020: its last section proposes it.
    .. [3] Vasicek. A test for normality based on sample entropy. JRSS B 1976.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, b, c = rng.normal(size=(3, 300))
    >>> columns = {"a": a, "b": np.sin(a) + np.exp(0.5 * a) * b, "c": c}
    >>> QuantileCAM().learn(columns).directed
    [('a', 'b')]
    """

    prune: bool = True
    cutoff: float = 0.001
    preselect: bool = False
    select: float = 0.05
    max_candidates: int = 10
    n_basis: int = 10
    n_levels: int = 3
    max_exact: int = 20

    def __post_init__(self) -> None:
        """Check the settings."""
        check_flag("QuantileCAM", "prune", self.prune)
        check_number("QuantileCAM", "cutoff", self.cutoff, above=0.0, at_most=1.0)
        check_flag("QuantileCAM", "preselect", self.preselect)
        check_number("QuantileCAM", "select", self.select, above=0.0, at_most=1.0)
        for name, least, most in (
            ("max_candidates", 1, MOST_REPEATS),
            ("n_basis", 3, 1_000),
            ("n_levels", 1, 99),
            ("max_exact", 0, 25),
        ):
            check_integer("QuantileCAM", name, getattr(self, name), minimum=least, maximum=most)

    def search(
        self, columns: Mapping[str, Vector], *, knowledge: Knowledge = NOTHING_KNOWN
    ) -> CAMSearch:
        """DAG of some columns, with the edges that were tried, their gains and p-values."""
        table = checked_columns(columns, owner="QuantileCAM", min_rows=ROWS_PER_PARENT)
        names = list(table)
        knowledge.check_nodes(names)
        scores = LevelScores([table[name] for name in names], self.n_basis, self.n_levels)
        allowed = knowledge.allowed_edges(names)
        if self.preselect:
            allowed &= scores.candidates(most=self.max_candidates, cutoff=self.select)
        edges = self._edges(scores, allowed, knowledge.order(names), names)
        directed = [(edge.tail, edge.head) for edge in edges if edge.kept]
        candidates = {
            name: [names[i] for i in np.flatnonzero(allowed[:, j])] for j, name in enumerate(names)
        }
        return CAMSearch(PartialGraph(names, directed=directed), tuple(edges), candidates)

    def _edges(
        self, scores: LevelScores, allowed: Flags, before: Flags, names: list[str]
    ) -> list[CAMEdge]:
        """Edges by pinball scores, turned where that shortens the code, and pruned."""
        exact = scores.n_nodes <= self.max_exact
        most = round(scores.n_rows / ROWS_PER_PARENT)
        steps = ordered_edges(
            scores,
            allowed,
            max_parents=most,
            exact=exact,
            before=before,
            start=scores.alone(),
            min_gain=scores.least_gain,
        )
        turning = EdgeTurning(
            codes=CodeLengths(scores),
            allowed=allowed & ~before.T,
            before=before,
            max_parents=most,
            exact=exact,
            price=scores.least_gain,
        )
        edges = self._tested(scores, turning.improved(steps), names)
        if not self.prune:
            return edges
        place = {name: at for at, name in enumerate(names)}
        kept = [Step(place[e.tail], place[e.head], e.gain) for e in edges if e.kept]
        # Edges that were dropped no longer stand in the way of a turn.
        again = self._tested(scores, turning.along(kept).improved(kept), names)
        return [*again, *(edge for edge in edges if not edge.kept)]

    def _tested(self, scores: LevelScores, steps: list[Step], names: list[str]) -> list[CAMEdge]:
        """Edges with their p-values, unless all are kept."""
        parents: dict[int, list[int]] = {}
        for step in steps:
            parents.setdefault(step.head, []).append(step.tail)
        p_values = pruned(scores, parents, cutoff=self.cutoff) if self.prune else {}
        edges = []
        for step in steps:
            p_value = p_values.get((step.tail, step.head))
            kept = p_value is None or p_value < self.cutoff
            edges.append(CAMEdge(names[step.tail], names[step.head], step.gain, p_value, kept))
        return edges
