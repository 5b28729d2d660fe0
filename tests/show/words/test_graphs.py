"""What is told of graphs."""

from __future__ import annotations

from typing import get_args

import networkx as nx
import numpy as np

import bqcd
from bqcd.graphs.notes import Code, GraphNote
from bqcd.graphs.orienting.records import Outcome
from bqcd.show.words.graphs import note_words


def test_every_note_on_a_graph_has_a_sentence() -> None:
    facts = {
        "learner": "PC()",
        "nodes": ["a", "b"],
        "columns": ["a"],
        "required": [["a", "b"]],
        "at_most": 3,
        "simulated": 0.981,
        "n_simulated": 1234,
        "proteins": 4,
        "n_proteins": 9,
        "why": "'b' -> 'a' is required",
    }
    told = {code: note_words(GraphNote(code, facts)) for code in get_args(Code)}
    assert all(words.endswith(".") for words in told.values())
    assert len(set(told.values())) == len(told)
    assert told["edges that are absent"].endswith("does not join: a -> b.")


def test_the_summary_of_a_graph_speaks_of_edges_and_not_of_codes() -> None:
    rng = np.random.default_rng(0)
    a, b, noise = rng.normal(size=(3, 400))
    table = {"a": a, "b": b, "c": a**2 + 0.2 * noise}
    told = bqcd.orient(table, nx.Graph([("a", "c"), ("a", "b")])).summary
    assert told == (
        "1 of 2 edges has a direction, judged from the data. 1 is left open, not sure enough."
    )
    codes = {outcome.value for outcome in Outcome} - {"given", "judged", "compelled", "blocked"}
    assert not codes & set(told.replace(",", "").split())


def _learnt(**asked: object) -> tuple[dict[str, np.ndarray], bqcd.Orientation]:
    """A chain, the last pair of which is linear with Gaussian noise, learnt by quantile CAM."""
    rng = np.random.default_rng(0)
    a, first, second = rng.normal(size=(3, 800))
    b = np.sin(2.0 * a) + 0.4 * np.exp(0.7 * a) * first
    c, d = rng.normal(size=(2, 800))
    table = {"a": a, "b": b, "c": c, "d": c + d + 0.8 * second}
    return table, bqcd.orient(table, bqcd.learn_graph(table, "qcam"), **asked)


def test_a_learnt_direction_says_by_what_and_how_far_the_pair_agrees() -> None:
    table, found = _learnt()
    sure = found.record("a", "b")
    assert (sure.outcome, sure.learner, sure.strength) == (Outcome.LEARNT, "qcam", "leaning")
    assert sure.judgement is not None
    verdict = bqcd.decide(table["a"], table["b"], seed=sure.judgement.seed)
    assert sure.judgement.confidence == verdict.confidence
    assert sure.sentence.startswith("a -> b: learnt by qcam, leaning with confidence 0.0")
    assert "is common where no direction exists" in sure.sentence
    unsure = found.record("c", "d")
    assert unsure.strength == "borderline"
    assert "learnt by qcam, borderline: from the pair alone its direction cannot" in unsure.sentence
    assert found.summary == (
        "2 of 2 edges have a direction, learnt by qcam; of the learnt ones 1 leaning, "
        "1 borderline by the pair alone."
    )
    assert "given" not in found.summary + sure.sentence


def test_a_learnt_direction_is_no_surer_than_the_pair_even_if_its_sign_is_forced() -> None:
    forced = _learnt(force=True)[1].record("c", "d")
    assert forced.verdict is not None
    assert forced.strength == "borderline"


def test_a_pair_that_says_the_opposite_makes_a_learnt_direction_borderline() -> None:
    table, _ = _learnt()
    graph = bqcd.graphs.PartialGraph(directed=[("b", "a"), ("c", "d")])
    wrong = bqcd.graphs.skeletons.LearntGraph(graph, learner="mine")
    record = bqcd.orient(table, wrong).record("a", "b")
    assert record.strength == "borderline"
    assert "learnt by mine, borderline: the pair alone says a -> b with" in record.sentence


def test_a_given_direction_is_neither_judged_nor_called_learnt() -> None:
    table, learnt = _learnt()
    found = bqcd.orient(table, learnt.graph)
    assert {record.outcome for record in found.edges} == {Outcome.GIVEN}
    assert all(record.judgement is None and not record.learner for record in found.edges)
    assert found.explain("a", "b") == "a -> b: given in the graph."


def test_the_track_record_of_a_learner_stands_below_its_graph() -> None:
    notes = {note.code: note.sentence for note in _learnt()[1].notes}
    assert "learner" in notes
    assert "on protein signals (benchmarks/results/learners.md)" in notes["directions right"]


def test_the_bar_of_confidence_leaves_learnt_directions_as_they_are() -> None:
    found = _learnt()[1].at(10.0)
    assert {record.outcome for record in found.edges} == {Outcome.LEARNT}
    assert {record.learner for record in found.edges} == {"qcam"}
