"""A graph next to the true one."""

from __future__ import annotations

from itertools import product
from math import isnan

import networkx as nx
import numpy as np
import pytest

import bqcd
from bqcd.errors import InvalidGraphError
from bqcd.graphs.comparison import Agreement, compare_graphs
from bqcd.graphs.equivalence import cpdag_of
from bqcd.graphs.partial import PartialGraph

TRUTH = PartialGraph("abcde", directed=["ac", "bc", "cd", "de"])


def test_the_truth_agrees_with_itself_in_everything():
    result = compare_graphs(TRUTH, TRUTH)
    assert (result.shd, result.sid, result.parent_aid, result.normalised_sid) == (0, 0, 0, 0.0)
    for part in (result.skeleton, result.orientation, result.v_structures):
        assert (part.precision, part.recall, part.f1) == (1.0, 1.0, 1.0)


def test_counts_are_those_of_an_example_by_hand():
    # Found: c -> d reversed, so that d joins the collider; d - e open; a - b too much; b - c lost.
    found = PartialGraph("abcde", directed=["ac", "dc"], undirected=["ab", "de"])
    result = compare_graphs(found, TRUTH)
    assert result.shd == 4
    assert result.skeleton == Agreement(n_found=4, n_true=4, n_both=3)
    # Shared edges are a - c, c - d and d - e: two arrows found, three true, one right.
    assert result.orientation == Agreement(n_found=2, n_true=3, n_both=1)
    assert result.v_structures == Agreement(n_found=1, n_true=1, n_both=0)


def test_a_dag_has_one_distance_and_its_share():
    found = PartialGraph("abcde", directed=["ca", "bc", "cd", "de"])
    result = compare_graphs(found, TRUTH)
    assert result.sid == result.sid_lower == result.sid_upper == result.parent_aid
    assert result.sid is not None
    assert result.normalised_sid == result.sid / 20


def test_a_class_has_bounds_and_no_single_distance():
    truth = PartialGraph(directed=["ab", "bc"])
    result = compare_graphs(cpdag_of(truth), truth)
    assert (result.sid_lower, result.sid_upper, result.parent_aid) == (0, 6, 6)
    assert result.sid is None
    assert result.normalised_sid is None
    assert result.shd == 2


def test_a_graph_no_dag_fits_is_compared_edge_by_edge_alone():
    square = PartialGraph(undirected=["ab", "bc", "cd", "ad"])
    result = compare_graphs(square, PartialGraph("abcd", directed=["ab", "bc"]))
    assert (result.sid_lower, result.sid_upper, result.parent_aid) == (None, None, None)
    assert result.sid is None
    assert result.shd == 4
    assert result.skeleton.precision == 0.5


def test_shares_of_nothing_are_not_a_number():
    result = compare_graphs(PartialGraph("abcde"), TRUTH)
    assert isnan(result.skeleton.precision)
    assert result.skeleton.recall == 0.0
    assert result.skeleton.f1 == 0.0
    assert isnan(result.orientation.f1)
    nothing = compare_graphs(PartialGraph("a"), PartialGraph("a"))
    assert (nothing.shd, nothing.sid, nothing.normalised_sid) == (0, 0, 0.0)
    assert isnan(nothing.skeleton.f1)


@pytest.mark.parametrize(
    ("found", "truth", "message"),
    [
        (PartialGraph("ab"), PartialGraph("abc"), "same nodes, got 'c' only in the true graph"),
        (PartialGraph(["dose"]), PartialGraph(["dsoe"]), "Nearest to 'dsoe': 'dose'"),
        ([[0, 0], [0, 0]], PartialGraph("ab"), "Nodes of a matrix are named by names="),
        (PartialGraph(directed=["ab", "bc", "ca"]), PartialGraph("abc"), "no cycle"),
    ],
    ids=["nodes", "misspelt", "matrix", "cycle"],
)
def test_graphs_that_cannot_be_compared_are_refused(found, truth, message):
    with pytest.raises(InvalidGraphError, match=message):
        compare_graphs(found, truth)


def test_a_truth_with_open_edges_has_distances_in_its_edges_alone():
    truth = PartialGraph(undirected=["ab", "bc"])
    result = compare_graphs(PartialGraph("abc", directed=["ab"]), truth)
    assert (result.shd, result.sid, result.sid_lower, result.parent_aid) == (2, None, None, None)
    assert [edge.difference for edge in result.edges] == ["directed", "missing"]
    assert "SID not defined" in result.summary


def test_every_difference_is_named_edge_by_edge():
    found = PartialGraph("abcde", directed=["ac", "dc"], undirected=["ab", "de"])
    told = {
        edge.found or edge.truth: edge.difference for edge in compare_graphs(found, TRUTH).edges
    }
    assert told == {
        "a - b": "extra",
        "a -> c": "same",
        "b -> c": "missing",
        "d -> c": "reversed",
        "d - e": "open",
    }


def forms(folder):
    """One DAG in every form that is read."""
    rng = np.random.default_rng(0)
    table = {name: rng.normal(size=50) for name in "abc"}
    graph = nx.DiGraph([("a", "b"), ("b", "c")])
    oriented = bqcd.orient(table, graph)
    oriented.save(folder / "graph.dot")
    oriented.save(folder / "graph.adj")
    oriented.save(folder / "graph.gml")
    return {
        "networkx": graph,
        "orientation": oriented,
        "dot": folder / "graph.dot",
        "text": str(folder / "graph.gml"),
        "adjacency": folder / "graph.adj",
        "matrix": np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]),
        "partial": PartialGraph(directed=["ab", "bc"]),
    }


def test_any_two_forms_of_a_graph_can_be_compared(tmp_path):
    found = forms(tmp_path)
    asked = {"convention": "row-causes-column", "names": ["a", "b", "c"]}
    for one, other in product(found.values(), repeat=2):
        result = bqcd.compare_graphs(one, other, **asked)
        assert (result.shd, result.sid) == (0, 0)


def test_the_comparison_is_drawn_with_what_is_missing_and_told_as_json():
    pytest.importorskip("matplotlib")
    found = PartialGraph("abcde", directed=["ac", "dc"], undirected=["ab", "de"])
    result = compare_graphs(found, TRUTH)
    words = [text.get_text() for text in result.plot().legends[0].get_texts()]
    assert words == ["same", "reversed", "open", "extra", "missing"]
    told = result.as_dict()
    assert (told["shd"], told["sid"]) == (4, None)
    assert told["edges"][2] == {
        "x": "b",
        "y": "c",
        "found": None,
        "truth": "b -> c",
        "difference": "missing",
    }
