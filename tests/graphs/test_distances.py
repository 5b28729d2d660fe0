"""Distances between graphs: known answers, other ways of counting, and what changes nothing."""

from __future__ import annotations

import multiprocessing
import os
import sys
from itertools import combinations, product

import numpy as np
import pytest

from bqcd.errors import InvalidGraphError, InvalidSettingError
from bqcd.graphs.adjustment import Adjustments
from bqcd.graphs.distances import (
    parent_adjustment_distance,
    sid_bounds,
    structural_hamming_distance,
    structural_intervention_distance,
)
from bqcd.graphs.equivalence import cpdag_of
from bqcd.graphs.partial import (
    PartialGraph,
    directed_cycle,
    topological_order,
    v_structures,
)

# Peters and Bühlmann (2015), figure 1: one more edge against one reversed edge.
TRUTH_EDGES = [("X1", "X2"), *product(["X1", "X2"], ["Y1", "Y2", "Y3"])]
PAPER_TRUTH = PartialGraph(directed=TRUTH_EDGES)
PAPER_LONGER = PartialGraph(directed=[*TRUTH_EDGES, ("Y1", "Y2")])
PAPER_REVERSED = PartialGraph(directed=[("X2", "X1"), *TRUTH_EDGES[1:]])


@pytest.fixture(params=["gadjid", "own"])
def counted_by(request, monkeypatch) -> str:
    """Run a test with gadjid, and once more as if it were not installed."""
    if request.param == "gadjid":
        pytest.importorskip("gadjid")
    else:
        monkeypatch.setitem(sys.modules, "gadjid", None)
    return request.param


def random_dag(rng: np.random.Generator, n_nodes: int) -> PartialGraph:
    order = [f"v{at}" for at in rng.permutation(n_nodes)]
    share = rng.uniform(0.1, 0.9)
    edges = [pair for pair in combinations(order, 2) if rng.random() < share]
    return PartialGraph(order, directed=edges)


def random_dags(seed: int, count: int) -> list[tuple[PartialGraph, PartialGraph]]:
    rng = np.random.default_rng(seed)
    sizes = [3 + at % 5 for at in range(count)]
    return [(random_dag(rng, size), random_dag(rng, size)) for size in sizes]


def renamed(graph: PartialGraph, names: dict[str, str]) -> PartialGraph:
    directed = [(names[tail], names[head]) for tail, head in graph.directed]
    undirected = [(names[first], names[second]) for first, second in graph.undirected]
    return PartialGraph(names.values(), directed=directed, undirected=undirected)


def own_sid(found: PartialGraph, truth: PartialGraph) -> int:
    errors = Adjustments(truth)
    return sum(errors.count(node, found.parents(node)) for node in truth.nodes)


def simulated_sid(found: PartialGraph, truth: PartialGraph, rng: np.random.Generator) -> int:
    """Effects of a linear model with random coefficients that regression gets wrong."""
    nodes, place = truth.nodes, {node: at for at, node in enumerate(truth.nodes)}
    weights = np.zeros((len(nodes), len(nodes)))
    for tail, head in truth.directed:
        weights[place[head], place[tail]] = rng.uniform(0.5, 1.5) * rng.choice([-1.0, 1.0])
    total = np.linalg.inv(np.eye(len(nodes)) - weights)
    covariance = total @ np.diag(rng.uniform(0.5, 2.0, len(nodes))) @ total.T
    wrong = 0
    for cause, effect in product(nodes, nodes):
        if cause == effect:
            continue
        told = 0.0
        if effect not in found.parents(cause):
            used = [place[cause], *(place[parent] for parent in found.parents(cause))]
            told = np.linalg.solve(covariance[np.ix_(used, used)], covariance[used, place[effect]])
            told = told[0]
        wrong += abs(told - total[place[effect], place[cause]]) > 1e-9
    return wrong


def moral_sid(found: PartialGraph, truth: PartialGraph) -> int:
    """The definition, pair by pair: paths in the moral graph without the ways to the effect."""
    return sum(
        not _effect_is_right(found.parents(cause), truth, cause, effect)
        for cause, effect in product(truth.nodes, truth.nodes)
        if cause != effect
    )


def _above(edges: list[tuple[str, str]], nodes: set[str]) -> set[str]:
    return nodes.union(*(_above(edges, {t}) for t, h in edges if h in nodes)) if nodes else set()


def _effect_is_right(given: list[str], truth: PartialGraph, cause: str, effect: str) -> bool:
    edges = truth.directed
    down = [(head, tail) for tail, head in edges]
    if effect in given:
        return effect not in _above(down, {cause})
    ways = (_above(down, {cause}) & _above(edges, {effect})) - {cause}
    if _above(down, ways) & set(given):
        return False
    kept = [(t, h) for t, h in edges if not (t == cause and h in ways)]
    alive = _above(kept, {cause, effect, *given})
    near = {frozenset(edge) for edge in kept if alive.issuperset(edge)}
    for node in alive:
        near |= {frozenset(two) for two in combinations([t for t, h in kept if h == node], 2)}
    joined, waiting = {cause}, [cause]
    while waiting:
        node = waiting.pop()
        for other in alive - joined - set(given):
            if frozenset((node, other)) in near:
                joined.add(other)
                waiting.append(other)
    return effect not in joined


def every_extension(graph: PartialGraph) -> list[PartialGraph]:
    """All DAGs with the same edges and colliders, by trying every combination."""
    dags = []
    for turns in product([False, True], repeat=len(graph.undirected)):
        edges = [
            (b, a) if turn else (a, b) for (a, b), turn in zip(graph.undirected, turns, strict=True)
        ]
        dag = PartialGraph(graph.nodes, directed=[*graph.directed, *edges])
        if directed_cycle(dag) is None and v_structures(dag) == v_structures(graph):
            dags.append(dag)
    return dags


@pytest.mark.parametrize(
    ("found", "distance"), [(PAPER_TRUTH, 0), (PAPER_LONGER, 0), (PAPER_REVERSED, 8)]
)
def test_the_example_of_the_sid_paper_has_its_distances(counted_by, found, distance):
    assert structural_intervention_distance(found, PAPER_TRUTH) == distance


def test_hamming_distance_does_not_tell_the_graphs_of_the_sid_paper_apart():
    assert structural_hamming_distance(PAPER_LONGER, PAPER_TRUTH) == 1
    assert structural_hamming_distance(PAPER_REVERSED, PAPER_TRUTH) == 1


def test_the_sid_is_not_symmetric(counted_by):
    assert structural_intervention_distance(PAPER_TRUTH, PAPER_LONGER) == 1


def test_a_reversed_chain_gets_every_effect_wrong(counted_by):
    found, truth = PartialGraph(directed=["cb", "ba"]), PartialGraph(directed=["ab", "bc"])
    assert structural_intervention_distance(found, truth) == 6


def test_an_empty_graph_misses_each_effect_and_each_confounding(counted_by):
    # a -> b, a -> c: do(a) is right without adjustment, b and c are confounded with all else.
    truth = PartialGraph(directed=["ab", "ac"])
    assert structural_intervention_distance(PartialGraph("abc"), truth) == 4


def test_the_sid_is_that_of_gadjid_on_many_small_dags():
    pytest.importorskip("gadjid")
    for found, truth in random_dags(seed=1, count=600):
        assert structural_intervention_distance(found, truth) == own_sid(found, truth)


def test_the_sid_is_that_of_the_definition_on_many_small_dags():
    for found, truth in random_dags(seed=2, count=300):
        assert own_sid(found, truth) == moral_sid(found, truth)


def test_the_sid_counts_effects_of_linear_models_that_regression_gets_wrong():
    rng = np.random.default_rng(3)
    for found, truth in random_dags(seed=4, count=500):
        assert own_sid(found, truth) == simulated_sid(found, truth, rng)


def test_the_sid_of_large_sparse_dags_is_that_of_gadjid():
    pytest.importorskip("gadjid")
    rng = np.random.default_rng(5)
    nodes = [f"v{at}" for at in range(60)]
    pairs = list(combinations(nodes, 2))
    for _ in range(3):
        found, truth = (
            PartialGraph(nodes, directed=[pair for pair in pairs if rng.random() < 0.05])
            for _ in range(2)
        )
        assert structural_intervention_distance(found, truth) == own_sid(found, truth) > 0


def test_a_graph_is_at_no_distance_from_itself(counted_by):
    for graph, _ in random_dags(seed=6, count=30):
        assert structural_intervention_distance(graph, graph) == 0
        assert structural_hamming_distance(graph, graph) == 0


def test_names_of_nodes_change_nothing(counted_by):
    for found, truth in random_dags(seed=7, count=30):
        names = dict(zip(truth.nodes, ["zeta", "a", "M m", "é", "10", "9", "x"], strict=False))
        others = renamed(found, names), renamed(truth, names)
        for distance in (structural_intervention_distance, structural_hamming_distance):
            assert distance(*others) == distance(found, truth)
        parts = cpdag_of(found), truth
        others = renamed(parts[0], names), renamed(truth, names)
        assert sid_bounds(*others) == sid_bounds(*parts)
        assert parent_adjustment_distance(*others) == parent_adjustment_distance(*parts)


def test_the_hamming_distance_is_symmetric_and_obeys_the_triangle_inequality():
    rng = np.random.default_rng(8)
    for _ in range(50):
        one, two, three = (random_dag(rng, 6) for _ in range(3))
        two = cpdag_of(two)
        there = structural_hamming_distance(one, two)
        assert there == structural_hamming_distance(two, one)
        around = structural_hamming_distance(one, three) + structural_hamming_distance(three, two)
        assert there <= around


@pytest.mark.parametrize(
    ("found", "distance"),
    [
        (PartialGraph("abc", directed=["ba"]), 1),
        (PartialGraph("abc", undirected=["ab"]), 1),
        (PartialGraph("abc"), 1),
        (PartialGraph("abc", directed=["ab", "bc"]), 1),
        (PartialGraph("abc", directed=["ba"], undirected=["bc"]), 2),
    ],
    ids=["reversed", "undirected", "missing", "superfluous", "two"],
)
def test_each_kind_of_wrong_edge_counts_one(found, distance):
    truth = PartialGraph("abc", directed=["ab"])
    assert structural_hamming_distance(found, truth) == distance


def test_graphs_with_one_node_or_none_are_at_no_distance(counted_by):
    for nodes in ("", "a"):
        graph = PartialGraph(nodes)
        assert structural_intervention_distance(graph, graph) == 0
        assert parent_adjustment_distance(graph, graph) == 0
        assert sid_bounds(graph, graph) == (0, 0)


def test_bounds_are_those_over_all_dags_of_the_class():
    for dag, truth in random_dags(seed=9, count=120):
        found = cpdag_of(dag)
        if len(found.undirected) > 8:
            continue
        values = [own_sid(one, truth) for one in every_extension(found)]
        assert sid_bounds(found, truth) == (min(values), max(values))


def test_bounds_hold_for_graphs_with_more_directions_than_their_class():
    rng = np.random.default_rng(10)
    n_between = 0
    for dag, truth in random_dags(seed=11, count=120):
        found = cpdag_of(dag)
        if not 2 <= len(found.undirected) <= 8:
            continue
        edge = found.undirected[rng.integers(len(found.undirected))]
        found.orient(*(edge if dag.is_directed(*edge) else edge[::-1]))
        values = [own_sid(one, truth) for one in every_extension(found)]
        assert sid_bounds(found, truth) == (min(values), max(values))
        n_between += len(values) > 1
    assert n_between > 20


def test_the_class_of_the_truth_has_lower_bound_zero():
    for truth, _ in random_dags(seed=12, count=60):
        bounds = sid_bounds(cpdag_of(truth), truth)
        assert bounds is not None
        assert bounds[0] == 0


def test_bounds_of_a_dag_are_its_distance(counted_by):
    for found, truth in random_dags(seed=13, count=60):
        distance = structural_intervention_distance(found, truth)
        assert sid_bounds(found, truth) == (distance, distance)


def test_bounds_are_given_up_when_a_part_has_too_many_dags():
    clique = PartialGraph(undirected=list(combinations("abcd", 2)))
    truth = PartialGraph(directed=list(combinations("abcd", 2)))
    assert sid_bounds(clique, truth, max_extensions=24) == (0, 12)
    assert sid_bounds(clique, truth, max_extensions=23) is None
    with pytest.raises(InvalidSettingError, match="max_extensions of sid_bounds must be"):
        sid_bounds(clique, truth, max_extensions=0)


def test_many_small_parts_are_no_obstacle_to_bounds():
    pairs = [(f"a{at}", f"b{at}") for at in range(40)]
    # Each pair is right one way and has both effects wrong the other.
    truth = PartialGraph(directed=pairs)
    assert sid_bounds(PartialGraph(undirected=pairs), truth) == (0, 80)


@pytest.mark.parametrize(
    "found",
    [
        PartialGraph(undirected=["ab", "bc", "cd", "ad"]),
        PartialGraph(directed=["ab", "dc"], undirected=["bc"]),
    ],
    ids=["a square", "a collider either way"],
)
def test_a_graph_no_dag_fits_has_no_bounds(found):
    assert sid_bounds(found, PartialGraph("abcd", directed=["ab"])) is None


def test_parent_adjustment_distance_is_that_of_gadjid_on_classes(monkeypatch):
    pytest.importorskip("gadjid")
    pairs = [(cpdag_of(found), truth) for found, truth in random_dags(seed=14, count=300)]
    theirs = [parent_adjustment_distance(*pair) for pair in pairs]
    monkeypatch.setitem(sys.modules, "gadjid", None)
    assert [parent_adjustment_distance(*pair) for pair in pairs] == theirs
    assert sum(bool(found.undirected) for found, _ in pairs) > 100


def test_parent_adjustment_distance_of_a_dag_is_the_sid(counted_by):
    for found, truth in random_dags(seed=15, count=60):
        distance = structural_intervention_distance(found, truth)
        assert parent_adjustment_distance(found, truth) == distance


def test_parent_adjustment_distance_refuses_what_is_no_class(counted_by):
    found = PartialGraph(directed=["ab"], undirected=["bc"])
    with pytest.raises(InvalidGraphError, match=r"must be a DAG or a CPDAG, got .* 1 undirected"):
        parent_adjustment_distance(found, PartialGraph("abc"))


DISTANCES = [
    structural_hamming_distance,
    structural_intervention_distance,
    sid_bounds,
    parent_adjustment_distance,
]


@pytest.mark.parametrize("distance", DISTANCES)
def test_different_nodes_are_named(distance):
    found, truth = PartialGraph(["a", "Akt"]), PartialGraph(["a", *"klmnopq"])
    with pytest.raises(
        InvalidGraphError,
        match=r"got 'Akt' only in the found graph; 'k', .*'o' and 2 more only in the true graph",
    ):
        distance(found, truth)


@pytest.mark.parametrize("distance", DISTANCES[1:])
def test_a_truth_that_is_no_dag_is_refused(distance):
    graph = PartialGraph("abc", directed=["ab"])
    with pytest.raises(InvalidGraphError, match=r"truth must be a DAG .* got b - c without"):
        distance(graph, PartialGraph(directed=["ab"], undirected=["bc"]))
    with pytest.raises(InvalidGraphError, match="no cycle, got a -> b -> c -> a"):
        distance(graph, PartialGraph(directed=["ab", "bc", "ca"]))


@pytest.mark.parametrize("distance", DISTANCES[1:])
def test_a_found_cycle_is_refused(distance):
    with pytest.raises(InvalidGraphError, match="no cycle, got a -> b -> c -> a"):
        distance(PartialGraph(directed=["ab", "bc", "ca"]), PartialGraph("abc"))


def test_the_sid_of_an_undirected_graph_points_to_the_bounds():
    with pytest.raises(
        InvalidGraphError, match=r"found must be a DAG .* a - b .* sid_bounds takes"
    ):
        structural_intervention_distance(PartialGraph(undirected=["ab"]), PartialGraph("ab"))


def test_a_topological_order_gives_no_wrong_effects_when_all_earlier_nodes_are_parents():
    # A full DAG over an order of the truth adjusts for all that is not caused by a node.
    for _, truth in random_dags(seed=16, count=40):
        full = PartialGraph(directed=combinations(topological_order(truth), 2))
        assert own_sid(full, truth) == 0


def distance_of_a_reversed_edge(_):
    found, truth = PartialGraph(directed=["ba", "ac"]), PartialGraph(directed=["ab", "ac"])
    return structural_intervention_distance(found, truth)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_does_not_wait_for_threads_of_its_parent():
    pytest.importorskip("gadjid")
    distance = distance_of_a_reversed_edge(0)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.map_async(distance_of_a_reversed_edge, [0]).get(timeout=120) == [distance]
