"""Quantile RESIT: sinks by tests of levels, and what knowledge does to them."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.errors import InvalidSettingError
from bqcd.graphs import learn_graph
from bqcd.graphs.knowledge import Knowledge
from bqcd.graphs.skeletons import QuantileRESIT
from tests.graphs.skeletons.test_qcam import spread_chain


def test_a_chain_with_spreads_is_found_sinks_first():
    found = QuantileRESIT().search(spread_chain())
    assert found.graph.directed == [("a", "b"), ("b", "c")]
    assert found.order == ("a", "b", "c")
    assert found.independence["c"] > 0.01
    assert found.independence["a"] == 1.0
    assert all(found.p_values[edge] < 0.001 for edge in found.graph.directed)


def test_learn_graph_keeps_the_directions():
    assert learn_graph(spread_chain(), "qresit").graph.directed == [("a", "b"), ("b", "c")]


def test_a_collider_is_found_though_its_causes_are_independent():
    rng = np.random.default_rng(2)
    a, b, noise = rng.normal(size=(3, 800))
    columns = {"a": a, "b": b, "c": np.sin(1.5 * a) + 0.5 * b**2 + 0.4 * noise}
    assert QuantileRESIT().learn(columns).directed == [("a", "c"), ("b", "c")]


def test_rows_and_units_of_columns_do_not_matter():
    columns = spread_chain(300)
    graph = QuantileRESIT().learn(columns)
    rows = np.random.default_rng(1).permutation(300)
    changed = {name: 0.01 * columns[name][rows] - 7.0 for name in reversed(columns)}
    assert QuantileRESIT().learn(changed) == graph


def test_independent_columns_have_no_edge():
    columns = dict(zip("abcde", np.random.default_rng(0).normal(size=(5, 300)), strict=True))
    found = QuantileRESIT().search(columns)
    assert found.graph.directed == []
    assert min(found.independence.values()) > 0.01


def test_the_order_obeys_tiers():
    found = QuantileRESIT().search(spread_chain(), knowledge=Knowledge(tiers=[["c"], ["a", "b"]]))
    assert found.order[0] == "c"
    assert not any(head == "c" for _, head in found.graph.directed)


def test_settings_are_checked():
    with pytest.raises(InvalidSettingError, match="max_inputs of QuantileRESIT"):
        QuantileRESIT(max_inputs=0)
    with pytest.raises(InvalidSettingError, match="select of QuantileRESIT"):
        QuantileRESIT(select=2.0)
