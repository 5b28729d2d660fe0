"""Tables of random graphs: what was asked for is what is drawn."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.benchmark.datasets.generators.networks import simulate_table
from bqcd.errors import InvalidSettingError
from bqcd.graphs.partial import PartialGraph, topological_order


def drawn(seed=0, **settings):
    return simulate_table(rng=np.random.default_rng(seed), **{"n_nodes": 20, **settings})


@pytest.mark.parametrize("topology", ["erdos-renyi", "scale-free"])
@pytest.mark.parametrize("mechanism", ["AN", "LS", "MN"])
def test_columns_are_standardised_and_edges_have_no_cycle(topology, mechanism):
    table = drawn(topology=topology, mechanism=mechanism)
    assert len(table.columns) == 20
    for column in table.columns.values():
        assert column.mean() == pytest.approx(0.0, abs=1e-12)
        assert column.std() == pytest.approx(1.0)
    topological_order(PartialGraph(table.columns, directed=table.edges))


@pytest.mark.parametrize("topology", ["erdos-renyi", "scale-free"])
@pytest.mark.parametrize("degree", [1.0, 2.0, 4.0])
def test_the_mean_degree_is_the_one_asked_for(topology, degree):
    sizes = [
        len(drawn(seed, n_nodes=60, n_rows=2, topology=topology, degree=degree).edges)
        for seed in range(30)
    ]
    assert 2.0 * np.mean(sizes) / 60 == pytest.approx(degree, rel=0.1)


def test_a_scale_free_graph_has_nodes_with_many_more_edges_than_others():
    def largest(topology):
        counts = []
        for seed in range(10):
            edges = drawn(seed, n_nodes=100, n_rows=2, topology=topology).edges
            counts.append(np.unique(np.array(edges), return_counts=True)[1].max())
        return np.mean(counts)

    assert largest("scale-free") > 1.8 * largest("erdos-renyi")


def test_names_say_nothing_of_the_order():
    later = [b > a for seed in range(20) for a, b in drawn(seed, n_rows=2).edges]
    assert 0.4 < np.mean(later) < 0.6


def test_the_same_generator_gives_the_same_table():
    first, second = drawn(3), drawn(3)
    assert first.edges == second.edges
    assert all(np.array_equal(first.columns[name], second.columns[name]) for name in first.columns)


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"n_nodes": 1}, "n_nodes"),
        ({"topology": "ring"}, "topology"),
        ({"mechanism": "PNL"}, "mechanism"),
        ({"degree": 40.0}, "degree"),
    ],
)
def test_impossible_tables_are_refused(settings, word):
    with pytest.raises(InvalidSettingError, match=word):
        drawn(**settings)
