"""Edges of columns without an order: judged by what takes them, or left open with the reason."""

from __future__ import annotations

import json

import networkx as nx
import numpy as np
import pytest

import bqcd
from bqcd.errors import InvalidSettingError
from bqcd.graphs.orienting.edges import edge_seed
from bqcd.graphs.orienting.records import Judgement, Outcome
from bqcd.methods.verdict import Choice
from tests.cli.commanding import run

RNG = np.random.default_rng(2)
N = 600
HERD = RNG.integers(6, size=N)
SHARES = RNG.dirichlet(np.full(6, 0.6), size=2)
X = RNG.normal(size=N)
TABLE = {
    "herd": np.array([f"herd {at}" for at in range(6)])[HERD],
    "breed": (RNG.random((N, 1)) > SHARES.cumsum(axis=1)[HERD % 2, :-1]).sum(axis=1),
    "x": X,
    "y": X**2 + 0.3 * RNG.normal(size=N) + 0.3 * HERD,
}
GRAPH = nx.Graph([("herd", "breed"), ("x", "y"), ("herd", "y")])


def oriented(**asked):
    return bqcd.orient(TABLE, GRAPH, nominal="breed", **asked)


def test_a_method_that_needs_an_order_leaves_such_edges_open_and_says_why():
    found = oriented()
    assert list(found.directed.edges) == [("x", "y")]
    for edge in (("breed", "herd"), ("herd", "y")):
        record = found.record(*edge)
        assert record.outcome is Outcome.ABSTAINED
        assert "categorical without an order, and bqcd needs one" in record.sentence
        assert "auto" in record.sentence


@pytest.mark.parametrize("asked", [{}, {"replicates": 10}])
def test_auto_gives_edges_what_it_gives_pairs(asked):
    found = oriented(method="auto", **asked)
    for record in found.edges:
        seed = edge_seed(0, *record.edge)
        verdict = bqcd.decide(*record.edge, table=TABLE, nominal="breed", method="auto", seed=seed)
        assert record.confidence == verdict.confidence
        assert record.judgement.choice == verdict.choice
        assert record.judgement.told == verdict.answer
        assert (record.tail is None) == verdict.choice.withheld
        if asked:
            assert 0.0 <= record.judgement.share <= 1.0
    assert "by hcr" in found.record("breed", "herd").sentence


def test_what_auto_withholds_stays_open_with_the_reason():
    found = oriented(method="auto")
    record = found.record("herd", "y")
    assert record.outcome is Outcome.BORDERLINE
    assert "hcr was picked as one column has no order. No method was better" in record.sentence
    (told,) = [each for each in found.as_dict()["edges"] if each["sentence"] == record.sentence]
    assert told["choice"] == {"method": "hcr", "reason": "mixed", "withheld": True}
    forced = oriented(method="auto", force=True).record("herd", "y")
    assert "by the sign alone, as asked" in forced.sentence


def test_an_assessed_graph_asks_whom_assess_asks():
    found = oriented(method="auto", assessed=True, replicates=10)
    assert found.record("x", "y").judgement.choice == Choice("panel", "many values")
    assert found.record("x", "y").judgement.told == "clear"
    assert found.record("breed", "herd").tail is None


def test_edges_of_several_methods_are_ranked_by_what_their_confidences_must_exceed():
    by_bqcd = Judgement(0.02, limit=0.005, choice=Choice("bqcd", "many values"))
    by_panel = Judgement(0.5, probability=0.75, choice=Choice("panel", "few values"))
    by_hcr = Judgement(0.9, choice=Choice("hcr", "no order"))
    silent = Judgement(0.0, message="no verdict")
    assert sorted([silent, by_hcr, by_panel, by_bqcd], key=lambda one: one.place) == [
        by_bqcd, by_panel, by_hcr, silent,
    ]  # fmt: skip
    first, second, last = Judgement(-0.3), Judgement(0.2), Judgement(0.0)
    assert sorted([last, second, first], key=lambda one: one.place) == [first, second, last]


def test_models_of_several_columns_need_an_order():
    with pytest.raises(InvalidSettingError, match=r"given_known of orient must be False.*'breed'"):
        oriented(given_known=True)


def test_the_command_declares_names_and_writes_pages(tmp_path):
    table, graph = tmp_path / "t.csv", tmp_path / "g.dot"
    rows = zip(*TABLE.values(), strict=True)
    table.write_text("\n".join([",".join(TABLE), *(",".join(map(str, row)) for row in rows)]))
    graph.write_text("graph { herd -- breed; x -- y; herd -- y; }")
    page = tmp_path / "page.html"
    asked = ("orient", table, "--graph", graph, "--nominal", "breed", "--method", "auto")
    done = run(*map(str, asked), "-o", str(page), "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[0])
    choices = {edge["choice"]["method"] for edge in told["edges"]}
    assert choices == {"bqcd", "hcr"}
    assert "hcr was picked" in page.read_text(encoding="utf-8")
