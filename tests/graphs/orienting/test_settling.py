"""Edges settled one by one: what must hold for any graph, any verdicts, any knowledge."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bqcd.errors import InvalidGraphError, InvalidKnowledgeError
from bqcd.graphs.equivalence import cpdag_of
from bqcd.graphs.knowledge import Knowledge
from bqcd.graphs.orienting.meek import Consequences
from bqcd.graphs.orienting.policy import Policy
from bqcd.graphs.orienting.records import Judgement, Outcome
from bqcd.graphs.orienting.settling import settle
from bqcd.graphs.partial import (
    PartialGraph,
    directed_cycle,
    topological_order,
    v_structures,
)

NOTHING = Knowledge()


def settled(graph, confidences=None, kind="cpdag", knowledge=NOTHING, **policy):
    confidences = confidences or {}
    judgements = {edge: Judgement(confidences.get(edge, 0.0)) for edge in graph.undirected}
    return settle(graph, judgements, kind=kind, knowledge=knowledge, policy=Policy(**policy))


@st.composite
def problems(draw):
    """A graph with a DAG behind it, verdicts, and true knowledge."""
    from tests.graphs.random_graphs import dags

    dag = draw(dags())
    kind = draw(st.sampled_from(["cpdag", "skeleton"]))
    graph = cpdag_of(dag) if kind == "cpdag" else dag.skeleton()
    sizes = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0])
    confidences = {edge: draw(sizes) for edge in graph.undirected}
    least = draw(st.sampled_from([0.0, 0.75]))
    return dag, graph, kind, confidences, draw(true_knowledge(dag)), least


@st.composite
def true_knowledge(draw, dag):
    """Statements that hold in a DAG: some of its edges, some tiers along its order."""
    some = st.sets(st.sampled_from(dag.directed), max_size=3) if dag.directed else st.just(set())
    order = topological_order(dag)
    cut = draw(st.integers(0, len(order)))
    return Knowledge(
        tiers=draw(st.sampled_from([(), (order[:cut], order[cut:])])),
        required=tuple(sorted(draw(some))),
        forbidden=tuple(sorted((head, tail) for tail, head in draw(some))),
    )


@st.composite
def arbitrary_problems(draw):
    """A graph whose directions have no cycle, but that need not be a CPDAG, and verdicts."""
    order = draw(st.permutations("abcdefg"))
    pairs = list(combinations(order, 2))
    kinds = st.lists(st.sampled_from("du  "), min_size=len(pairs), max_size=len(pairs))
    drawn = list(zip(pairs, draw(kinds), strict=True))
    graph = PartialGraph(
        order,
        directed=[pair for pair, kind in drawn if kind == "d"],
        undirected=[pair for pair, kind in drawn if kind == "u"],
    )
    sizes = st.sampled_from([-2.0, -1.0, 0.0, 1.0, 2.0])
    return graph, {edge: draw(sizes) for edge in graph.undirected}


def check_records(records, graph, out):
    """Every edge has one record, which says what became of it."""
    assert sorted(record.edge for record in records) == sorted(
        (min(edge), max(edge)) for edge in (*graph.directed, *graph.undirected)
    )
    for record in records:
        assert record.outcome.is_open == (record.tail is None)
        assert record.outcome.is_open == out.is_undirected(*record.edge)
        assert record.tail is None or out.is_directed(record.tail, record.head)
        assert record.sentence.startswith(f"{record.arrow}: ")
        if record.outcome is Outcome.JUDGED:
            assert record.verdict == (record.tail, record.head)
        if record.outcome is Outcome.TURNED:
            assert record.verdict == (record.head, record.tail)


@settings(max_examples=300, deadline=None)
@given(problems(), st.booleans())
def test_nothing_is_broken_whatever_the_verdicts(problem, complete):
    dag, graph, kind, confidences, knowledge, least = problem
    out, records = settled(
        graph, confidences, kind, knowledge, min_confidence=least, complete=complete
    )
    assert directed_cycle(out) is None
    assert out.skeleton() == graph.skeleton()
    assert all(out.is_directed(*edge) for edge in graph.directed)
    known = [knowledge.direction(*edge) for edge in (*graph.directed, *graph.undirected)]
    assert all(out.is_directed(one.tail, one.head) for one in known if one is not None)
    if kind == "cpdag":
        assert v_structures(out) == v_structures(dag)
    assert not (complete and out.undirected)
    check_records(records, graph, out)
    assert Outcome.BLOCKED not in {record.outcome for record in records}


@settings(max_examples=300, deadline=None)
@given(arbitrary_problems(), st.sampled_from(["cpdag", "skeleton"]))
def test_nothing_is_broken_in_graphs_that_no_dag_fits(problem, kind):
    graph, confidences = problem
    out, records = settled(graph, confidences, kind)
    assert directed_cycle(out) is None
    assert out.skeleton() == graph.skeleton()
    assert kind == "skeleton" or v_structures(out) == v_structures(graph)
    check_records(records, graph, out)


def test_an_edge_blocked_at_first_that_follows_the_other_way_is_not_recorded_as_open():
    graph = PartialGraph(
        directed=["gb", "bf", "fc"], undirected=["gd", "ef", "ec", "ed", "bc", "bd", "fd"]
    )
    out, records = settled(graph)
    check_records(records, graph, out)


@settings(max_examples=100, deadline=None)
@given(problems(), st.randoms(use_true_random=False))
def test_names_that_keep_the_alphabetical_order_of_edges_change_nothing_but_names(problem, random):
    _, graph, kind, confidences, knowledge, least = problem
    edges = {"directed": graph.directed, "undirected": graph.undirected}
    for listed in edges.values():
        random.shuffle(listed)
    nodes = graph.nodes
    random.shuffle(nodes)
    again = PartialGraph(
        nodes, directed=edges["directed"], undirected=[(b, a) for a, b in edges["undirected"]]
    )
    first = settled(graph, confidences, kind, knowledge, min_confidence=least)
    second = settled(again, confidences, kind, knowledge, min_confidence=least)
    assert first[0] == second[0]
    assert first[1] == second[1]


@settings(max_examples=100, deadline=None)
@given(problems())
def test_distinct_confidences_make_names_irrelevant(problem):
    _, graph, kind, _, _, _ = problem
    confidences = {edge: (-1) ** at * (at + 1.0) for at, edge in enumerate(graph.undirected)}
    out, _ = settled(graph, confidences, kind)
    # The same graph with every name mirrored, so that alphabetical order is reversed.
    mirrored = {node: chr(ord("z") - int(node[1:])) for node in graph.nodes}
    other = PartialGraph(
        mirrored.values(),
        directed=[(mirrored[a], mirrored[b]) for a, b in graph.directed],
        undirected=[(mirrored[a], mirrored[b]) for a, b in graph.undirected],
    )
    turned = {(mirrored[b], mirrored[a]): -size for (a, b), size in confidences.items()}
    found, _ = settled(other, turned, kind)
    assert sorted(found.directed) == sorted((mirrored[a], mirrored[b]) for a, b in out.directed)


@settings(max_examples=100, deadline=None)
@given(problems())
def test_verdicts_that_are_right_give_the_true_dag(problem):
    dag, graph, kind, *_ = problem
    truth = {(a, b): (1.0 if dag.is_directed(a, b) else -1.0) for a, b in graph.undirected}
    out, records = settled(graph, truth, kind)
    assert out == dag
    assert Outcome.TURNED not in {record.outcome for record in records}


def outcomes(records):
    return {record.arrow: record.outcome for record in records}


def test_a_weak_verdict_that_would_close_a_cycle_is_turned_and_the_path_named():
    graph = PartialGraph(undirected=["ab", "bc", "ac"])
    confidences = {("a", "b"): 3.0, ("b", "c"): 2.0, ("a", "c"): -1.0}
    out, records = settled(graph, confidences, "skeleton")
    assert out.directed == [("a", "b"), ("a", "c"), ("b", "c")]
    last = records[-1]
    assert (last.outcome, last.because, last.rank) == (Outcome.TURNED, ("a", "b", "c"), 3)
    assert last.sentence == (
        "a -> c: turned against its verdict c -> a with confidence 1, rank 3, because that would "
        "close a cycle with the path a -> b -> c."
    )


def test_a_verdict_that_follows_from_others_is_compelled_by_a_rule():
    graph = PartialGraph(undirected=["ab", "bc"])
    out, records = settled(graph, {("a", "b"): 2.0, ("b", "c"): -1.0}, "cpdag")
    assert out.directed == [("a", "b"), ("b", "c")]
    assert records[1].outcome is Outcome.TURNED
    assert records[1].rule == 1
    assert "compelled by Meek's rule 1 through a" in records[1].sentence
    free, _ = settled(graph, {("a", "b"): 2.0, ("b", "c"): -1.0}, "skeleton")
    assert free.directed == [("a", "b"), ("c", "b")]


def test_edges_below_the_threshold_are_left_open_and_say_so():
    graph = PartialGraph(undirected=["ab", "cd", "ef"])
    confidences = {("a", "b"): 0.5, ("c", "d"): 0.01}
    _, records = settled(graph, confidences, "skeleton", min_confidence=0.1)
    assert outcomes(records) == {
        "a -> b": Outcome.JUDGED,
        "c - d": Outcome.BORDERLINE,
        "e - f": Outcome.ABSTAINED,
    }
    assert records[1].sentence == (
        "c - d: left open as borderline: leaning, c -> d with confidence 0.01, rank 2; less than "
        "0.1 is left open."
    )


def test_a_verdict_few_replicates_share_is_left_open():
    graph = PartialGraph(undirected=["ab", "cd"])
    judgements = {("a", "b"): Judgement(1.0, 0.6), ("c", "d"): Judgement(0.5, 0.95)}
    _, records = settle(
        graph,
        judgements,
        kind="skeleton",
        knowledge=NOTHING,
        policy=Policy(min_share=0.9),
    )
    assert outcomes(records) == {"c -> d": Outcome.JUDGED, "a - b": Outcome.BORDERLINE}
    assert "60% of replicates" in records[1].sentence


def test_an_open_edge_that_a_path_decides_is_compelled():
    graph = PartialGraph(directed=["ab", "bc", "cd"], undirected=["ad"])
    out, records = settled(graph, {}, "skeleton")
    assert out.is_directed("a", "d")
    assert records[-1].outcome is Outcome.COMPELLED
    assert "a -> b -> c -> d" in records[-1].sentence


def test_a_graph_no_dag_fits_leaves_edges_open_as_blocked():
    # b - d would be oriented away from both a and e, each making a collider at its end.
    graph = PartialGraph(directed=["ab", "cb", "ed", "fd"], undirected=["bd"])
    out, records = settled(graph, {("b", "d"): 1.0}, "cpdag")
    assert out.undirected == [("b", "d")]
    last = records[-1]
    assert last.outcome is Outcome.BLOCKED
    assert last.sentence == (
        "b - d: left open, as either direction is blocked: b -> d would make a new collider "
        "b -> d <- e, and d -> b would make a new collider a -> b <- d."
    )
    with pytest.raises(InvalidGraphError, match="b - d is blocked either way"):
        settled(graph, {("b", "d"): 1.0}, "cpdag", complete=True)


def test_a_direction_that_would_compel_what_is_blocked_says_so():
    # In a ring of four that has no collider, any direction goes round and meets its tail.
    graph = PartialGraph(undirected=["ab", "bc", "cd", "ad"])
    _, records = settled(graph, {("a", "b"): 1.0}, "cpdag")
    assert records[0].sentence == (
        "a - b: left open, as either direction is blocked: a -> b would compel d -> a, which "
        "would close a cycle with the path a -> b -> c -> d, and b -> a would compel c -> b, "
        "which would close a cycle with the path b -> a -> d -> c."
    )


def test_known_edges_tell_what_the_pair_alone_says():
    graph = PartialGraph(undirected=["ab"])
    _, records = settled(graph, {("a", "b"): 0.5}, knowledge=Knowledge(required=[("b", "a")]))
    assert records[0].sentence == (
        "b -> a: known, as 'b' -> 'a' is required; the pair alone says a -> b with confidence "
        "0.5, rank 1."
    )


def test_completed_edges_tell_their_verdict_or_that_there_is_none():
    graph = PartialGraph(undirected=["ab", "cd"])
    _, records = settled(graph, {("a", "b"): -0.5}, min_confidence=1.0, complete=True)
    assert [record.sentence for record in records] == [
        "b -> a: completed to a full DAG, by its verdict with confidence 0.5, rank 1.",
        "c -> d: completed to a full DAG, in alphabetical order.",
    ]


def test_statements_that_only_together_close_a_cycle_are_all_named():
    graph = PartialGraph(undirected=["ab", "bc", "ac"])
    known = Knowledge(required=[("a", "b"), ("b", "c")], forbidden=[("a", "c")])
    with pytest.raises(InvalidKnowledgeError) as caught:
        settled(graph, kind="skeleton", knowledge=known)
    assert str(caught.value).endswith(
        "'b' -> 'c' is required, but b -> c would close a cycle with the path c -> a -> b, where "
        "'a' -> 'b' is required and 'a' -> 'c' is forbidden."
    )


def test_a_cycle_of_given_directions_is_refused():
    with pytest.raises(InvalidGraphError, match="a -> b -> c -> a"):
        settled(PartialGraph(directed=["ab", "bc", "ca"], undirected=["cd"]), kind="skeleton")


@pytest.mark.parametrize(
    ("graph", "required", "kind", "word"),
    [
        (PartialGraph(directed=["ab"]), ("b", "a"), "cpdag", "which has a -> b"),
        (PartialGraph(directed=["cb"], undirected=["ab"]), ("a", "b"), "cpdag", "Meek's rule 1"),
        (
            PartialGraph(directed=["ab", "bc"], undirected=["ac"]),
            ("c", "a"),
            "skeleton",
            "c -> a would close a cycle with the path a -> b -> c",
        ),
    ],
)
def test_knowledge_that_contradicts_the_graph_is_named(graph, required, kind, word):
    with pytest.raises(InvalidKnowledgeError, match=word):
        settled(graph, kind=kind, knowledge=Knowledge(required=(required,)))


def test_a_complete_graph_of_thirty_nodes_is_oriented_in_its_true_order():
    names = [f"v{at:02d}" for at in range(30)]
    edges = [(a, b) for at, a in enumerate(names) for b in names[at + 1 :]]
    graph = PartialGraph(undirected=edges)
    out, _ = settled(graph, dict.fromkeys(edges, -1.0), "cpdag")
    assert out.directed == sorted((b, a) for a, b in edges)


@pytest.mark.parametrize(
    ("edges", "kind", "word"),
    [(["ab", "bc", "ac"], "skeleton", "cycle"), (["ab", "bc"], "cpdag", "a -> b <- c")],
)
def test_the_final_check_finds_what_the_steps_let_through(monkeypatch, edges, kind, word):
    monkeypatch.setattr("bqcd.graphs.orienting.settling.obstacle", lambda *_: None)
    monkeypatch.setattr(
        "bqcd.graphs.orienting.settling.draw_consequences", lambda *_, **__: Consequences((), ())
    )
    verdicts = {("a", "b"): 1.0, ("b", "c"): 1.0 if kind == "skeleton" else -1.0, ("a", "c"): -1.0}
    with pytest.raises(InvalidGraphError, match=word):
        settled(PartialGraph(undirected=edges), verdicts, kind)


def test_a_new_verdict_may_be_asked_for_when_an_edge_has_its_turn():
    asked = []

    def rejudge(edge, graph):
        asked.append((edge, graph.directed))
        return Judgement(-1.0)

    graph = PartialGraph(undirected=["ab", "cd"])
    judgements = {("a", "b"): Judgement(1.0), ("c", "d"): Judgement(2.0)}
    out, _ = settle(
        graph,
        judgements,
        kind="skeleton",
        knowledge=NOTHING,
        policy=Policy(),
        rejudge=rejudge,
    )
    assert asked == [(("c", "d"), []), (("a", "b"), [("d", "c")])]
    assert out.directed == [("b", "a"), ("d", "c")]


def test_knowledge_may_overrule_a_direction_of_the_graph_and_the_record_says_so():
    graph = PartialGraph(directed=["ab", "cb"])
    known = Knowledge(required=[("b", "a")])
    with pytest.raises(InvalidKnowledgeError, match=r"has a -> b, but 'b' -> 'a' is re"):
        settled(graph, knowledge=known)
    out, records = settle(graph, {}, kind="cpdag", knowledge=known, policy=Policy(), overrule=True)
    assert out == PartialGraph(directed=["ba", "cb"])
    turned = next(record for record in records if record.edge == ("a", "b"))
    assert turned.outcome is Outcome.KNOWLEDGE
    assert turned.overruled
    assert turned.sentence == (
        "b -> a: known, as 'b' -> 'a' is required, against a -> b in the graph."
    )


def test_a_given_direction_that_is_known_too_says_both():
    _, records = settled(PartialGraph(directed=["ab"]), knowledge=Knowledge([["a"], ["b"]]))
    assert records[0].sentence == (
        "a -> b: given in the graph, and known, as tier 1 of 'a' is before tier 2 of 'b'."
    )


def test_overruling_that_closes_a_cycle_is_refused_with_both_sides():
    graph = PartialGraph(directed=["ab", "bc", "ac"])
    with pytest.raises(InvalidKnowledgeError) as caught:
        settle(
            graph,
            {},
            kind="skeleton",
            knowledge=Knowledge(required=[("c", "a")]),
            policy=Policy(),
            overrule=True,
        )
    assert "'c' -> 'a' is required" in str(caught.value)
    assert "the path a -> b -> c, which is given" in str(caught.value)
