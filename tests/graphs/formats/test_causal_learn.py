"""Graphs exchanged with the installed causal-learn."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import networkx as nx
import pytest

import bqcd
from bqcd.errors import InvalidGraphError, MissingPackageError
from bqcd.graphs import PartialGraph, as_adjacency
from bqcd.graphs.formats.causal_learn import from_causal_learn, to_causal_learn
from tests.graphs.formats.taken_graphs import skeleton, table

MIXED = PartialGraph("abcd", directed=["ba", "bc"], undirected=["cd"])


def test_a_graph_comes_back_as_it_went() -> None:
    pytest.importorskip("causallearn")
    assert from_causal_learn(to_causal_learn(MIXED)).graph == MIXED
    oriented = bqcd.orient(table(), skeleton())
    assert from_causal_learn(to_causal_learn(oriented)).graph == oriented.graph


def test_its_matrix_is_the_one_of_causal_learns_convention_in_the_order_asked_for() -> None:
    pytest.importorskip("causallearn")
    order = ["d", "b", "a", "c"]
    matrix = to_causal_learn(MIXED, order).graph
    assert (matrix == as_adjacency(MIXED, order, convention="causal-learn")).all()


def test_causal_learn_measures_its_distance_from_another_graph() -> None:
    pytest.importorskip("causallearn")
    from causallearn.graph.SHD import SHD

    truth = to_causal_learn(PartialGraph("abcd", directed=["ab", "bc"]))
    assert SHD(truth, to_causal_learn(MIXED)).get_shd() == 2
    assert SHD(truth, truth).get_shd() == 0


def test_what_pc_finds_goes_in_with_the_names_of_the_columns() -> None:
    pytest.importorskip("causallearn")
    from causallearn.search.ConstraintBased.PC import pc

    frame = table().assign(b=lambda t: t.b + t.a, c=lambda t: t.c + t.b + t.a)
    found = pc(frame.to_numpy(), show_progress=False)
    read = from_causal_learn(found, list(frame.columns))
    assert read.graph.nodes == ["a", "b", "c", "d"]
    assert len(read.graph.skeleton().undirected) == 3
    assert bqcd.orient(frame, read).graph.nodes == read.graph.nodes


def test_what_ges_returns_is_a_dictionary_with_the_graph_in_it() -> None:
    pytest.importorskip("causallearn")
    assert from_causal_learn({"G": to_causal_learn(MIXED), "score": 1.0}).graph == MIXED


def test_an_order_must_have_every_node_once() -> None:
    with pytest.raises(InvalidGraphError, match="each of a, b, c, d once, got a, b, c, c"):
        to_causal_learn(MIXED, ["a", "b", "c", "c"])


@pytest.mark.parametrize("source", [nx.path_graph(2), {"score": 1.0}, SimpleNamespace()])
def test_other_graphs_are_none_of_causal_learn(source: object) -> None:
    with pytest.raises(InvalidGraphError, match="takes a GeneralGraph"):
        from_causal_learn(source)


class Hidden:
    """Keeps causal-learn from being found."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.partition(".")[0] == "causallearn":
            raise ModuleNotFoundError(f"No module named {name!r}", name="causallearn")


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "causallearn"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Hidden(), *sys.meta_path])
    with pytest.raises(MissingPackageError, match=r"to_causal_learn .*bqcd\[graphs\]"):
        to_causal_learn(MIXED)
