"""What is known goes into every search for a graph, and comes out of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bqcd.errors import InvalidKnowledgeError
from bqcd.graphs.distances import structural_hamming_distance
from bqcd.graphs.knowledge import NOTHING_KNOWN, Knowledge
from bqcd.graphs.partial import PartialGraph, directed_cycle, topological_order
from bqcd.graphs.skeletons import CAM, GES, PC, QuantileCAM, QuantileRESIT
from bqcd.graphs.skeletons.causal_learn import LearntGraph, obedient
from bqcd.graphs.skeletons.known_ges import search_with_knowledge
from tests.graphs.orienting.test_settling import true_knowledge
from tests.graphs.random_graphs import dags

pytest.importorskip("causallearn")

LEARNERS = [PC(), PC(test="copula"), GES(), CAM(), QuantileCAM(), QuantileRESIT()]


def chain(n=400):
    x, first, second = np.random.default_rng(1).normal(size=(3, n))
    return {"z": x + first + second, "x": x, "y": x + first}


def drawn_from(dag, seed, n=200):
    """Columns of a linear Gaussian model of a DAG."""
    rng = np.random.default_rng(seed)
    columns = {}
    for node in topological_order(dag):
        own = rng.normal(size=n)
        columns[node] = own + sum(
            (rng.choice([-1.0, 1.0]) * rng.uniform(0.5, 1.5) * columns[one])
            for one in dag.parents(node)
        )
    return columns


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(
    "known",
    [
        Knowledge(required=[("z", "y")]),
        Knowledge(forbidden=[("y", "z")]),
        Knowledge(tiers=[["z"], ["x", "y"]]),
    ],
)
def test_a_known_direction_comes_out_of_the_search(learner, known):
    graph = learner.learn(chain(), knowledge=known)
    assert graph.is_directed("z", "y")
    assert all(known.allows(*edge) for edge in graph.directed)


@pytest.mark.parametrize("learner", [PC(), GES()])
def test_what_follows_from_a_known_direction_is_oriented_in_the_search(learner):
    graph = learner.learn(chain(), knowledge=Knowledge(required=[("z", "y")]))
    assert graph == PartialGraph(directed=["zy", "yx"])


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_typo_is_an_error_with_the_nearest_names(learner):
    columns = {"dose": chain()["x"], "weight": chain()["y"]}
    with pytest.raises(InvalidKnowledgeError, match=r"'wieght', which is no column.*'weight'"):
        learner.learn(columns, knowledge=Knowledge(tiers=[["dose"], ["wieght"]]))


def test_cam_orders_nodes_of_no_tier_so_that_tiers_stay_in_order():
    # Without a tier for m, edges late -> m -> early would each be allowed.
    rng = np.random.default_rng(0)
    late = rng.normal(size=500)
    m = np.tanh(2.0 * late) + 0.3 * rng.normal(size=500)
    early = m**2 + 0.3 * rng.normal(size=500)
    columns = {"late": late, "m": m, "early": early}
    assert CAM().learn(columns).directed == [("late", "m"), ("m", "early")]
    graph = CAM().learn(columns, knowledge=Knowledge(tiers=[["early"], ["late"]]))
    order = topological_order(PartialGraph(graph.nodes, directed=[*graph.directed]))
    assert not (graph.is_directed("late", "m") and graph.is_directed("m", "early")), order


@settings(max_examples=25, deadline=None)
@given(dags(most=6), st.integers(0, 2**20))
def test_without_knowledge_the_search_here_is_that_of_causal_learn(dag, seed):
    if len(dag.nodes) < 2:
        return
    columns = drawn_from(dag, seed)
    names = sorted(columns)
    values = np.stack([columns[name] / columns[name].std() for name in names], axis=1)
    mine = search_with_knowledge(names, values, penalty=1.0, knowledge=NOTHING_KNOWN)
    assert mine == GES().learn(columns)


def test_a_hub_of_thirty_leaves_is_found_though_nobody_could_try_all_its_subsets():
    rng = np.random.default_rng(0)
    names = ["hub", *(f"leaf{k:02d}" for k in range(30))]
    hub = rng.normal(size=400)
    values = np.column_stack([hub, *(hub + rng.normal(size=400) for _ in names[1:])])
    found = search_with_knowledge(names, values, penalty=4.0, knowledge=NOTHING_KNOWN)
    assert found.undirected == [("hub", leaf) for leaf in names[1:]]
    assert not found.directed


@settings(max_examples=25, deadline=None)
@given(st.data(), dags(most=6), st.integers(0, 2**20))
@pytest.mark.parametrize("learner", [PC(), GES(), CAM()])
def test_whatever_is_known_is_obeyed_without_cycles(learner, data, dag, seed):
    if len(dag.nodes) < 2:
        return
    known = data.draw(true_knowledge(dag))
    graph = learner.learn(drawn_from(dag, seed), knowledge=known)
    assert directed_cycle(graph) is None
    for edge in graph.skeleton().undirected:
        one = known.direction(*edge)
        assert one is None or graph.is_directed(one.tail, one.head)


def random_dag(rng, size=7):
    order = rng.permutation([f"n{at}" for at in range(size)]).tolist()
    pairs = [(order[i], order[j]) for i in range(size) for j in range(i + 1, size)]
    kept = rng.random(len(pairs)) < 0.35
    return PartialGraph(
        order, directed=[pair for pair, keep in zip(pairs, kept, strict=True) if keep]
    )


@pytest.mark.parametrize("learner", [PC(), GES()])
def test_a_known_order_brings_the_graph_closer_to_the_truth(learner):
    rng = np.random.default_rng(0)
    without = with_order = 0
    for seed in range(12):
        dag = random_dag(rng)
        columns = drawn_from(dag, seed, n=1000)
        known = Knowledge(tiers=[[node] for node in topological_order(dag)])
        without += structural_hamming_distance(learner.learn(columns), dag)
        with_order += structural_hamming_distance(learner.learn(columns, knowledge=known), dag)
    assert with_order < 0.5 * without


def test_a_learnt_direction_against_knowledge_is_turned_with_a_note():
    learnt = LearntGraph(PartialGraph(directed=["ab", "bc"]))
    known = Knowledge(required=[("b", "a")])
    found = obedient(learnt, known)
    assert found.graph == PartialGraph(directed=["ba", "bc"])
    assert [note.sentence for note in found.notes] == [
        "a -> b was learnt, and is turned, as 'b' -> 'a' is required."
    ]


def test_edges_that_are_not_known_lose_their_direction_where_they_close_a_cycle_with_known_ones():
    learnt = LearntGraph(PartialGraph(directed=["ab", "bc", "ac"]))
    found = obedient(learnt, Knowledge(required=[("c", "a")]))
    assert found.graph == PartialGraph(directed=["ca"], undirected=["ab", "bc"])


def test_the_order_has_what_follows_from_tiers_and_required_edges():
    known = Knowledge(tiers=[["a"], ["b"]], required=[("b", "c"), ("c", "d")])
    assert known.order(list("abcd")).astype(int).tolist() == [
        [0, 1, 1, 1],
        [0, 0, 1, 1],
        [0, 0, 0, 1],
        [0, 0, 0, 0],
    ]


def test_required_edges_that_lead_back_to_an_earlier_tier_are_refused_with_both_sides():
    with pytest.raises(InvalidKnowledgeError) as caught:
        Knowledge(tiers=[["a"], ["b"]], required=[("b", "m"), ("m", "a")])
    assert "b -> m -> a is required" in str(caught.value)
    assert "tier 1 of 'a' is before tier 2 of 'b'" in str(caught.value)
