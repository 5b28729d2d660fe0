"""Rows that count for more or less than others: what is drawn, what is refused, what it undoes."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bqcd
from bqcd.data.pair import Pair
from bqcd.data.weights import WeightedPair
from bqcd.errors import BqcdError, InvalidPairError, InvalidTableError
from bqcd.methods.decide import observed_pair
from bqcd.methods.weighted_draws import drawn_pairs
from tests.methods.trials import QUICK

RNG = np.random.default_rng(8)
X = RNG.normal(size=300)
Y = X**2 + 0.3 * RNG.normal(size=300)
W = RNG.integers(1, 9, size=300) / 4.0
TIED = np.round(2.0 * X), np.round(3.0 * Y)
FAST = ("bqcd", "igci-u", "lingam", "cdci", "coin")


def mirrored(n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Columns whose ranks look the same from either side, though their values do not."""
    partner = np.arange(n)
    partner[0 : n // 2 : 2] += 1
    partner[1 : n // 2 : 2] -= 1
    rng = np.random.default_rng(1)
    return np.sort(rng.normal(size=n)), np.sort(rng.exponential(size=n))[partner]


PAIRS = {"no ties": (X, Y), "ties": TIED, "mirrored ranks": mirrored()}
every_pair = pytest.mark.parametrize(("x", "y"), PAIRS.values(), ids=PAIRS)


def facts(verdict: bqcd.Verdict) -> dict:
    return json.loads(json.dumps(verdict.as_dict()))


@pytest.mark.parametrize("method", FAST)
@every_pair
def test_exchanging_the_columns_flips_the_sign_and_nothing_else(method, x, y):
    weights = W[: len(x)]
    there = bqcd.decide(x, y, weights=weights, method=method)
    back = bqcd.decide(y, x, weights=weights, method=method)
    assert back.confidence == -there.confidence
    assert back.weighting.as_dict() == there.weighting.as_dict()
    first, second = facts(there)["evidence"], facts(back)["evidence"]
    if method == "bqcd":
        assert first["code_length_x_to_y"] == second["code_length_y_to_x"]
        assert first["ties"]["x"] == second["ties"]["y"]
    elif method in ("lingam", "cdci"):
        assert first["x_to_y"] == second["y_to_x"]
    else:
        assert first is second is None


@pytest.mark.parametrize("method", FAST)
@every_pair
def test_the_order_of_the_rows_changes_nothing(method, x, y):
    weights = W[: len(x)]
    order = np.random.default_rng(2).permutation(len(x))
    there = bqcd.decide(x, y, weights=weights, method=method)
    shuffled = bqcd.decide(x[order], y[order], weights=weights[order], method=method)
    assert facts(shuffled) == facts(there)


def test_only_ratios_of_weights_matter():
    assert facts(bqcd.decide(X, Y, weights=2.0 * W)) == facts(bqcd.decide(X, Y, weights=W))
    tiny, huge = (bqcd.decide(X, Y, weights=W * 2.0**power) for power in (-1040, 1020))
    assert tiny.confidence == pytest.approx(huge.confidence, rel=1e-12)


@pytest.mark.parametrize("method", FAST)
def test_equal_weights_are_no_weights(method):
    weighted = bqcd.decide(X, Y, weights=np.full(300, 0.1), method=method)
    assert facts(weighted) == facts(bqcd.decide(X, Y, method=method))
    assert weighted.weighting is None


@pytest.mark.parametrize("method", FAST)
def test_rows_of_weight_zero_are_as_good_as_absent(method):
    kept = X > -0.5
    unequal = bqcd.decide(X, Y, weights=W * kept, method=method)
    assert facts(unequal) == facts(bqcd.decide(X[kept], Y[kept], weights=W[kept], method=method))
    equal = bqcd.decide(X, Y, weights=kept, method=method)
    assert facts(equal) == facts(bqcd.decide(X[kept], Y[kept], method=method))


@pytest.mark.parametrize("name", bqcd.METHODS)
def test_every_method_judges_weighted_rows(name):
    quick = QUICK.get(name, {})
    verdict = bqcd.decide(X[:40], Y[:40], weights=1.0 + (X[:40] > 0.0), method=name, **quick)
    assert verdict.weighting.draws == 8
    assert verdict.weighting.draw_rows < verdict.n_rows == 40
    assert f"{verdict.weighting.draw_rows} rows, with chances" in verdict.explain()
    assert facts(verdict)["weighting"]["column"] == "weights"


def test_another_seed_draws_other_rows():
    one, other = (bqcd.decide(X, Y, weights=W, seed=seed).confidence for seed in (0, 1))
    assert one != other
    assert one == pytest.approx(other, rel=0.1)


def test_rows_are_drawn_without_replacement_with_chances_in_proportion_to_weights():
    place = np.arange(50.0)
    weights = np.random.default_rng(3).uniform(0.2, 1.0, size=50)
    weighted = WeightedPair(Pair(place, 7.0 * place % 50.0), weights)
    counts, draws = np.zeros(50), 2000
    for (drawn,) in drawn_pairs(weighted, seed=5, draws=draws):
        assert len(np.unique(drawn.x)) == len(drawn) == weighted.draw_rows
        counts[drawn.x.astype(int)] += 1
    chance = weighted.draw_rows * weights / weights.sum()
    error = np.sqrt(chance * (1.0 - chance) / draws)
    assert weighted.draw_rows == int(weights.sum() / weights.max())
    assert np.all(abs(counts / draws - chance) < 4.5 * error + 1e-12)


def test_the_number_of_draws_grows_with_what_they_leave_to_chance():
    place = np.arange(400.0)
    two = WeightedPair(Pair(place, -place), np.repeat([1.0, 2.0], 200))
    assert (two.effective_rows, two.draw_rows, two.draws) == (360.0, 300, 8)
    ten = WeightedPair(Pair(place, -place), np.repeat([1.0, 10.0], [390, 10]))
    assert ten.effective_rows == pytest.approx(490.0**2 / 1390.0)
    assert (ten.draw_rows, ten.draws) == (49, 51)
    assert WeightedPair(Pair(place, -place), np.full(400, 3.0)).draws == 1


class Mean:
    """Judges by a mean over rows, so that what to expect of draws is known exactly."""

    def decide(self, pair, rng):
        return bqcd.Verdict(float(np.mean(pair.x * pair.y)), pair)


def test_weights_and_repeated_rows_agree_in_expectation():
    weights = RNG.integers(1, 5, size=300)
    repeated = bqcd.decide(np.repeat(X, weights), np.repeat(Y, weights), method=Mean()).confidence
    weighted = observed_pair(X, Y, weights=weights)
    judged = [
        Mean().decide(pair, None).confidence for (pair,) in drawn_pairs(weighted, seed=1, draws=400)
    ]
    error = np.std(judged) / np.sqrt(len(judged))
    assert abs(np.mean(judged) - repeated) < 4.0 * error
    assert abs(Mean().decide(Pair(X, Y), None).confidence - repeated) > 4.0 * error


def selected(seed: int, n: int = 3000) -> dict[str, np.ndarray]:
    """y = tanh(1.5 x) + noise, of which rows near the line x + y = 0 are seen more often."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = np.tanh(1.5 * x) + 0.3 * rng.normal(size=n)
    chance = 0.1 + 0.9 * np.exp(-((x + y / y.std()) ** 2))
    seen = rng.random(n) < chance
    return {"x": x[seen], "y": y[seen], "weights": 1.0 / chance[seen], "whole": (x, y)}


def test_inverse_chances_undo_a_selection_that_turns_the_verdict_round():
    plain, weighted, population = [], [], []
    for seed in range(40):
        rows = selected(seed)
        columns = rows["x"], rows["y"]
        plain.append(bqcd.decide(*columns).confidence)
        verdict = bqcd.decide(*columns, weights=rows["weights"])
        weighted.append(verdict.confidence)
        worth = int(verdict.weighting.effective_rows)
        population.append(bqcd.decide(*(c[:worth] for c in rows["whole"])).confidence)
    assert np.mean(np.array(plain) > 0.0) < 0.4
    assert np.mean(plain) < 0.0
    assert np.mean(np.array(weighted) > 0.0) > 0.8
    error = np.sqrt((np.var(weighted) + np.var(population)) / 40)
    assert abs(np.mean(weighted) - np.mean(population)) < 3.0 * error


def test_levels_are_those_of_as_many_rows_as_the_weighted_ones_are_worth():
    rows = selected(3, n=1200)
    verdict = bqcd.decide(rows["x"], rows["y"], weights=rows["weights"])
    assert verdict.weighting.draw_rows < 200 <= verdict.weighting.effective_rows
    assert len(verdict.evidence.code_lengths.quadrature) == 3
    assert verdict.evidence.n_rows == int(verdict.weighting.effective_rows)
    assert verdict.evidence.code_lengths.confidence == pytest.approx(verdict.confidence, rel=1e-9)
    assert verdict.settings["small_n"] == 200


TABLE = {"spare": np.arange(300), "x": X, "y": Y, "count": W}
TABLES = {
    "pandas": pd.DataFrame(TABLE),
    "polars": pl.DataFrame(TABLE),
    "polars, lazy": pl.LazyFrame(TABLE),
    "pyarrow": pa.table(TABLE),
    "mapping": TABLE,
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("weights", ["count", 3, W])
def test_a_column_of_any_table_holds_weights(table, weights):
    verdict = bqcd.decide("x", "y", table=table, weights=weights)
    assert verdict.confidence == bqcd.decide(X, Y, weights=W).confidence
    assert verdict.weighting.name == ("weights" if weights is W else "count")


def test_missing_weights_follow_the_rule_for_missing_values():
    weights, y = W.copy(), Y.copy()
    weights[4], y[7], y[9] = np.nan, np.nan, np.nan
    weights[9] = 0.0
    with pytest.raises(InvalidPairError, match=r"'weights' has 1 missing value, .*row 5; pass mis"):
        bqcd.decide(X, Y, weights=weights)
    with pytest.raises(InvalidPairError, match="'y' has 2 missing values"):
        bqcd.decide(X, y, weights=W)
    dropped = bqcd.decide(X, y, weights=weights, missing="drop")
    kept = np.isfinite(y) & (weights > 0.0)
    assert dropped.confidence == bqcd.decide(X[kept], Y[kept], weights=W[kept]).confidence
    assert dropped.dropped_rows == 3


def put(at: int, value: float) -> np.ndarray:
    weights = W.copy()
    weights[at] = value
    return weights


WRONG = {
    "negative": (put(2, -0.5), r"'weights' must be finite and not neg.*1 of 300.*row 3 \(-0.5\)"),
    "infinite": (put(2, np.inf), r"'weights' must be finite and not negative.*row 3 \(inf\)"),
    "missing": (put(2, np.nan), "'weights' has 1 missing value, the first in row 3"),
    "all zero": (np.zeros(300), "'weights' must not all be 0, but none of 300"),
    "too few": (W[:299], "'weights' must be one for each of 300 rows, got 299"),
    "mostly zero": (np.arange(300) < 7, "'x' and 'y' have 7 rows of weight 'weights' above 0"),
    "one row": (put(2, 1e4), r"largest, 1e\+04, is 97% of their sum: a draw has room for 1 of"),
    "text": (["a"] * 300, "Column 'weights' must hold numbers, but row 1 is 'a'"),
    "a matrix": (np.ones((300, 2)), "'weights' must be one-dimensional"),
    "a name": ("count", "'weights' must be a one-dimensional sequence"),
    "x": (X, "Weights must be a column of their own"),
    "constant where they count": (X[0] == X, "have 1 row of weight"),
}


@pytest.mark.parametrize(("weights", "message"), WRONG.values(), ids=WRONG)
def test_what_is_no_weight_is_refused_with_column_rule_and_value(weights, message):
    with pytest.raises(InvalidPairError, match=message):
        bqcd.decide(X, Y, weights=weights)


def test_weights_in_a_table_are_a_column_of_their_own_that_is_there():
    with pytest.raises(InvalidPairError, match="'x' is asked for twice"):
        bqcd.decide("x", "y", table=TABLE, weights=1)
    with pytest.raises(InvalidTableError, match=r"no column 'cuont'.*'count'"):
        bqcd.decide("x", "y", table=TABLE, weights="cuont")


def test_rows_that_weigh_too_little_to_be_told_are_never_drawn():
    weights = np.where(np.arange(300) < 100, 5e-324, 1e308)
    verdict = bqcd.decide(X, Y, weights=weights)
    assert verdict.weighting.draw_rows == 200
    expected = bqcd.decide(X[100:], Y[100:]).confidence
    assert verdict.confidence == pytest.approx(expected, rel=1e-12)


def test_columns_constant_in_every_draw_are_undecided_and_said_so():
    rare = np.zeros(300)
    rare[5] = 1.0
    verdict = bqcd.decide(rare, Y, weights=np.where(rare > 0.0, 1e-300, W))
    assert verdict.confidence == 0.0
    assert verdict.weighting.draws == 0
    assert verdict.explain().startswith("Which of 'x' and 'y' is the cause cannot be told")


def test_weighted_pairs_can_be_sent_elsewhere_and_hold_what_they_say():
    weighted = pickle.loads(pickle.dumps(observed_pair(X, Y, weights=W)))
    assert bqcd.decide_pair(weighted).confidence == bqcd.decide(X, Y, weights=W).confidence
    assert repr(weighted).startswith("WeightedPair('x', 'y', 300 rows worth ")
    assert not weighted.weights.flags.writeable
    with pytest.raises(BqcdError, match=r"must be above 0, got 0\.0; leave such rows out"):
        WeightedPair(Pair(X, Y), put(0, 0.0))
