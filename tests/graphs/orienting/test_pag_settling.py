"""Circles of a PAG: only these are judged, and nothing else of the graph changes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bqcd
from bqcd.errors import InvalidGraphError, InvalidKnowledgeError, InvalidSettingError
from bqcd.graphs.knowledge import Knowledge
from bqcd.graphs.orienting.pag_rules import ancestral_conflict, arrow_colliders, open_edges
from bqcd.graphs.orienting.pag_settling import settle_pag
from bqcd.graphs.orienting.policy import Policy
from bqcd.graphs.orienting.records import Judgement, Outcome
from bqcd.graphs.partial import PartialGraph
from bqcd.graphs.skeletons import FCI
from tests.graphs.random_graphs import pags

NOTHING = Knowledge()


def pag(*edges):
    """Graph of edges such as ``a o-> b``."""
    from bqcd.graphs.formats.edge_types import WORDS, ends_of

    mixed, directed = {}, []
    for first, word, second in map(str.split, edges):
        if word in WORDS:
            directed.append((first, second))
        else:
            mixed[first, second] = ends_of(word)
    return PartialGraph(directed=directed, mixed=mixed)


def settled(graph, confidences=None, knowledge=NOTHING, overrule=False, **policy):
    told = {edge: Judgement((confidences or {}).get(edge, 0.0)) for edge in open_edges(graph)}
    return settle_pag(graph, told, knowledge=knowledge, policy=Policy(**policy), overrule=overrule)


def arrows(graph):
    return [graph.arrow(*edge) for edge in graph.skeleton().undirected]


@st.composite
def problems(draw):
    truth, graph = draw(pags())
    sizes = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0])
    confidences = {edge: draw(sizes) for edge in open_edges(graph)}
    some = (
        st.sets(st.sampled_from(truth.directed), max_size=3) if truth.directed else st.just(set())
    )
    known = Knowledge(
        required=tuple(sorted(draw(some))),
        forbidden=tuple(sorted((head, tail) for tail, head in draw(some))),
    )
    return truth, graph, confidences, known


@settings(max_examples=300, deadline=None)
@given(problems())
def test_nothing_of_a_pag_is_broken_whatever_the_verdicts(problem):
    _, graph, confidences, known = problem
    out, records = settled(graph, confidences, known)
    assert ancestral_conflict(out) is None
    assert arrow_colliders(out) == arrow_colliders(graph)
    for first, second in graph.skeleton().undirected:
        before, after = graph.ends(first, second), out.ends(first, second)
        for at, now in zip(before, after, strict=True):
            assert at in ("circle", now)
        one = known.direction(first, second)
        if one is not None:
            at_tail, at_head = out.ends(one.tail, one.head)
            assert at_head == "arrow"
            assert at_tail == "tail" or (one.tail, one.head) not in known.required
    assert sorted(record.edge for record in records) == graph.skeleton().undirected
    for record in records:
        assert record.arrow == out.arrow(*record.edge)
        assert record.sentence.startswith(f"{record.arrow}: ")


@settings(max_examples=200, deadline=None)
@given(problems())
def test_circles_are_kept_unless_judged_known_or_compelled(problem):
    _, graph, confidences, known = problem
    out, records = settled(graph, confidences, known)
    for record in records:
        if record.outcome.is_open:
            assert "circle" in out.ends(*record.edge)
    silent, _ = settled(graph, {}, NOTHING)
    assert silent == graph


@settings(max_examples=200, deadline=None)
@given(pags())
def test_true_verdicts_never_lead_away_from_the_truth(drawn):
    truth, graph = drawn
    confidences = {
        edge: 1.0 if truth.is_directed(*edge) else -1.0 if truth.is_directed(*edge[::-1]) else 0.0
        for edge in open_edges(graph)
    }
    out, _ = settled(graph, confidences)
    for edge in graph.skeleton().undirected:
        for mark, true in zip(out.ends(*edge), truth.ends(*edge), strict=True):
            assert mark in ("circle", true)


def test_only_circles_are_judged():
    graph = pag("a o-> b", "b <-> c", "c -> d", "d o-o e")
    assert open_edges(graph) == [("a", "b"), ("d", "e")]
    out, records = settled(graph, {("a", "b"): 1.0, ("d", "e"): -1.0})
    # c -> d is given, so that e -> d would be a new collider: the verdict is turned.
    assert arrows(out) == ["a -> b", "b <-> c", "c -> d", "d -> e"]
    told = {record.arrow: record.outcome for record in records}
    assert told["b <-> c"] is Outcome.GIVEN
    assert told["d -> e"] is Outcome.TURNED


def test_a_verdict_against_an_arrow_leaves_the_circle():
    out, [record] = settled(pag("a o-> b"), {("a", "b"): -0.5})
    assert arrows(out) == ["a o-> b"]
    assert record.outcome is Outcome.EXCLUDED
    assert record.sentence == (
        "a o-> b: left open: the pair alone says b -> a with confidence 0.5, rank 1, which the "
        "graph excludes."
    )


def test_a_cause_of_a_cause_is_no_effect():
    # b -> c and the verdict a -> b make c -> a a cycle, and c <-> a impossible.
    out, records = settled(pag("a o-o b", "b -> c", "a o-o c"), {("a", "b"): 2.0, ("a", "c"): -1.0})
    assert arrows(out) == ["a -> b", "a -> c", "b -> c"]
    assert records[-1].outcome is Outcome.TURNED
    assert "Zhang's rule R" in records[-1].sentence


def test_tiers_put_an_arrow_and_required_edges_a_tail_too():
    graph = pag("a o-o b", "c o-o d")
    known = Knowledge(tiers=[["a"], ["b"]], required=[("c", "d")])
    out, _ = settled(graph, knowledge=known)
    assert arrows(out) == ["a o-> b", "c -> d"]


def test_knowledge_against_the_ends_is_refused_or_overrules():
    graph, known = pag("a <-> b"), Knowledge(required=[("a", "b")])
    with pytest.raises(InvalidKnowledgeError, match="has a <-> b, but 'a' -> 'b' is required"):
        settled(graph, knowledge=known)
    out, [record] = settled(graph, knowledge=known, overrule=True)
    assert (arrows(out), record.overruled) == (["a -> b"], True)


def test_ends_that_contradict_each_other_are_refused():
    with pytest.raises(InvalidGraphError, match="a -> b -> c and a <-> c"):
        settled(pag("a -> b", "b -> c", "a <-> c"))


def hidden(n=1500):
    """A hidden cause of b and c; a causes b, and c causes d."""
    rng = np.random.default_rng(0)
    h, a = rng.normal(size=(2, n))
    b = a + h + 0.5 * rng.normal(size=n)
    c = h + 0.5 * rng.normal(size=n)
    d = np.tanh(2.0 * c) + 0.3 * rng.normal(size=n)
    return {"a": a, "b": b, "c": c, "d": d}


def test_what_fci_finds_is_oriented_and_kept():
    pytest.importorskip("causallearn")
    table = hidden()
    graph = FCI().learn(table)
    assert graph.arrow("b", "c") in ("c o-> b", "b <-> c")
    found = bqcd.orient(table, graph)
    assert found.facts["kind"] == "pag"
    for edge in graph.skeleton().undirected:
        if "circle" not in graph.ends(*edge):
            assert found.graph.ends(*edge) == graph.ends(*edge)
    assert found.at(100.0).graph == graph


def test_a_pag_is_drawn_with_circles_and_heads():
    pytest.importorskip("matplotlib")
    rng = np.random.default_rng(0)
    table = {name: rng.normal(size=50) for name in "abc"}
    found = bqcd.orient(table, pag("a o-> b", "b <-> c"))
    figure = found.plot()
    patches = [type(patch).__name__ for patch in figure.axes[0].patches]
    # One head of a o-> b, two of b <-> c.
    assert patches.count("Polygon") == 3
    assert sum(line.get_marker() == "o" for line in figure.axes[0].lines) == 1
    assert found.summary.startswith("0 of 2 edges have a direction")
    assert "a o-> b" in found.to_html().replace("\\u003e", ">")


@pytest.mark.parametrize("asked", [{"complete": True}, {"given_known": True}])
def test_what_a_pag_cannot_give_is_refused(asked):
    rng = np.random.default_rng(0)
    table = {name: rng.normal(size=50) for name in "ab"}
    with pytest.raises(InvalidSettingError, match="must be False for a PAG"):
        bqcd.orient(table, pag("a o-o b"), **asked)
    with pytest.raises(InvalidGraphError, match="A graph of kind 'cpdag' must have"):
        bqcd.orient(table, pag("a o-o b"), kind="cpdag")
