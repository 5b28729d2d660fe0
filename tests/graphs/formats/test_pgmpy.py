"""Graphs for pgmpy: by its documented constructors, and in itself where it is installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType

import networkx as nx
import pytest

import bqcd
from bqcd.errors import InvalidGraphError, InvalidSettingError
from bqcd.graphs import PartialGraph, read_graph
from bqcd.graphs.formats.pgmpy import to_pgmpy
from tests.graphs.formats.taken_graphs import orientation, table

MIXED = PartialGraph("abcd", directed=["ab"], undirected=["bc"])


class DAG(nx.DiGraph):
    """As documented: ``DAG(ebunch=None, ...)``, a networkx ``DiGraph``."""

    def __init__(self, ebunch: list | None = None) -> None:
        super().__init__(ebunch)


class PDAG(nx.DiGraph):
    """As documented: ``PDAG(directed_ebunch, undirected_ebunch, ...)``, the latter both ways."""

    def __init__(self, directed_ebunch: list, undirected_ebunch: list) -> None:
        self.directed_edges, self.undirected_edges = set(directed_ebunch), set(undirected_ebunch)
        super().__init__([*directed_ebunch, *undirected_ebunch])
        self.add_edges_from((second, first) for first, second in undirected_ebunch)


@pytest.fixture(params=["documented", "installed"])
def pgmpy(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    if request.param == "installed":
        yield pytest.importorskip("pgmpy.base")
        return
    module = ModuleType("pgmpy.base")
    vars(module).update(DAG=DAG, PDAG=PDAG)
    monkeypatch.setitem(sys.modules, "pgmpy", ModuleType("pgmpy"))
    monkeypatch.setitem(sys.modules, "pgmpy.base", module)
    yield module


def test_an_orientation_becomes_a_dag_with_all_its_nodes(pgmpy: ModuleType) -> None:
    dag = to_pgmpy(orientation())
    assert type(dag) is pgmpy.DAG
    assert set(dag.edges) == {("a", "b"), ("b", "c")}
    assert set(dag.nodes) == set("abcd")


def test_edges_left_open_stay_open_in_a_pdag(pgmpy: ModuleType) -> None:
    pdag = to_pgmpy(MIXED, partial=True)
    assert type(pdag) is pgmpy.PDAG
    assert set(pdag.directed_edges) == {("a", "b")}
    assert set(pdag.undirected_edges) == {("b", "c")}
    assert set(pdag.nodes) == set("abcd")
    assert read_graph(pdag).graph == MIXED


def test_labels_that_are_numbers_stay_numbers(pgmpy: ModuleType) -> None:
    found = bqcd.orient(table().to_numpy()[:, :3], nx.path_graph(3))
    assert set(to_pgmpy(found).edges) == {(0, 1), (1, 2)}


def test_a_dag_of_a_graph_with_open_edges_is_refused_before_pgmpy_is_asked_for() -> None:
    with pytest.raises(InvalidGraphError, match=r"pgmpy .*b - c\..*complete=True.*partial=True"):
        to_pgmpy(MIXED)
    with pytest.raises(InvalidSettingError, match="partial of to_pgmpy"):
        to_pgmpy(MIXED, partial=1)  # type: ignore[arg-type]


def test_a_linear_gaussian_network_is_fitted_on_it() -> None:
    models = pytest.importorskip("pgmpy.models")
    model = models.LinearGaussianBayesianNetwork(to_pgmpy(orientation()))
    model.fit(table())
    assert model.check_model()
    assert set(model.get_cpds("c").evidence) == {"b"}
