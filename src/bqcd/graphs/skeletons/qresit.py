"""Quantile RESIT: sinks first, each a node whose conditional levels do not depend on the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from bqcd.graphs.knowledge import NOTHING_KNOWN, Knowledge
from bqcd.graphs.partial import Edge, PartialGraph
from bqcd.graphs.skeletons.cam import ROWS_PER_PARENT
from bqcd.graphs.skeletons.learner import Learner
from bqcd.graphs.skeletons.level_scores import LevelScores, pruned
from bqcd.graphs.skeletons.table import checked_columns
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import MOST_REPEATS, check_integer, check_number
from bqcd.statistics.level_tests import interaction_test, shape_test

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RESITSearch:
    """The graph found, with the order it was found in.

    Parameters
    ----------
    graph : PartialGraph
        A DAG.
    order : tuple of str
        Nodes, causes first.
    independence : dict of str to float
        P-value with which each node's levels were taken for independent of its inputs when it
        became a sink, after Bonferroni. 1 where there were none.
    p_values : dict of (str, str) to float
        P-values of edges, also of those that were dropped.
    """

    graph: PartialGraph
    order: tuple[str, ...]
    independence: dict[str, float]
    p_values: dict[Edge, float]


@dataclass(frozen=True, kw_only=True)
class QuantileRESIT(Learner):
    """RESIT with levels of conditional quantiles in place of residuals [1]_ [2]_.

    Of each node a model of its conditional quantiles given all others is fitted, which gives each
    row the level at which it lies. In a DAG of such models the levels of a sink are independent of
    the other nodes: neither does the shape of the noise depend on any of them, nor do levels on
    products of two. The node with the largest p-value goes last; then the rest is searched. Parents
    are then dropped as long as levels do not depend on them.

    Parameters
    ----------
    cutoff : float, default=0.001
        Parents stay whose p-value is smaller.
    max_inputs : int, default=10
        Inputs that are chosen for a node, at most: columns that its levels depend on, given those
        chosen before. Columns that chose the node are inputs too: what tells of another in a graph
        is told of by it.
    select : float, default=0.05
        Inputs are chosen whose p-value is smaller, times the number of columns tried.
    n_basis : int, default=10
        Dimension of the splines; fewer where a model has less than three rows to each function.
    n_levels : int, default=3
        Levels of the Gauss-Legendre rule.

    Notes
    -----
    The models are those of :class:`QuantileCAM`: location and log-scale are sums of splines.
    What is not chosen as input of a node is taken to say nothing about it, given the rest, and is
    not its parent.

    References
    ----------
    .. [1] Peters, Mooij, Janzing, Schölkopf. Causal discovery with continuous additive noise
       models. JMLR 2014.
    .. [2] Tagasovska, Chavez-Demoulin, Vatter. Distinguishing cause from effect using quantiles.
       ICML 2020: its last section proposes it.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, b, c = rng.normal(size=(3, 300))
    >>> columns = {"a": a, "b": np.sin(2.0 * a) + np.exp(0.5 * a) * b, "c": c}
    >>> QuantileRESIT().learn(columns).directed
    [('a', 'b')]
    """

    cutoff: float = 0.001
    max_inputs: int = 10
    select: float = 0.05
    n_basis: int = 10
    n_levels: int = 3

    def __post_init__(self) -> None:
        """Check the settings."""
        check_number("QuantileRESIT", "cutoff", self.cutoff, above=0.0, at_most=1.0)
        check_number("QuantileRESIT", "select", self.select, above=0.0, at_most=1.0)
        for name, least, most in (
            ("max_inputs", 1, MOST_REPEATS),
            ("n_basis", 3, 1_000),
            ("n_levels", 1, 99),
        ):
            check_integer("QuantileRESIT", name, getattr(self, name), minimum=least, maximum=most)

    def search(
        self, columns: Mapping[str, Vector], *, knowledge: Knowledge = NOTHING_KNOWN
    ) -> RESITSearch:
        """DAG of some columns, with their order and the p-values it rests on."""
        table = checked_columns(columns, owner="QuantileRESIT", min_rows=ROWS_PER_PARENT)
        names = list(table)
        knowledge.check_nodes(names)
        scores = LevelScores([table[name] for name in names], self.n_basis, self.n_levels)
        inputs = scores.candidates(most=self.max_inputs, cutoff=self.select)
        inputs |= inputs.T
        allowed = knowledge.allowed_edges(names)
        sinks = _sinks(scores, inputs, knowledge.order(names), inputs & ~allowed)
        order = [node for node, _ in reversed(sinks)]
        allowed &= inputs
        parents = {
            node: [one for one in order[:at] if allowed[one, node]] for at, node in enumerate(order)
        }
        p_values = pruned(scores, parents, cutoff=self.cutoff)
        kept = [(names[a], names[b]) for (a, b), p in p_values.items() if p < self.cutoff]
        return RESITSearch(
            PartialGraph(names, directed=kept),
            tuple(names[node] for node in order),
            {names[node]: exp(log_p) for node, log_p in sinks},
            {(names[a], names[b]): p for (a, b), p in p_values.items()},
        )


def _sinks(
    scores: LevelScores, inputs: Flags, before: Flags, not_after: Flags
) -> list[tuple[int, float]]:
    """Nodes, the last in the causal order first, with the logarithm of the p-value of each.

    No node is a sink before those that come after it, nor, if there is a choice, while an input is
    left that must not be its parent.
    """
    left = list(range(scores.n_nodes))
    known: dict[tuple[int, tuple[int, ...]], float] = {}
    found: list[tuple[int, float]] = []

    def log_p(node: int) -> float:
        own = tuple(one for one in left if inputs[one, node])
        if (node, own) not in known:
            known[node, own] = _log_independence(scores, node, own)
        return known[node, own]

    while left:
        free = [node for node in left if not before[node, left].any()]
        asked = [node for node in free if not not_after[left, node].any()] or free
        sink = max(asked, key=log_p)
        found.append((sink, log_p(sink)))
        left.remove(sink)
    return found


def _log_independence(scores: LevelScores, node: int, inputs: Sequence[int]) -> float:
    """Logarithm of the p-value that levels of a node are independent of its inputs."""
    if not inputs:
        return 0.0
    model = scores.fit(node, inputs)
    tests = [shape_test(model)]
    if len(inputs) > 1:
        tests.append(interaction_test(model, [scores.models.inputs[one] for one in inputs]))
    return min(min(test.log_p for test in tests) + log(len(tests)), 0.0)
