"""Adjacency matrices: the convention is said, never guessed, and weights are no edges."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from scipy import sparse

from bqcd.errors import InvalidGraphError, InvalidSettingError
from bqcd.graphs.formats import CONVENTIONS, as_adjacency, read_graph
from bqcd.graphs.partial import PartialGraph
from tests.graphs.formats.examples import graphs

ONE_WAY = np.array([[0, 1, 0], [0, 0, 1], [0, 1, 0]])
MIXED = PartialGraph("abc", directed=["ab"], undirected=["bc"])


@pytest.mark.parametrize(
    ("convention", "matrix"),
    [
        ("row-causes-column", ONE_WAY),
        ("column-causes-row", ONE_WAY.T),
        # pcalg's amat.cpdag: amat[a, b] = 0 and amat[b, a] = 1 is a --> b; both 1 is a --- b.
        ("pcalg", [[0, 0, 0], [1, 0, 1], [0, 1, 0]]),
        # causal-learn: graph[j, i] = 1 and graph[i, j] = -1 is i --> j; both -1 is i --- j.
        ("causal-learn", [[0, -1, 0], [1, 0, -1], [0, -1, 0]]),
    ],
)
def test_conventions(convention, matrix):
    read = read_graph(np.asarray(matrix), convention=convention, names=["a", "b", "c"])
    assert read.graph == MIXED
    assert np.array_equal(as_adjacency(MIXED, "abc", convention=convention), matrix)


@pytest.mark.parametrize("convention", CONVENTIONS)
@given(graph=graphs())
@settings(deadline=None, max_examples=30)
def test_a_graph_survives_as_a_matrix_in_any_order(convention, graph):
    order = graph.nodes[::-1]
    matrix = as_adjacency(graph, order, convention=convention)
    assert read_graph(matrix, convention=convention, names=order).graph == graph


@pytest.mark.parametrize("kind", [bool, np.int8, np.float32, object, str])
def test_entries_of_any_type_are_read(kind):
    matrix = ONE_WAY.astype(kind) if kind is not str else ONE_WAY.astype(int).astype(str)
    read = read_graph(matrix, convention="row-causes-column", names="abc")
    assert read.graph == MIXED


def test_lists_and_sparse_matrices_are_read():
    settings = {"convention": "row-causes-column", "names": ["a", "b", "c"]}
    assert read_graph(ONE_WAY.tolist(), **settings).graph == MIXED
    assert read_graph(sparse.csr_array(ONE_WAY), **settings).graph == MIXED


def test_nodes_without_names_are_numbered():
    read = read_graph(np.array([[0, 1], [1, 0]]))
    assert read.labels == {"0": 0, "1": 1}
    assert read.kind == "skeleton"
    assert read_graph(np.zeros((0, 0))).graph.nodes == []


def test_an_asymmetric_matrix_needs_a_convention():
    with pytest.raises(InvalidGraphError) as caught:
        read_graph(ONE_WAY, names=["a", "b", "c"])
    assert "is not symmetric, so that it must be said which way" in str(caught.value)
    assert "'row-causes-column' if the 1 in the row of 'a' and the column of 'b'" in str(
        caught.value
    )
    assert "means 'a' -> 'b', 'column-causes-row' if 'b' -> 'a'" in str(caught.value)


@pytest.mark.parametrize(
    ("matrix", "settings", "message"),
    [
        (
            [[0, 0.3], [0, 0]],
            {},
            "must be 0 or 1, got 0.3 in the row of '0' .* weights where edges",
        ),
        (
            [[0, 2], [0, 0]],
            {"convention": "pcalg"},
            "got 2 in the row of '0' and the column of '1'",
        ),
        ([[0, np.nan], [0, 0]], {}, "got nan in the row of '0' and the column of '1'."),
        ([[0, np.inf], [0, 0]], {}, "got inf"),
        ([[0, -1], [1, 0]], {}, "if causal-learn made it, take convention='causal-learn'"),
        ([[1, 0], [0, 0]], {}, "got one of '0' with itself, on the diagonal"),
        ([[0, 1]], {}, "must be square, got the shape 1 x 2"),
        ([0, 1], {}, "must be square, got the shape 2"),
        ([[0, 1], [1]], {}, "must be numbers"),
        ([[0, "x"], [0, 0]], {}, "must be numbers"),
        ([[0, 1j], [0, 0]], {}, "must be numbers: got entries of type complex128"),
        ([[0, 1], [1, 0]], {"names": ["a"]}, "must be 2, one for each row, got 1"),
        ([[0, 1], [1, 0]], {"names": ["a", "a"]}, "got 'a' twice"),
        ([[0, 0], [1, 0]], {"convention": "causal-learn"}, "got 0 at '0' and 1 at '1'"),
        ([[0, 3], [1, 0]], {"convention": "causal-learn"}, "must be -1, 0, 1 or 2, got 3"),
    ],
)
def test_what_is_no_adjacency_matrix_is_refused(matrix, settings, message):
    with pytest.raises(InvalidGraphError, match=message):
        read_graph(matrix, **settings)


def test_an_unknown_convention_is_refused():
    with pytest.raises(InvalidSettingError, match="must be one of 'row-causes-column'"):
        read_graph(ONE_WAY, convention="rows")
    with pytest.raises(InvalidSettingError, match="convention of as_adjacency must be one of"):
        as_adjacency(MIXED, convention="rows")


def test_an_order_must_have_every_node_once():
    with pytest.raises(InvalidGraphError, match=r"each of the nodes \['a', 'b', 'c'\] once"):
        as_adjacency(MIXED, ["a", "b"])


COLUMNS = {name: ONE_WAY[:, at].tolist() for at, name in enumerate("abc")}
NAMED = pd.DataFrame(COLUMNS, index=list("abc"))


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(COLUMNS),
        NAMED,
        NAMED.loc[["c", "a", "b"]],
        NAMED.astype(float),
        pl.DataFrame(COLUMNS),
        pa.table(COLUMNS),
        pl.DataFrame({"": ["c", "a", "b"]} | {n: [v[2], v[0], v[1]] for n, v in COLUMNS.items()}),
    ],
    ids=["plain", "named", "shuffled", "floats", "polars", "pyarrow", "first column"],
)
def test_tables_name_the_nodes(frame):
    assert read_graph(frame, convention="row-causes-column").graph == MIXED


def test_names_are_for_tables_without_any():
    numbered = pd.DataFrame(ONE_WAY)
    settings = {"convention": "row-causes-column", "names": ["a", "b", "c"]}
    assert read_graph(numbered, **settings).graph == MIXED
    assert read_graph(NAMED.rename(columns=str.upper, index=str.upper), **settings).graph.nodes == [
        "A",
        "B",
        "C",
    ]


def test_labels_of_a_table_are_kept():
    frame = pd.DataFrame([[0, 1], [1, 0]], index=[10, 20], columns=[10, 20])
    assert read_graph(frame).labels == {"10": 10, "20": 20}


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (NAMED.rename(index={"c": "d"}), "must have the same names, but only one has 'c'"),
        (NAMED.iloc[[0, 1, 1]], "only one has 'c'"),
        (NAMED.iloc[:2], "only one has 'c'"),
        (pd.DataFrame(COLUMNS).iloc[:2], "must be square, got the shape 2 x 3"),
        (pl.DataFrame({"a": [0, None], "b": [1, 0]}), "got nan in the row of 'b'"),
        (pd.DataFrame([[0, 1], [1, 0]], columns=["a", "a"]), "cannot be read|twice"),
    ],
)
def test_tables_that_are_no_matrices_are_refused(frame, message):
    with pytest.raises(InvalidGraphError, match=message):
        read_graph(frame, convention="row-causes-column")


def test_codes_of_pcalg_for_pags_are_marks_at_the_column():
    # pcalg's amat.pag: amat[a, b] = 2 and amat[b, a] = 3 is a --> b; 2 and 2 is a <-> b; 2 and 1
    # is a o-> b; 1 and 1 is a o-o b.
    matrix = np.zeros((5, 5), dtype=int)
    for (row, column), (there, back) in {
        (0, 1): (2, 3),
        (1, 2): (2, 2),
        (2, 3): (2, 1),
        (3, 4): (1, 1),
    }.items():
        matrix[row, column], matrix[column, row] = there, back
    graph = read_graph(matrix, convention="pcalg-pag", names="abcde").graph
    pairs = ("ab", "bc", "cd", "de")
    assert [graph.arrow(*pair) for pair in pairs] == ["a -> b", "b <-> c", "c o-> d", "d o-o e"]
    assert (as_adjacency(graph, convention="pcalg-pag") == matrix).all()


def test_matrices_of_zeros_and_ones_have_no_place_for_circles():
    graph = PartialGraph(mixed={("a", "b"): ("circle", "arrow")})
    with pytest.raises(InvalidGraphError, match=r"'pcalg' must have directed .* got a o-> b"):
        as_adjacency(graph, convention="pcalg")
