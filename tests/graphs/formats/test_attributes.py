"""Attributes of edges, checked before anything is written."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats.attributes import checked_attributes
from bqcd.graphs.partial import PartialGraph

GRAPH = PartialGraph(directed=["ba"], undirected=["bc"])


def test_edges_are_found_in_either_order_and_gaps_are_left_out():
    told = {("a", "b"): {"x": 1}, ("c", "b"): {"y": "why", "z": None, "w": float("nan")}}
    assert checked_attributes(GRAPH, told) == {("b", "a"): {"x": 1}, ("b", "c"): {"y": "why"}}
    assert checked_attributes(GRAPH, None) == {("b", "a"): {}, ("b", "c"): {}}


def test_numbers_of_numpy_become_plain():
    told = {("b", "a"): {"f": np.float32(0.5), "i": np.int64(3), "b": np.bool_(True)}}
    plain = checked_attributes(GRAPH, told)["b", "a"]
    assert plain == {"f": 0.5, "i": 3, "b": True}
    assert [type(value) for value in plain.values()] == [float, int, bool]


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({("a", "c"): {"x": 1}}, "must belong to edges of the graph, got some of 'a', 'c'"),
        ({("b", "a"): {"two words": 1}}, "letters, digits and underscores"),
        ({("b", "a"): {"type": 1}}, "none of .* got 'type'"),
        ({("b", "a"): {"x": float("inf")}}, "text or a finite number, got inf"),
        ({("b", "a"): {"x": [1]}}, r"text or a finite number, got \[1\]"),
        ({("b", "a"): {"x": "two\nlines"}}, "printable and on one line"),
    ],
)
def test_what_cannot_be_written_is_refused(told, message):
    with pytest.raises(InvalidGraphError, match=message):
        checked_attributes(GRAPH, told)
