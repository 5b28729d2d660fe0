"""Pairs judged for pgmpy, with the package where it is installed."""

from __future__ import annotations

import inspect
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from bqcd.errors import InvalidTableError, UnknownNameError
from bqcd.graphs.pgmpy_style import PairwiseEstimator


def table(n=500):
    rng = np.random.default_rng(0)
    a = rng.normal(size=n)
    b = a + 0.6 * a**2 + 0.4 * rng.normal(size=n)
    c = a - 0.6 * a**2 + 0.4 * rng.normal(size=n)
    return pd.DataFrame({"c": c, "a": a, "b": b, "d": rng.normal(size=n)})


def test_two_columns_in_and_a_graph_out():
    found = PairwiseEstimator().fit(table()[["b", "a"]])
    assert list(found.causal_graph_.edges()) == [("a", "b")]
    assert set(found.causal_graph_.nodes()) == {"a", "b"}
    assert found.direction_score_ < 0.0
    assert found.adjacency_matrix_.loc["a", "b"] == 1
    assert found.adjacency_matrix_.to_numpy().sum() == 1


def test_swapping_the_columns_changes_the_score_alone():
    first, second = (PairwiseEstimator().fit(table()[pair]) for pair in (["a", "b"], ["b", "a"]))
    assert first.direction_score_ == -second.direction_score_
    assert list(first.causal_graph_.edges()) == list(second.causal_graph_.edges())


def test_an_estimator_that_abstains_leaves_what_cannot_be_told_without_an_edge():
    pair = table()[["a", "d"]]
    assert len(PairwiseEstimator().fit(pair).causal_graph_.edges()) == 1
    silent = PairwiseEstimator(abstain=True).fit(pair)
    assert silent.answer_ == "cannot tell"
    assert list(silent.causal_graph_.edges()) == []
    assert sorted(silent.causal_graph_.nodes()) == ["a", "d"]


def test_other_tables_and_parameters_are_refused():
    with pytest.raises(InvalidTableError, match="takes 2 columns, got 4"):
        PairwiseEstimator().fit(table())
    with pytest.raises(UnknownNameError, match=r"'sede'.*'seed'"):
        PairwiseEstimator().set_params(sede=1)


def test_it_can_be_cloned():
    base = pytest.importorskip("sklearn.base")
    twin = base.clone(PairwiseEstimator("igci-g", seed=3))
    assert (twin.method, twin.seed) == ("igci-g", 3)


def asked_as_by_pgmpy(estimator, frame, pairs):
    """The calls of ExpertInLoop in pgmpy after 1.1: fit two columns, read the edges."""
    edges = []
    for u, v in pairs:
        estimator.fit(frame[[u, v]])
        edges += list(estimator.causal_graph_.edges())[:1]
    return edges


def test_it_answers_the_calls_of_the_slot_for_pairwise_estimators():
    edges = asked_as_by_pgmpy(PairwiseEstimator(), table(), [("b", "a"), ("a", "c")])
    assert edges == [("a", "b"), ("a", "c")]


@pytest.fixture
def expert():
    module = pytest.importorskip("pgmpy.causal_discovery")
    slots = inspect.signature(module.ExpertInLoop.__init__).parameters
    return SimpleNamespace(kind=module.ExpertInLoop, has_slot="pairwise_estimator" in slots)


def test_the_expert_of_the_installed_pgmpy_is_told_the_directions(expert):
    frame = table()
    estimator = PairwiseEstimator()
    slot = (
        {"pairwise_estimator": estimator}
        if expert.has_slot
        else {"orientation_fn": estimator.orientation(frame)}
    )
    loop = expert.kind(ci_test="pearsonr", show_progress=False, **slot)
    found = loop.fit(frame).causal_graph_
    assert set(found.edges()) >= {("a", "b"), ("a", "c")}
    assert not any("d" in edge for edge in found.edges())
