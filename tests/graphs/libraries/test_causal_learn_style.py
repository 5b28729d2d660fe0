"""causal-learn's graphs in, causal-learn's graphs out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bqcd.errors import InvalidGraphError
from bqcd.graphs.causal_learn_style import orient_general_graph

pytest.importorskip("causallearn")


def table(n=600):
    rng = np.random.default_rng(0)
    a = rng.normal(size=n)
    b = a + 0.6 * a**2 + 0.4 * rng.normal(size=n)
    c = b + 0.5 * np.sin(2.0 * b) + 0.5 * rng.normal(size=n)
    return pd.DataFrame({"c": c, "a": a, "b": b})


def edges(graph):
    return sorted(str(edge) for edge in graph.get_graph_edges())


def test_what_pc_leaves_open_has_directions_afterwards():
    from causallearn.search.ConstraintBased.PC import pc

    frame = table()
    learnt = pc(frame.to_numpy(), show_progress=False, node_names=list(frame.columns))
    assert edges(learnt.G) == ["a --- b", "c --- b"]
    found = orient_general_graph(learnt, frame)
    assert edges(found) == ["a --> b", "b --> c"]
    assert [node.get_name() for node in found.get_nodes()] == ["c", "a", "b"]
    # The graph that was handed in is as it was.
    assert edges(learnt.G) == ["a --- b", "c --- b"]


def test_numbered_nodes_are_the_columns_in_order():
    from causallearn.search.ScoreBased.GES import ges

    frame = table()
    found = orient_general_graph(ges(frame.to_numpy()), frame)
    assert edges(found) == ["a --> b", "b --> c"]


def test_circles_of_fci_are_judged_and_heads_are_kept():
    from causallearn.search.ConstraintBased.FCI import fci

    rng = np.random.default_rng(1)
    hidden = rng.normal(size=800)
    frame = table(800)
    frame["e"] = hidden + 0.4 * rng.normal(size=800)
    frame["f"] = hidden + frame["c"] + 0.4 * rng.normal(size=800)
    learnt = fci(
        frame.to_numpy(), show_progress=False, verbose=False, node_names=list(frame.columns)
    )
    found = orient_general_graph(learnt, frame)
    before, after = learnt[0].graph, found.graph
    known = (before != 0) & (before != 2)
    assert (after[known] == before[known]).all()
    assert ((before == 0) == (after == 0)).all()
    assert (after == 2).sum() < (before == 2).sum()


def test_what_is_no_graph_is_refused():
    with pytest.raises(InvalidGraphError, match="takes a GeneralGraph"):
        orient_general_graph([1, 2], table())
