"""Verdicts on edges are those on pairs: one confidence and one stability, whoever is asked."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import bqcd
from bqcd.graphs import edge_seed

EDGE = nx.Graph([("x", "y")])


def table_of(n: int, *, tied: bool = False) -> dict[str, np.ndarray]:
    """Two columns whose direction is hard to tell, so that halves do not agree."""
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    y = np.tanh(1.5 * x) + 0.8 * rng.normal(size=n)
    return {"x": x.round(), "y": y.round()} if tied else {"x": x, "y": y}


def of_edge(table, **settings):
    return bqcd.orient(table, EDGE, **settings).record("x", "y").judgement


@pytest.mark.parametrize("tied", [False, True], ids=["no ties", "ties"])
@pytest.mark.parametrize("n", [150, 199, 250, 300, 400, 500])
def test_an_edge_has_the_stability_that_assess_gives_its_pair(n, tied):
    table = table_of(n, tied=tied)
    judgement = of_edge(table, replicates=60, seed=3)
    found = bqcd.assess(table["x"], table["y"], replicates=60, seed=judgement.seed, method="bqcd")
    assert judgement.confidence == found.confidence
    assert judgement.share == found.stability.agreeing
    assert 0.0 < judgement.share < 1.0


@pytest.mark.parametrize("method", ["igci-g", "lingam"])
def test_so_it_has_with_other_methods(method):
    table = table_of(120)
    judgement = of_edge(table, method=method, replicates=12)
    found = bqcd.assess(table["x"], table["y"], method=method, replicates=12, seed=judgement.seed)
    assert judgement.share == found.stability.agreeing


def test_so_it_has_on_the_fewest_rows():
    table = table_of(15)
    judgement = of_edge(table, replicates=20)
    found = bqcd.assess(table["x"], table["y"], replicates=20, seed=judgement.seed, method="bqcd")
    assert judgement.share == found.stability.agreeing


def repeated(rng: np.random.Generator) -> dict[str, object]:
    """Ten rows of each of 30 persons, with a gap."""
    person = np.repeat(np.arange(30), 10)
    x, y = rng.normal(size=(2, 30))[:, person] + 0.3 * rng.normal(size=(2, 300))
    x[7] = np.nan
    return {"x": x, "y": y, "z": rng.normal(size=300), "person": [f"p{at}" for at in person]}


def series(rng: np.random.Generator) -> dict[str, object]:
    """Rows that depend on the rows before."""
    x, y = np.cumsum(rng.normal(size=(2, 300)), axis=1)
    return {"x": x, "y": y, "z": rng.normal(size=300)}


def copied(rng: np.random.Generator) -> dict[str, object]:
    """Five copies of every row."""
    x, y, z = (np.tile(column, 5) for column in rng.normal(size=(3, 60)))
    return {"x": x, "y": y, "z": z}


@pytest.mark.parametrize("given_known", [False, True])
@pytest.mark.parametrize(
    ("draw", "kind"), [(repeated, "column"), (series, "blocks"), (copied, "copies")]
)
def test_halves_of_an_edge_are_drawn_by_the_rows_that_belong_together(draw, kind, given_known):
    table = draw(np.random.default_rng(0))
    settings = {"replicates": 60, "missing": "drop"}
    judgement = of_edge(table, given_known=given_known, **settings)
    found = bqcd.assess("x", "y", table=table, seed=judgement.seed, **settings, method="bqcd")
    assert found.together.kind == kind
    assert judgement.share == found.stability.agreeing
    alone = of_edge(table, find_units=False, given_known=given_known, **settings)
    free = bqcd.assess(
        "x", "y", table=table, seed=alone.seed, find_units=False, **settings, method="bqcd"
    )
    assert alone.share == free.stability.agreeing
    assert alone.share != judgement.share


def test_residuals_are_drawn_by_the_units_of_the_rows_that_are_left():
    table = repeated(np.random.default_rng(0))
    table["z"][:20] = np.nan
    graph = nx.DiGraph([("z", "x"), ("x", "y"), ("y", "x")])
    settings = {"replicates": 60, "missing": "drop", "given_known": True, "kind": "skeleton"}
    by_person = bqcd.orient(table, graph, **settings).record("x", "y").judgement
    by_row = bqcd.orient(table, graph, find_units=False, **settings).record("x", "y").judgement
    assert by_person.n_rows == by_row.n_rows == 280
    assert by_person.confidence == by_row.confidence
    assert by_person.share != by_row.share


def test_the_seed_of_an_edge_is_shown_and_follows_from_the_names():
    found = bqcd.orient(table_of(50), EDGE, seed=7)
    seed = edge_seed(7, "y", "x")
    assert found.record("x", "y").judgement.seed == seed
    assert found.as_dict()["edges"][0]["seed"] == seed
    assert seed != edge_seed(8, "y", "x")


def test_halves_have_the_names_of_the_nodes():
    class ByName:
        def decide(self, pair, rng):
            return bqcd.Verdict(1.0 if pair.x_name == "x" and pair.y_name == "y" else 0.0, pair)

    table = table_of(50)
    assert of_edge({"x": table["x"], "y": table["y"]}, method=ByName(), replicates=4).share == 1.0


def test_an_edge_left_undecided_is_shared_by_half_of_the_halves():
    class Never:
        def decide(self, pair, rng):
            return bqcd.Verdict(0.0, pair)

    assert of_edge(table_of(50), method=Never(), replicates=4).share == 0.5


@pytest.mark.parametrize("method", ["panel", "bqcd"])
def test_an_assessed_edge_has_the_probability_and_the_answer_of_assess(method):
    table = table_of(300)
    judgement = of_edge(table, method=method, assessed=True, replicates=20)
    found = bqcd.assess(table["x"], table["y"], method=method, replicates=20, seed=judgement.seed)
    assert judgement.probability == found.probability
    assert judgement.answer == found.answer
    assert judgement.share == found.stability.agreeing


def sentence(**told):
    from bqcd.graphs.orienting.records import EdgeRecord, Judgement, Outcome

    return EdgeRecord("x", "y", Outcome.JUDGED, "x", Judgement(**told), 1).sentence


def test_the_reason_says_how_strong_next_to_the_bar_it_had_to_pass():
    assert sentence(confidence=0.7, answer="clear", probability=0.85) == (
        "x -> y: judged clear with probability 0.85 (clear from 0.80), confidence 0.7, rank 1."
    )
    assert sentence(confidence=0.4, answer="leaning", probability=0.7, share=0.93) == (
        "x -> y: judged leaning with probability 0.70 (leaning from 0.65), confidence 0.4, rank 1, "
        "93% of replicates."
    )
    assert sentence(confidence=0.1, answer="leaning", limit=0.02) == (
        "x -> y: judged leaning with confidence 0.1 (0.02 is common where no direction exists), "
        "rank 1."
    )


def test_a_verdict_by_bqcd_tells_the_size_that_is_common_where_no_direction_exists():
    judgement = of_edge(table_of(300))
    verdict = bqcd.decide("x", "y", table=table_of(300), seed=judgement.seed)
    assert judgement.limit == verdict.evidence.chance_bound > 0.0
    assert judgement.probability is None
