"""The short way to a verdict: whatever the columns come as, and whoever judges."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bqcd
from bqcd.data.pair import Pair
from bqcd.errors import (
    InvalidPairError,
    InvalidSettingError,
    InvalidTableError,
    UnknownNameError,
)
from bqcd.methods.igci import IGCI
from bqcd.methods.table import ALL_METHODS, card_of, named_method

RNG = np.random.default_rng(4)
X = RNG.normal(size=80)
Y = X**2 + 0.2 * RNG.normal(size=80)
COLUMNS = {"spare": np.arange(80), "x": X, "y": Y}
PAIR = Pair(X, Y)
EXPECTED = bqcd.decide(X, Y).confidence

ARRAYS = {
    "arrays": (X, Y),
    "lists": (X.tolist(), Y.tolist()),
    "tuples": (tuple(X), tuple(Y)),
    "strided views": (np.repeat(X, 2)[::2], np.repeat(Y, 2)[::2]),
    "pandas series": (pd.Series(X), pd.Series(Y)),
    "polars series": (pl.Series(X), pl.Series(Y)),
    "pyarrow arrays": (pa.array(X), pa.array(Y)),
    "a mix": (pl.Series(X), Y.tolist()),
}

TABLES = {
    "pandas": pd.DataFrame(COLUMNS, index=np.arange(80)[::-1]),
    "polars": pl.DataFrame(COLUMNS),
    "polars, lazy": pl.LazyFrame(COLUMNS),
    "pyarrow": pa.table(COLUMNS),
    "mapping": COLUMNS,
}


def cube(values: np.ndarray) -> np.ndarray:
    return values**3


@dataclass(frozen=True)
class Skew:
    """Judges by the third moment: a stand-in for a user's own method."""

    scale: float = 1.0

    def decide(self, pair, rng):
        return bqcd.Verdict(self.scale * float(cube(pair.y).mean() - cube(pair.x).mean()), pair)


class Coin:
    """Judges by the generator alone."""

    def decide(self, pair, rng):
        return bqcd.Verdict(float(rng.normal()), pair)


@pytest.mark.parametrize("given", ARRAYS.values(), ids=ARRAYS)
def test_columns_of_any_kind_give_the_same_number(given):
    assert bqcd.decide(*given).confidence == EXPECTED


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize(("x", "y"), [("x", "y"), (1, 2), ("x", 2)])
def test_tables_of_any_kind_give_the_same_number_by_name_and_position(table, x, y):
    verdict = bqcd.decide(x, y, table=table)
    assert verdict.confidence == EXPECTED
    assert (verdict.pair.x_name, verdict.pair.y_name) == ("x", "y")


def test_an_array_is_a_table_with_positions():
    verdict = bqcd.decide(1, 2, table=np.column_stack(list(COLUMNS.values())))
    assert verdict.confidence == EXPECTED
    assert verdict.pair.x_name == "column 1"


def test_a_pair_built_before_gives_the_same_number():
    assert bqcd.decide_pair(PAIR).confidence == EXPECTED


def test_names_of_series_are_used():
    verdict = bqcd.decide(pd.Series(X, name="dose"), pl.Series("response", Y))
    assert (verdict.cause, verdict.effect) == ("dose", "response")


def test_an_unknown_column_is_refused_with_the_nearest_name():
    with pytest.raises(InvalidTableError, match="'spare'"):
        bqcd.decide("spar", "y", table=COLUMNS)


def test_names_without_a_table_are_refused():
    with pytest.raises(InvalidPairError, match="sequence of numbers"):
        bqcd.decide("x", "y")


def test_missing_values_are_refused_or_dropped():
    x, y = X.copy(), Y.copy()
    x[3], y[7] = np.nan, np.nan
    with pytest.raises(InvalidPairError, match=r"'x' has 1 missing value.*row 4"):
        bqcd.decide(x, y)
    dropped = bqcd.decide(x, y, missing="drop")
    kept = np.isfinite(x) & np.isfinite(y)
    assert dropped.dropped_rows == 2
    assert dropped.confidence == bqcd.decide(X[kept], Y[kept]).confidence
    with pytest.raises(InvalidSettingError, match="'raise', 'drop'"):
        bqcd.decide(x, y, missing="ignore")


def test_missing_values_of_a_table_are_dropped_too():
    table = pl.DataFrame({"x": [None, *X], "y": [1.0, *Y]})
    dropped = bqcd.decide("x", "y", table=table, missing="drop")
    assert (dropped.confidence, dropped.dropped_rows) == (EXPECTED, 1)


@pytest.mark.parametrize(("name", "nearest"), [("bqdc", "Nearest: 'bqcd'"), ("zz", "Known: ")])
def test_an_unknown_method_is_refused_with_the_names_there_are(name, nearest):
    with pytest.raises(UnknownNameError, match=nearest):
        bqcd.decide(X, Y, method=name)


def test_an_unknown_setting_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownNameError, match=r"'bqcd' has no setting 'n_level'.*'n_levels'"):
        bqcd.decide(X, Y, n_level=5)


@pytest.mark.parametrize(
    ("method", "setting", "hint"),
    [
        ("igci-u", "referenc", "Nearest: 'reference'"),
        ("igci-entropy-g", "n_levels", "Known: 'estimator', 'published_shift', 'reference'"),
        ("coin", "sides", "It has none."),
    ],
)
def test_an_unknown_setting_of_a_baseline_is_refused_too(method, setting, hint):
    with pytest.raises(UnknownNameError, match=f"{method!r} has no setting {setting!r}. {hint}"):
        bqcd.decide(X, Y, method=method, **{setting: 2})


def test_a_setting_that_contradicts_the_name_is_refused():
    with pytest.raises(
        InvalidSettingError, match="reference of the method 'igci-u' must be 'uniform', got 'gau"
    ):
        bqcd.make_method("igci-u", reference="gaussian")


def test_settings_go_with_those_the_name_stands_for():
    method = bqcd.make_method("igci-entropy-g", published_shift=True)
    assert method == IGCI(reference="gaussian", estimator="entropy", published_shift=True)


# The verdict of auto is that of the method picked, and carries its name.
@pytest.mark.parametrize("name", [name for name in bqcd.METHODS if name != "auto"])
def test_a_method_is_made_again_from_the_settings_its_verdict_carries(name):
    verdict = bqcd.decide(X, Y, method=name)
    assert verdict.name == name
    assert verdict.settings.keys() == {field.name for field in fields(verdict.method)}
    assert bqcd.make_method(name, **verdict.settings) == verdict.method


def test_an_unknown_regressor_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownNameError, match="'copula'"):
        bqcd.decide(X, Y, regressor="Copula")


@pytest.mark.parametrize("name", ["name", "pair"])
def test_no_name_of_a_setting_gets_in_the_way_of_an_argument(name):
    with pytest.raises(UnknownNameError, match=f"has no setting {name!r}"):
        bqcd.decide(X, Y, **{name: "x"})


@pytest.mark.parametrize(
    "settings",
    [
        {"n_levels": 0},
        {"n_levels": 2.0},
        {"n_levels": True},
        {"small_n": -1},
        {"jitters": 0},
        {"tie_orders": 3},
        {"tie_orders": 0},
        {"jitters": 2, "published_ties": True},
        {"published_ties": "False"},
        {"regressor": 3},
        {"regressor": bqcd.BQCD},
    ],
    ids=repr,
)
def test_a_setting_out_of_range_is_refused_by_name(settings):
    with pytest.raises(InvalidSettingError, match=f"{next(iter(settings))} of BQCD must be"):
        bqcd.decide(X, Y, **settings)


@pytest.mark.parametrize("method", [None, 3, object(), ["bqcd"], bqcd.METHODS["bqcd"]])
def test_what_is_no_method_is_refused(method):
    with pytest.raises(InvalidSettingError, match="must be a name or have a method decide"):
        bqcd.decide(X, Y, method=method)


def test_the_class_of_a_method_is_not_taken_for_a_method():
    with pytest.raises(InvalidSettingError, match="BQCD"):
        bqcd.decide(X, Y, method=bqcd.BQCD)


def test_the_class_of_a_regressor_is_not_taken_for_a_regressor():
    from bqcd.discovery.quantiles import Copula

    with pytest.raises(InvalidSettingError, match="regressor of BQCD must be"):
        bqcd.decide(X, Y, regressor=Copula)


def test_a_method_of_ones_own_is_asked_and_named():
    verdict = bqcd.decide(X, Y, method=Skew(scale=2.0), seed=9)
    assert verdict.confidence == 2.0 * float(cube(Y).mean() - cube(X).mean())
    assert (verdict.name, verdict.settings, verdict.seed) == ("Skew", {"scale": 2.0}, 9)
    assert verdict.method == Skew(scale=2.0)
    assert verdict.explain().startswith("The data lean towards 'x' as the cause of 'y' (Skew")


def test_a_method_of_ones_own_need_not_be_a_dataclass():
    verdict = bqcd.decide(X, Y, method=Coin())
    assert (verdict.name, verdict.settings) == ("Coin", {})


def test_settings_beside_a_method_object_are_refused():
    with pytest.raises(InvalidSettingError, match="scale"):
        bqcd.decide(X, Y, method=Skew(), scale=2.0)


def test_the_seed_makes_the_generator_of_the_method():
    first = bqcd.decide(X, Y, method=Coin(), seed=1).confidence
    assert first == np.random.default_rng(1).normal()
    assert bqcd.decide(X, Y, method=Coin(), seed=1).confidence == first
    assert bqcd.decide(X, Y, method=Coin(), seed=2).confidence != first


def test_the_seed_matters_for_random_orders_of_ties():
    x, y = X.round(1), Y.round(1)
    seeds = {bqcd.decide(x, y, jitters=1, seed=seed).confidence for seed in range(5)}
    assert len(seeds) == 5


@pytest.mark.parametrize("seed", [-1, 1.5, True, None, "0"])
@pytest.mark.parametrize("asked", ["columns", "a pair"])
def test_a_bad_seed_is_refused(asked, seed):
    function, given = (bqcd.decide, (X, Y)) if asked == "columns" else (bqcd.decide_pair, (PAIR,))
    with pytest.raises(InvalidSettingError, match="seed of decide"):
        function(*given, seed=seed)


def test_the_verdict_carries_method_settings_and_seed():
    verdict = bqcd.decide(X, Y, n_levels=5, small_n=0, seed=6)
    assert verdict.name == "bqcd"
    assert verdict.method == bqcd.BQCD(n_levels=5, small_n=0)
    assert verdict.settings["n_levels"] == 5
    assert verdict.seed == 6


def test_the_number_behind_a_verdict_can_be_had_again_from_what_it_carries():
    x, y = X.round(1), Y.round(1)
    verdict = bqcd.decide(x, y, jitters=3, seed=8)
    again = verdict.method.decide(verdict.pair, np.random.default_rng(verdict.seed))
    assert again.confidence == verdict.confidence


def test_a_method_made_by_name_is_the_class_with_those_settings():
    assert bqcd.make_method("bqcd", n_levels=7) == bqcd.BQCD(n_levels=7)


def test_the_table_of_methods_cannot_be_changed_and_knows_its_names():
    with pytest.raises(TypeError):
        bqcd.METHODS["mine"] = bqcd.METHODS["bqcd"]
    assert all(name == card.name for name, card in bqcd.METHODS.items())


def test_settings_behind_a_name_are_told_where_they_belong():
    with pytest.raises(UnknownNameError, match="apart from the name 'panel' here: depth=deep"):
        card_of("panel:depth=deep")
    with pytest.raises(UnknownNameError, match="apart from the name 'panel' here: NAME=VALUE"):
        card_of("panel:")


@pytest.mark.parametrize("name", ALL_METHODS)
def test_a_method_is_called_the_same_whether_it_is_named_or_made(name):
    made = ALL_METHODS[name].build()
    assert named_method("decide", made, {}) == (name, made)


def test_a_method_of_one_s_own_is_called_as_its_class():
    class Mine(bqcd.BQCD):
        pass

    assert named_method("decide", Mine(), {})[0] == "Mine"
