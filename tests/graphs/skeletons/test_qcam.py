"""Quantile CAM: what it finds, what CAM finds too, and what only it finds."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.benchmark.datasets.generators.networks import simulate_table
from bqcd.errors import InvalidSettingError, InvalidTableError
from bqcd.graphs import PartialGraph, learn_graph
from bqcd.graphs.distances import (
    structural_hamming_distance,
    structural_intervention_distance,
)
from bqcd.graphs.skeletons import CAM, QuantileCAM, QuantileRESIT
from bqcd.graphs.skeletons.level_scores import CodeLengths, LevelScores, pruned
from bqcd.runtime.seeds import seed_from
from tests.graphs.skeletons.additive_graphs import additive_graph


def spread_chain(n=800, seed=0):
    """a -> b -> c, each with a spread of its own."""
    rng = np.random.default_rng(seed)
    a, first, second = rng.normal(size=(3, n))
    b = np.sin(2.0 * a) + 0.4 * np.exp(0.7 * a) * first
    return {"a": a, "b": b, "c": np.tanh(b) + 0.4 * np.exp(0.5 * b) * second}


def test_a_chain_with_spreads_is_found_and_its_directions_stay():
    found = learn_graph(spread_chain(), "qcam")
    assert found.graph.directed == [("a", "b"), ("b", "c")]
    assert found.notes[0].code == "learner"


def test_rows_order_and_units_of_columns_do_not_matter():
    columns = spread_chain(300)
    graph = QuantileCAM().learn(columns)
    turned = {name: 5.0 - 0.01 * columns[name] for name in reversed(columns)}
    rows = np.random.default_rng(1).permutation(300)
    assert QuantileCAM().learn(turned) == graph
    assert QuantileCAM().learn({name: col[rows] for name, col in columns.items()}) == graph


def test_a_spread_that_moves_alone_turns_the_edge_of_means_and_not_of_quantiles():
    rng = np.random.default_rng(5)
    x, noise = rng.normal(size=(2, 600))
    columns = {"x": x, "y": np.exp(0.8 * np.sin(2.0 * x)) * noise}
    assert CAM().learn(columns).directed == [("y", "x")]
    assert QuantileCAM().learn(columns).directed == [("x", "y")]


@pytest.mark.slow
def test_graphs_whose_spread_depends_on_the_parents_are_nearer_than_by_cam():
    distances = {"cam": 0, "qcam": 0}
    for seed in range(6):
        table = simulate_table(10, mechanism="HS", rng=np.random.default_rng(seed))
        truth = PartialGraph(table.columns, directed=table.edges)
        for name, learner in (("cam", CAM()), ("qcam", QuantileCAM())):
            found = learner.learn(table.columns)
            distances[name] += structural_intervention_distance(found, truth)
    assert 2 * distances["qcam"] < distances["cam"], distances


def test_additive_graphs_are_found_as_by_cam():
    columns, truth = additive_graph(6, 500, np.random.default_rng(3))
    found = QuantileCAM().learn(columns)
    assert structural_hamming_distance(found, truth) <= 1


def test_preselection_and_screening_find_the_same_chain():
    columns = spread_chain()
    expected = [("a", "b"), ("b", "c")]
    assert QuantileCAM(preselect=True).learn(columns).directed == expected
    assert QuantileCAM(max_exact=0).learn(columns).directed == expected


def test_independent_columns_have_no_edge():
    columns = dict(zip("abcde", np.random.default_rng(0).normal(size=(5, 300)), strict=True))
    assert QuantileCAM().learn(columns).directed == []


def test_of_two_parents_that_say_the_same_one_stays():
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 500))
    columns = [np.sin(2.0 * x) + 0.3 * noise, x, x + 1e-6 * rng.normal(size=500)]
    found = pruned(LevelScores(columns, 8, 3), {0: [1, 2]}, cutoff=0.001)
    assert sorted(p < 0.001 for p in found.values()) == [False, True]


@pytest.mark.parametrize("size", [1e4, 1e8, 1e14])
@pytest.mark.parametrize("rows", [1, 8])
def test_huge_outliers_leave_the_graph_as_it_is(size, rows):
    columns = {name: column.copy() for name, column in spread_chain().items()}
    rng = np.random.default_rng(5)
    for column in columns.values():
        at = rng.choice(800, rows, replace=False)
        column[at] += size * rng.choice([-1.0, 1.0], rows) * rng.uniform(0.5, 1.0, rows)
    assert QuantileCAM().learn(columns).directed == [("a", "b"), ("b", "c")]
    assert QuantileRESIT().learn(columns).directed == [("a", "b"), ("b", "c")]


def test_noise_multiplied_with_a_sum_over_parents_does_not_turn_edges():
    # The log-scale is no sum over the parents, and has a pole where the signal is 0.
    table = simulate_table(
        20, mechanism="MN", rng=np.random.default_rng(seed_from("tune", "erdos-renyi", "MN", 20, 0))
    )
    codes = CodeLengths(LevelScores(list(table.columns.values()), 10, 3))
    place = {name: at for at, name in enumerate(table.columns)}
    cause, other, effect = (place[name] for name in ("v15", "v04", "v10"))
    right = codes.length(effect, {cause, other}) + codes.length(cause, ())
    assert right < codes.length(effect, ()) + codes.length(cause, {effect})


def test_settings_and_columns_are_checked():
    with pytest.raises(InvalidSettingError, match="cutoff of QuantileCAM"):
        QuantileCAM(cutoff=0.0)
    with pytest.raises(InvalidSettingError, match="n_levels of QuantileCAM"):
        QuantileCAM(n_levels=0)
    with pytest.raises(InvalidTableError, match="20"):
        QuantileCAM().learn({"a": np.arange(5.0), "b": np.arange(5.0) ** 2})
