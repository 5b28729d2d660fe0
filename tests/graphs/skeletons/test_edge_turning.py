"""Edges turned by code lengths: what is wrong is mended, what is known is obeyed."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from bqcd.graphs.skeletons.edge_turning import EdgeTurning
from bqcd.graphs.skeletons.level_scores import CodeLengths, LevelScores
from bqcd.graphs.skeletons.order_search import Step

PRICE = np.log(600) / 600


def columns(seed=0, n=600):
    """0 -> 1 -> 2, and 3 -> 2, with noise of three shapes."""
    rng = np.random.default_rng(seed)
    a, d = rng.normal(size=(2, n))
    b = np.sin(2.0 * a) + 0.4 * rng.standard_t(2, size=n)
    c = np.tanh(b) + 0.5 * d**2 + 0.3 * np.exp(0.5 * np.tanh(b)) * rng.uniform(-1.0, 1.0, size=n)
    return [a, b, c, d]


@pytest.fixture(scope="module")
def codes():
    return CodeLengths(LevelScores(columns(), 8, 3))


def turning(codes, *, forbidden=(), before=(), **settings):
    size = codes.n_nodes
    allowed, known = ~np.eye(size, dtype=bool), np.zeros((size, size), dtype=bool)
    for edge in forbidden:
        allowed[edge] = False
    for edge in before:
        known[edge] = True
    asked = {"max_parents": 30, "exact": True, "price": PRICE, **settings}
    return EdgeTurning(codes=codes, allowed=allowed & ~known.T, before=known, **asked)


def edges_of(steps):
    return sorted((step.tail, step.head) for step in steps)


def cost(codes, edges):
    parents = [[a for a, b in edges if b == node] for node in range(codes.n_nodes)]
    lengths = [codes.length(node, own) for node, own in enumerate(parents)]
    return sum(lengths) + PRICE * len(edges)


TRUTH = [(0, 1), (1, 2), (3, 2)]
# What is too much may pay by chance; pruning is to drop it.
TOO_MUCH = {(0, 2), (0, 3), (3, 0), (3, 1)}


@pytest.mark.parametrize("start", [[], TRUTH, [(1, 0), (2, 1), (2, 3)], [(1, 0), (0, 2), (3, 2)]])
def test_from_wherever_it_starts_the_true_edges_are_found(codes, start):
    found = set(edges_of(turning(codes).improved([Step(a, b, 0.0) for a, b in start])))
    assert set(TRUTH) <= found <= {*TRUTH, *TOO_MUCH}


def test_gains_add_up_to_what_the_code_fell_by_the_largest_first(codes):
    found = turning(codes).improved([])
    gains = [step.gain for step in found]
    fall = cost(codes, []) + PRICE * len(found) - cost(codes, edges_of(found))
    assert sum(gains) == pytest.approx(fall)
    assert gains == sorted(gains, reverse=True)


def test_graphs_stay_acyclic_cost_no_more_and_obey_what_is_known(codes):
    rng = np.random.default_rng(1)
    for _ in range(10):
        order = rng.permutation(4).tolist()
        pairs = [(a, b) for at, b in enumerate(order) for a in order[:at]]
        chosen = [pair for pair in pairs if rng.random() < 0.5]
        last, first = order[-1], order[0]
        known = {"before": [(first, last)], "forbidden": [(order[1], order[2])]}
        allowed = [e for e in chosen if e != (order[1], order[2])]
        found = turning(codes, **known).improved([Step(a, b, 0.0) for a, b in allowed])
        graph = nx.DiGraph(edges_of(found))
        graph.add_edge(first, last)
        assert nx.is_directed_acyclic_graph(graph)
        assert (order[1], order[2]) not in edges_of(found)
        assert cost(codes, edges_of(found)) <= cost(codes, allowed) + 1e-9


def test_along_some_edges_no_other_appears(codes):
    start = [Step(1, 0, 0.0), Step(2, 1, 0.0)]
    found = turning(codes).along(start).improved(start)
    assert {frozenset(edge) for edge in edges_of(found)} <= {frozenset((0, 1)), frozenset((1, 2))}
    assert (0, 1) in edges_of(found)


def test_rough_gains_lead_to_the_same_edges(codes):
    found = [turning(codes, exact=exact).improved([]) for exact in (True, False)]
    assert edges_of(found[0]) == edges_of(found[1])
