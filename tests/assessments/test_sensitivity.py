from __future__ import annotations

import numpy as np
import pytest

import bqcd
from bqcd.assessments.sensitivity import MOST_ROWS, sensitivity_rows
from bqcd.assessments.stability import half_samples
from bqcd.data.pair import Direction, Pair
from bqcd.methods.bqcd import BQCD
from bqcd.methods.table import make_method

# One process, as what is shared takes a while to make.
pytestmark = pytest.mark.xdist_group("sensitivity")


def bent(n: int, digits: int = 9) -> Pair:
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    return Pair((x + 0.0).round(digits), (np.tanh(2 * x) + 0.2 * rng.normal(size=n)).round(digits))


@pytest.fixture(scope="module")
def rows():
    return sensitivity_rows(bent(60), BQCD(small_n=0), "bqcd")


def test_every_regressor_is_tried_with_every_number_of_levels_on_all_rows_and_halves(rows) -> None:
    tried = {(row.regressor, row.levels, row.sample) for row in rows}
    assert tried == {
        (regressor, levels, sample)
        for regressor in ("copula", "forest", "network")
        for levels in (1, 3, 7)
        for sample in ("all", "half 1", "half 2")
    }
    assert {row.n_rows for row in rows if row.sample == "all"} == {60}
    assert {row.n_rows for row in rows if row.sample != "all"} == {30}
    assert {row.seed for row in rows if row.regressor == "copula"} == {0}
    assert {row.seed for row in rows if row.regressor == "forest"} == {0, 1}


def test_the_row_with_the_usual_settings_is_the_verdict(rows) -> None:
    usual = next(row for row in rows if (row.regressor, row.levels) == ("copula", 3))
    pair = bent(60)
    expected = bqcd.decide(pair.x, pair.y, small_n=0)
    assert usual.confidence == expected.confidence
    assert usual.direction is Direction.of(expected.confidence)


def test_another_method_is_tried_with_seeds_and_halves() -> None:
    rows = sensitivity_rows(bent(300), make_method("coin"), "coin", seed=5)
    assert [(row.regressor, row.levels, row.seed, row.sample) for row in rows[:2]] == [
        ("coin", None, 5, "all"),
        ("coin", None, 6, "all"),
    ]


@pytest.mark.parametrize("digits", [9, 1], ids=["no ties", "ties"])
def test_the_halves_are_the_first_ones_that_stability_rests_on(digits) -> None:
    pair, method = bent(301, digits), make_method("igci-g")
    halves = half_samples(pair, method, replicates=2, seed=4)
    rows = [row for row in sensitivity_rows(pair, method, "igci-g", seed=4) if row.seed == 4]
    assert [row.confidence for row in rows[1:]] == halves.confidences.tolist()
    assert {row.n_rows for row in rows[1:]} == {halves.rows}


def test_exchanging_the_columns_flips_every_sign() -> None:
    pair = bent(80, digits=1)
    method = make_method("igci-g")
    one = sensitivity_rows(pair, method, "igci-g")
    other = sensitivity_rows(pair.swapped(), method, "igci-g")
    assert [row.confidence for row in one] == [-row.confidence for row in other]


def test_of_many_rows_some_are_drawn() -> None:
    rows = sensitivity_rows(bent(MOST_ROWS + 500), make_method("igci-u"), "igci-u")
    assert rows[0].n_rows == MOST_ROWS
