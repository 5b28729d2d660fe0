"""From a table and a graph to an orientation: what users hand in, and what they get back."""

from __future__ import annotations

import json
import pickle

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest

import bqcd
from bqcd.errors import (
    InvalidGraphError,
    InvalidKnowledgeError,
    InvalidPairError,
    InvalidSettingError,
    UnknownNameError,
)
from bqcd.graphs import Knowledge, Outcome, read_graph
from bqcd.graphs.partial import PartialGraph
from bqcd.methods.verdict import Verdict


def chain(n: int = 400, seed: int = 0) -> dict[str, np.ndarray]:
    """a -> b -> c, each step easy."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = a**2 + 0.4 * rng.normal(size=n)
    c = np.sin(2.0 * b) + 0.4 * rng.normal(size=n)
    return {"a": a, "b": b, "c": c}


PATH = nx.path_graph(["a", "b", "c"])


class Oracle:
    """Says that the alphabetically first column is the cause, with a given confidence."""

    def __init__(self, confidences):
        self.confidences = confidences

    def decide(self, pair, rng):
        return Verdict(self.confidences.get((pair.x_name, pair.y_name), 0.0), pair)


@pytest.mark.parametrize(
    "table",
    [chain(), pd.DataFrame(chain()), pl.DataFrame(chain())],
    ids=["mapping", "pandas", "polars"],
)
def test_open_edges_are_oriented_from_any_table(table):
    found = bqcd.orient(table, PATH)
    assert sorted(found.directed.edges) == [("a", "b"), ("b", "c")]
    assert not found.undirected.edges
    assert nx.is_directed_acyclic_graph(found.directed)
    assert {record.outcome for record in found.edges} == {Outcome.JUDGED}


def test_an_edge_has_the_confidence_that_decide_gives_its_pair():
    columns = chain()
    found = bqcd.orient(columns, PATH)
    verdict = bqcd.decide(columns["a"], columns["b"])
    assert found.record("b", "a").confidence == verdict.confidence
    assert found.directed.edges["a", "b"]["confidence"] == verdict.confidence


def test_positions_of_an_array_are_nodes_and_come_back_as_such():
    columns = np.column_stack(list(chain().values()))
    found = bqcd.orient(columns, nx.path_graph(3))
    assert sorted(found.directed.edges) == [(0, 1), (1, 2)]
    assert found.explain(1, 0).startswith("0 -> 1: judged")


def test_a_matrix_is_read_by_its_convention():
    matrix = np.array([[0, 1, 0], [1, 0, 0], [0, 1, 0]])
    found = bqcd.orient(chain(), matrix, convention="row-causes-column", kind="skeleton")
    assert sorted(found.directed.edges) == [("a", "b"), ("c", "b")]
    turned = bqcd.orient(chain(), matrix, convention="column-causes-row")
    assert sorted(turned.directed.edges) == [("a", "b"), ("b", "c")]


def test_the_order_of_columns_nodes_and_edges_changes_nothing():
    columns = chain(seed=3)
    first = bqcd.orient(columns, PATH, replicates=10)
    turned = nx.Graph([("c", "b"), ("b", "a")])
    second = bqcd.orient(dict(reversed(columns.items())), turned, replicates=10)
    assert first.as_dict()["edges"] == second.as_dict()["edges"]


def test_given_directions_stay_and_colliders_are_kept():
    # c -> d follows by Meek's first rule, whatever the pair says.
    graph = nx.DiGraph([("a", "c"), ("b", "c"), ("c", "d"), ("d", "c")])
    rng = np.random.default_rng(0)
    columns = {name: rng.normal(size=50) for name in "abcd"}
    found = bqcd.orient(columns, graph, method=Oracle({("c", "d"): -1.0}))
    assert sorted(found.directed.edges) == [("a", "c"), ("b", "c"), ("c", "d")]
    assert found.record("a", "c").outcome is Outcome.V_STRUCTURE
    assert found.record("c", "d").outcome is Outcome.TURNED
    assert "Meek's rule 1 through a" in found.explain("d", "c")


def test_a_skeleton_leaves_colliders_free_and_a_cpdag_does_not():
    rng = np.random.default_rng(0)
    columns = {name: rng.normal(size=50) for name in "abc"}
    oracle = Oracle({("a", "b"): 2.0, ("b", "c"): -1.0})
    free = bqcd.orient(columns, PATH, method=oracle)
    kept = bqcd.orient(columns, PATH, method=oracle, kind="cpdag")
    assert sorted(free.directed.edges) == [("a", "b"), ("c", "b")]
    assert sorted(kept.directed.edges) == [("a", "b"), ("b", "c")]


def test_knowledge_is_obeyed_and_told():
    found = bqcd.orient(chain(), PATH, knowledge=Knowledge(tiers=[["c"], ["b"]]))
    assert found.directed.has_edge("c", "b")
    told = found.explain("b", "c")
    assert told.startswith(
        "c -> b: known, as tier 1 of 'c' is before tier 2 of 'b'; the pair alone"
    )


def test_edges_of_small_confidence_are_left_open_or_completed():
    columns = chain()
    weak = abs(bqcd.decide(columns["b"], columns["c"]).confidence)
    strong = abs(bqcd.decide(columns["a"], columns["b"]).confidence)
    least = (weak + strong) / 2.0
    found = bqcd.orient(columns, PATH, min_confidence=least)
    open_edge = min(found.edges, key=lambda record: abs(record.confidence))
    assert open_edge.outcome is Outcome.BORDERLINE
    assert len(found.undirected.edges) == 1
    full = bqcd.orient(columns, PATH, min_confidence=least, complete=True)
    assert len(full.directed.edges) == 2
    assert full.record(*open_edge.edge).outcome is Outcome.COMPLETED


def test_replicates_tell_how_stable_a_verdict_is():
    rng = np.random.default_rng(1)
    columns = {**chain(), "d": rng.normal(size=400)}
    graph = nx.Graph([("a", "b"), ("a", "d")])
    found = bqcd.orient(columns, graph, min_share=0.9)
    assert found.facts["replicates"] == 100
    assert found.record("a", "b").judgement.share == 1.0
    assert found.record("a", "d").judgement.share < 0.9
    assert found.record("a", "d").outcome is Outcome.BORDERLINE


def confounded(seed: int) -> dict[str, np.ndarray]:
    """x -> y, with a parent z of both that hides it."""
    z, first, second = np.random.default_rng(seed).normal(size=(3, 500))
    x = 1.5 * z**2 + first
    return {"x": x, "y": 3.0 * z + 1.5 * np.sin(2.0 * x) + 0.5 * second, "z": z}


def test_what_a_known_parent_explains_can_be_taken_off_first():
    graph = PartialGraph("xyz", directed=["zx", "zy"], undirected=["xy"])
    plain, given = [], []
    for seed in range(8):
        columns = confounded(seed)
        plain.append(bqcd.orient(columns, graph).directed.has_edge("x", "y"))
        given.append(bqcd.orient(columns, graph, given_known=True).directed.has_edge("x", "y"))
    assert not any(plain)
    assert all(given)


def test_without_known_parents_nothing_is_taken_off():
    columns = chain()
    plain = bqcd.orient(columns, nx.path_graph(["a", "b"]))
    given = bqcd.orient(columns, nx.path_graph(["a", "b"]), given_known=True)
    assert given.as_dict()["edges"] == plain.as_dict()["edges"]


def test_a_method_that_fails_on_an_edge_leaves_it_open_with_the_reason():
    class Picky:
        def decide(self, pair, rng):
            if pair.x_name == "b":
                raise InvalidPairError("This pair is not to my taste.")
            return Verdict(1.0, pair)

    found = bqcd.orient(chain(), PATH, method=Picky())
    assert found.record("b", "c").outcome is Outcome.ABSTAINED
    assert found.explain("b", "c") == "b - c: left open: This pair is not to my taste."


def test_everything_is_ready_for_json_and_files(tmp_path):
    found = bqcd.orient(chain(), PATH, min_confidence=1e-3)
    assert json.loads(json.dumps(found.as_dict()))["edges"][0]["outcome"] == "judged"
    assert pickle.loads(pickle.dumps(found)).as_dict() == found.as_dict()
    for suffix in (".gml", ".graphml", ".dot", ".dagitty", ".csv", ".json", ".adj"):
        path = tmp_path / f"graph{suffix}"
        found.save(path)
        assert read_graph(path).graph == found.graph
    pytest.importorskip("matplotlib")
    found.plot(tmp_path / "graph.svg")
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_the_sheet_has_a_row_and_a_reason_for_every_edge():
    sheet = bqcd.orient(chain(), PATH).sheet()
    assert [row[0] for row in sheet.rows] == ["a -> b", "b -> c"]
    assert all(row[-1].startswith("judged leaning with confidence") for row in sheet.rows)


def test_columns_that_are_no_node_are_noted():
    columns = {**chain(), "spare": np.arange(400.0)}
    found = bqcd.orient(columns, PATH)
    assert [note.sentence for note in found.notes] == [
        "Columns that are no node of the graph: spare."
    ]


def test_columns_of_an_array_that_are_no_node_are_noted():
    columns = np.column_stack(list(chain().values()))
    found = bqcd.orient(columns, nx.Graph([(np.int64(0), np.int64(1))]))
    assert [note.sentence for note in found.notes] == [
        "Columns that are no node of the graph: column 2."
    ]


@pytest.mark.parametrize("names", [["1", "2", "3"], [1, 2, 3]], ids=["text", "numbers"])
def test_a_number_that_is_the_name_of_a_column_is_no_position(names):
    columns = pd.DataFrame(dict(zip(names, chain().values(), strict=True)))
    found = bqcd.orient(columns, nx.path_graph([1, 2, 3]))
    expected = bqcd.orient(chain(), PATH)
    assert sorted(found.directed.edges) == [(1, 2), (2, 3)]
    assert found.record(1, 2).confidence == expected.record("a", "b").confidence


def test_a_position_without_a_column_is_named():
    columns = np.column_stack(list(chain().values()))
    with pytest.raises(InvalidGraphError, match=r"no '3'\. Positions run from 0 to 2"):
        bqcd.orient(columns, nx.path_graph(4))


def test_rows_left_out_for_missing_values_are_noted():
    columns = chain()
    columns["b"][:7] = np.nan
    found = bqcd.orient(columns, PATH, missing="drop")
    assert [note.sentence for note in found.notes] == [
        "Rows with missing values left out of a pair: 7 at most."
    ]


def test_knowledge_may_be_a_file_and_nodes_positions(tmp_path):
    path = tmp_path / "known.toml"
    path.write_text('tiers = [["1"], ["0"]]', encoding="utf-8")
    columns = np.column_stack(list(chain().values()))
    for known in (path, str(path), Knowledge(tiers=[[1], [0]])):
        found = bqcd.orient(columns, nx.path_graph(2), knowledge=known)
        assert list(found.directed.edges) == [(1, 0)]


def test_what_came_out_can_be_oriented_further():
    columns = chain()
    first = bqcd.orient(columns, PATH, min_confidence=10.0, knowledge=Knowledge([["a"], ["b"]]))
    assert len(first.undirected.edges) == 1
    second = bqcd.orient(columns, (first.directed, first.undirected), kind="skeleton")
    assert sorted(second.directed.edges) == [("a", "b"), ("b", "c")]
    assert second.record("a", "b").outcome is Outcome.GIVEN


def test_the_matrix_of_what_came_out_is_read_back():
    found = bqcd.orient(chain(), PATH)
    order = ["c", "a", "b"]
    for convention in ("row-causes-column", "column-causes-row", "causal-learn", "pcalg"):
        matrix = found.adjacency(order, convention=convention)
        assert read_graph(matrix, convention=convention, names=order).graph == found.graph


def test_a_file_read_before_can_be_oriented(tmp_path):
    path = tmp_path / "matrix.csv"
    path.write_text("a,b,c\n0,1,0\n0,0,0\n0,1,0\n", encoding="utf-8")
    read = read_graph(path, format="adjacency", convention="column-causes-row")
    assert sorted(bqcd.orient(chain(), read).directed.edges) == [("b", "a"), ("b", "c")]


def test_an_empty_graph_has_nothing_to_orient():
    found = bqcd.orient(chain(), PartialGraph("abc"))
    assert found.edges == ()
    assert sorted(found.directed.nodes) == ["a", "b", "c"]
    assert found.summary == "The graph has no edges."


@pytest.mark.parametrize(
    ("graph", "settings", "error", "word"),
    [
        (nx.path_graph(["a", "z"]), {}, InvalidGraphError, "no 'z'"),
        (nx.Graph([("a", "a")]), {}, InvalidGraphError, "'a' with itself"),
        (nx.DiGraph(["ab", "bc", "ca"]), {}, InvalidGraphError, "a -> b -> c -> a"),
        (np.triu(np.full((3, 3), 0.3), 1), {}, InvalidGraphError, "0.3"),
        (np.triu(np.ones((3, 3)), 1), {}, InvalidGraphError, "convention"),
        ("nothing.gml", {}, InvalidGraphError, "nothing.gml"),
        (PATH, {"kind": "dag"}, InvalidSettingError, "kind of orient"),
        (PATH, {"method": "bqdc"}, UnknownNameError, "'bqcd'"),
        (PATH, {"method": "slope", "levels": 3}, UnknownNameError, "'levels'"),
        (PATH, {"min_share": 2.0}, InvalidSettingError, "min_share of orient"),
        (PATH, {"seed": -1}, InvalidSettingError, "seed of orient"),
        (PATH, {"replicates": 0.5}, InvalidSettingError, "replicates of orient"),
        (PATH, {"knowledge": None}, InvalidSettingError, "knowledge of orient"),
        (PATH, {"knowledge": {"required": []}}, InvalidSettingError, "knowledge of orient"),
        ([("a", "b")], {}, InvalidGraphError, "networkx graph"),
    ],
)
def test_what_cannot_be_used_is_named(graph, settings, error, word):
    with pytest.raises(error, match=word):
        bqcd.orient(chain(50), graph, **settings)


def test_what_cannot_be_used_is_told_before_any_pair_is_judged():
    class Never:
        def decide(self, pair, rng):
            raise AssertionError

    columns = {**chain(50), "c": np.zeros(50)}
    with pytest.raises(InvalidPairError, match="'c'"):
        bqcd.orient(columns, PATH, method=Never())
    known = Knowledge(required=[("b", "a")])
    with pytest.raises(InvalidKnowledgeError, match="'b' -> 'a' is required"):
        bqcd.orient(chain(50), nx.DiGraph(["ab", "bc", "cb"]), knowledge=known, method=Never())


def test_an_edge_that_is_not_there_cannot_be_explained():
    found = bqcd.orient(chain(50), PATH)
    with pytest.raises(InvalidGraphError, match="no edge between 'a' and 'c'"):
        found.explain("a", "c")
    with pytest.raises(InvalidGraphError, match="no node 'z'"):
        found.explain("a", "z")


def test_knowledge_of_what_is_neither_node_nor_column_is_an_error_with_the_nearest_names():
    columns = {"dose": chain()["a"], "weight": chain()["b"]}
    known = Knowledge(required=[("dsoe", "weight")])
    with pytest.raises(InvalidKnowledgeError, match=r"'dsoe', which is no column.*'dose'"):
        bqcd.orient(columns, nx.Graph([("dose", "weight")]), knowledge=known)
