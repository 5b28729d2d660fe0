"""A graph next to the true one."""

from __future__ import annotations

from math import isnan

import pytest

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
        (PartialGraph("ab"), PartialGraph(undirected=["ab"]), "truth must be a DAG"),
        (PartialGraph(directed=["ab", "bc", "ca"]), PartialGraph("abc"), "no cycle"),
    ],
    ids=["nodes", "truth", "cycle"],
)
def test_graphs_that_cannot_be_compared_are_refused(found, truth, message):
    with pytest.raises(InvalidGraphError, match=message):
        compare_graphs(found, truth)
