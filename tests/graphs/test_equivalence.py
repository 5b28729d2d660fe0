"""CPDAGs against the definition, by all DAGs of a class; extensions; Meek's rules."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from bqcd.errors import InvalidGraphError
from bqcd.graphs.equivalence import consistent_extension, cpdag_of
from bqcd.graphs.orienting.meek import Implication, implied_direction
from bqcd.graphs.partial import PartialGraph, v_structures
from tests.graphs.random_graphs import all_orientations, dags


@settings(max_examples=60, deadline=None)
@given(dags(most=5))
def test_an_edge_of_a_cpdag_is_directed_if_all_equivalent_dags_agree(dag):
    equivalent = [
        other for other in all_orientations(dag) if v_structures(other) == v_structures(dag)
    ]
    agreed = [
        edge for edge in dag.directed if all(other.is_directed(*edge) for other in equivalent)
    ]
    cpdag = cpdag_of(dag)
    assert cpdag.directed == agreed
    assert cpdag.skeleton() == dag.skeleton()
    assert all(cpdag_of(other) == cpdag for other in equivalent)


@settings(max_examples=60, deadline=None)
@given(dags(most=6))
def test_an_extension_is_a_dag_of_the_class(dag):
    found = consistent_extension(cpdag_of(dag))
    assert found is not None
    assert not found.undirected
    assert cpdag_of(found) == cpdag_of(dag)


def test_a_ring_of_four_has_no_extension():
    assert consistent_extension(PartialGraph(undirected=["ab", "bc", "cd", "da"])) is None


def test_only_dags_have_a_cpdag():
    with pytest.raises(InvalidGraphError, match="a - b"):
        cpdag_of(PartialGraph(undirected=["ab"]))
    with pytest.raises(InvalidGraphError, match="a -> b -> c -> a"):
        cpdag_of(PartialGraph(directed=["ab", "bc", "ca"]))


@pytest.mark.parametrize(
    ("graph", "rule", "because"),
    [
        (PartialGraph(directed=["ca"], undirected=["ab"]), 1, ("c",)),
        (PartialGraph(directed=["ac", "cb"], undirected=["ab"]), 2, ("c",)),
        (PartialGraph(directed=["cb", "db"], undirected=["ab", "ac", "ad"]), 3, ("c", "d")),
        (PartialGraph(directed=["cd", "db"], undirected=["ab", "ac", "ad"]), 4, ("c", "d")),
    ],
)
def test_each_of_meeks_rules_fires_on_its_own_pattern(graph, rule, because):
    assert implied_direction(graph, "a", "b") == Implication("a", "b", rule, because)


@pytest.mark.parametrize(
    "graph",
    [
        PartialGraph(directed=["ca", "cb"], undirected=["ab"]),
        PartialGraph(directed=["cb"], undirected=["ab", "ac"]),
        PartialGraph(directed=["cb", "db"], undirected=["ab", "ac", "ad", "cd"]),
        PartialGraph(undirected=["ab", "bc"]),
    ],
)
def test_no_rule_fires_where_both_directions_are_possible(graph):
    assert implied_direction(graph, "a", "b") is None
