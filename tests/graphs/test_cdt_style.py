"""The calls of cdt's pairwise models, as its documentation has them."""

from __future__ import annotations

import csv
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bqcd
from bqcd.errors import (
    InvalidGraphError,
    InvalidPairError,
    InvalidSettingError,
    InvalidTableError,
    UnknownNameError,
)
from bqcd.graphs.cdt_style import PairwiseModel
from tests.graphs.formats.taken_graphs import skeleton, table

RNG = np.random.default_rng(0)
A = RNG.normal(size=200)
B = A**2 + 0.2 * RNG.normal(size=200)
CONFIDENCE = bqcd.decide(A, B).confidence
PAIRS = pd.DataFrame({"A": [A, B], "B": [B, A]}, index=pd.Index(["p1", "p2"], name="SampleID"))


def test_two_columns_flat_or_upright_give_the_confidence_of_decide() -> None:
    model = PairwiseModel()
    assert CONFIDENCE > 0.0
    assert model.predict(A, B) == CONFIDENCE
    assert model.predict_proba((A, B)) == CONFIDENCE
    assert model.predict_proba((A[:, None], B[:, None]), idx=3) == CONFIDENCE
    assert model.predict(B, A) == -CONFIDENCE


def test_a_frame_of_pairs_gives_a_list_of_scores_and_is_left_as_it_is() -> None:
    renamed = PAIRS.rename(columns={"A": "first", "B": "second"})
    for frame in (PAIRS, renamed, PAIRS.assign(extra=0)):
        before = list(frame.columns)
        assert PairwiseModel().predict(frame) == [CONFIDENCE, -CONFIDENCE]
        assert list(frame.columns) == before


def test_a_series_of_two_columns_is_one_pair() -> None:
    assert PairwiseModel().predict(PAIRS.loc["p2"]) == -CONFIDENCE
    with pytest.raises(InvalidPairError, match="two columns, got 3"):
        PairwiseModel().predict(pd.Series([A, B, A]))


def test_methods_and_settings_are_those_of_decide() -> None:
    expected = bqcd.decide(A, B, n_levels=7).confidence
    assert PairwiseModel(settings={"n_levels": 7}).predict(A, B) == expected
    assert PairwiseModel().predict(A, B, n_levels=7) == expected
    assert PairwiseModel("reci").predict(A, B) == bqcd.decide(A, B, method="reci").confidence
    with pytest.raises(UnknownNameError, match="n_levels"):
        PairwiseModel(settings={"n_level": 7})
    with pytest.raises(InvalidSettingError, match="seed of PairwiseModel"):
        PairwiseModel(seed=-1)


def test_missing_values_follow_the_setting() -> None:
    gappy = A.copy()
    gappy[3] = np.nan
    with pytest.raises(InvalidPairError, match=r"'p1' cannot be judged: .*missing"):
        PairwiseModel().predict(pd.DataFrame({"A": [gappy], "B": [B]}, index=["p1"]))
    expected = bqcd.decide(gappy, B, missing="drop").confidence
    assert PairwiseModel(missing="drop").predict(gappy, B) == expected


def test_a_table_of_pairs_needs_to_say_which_columns_are_the_pair() -> None:
    with pytest.raises(InvalidTableError, match="'A' and 'B', or two columns in all"):
        PairwiseModel().predict(pd.DataFrame({"x": [A], "y": [B], "z": [A]}))


def test_a_skeleton_becomes_a_weighted_digraph_of_all_columns() -> None:
    model, graph = PairwiseModel(), skeleton()
    graph.remove_node("d")
    found = model.predict(table(), graph)
    assert type(found) is nx.DiGraph
    assert set(found.edges) == {("a", "b"), ("b", "c")}
    assert set(found.nodes) == set("abcd")
    frame = table()
    for tail, head, told in found.edges(data=True):
        assert told["weight"] == abs(model.predict(frame[tail], frame[head]))
        assert told["outcome"] == "judged"


def test_of_a_digraph_only_edges_that_are_there_both_ways_are_oriented() -> None:
    given = nx.DiGraph([("b", "a"), ("b", "c"), ("c", "b")])
    found = PairwiseModel().orient_graph(table(), given)
    assert set(found.edges) == {("b", "a"), ("b", "c")}
    assert "weight" not in found.edges["b", "a"]
    assert found.edges["b", "c"]["weight"] > 0.0


def test_colliders_are_free_beside_given_edges_as_in_cdt() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.normal(size=(2, 500))
    frame = {"u": first, "v": second, "w": (first + 0.5 * second) ** 2}
    given = nx.DiGraph([("v", "w"), ("u", "w"), ("w", "u")])
    assert set(PairwiseModel().orient_graph(frame, given).edges) == {("v", "w"), ("u", "w")}


class Ring:
    """Judges a -> b -> c -> a, the last one least sure, and abstains on d."""

    def decide(self, pair: bqcd.Pair, rng: np.random.Generator) -> bqcd.Verdict:
        told = {"a|b": 3.0, "b|c": 2.0, "a|c": -1.0}.get(pair.key, 0.0)
        return bqcd.Verdict(told, pair, None, self, "ring")


def test_verdicts_that_go_round_give_no_cycle_and_the_turned_one_says_so() -> None:
    graph = nx.Graph(combinations("abcd", 2))
    found = PairwiseModel(Ring()).orient_graph(table(), graph)
    assert nx.is_directed_acyclic_graph(found)
    assert {("a", "b"), ("b", "c"), ("a", "c")} <= set(found.edges)
    assert found.edges["a", "b"] == {"weight": 3.0, "outcome": "judged"}
    assert found.edges["a", "c"] == {"weight": 1.0, "outcome": "turned"}
    assert not any("d" in edge for edge in found.edges)


def test_given_directions_with_a_cycle_are_refused() -> None:
    ring = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "a")])
    with pytest.raises(InvalidGraphError, match="cycle"):
        PairwiseModel().orient_graph(table(), ring)


def test_printout_writes_the_scores_under_cdts_heads(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    PairwiseModel().predict(PAIRS, printout=path)
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    assert rows[0] == ["SampleID", "Predictions"]
    assert [(key, float(score)) for key, score in rows[1:]] == [
        ("p1", CONFIDENCE),
        ("p2", -CONFIDENCE),
    ]
    PairwiseModel().orient_graph(table(), skeleton(), printout=path)
    edges = [line.partition(",")[0] for line in path.read_text(encoding="utf-8").splitlines()]
    assert edges == ["SampleID", "a-b", "b-c"]
