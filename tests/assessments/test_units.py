"""Rows that belong together are drawn together, and bounds hold where they do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.random import Generator, default_rng
from numpy.typing import NDArray
from scipy.signal import lfilter

import bqcd
from bqcd import BQCD, Pair
from bqcd.assessments.claims import claimed_by_method
from bqcd.assessments.dependence import dependence_of
from bqcd.assessments.halves import random_halves, seeds_of_halves
from bqcd.assessments.links import link_of, link_rows
from bqcd.assessments.series import serial_rows
from bqcd.assessments.significance import standard_error
from bqcd.assessments.stability import half_samples
from bqcd.assessments.unit_columns import UnitColumn, UnitColumns
from bqcd.assessments.units import (
    Units,
    drawn_places,
    found_units,
    given_units,
)
from bqcd.benchmark.metrics.intervals import clopper_pearson
from bqcd.data.tables import open_table
from bqcd.errors import InvalidPairError, InvalidSettingError
from bqcd.show.words.assessments import note_words

Vector = NDArray[np.float64]
Columns = tuple[Vector, Vector]


def words(found: bqcd.Assessment) -> list[str]:
    return list(map(note_words, found.notes))


# -- pairs that look the same from both sides, with rows that depend on each other -----------


def linear(n: int, rng: Generator) -> Columns:
    x, noise = rng.normal(size=(2, n))
    return x, 0.6 * x + 0.8 * noise


def copies(rng: Generator) -> Columns:
    x, y = linear(80, rng)
    rows = rng.permutation(np.repeat(np.arange(80), 5))
    return x[rows], y[rows]


def repeats(rng: Generator) -> Columns:
    x, y = copies(rng)
    blur = 0.02 * rng.normal(size=(2, len(x)))
    return x + blur[0], y + blur[1]


def series(rng: Generator) -> Columns:
    x, noise = lfilter([1.0], [1.0, -0.95], rng.normal(size=(2, 700)), axis=1)[:, 300:]
    return x, 0.6 * x + 0.8 * noise


def villages(rng: Generator) -> Columns:
    """Twenty villages one after the other, people in each not unlike."""
    centres = rng.normal(size=(20, 2)) @ np.array([[1.0, 0.5], [0.5, 1.0]])
    x, y = (np.repeat(centres, 50, axis=0) + 0.2 * rng.normal(size=(1000, 2))).T
    return x, y


KINDS: dict[str, Callable[[Generator], Columns]] = {
    "copies": copies,
    "clumps": repeats,
    "blocks": series,
}


def shares_below(kind: Callable[[Generator], Columns], *, find: bool, pairs: int = 40) -> int:
    found = 0
    for seed in range(pairs):
        told = bqcd.assess(*kind(default_rng(seed)), replicates=60, find_units=find, method="bqcd")
        assert told.p_bound is not None
        found += told.p_bound <= 0.05
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_belong_together_are_found(kind: str) -> None:
    found = [found_units(Pair(*KINDS[kind](default_rng(seed)))) for seed in range(20)]
    assert sum(units is not None and units.kind == kind for units in found) >= 19


@pytest.mark.parametrize("n", [50, 200, 1000])
def test_independent_rows_are_left_alone(n: int) -> None:
    found = [found_units(Pair(*linear(n, default_rng(seed)))) for seed in range(30)]
    assert sum(units is not None for units in found) <= 1


def test_grades_of_one_column_are_no_clumps() -> None:
    found = []
    for seed in range(20):
        x, y = linear(1000, default_rng(seed))
        found.append(found_units(Pair(x.round(), y)))
    assert sum(units is not None for units in found) <= 1


def test_sorted_rows_are_not_taken_for_a_series() -> None:
    x, y = linear(500, default_rng(0))
    order = np.argsort(x)
    assert found_units(Pair(x[order], y[order])) is None


@pytest.mark.parametrize("kind", [copies, repeats, series])
def test_the_bound_holds_where_rows_depend_on_each_other(
    kind: Callable[[Generator], Columns],
) -> None:
    found = shares_below(kind, find=True)
    low, _ = clopper_pearson(np.array([float(found)]), np.array([40.0]))
    assert low[0] <= 0.05


def test_without_units_the_bound_would_not_hold() -> None:
    assert shares_below(villages, find=False, pairs=20) >= 5
    assert shares_below(villages, find=True, pairs=20) <= 2


def test_given_units_make_the_bound_hold_where_nothing_can_be_seen() -> None:
    """Villages in no order, so wide that they overlap."""
    below = {True: 0, False: 0}
    for seed in range(20):
        rng = default_rng(seed)
        rows = rng.permutation(1000)
        x, y = (column[rows] for column in villages(rng))
        village = np.arange(1000)[rows] // 50
        for told in below:
            found = bqcd.assess(x, y, replicates=60, units=village if told else None, method="bqcd")
            assert found.p_bound is not None
            below[told] += found.p_bound <= 0.05
    assert below[True] <= 2
    assert below[False] >= 4


class MeanProduct:
    """Copies of all rows do not change its answer, nor how it varies from half to half."""

    def decide(self, pair: Pair, rng: Generator) -> bqcd.Verdict:
        return bqcd.Verdict(float(np.mean(pair.x * pair.y)), pair)


def five_times(x: Vector, y: Vector, *, apart: float = 0.0) -> tuple[Pair, Units]:
    rows = np.tile(np.arange(len(x)), 5)
    beside = apart * np.arange(len(rows))
    return Pair(x[rows] + beside, y[rows] + beside), Units(rows, "copies")


def test_the_standard_error_is_that_of_the_units() -> None:
    """Of copies, it is what the distinct rows alone have."""
    x, y = linear(200, default_rng(1))
    many, units = five_times(x, y)
    single = half_samples(Pair(x, y), MeanProduct(), units=Units(np.arange(200), "given"))
    drawn = half_samples(many, MeanProduct(), units=units)
    np.testing.assert_allclose(drawn.confidences, single.confidences, rtol=1e-12)
    assert standard_error(drawn) == pytest.approx(standard_error(single), rel=1e-12)


def test_the_standard_error_of_a_mean_is_that_of_textbooks() -> None:
    """And without units that of five times as many rows: too small by the root of five."""
    x, y = linear(200, default_rng(1))
    # Not quite equal: equal rows that are not known as copies count as grades.
    many, units = five_times(x, y, apart=1e-9)
    known = float(np.std(x * y, ddof=1)) / 200**0.5
    # The deviation of 2,000 normal numbers has an error of one in the root of 4,000.
    allowed = 4.0 / 4000**0.5
    for pair, drawn, times in [(Pair(x, y), None, 1.0), (many, units, 1.0), (many, None, 5**-0.5)]:
        halves = half_samples(pair, MeanProduct(), replicates=2000, units=drawn)
        assert standard_error(halves) == pytest.approx(times * known, rel=allowed)


def test_halves_of_whole_units_are_judged_to_the_bit_as_if_they_were_all() -> None:
    many, units = five_times(*linear(200, default_rng(1)), apart=1e-9)
    fast = half_samples(many, BQCD(), replicates=40, units=units)
    halves = random_halves(many, 500, seeds_of_halves(0, 40), units=units)
    for half, confidence in zip(halves, fast.confidences, strict=True):
        assert BQCD(small_n=0).decide(half, default_rng(0)).confidence == confidence


# -- drawing -----------------------------------------------------------------------------


def test_whole_units_are_drawn_but_for_the_last() -> None:
    numbers = np.repeat(np.arange(10), 7)
    for seed in range(20):
        places = drawn_places(numbers, 35, default_rng(seed))
        assert len(np.unique(places)) == 35
        assert np.bincount(numbers[places], minlength=10).tolist().count(7) == 5
        partly = drawn_places(numbers, 38, default_rng(seed))
        assert sorted(np.bincount(numbers[partly]))[-5:] == [7] * 5


@pytest.mark.parametrize("digits", [None, 1])
@pytest.mark.parametrize("method", ["bqcd", "igci-u"])
def test_neither_rows_nor_columns_nor_names_of_units_matter(
    digits: int | None, method: str
) -> None:
    rng = default_rng(5)
    x, y = villages(rng)
    if digits is not None:
        x, y = x.round(digits), y.round(digits)
    units = np.arange(1000) // 50
    rows, names = rng.permutation(1000), rng.permutation(20)
    one = bqcd.assess(x, y, units=units, method=method, replicates=20)
    other = bqcd.assess(x[rows], y[rows], units=names[units][rows], method=method, replicates=20)
    turned = bqcd.assess(y, x, units=units, method=method, replicates=20)
    assert other.stability == one.stability
    assert other.p_bound == one.p_bound
    assert turned.stability == one.stability
    assert turned.interval.high == -one.interval.low
    assert turned.p_bound == one.p_bound


# -- what callers tell -------------------------------------------------------------------


def test_units_may_be_a_column_of_text_and_rows_are_dropped_alike() -> None:
    table = pd.DataFrame(
        {"a": np.arange(30.0), "b": np.arange(30.0) ** 2 % 7, "who": list("abc") * 10}
    )
    table.loc[4, "a"] = np.nan
    told = bqcd.assess(
        "a", "b", table=table, units="who", missing="drop", replicates=20, method="bqcd"
    )
    assert told.together is not None
    assert (told.together.kind, told.together.name, told.together.count) == ("given", "who", 3)
    assert told.together.largest == 10
    assert any("3 units ('who')" in said for said in words(told))
    assert told.as_dict()["units"]["count"] == 3  # type: ignore[index]


@pytest.mark.parametrize(
    ("units", "words"),
    [
        ([1] * 19, "'units' must be one for each of 20 rows, got 19"),
        ([1] * 20, "'units' must be two or more"),
        ([1, 2, None] + [3] * 17, "'units' has 1 missing value, the first in row 3; leave"),
        (np.array([np.nan] + [1.0] * 19), "the first in row 1;"),
        (pd.array([1, pd.NA] + [2] * 18, dtype="Int64"), "the first in row 2;"),
    ],
)
def test_units_that_are_none_are_refused(units: object, words: str) -> None:
    with pytest.raises(InvalidPairError, match=words):
        bqcd.assess(np.arange(20.0), np.arange(20.0) % 7, units=units, method="bqcd")


def test_units_of_single_rows_change_nothing() -> None:
    x, y = linear(100, default_rng(0))
    assert given_units(range(100), x, y) is None
    told = bqcd.assess(x, y, units=range(100), replicates=20, method="bqcd")
    assert told.as_dict() == bqcd.assess(x, y, replicates=20, method="bqcd").as_dict()


def test_weights_and_units_do_not_go_together() -> None:
    x, y = linear(100, default_rng(0))
    with pytest.raises(InvalidSettingError, match="units of assess must be None with weights"):
        bqcd.assess(
            x, y, weights=1.0 + np.arange(100) % 3, units=np.arange(100) // 2, method="bqcd"
        )


def test_copies_are_not_called_rounded() -> None:
    told = bqcd.assess(*copies(default_rng(0)), replicates=20, method="bqcd")
    assert any("80 of the rows are distinct" in said for said in words(told))
    assert not any("rounded" in said for said in words(told))


# -- columns that look like units --------------------------------------------------------


@pytest.fixture
def trial() -> dict[str, object]:
    """Ten measurements of each of twenty persons, and columns that are no units."""
    rng = default_rng(0)
    person = np.repeat(np.arange(20), 10)
    x, y = rng.normal(size=(2, 20))[:, person] + 0.5 * rng.normal(size=(2, 200))
    return {
        "x": x,
        "y": y,
        "person": person,
        "name": [f"p{number}" for number in person],
        "row": np.arange(200),
        "day": rng.integers(10, size=200),
        "noise": rng.random(200),
    }


def kinds_of_tables(columns: dict[str, object]) -> list[object]:
    frame = pd.DataFrame(columns)
    return [columns, frame, frame.astype({"name": "category"}), pl.DataFrame(columns),
            pl.LazyFrame(columns), pa.table(columns)]  # fmt: skip


def unit_columns(table: object, *columns: str) -> tuple[UnitColumn, ...]:
    names, columns_at = open_table(table)
    places = [names.index(column) for column in columns]
    x, y = (np.asarray(column, dtype=np.float64) for column in columns_at(*places))
    return UnitColumns.of_table(table).of_pair(x, y, without=places)


@pytest.mark.parametrize("kind", range(6))
def test_a_column_whose_rows_repeat_each_other_is_drawn_by(
    trial: dict[str, object], kind: int
) -> None:
    table = kinds_of_tables(trial)[kind]
    found = unit_columns(table, "x", "y")
    assert [column.units.name for column in found] == ["person", "name"]
    assert all(column.repeats for column in found)
    drawn = bqcd.assess("x", "y", table=table, replicates=20, method="bqcd")
    given = bqcd.assess("x", "y", table=table, replicates=20, units="name", method="bqcd")
    assert (drawn.together.kind, drawn.together.name) == ("column", "person")
    assert sum("the same 'person' repeat each other" in said for said in words(drawn)) == 1
    # The names of the persons are the same units in other words.
    assert not any("units=" in said for said in (*words(drawn), *words(given)))
    assert drawn.stability == given.stability
    assert drawn.interval == given.interval
    assert drawn.p_bound == given.p_bound
    free = bqcd.assess("x", "y", table=table, replicates=20, find_units=False, method="bqcd")
    assert free.together is None
    assert not any(note.code == "units" for note in free.notes)


def test_units_that_overlap_in_no_order_hold_the_bound_if_a_column_names_them() -> None:
    """Twenty groups: half of the bounds are small for two columns alone."""
    small = 0
    for seed in range(40):
        rng = default_rng(seed)
        group = rng.integers(20, size=400)
        x, y = (np.column_stack(linear(20, rng))[group] + 0.2 * rng.normal(size=(400, 2))).T
        table = {"x": x, "y": y, "group": group}
        small += bqcd.assess("x", "y", table=table, replicates=50, method="bqcd").p_bound <= 0.05
    assert small <= 5  # More than 5 of 40 at a chance of 5 % each: p = 0.014.


def test_a_column_in_which_rows_are_a_little_alike_is_named_and_no_more() -> None:
    """Colours of things for sale: entries differ, but most of what varies does so within."""
    rng = default_rng(3)
    colour = rng.integers(8, size=1000)
    x, y = 0.4 * rng.normal(size=(2, 8))[:, colour] + rng.normal(size=(2, 1000))
    names = [f"c{number}" for number in colour]
    found = bqcd.assess(
        "x", "y", table={"x": x, "y": y, "colour": names}, replicates=20, method="bqcd"
    )
    assert found.together is None
    assert sum("units='colour'" in said for said in words(found)) == 1


def test_a_column_of_the_pair_is_no_unit_of_it() -> None:
    """A cause in thirty grades: its rows are alike in both columns, as its double's are."""
    rng = default_rng(5)
    x = rng.integers(30, size=600)
    table = {"x": x, "y": np.sin(x) + 0.1 * rng.normal(size=600), "z": [f"z{at}" for at in x]}
    assert [column.units.name for column in unit_columns(table, "x", "y")] == ["z"]
    alone = bqcd.assess(
        "x", "y", table={"x": x, "y": table["y"]}, replicates=20, method="bqcd"
    ).together
    assert alone is None or alone.kind != "column"


def test_a_number_along_which_columns_change_is_no_unit() -> None:
    rng = default_rng(1)
    age = rng.integers(20, 60, size=500)
    x = age / 10.0 + rng.normal(size=500)
    assert unit_columns({"x": x, "y": x + rng.normal(size=500), "age": age}, "x", "y") == ()


def test_columns_that_have_nothing_to_do_with_the_pair_are_seldom_named() -> None:
    named = 0
    for seed in range(50):
        rng = default_rng(seed)
        x, y = linear(300, rng)
        table = {"x": x, "y": y, "a": rng.integers(30, size=300), "b": rng.integers(9, size=300)}
        named += len(unit_columns(table, "x", "y"))
    assert named == 0


def test_a_report_draws_by_the_same_column(trial: dict[str, object], tmp_path: Path) -> None:
    frame = pd.DataFrame(trial)[["x", "y", "name", "noise"]]
    frame.to_parquet(tmp_path / "trial.parquet")
    drawn = bqcd.assess("x", "y", table=frame, replicates=20, method="bqcd")
    for table in (frame, tmp_path / "trial.parquet"):
        told = bqcd.report(table, [("x", "y")], replicates=20, method="bqcd")
        assert told.pairs[0].p_bound == drawn.p_bound


def test_intervals_of_grades_cut_at_quantiles_contain_the_expected_score() -> None:
    """Twice the variance: halves do not see that the cuts vary too."""
    found = []
    for seed in range(60):
        rng = default_rng(seed)
        t, noise, turned = rng.uniform(-1, 1, 400), rng.normal(size=400), rng.random(400) < 0.5
        x, y = t, t**2 + 0.1 * noise
        x, y = np.where(turned, y, x), np.where(turned, x, y)
        grades = np.floor(np.argsort(np.argsort(x)) / 80.0)
        method = BQCD(tie_orders=4)
        pair = Pair(grades, y)
        confidence = bqcd.decide_pair(pair, method=method).confidence
        found.append((confidence, half_samples(pair, method, replicates=50).interval(confidence)))
    expected = np.mean([confidence for confidence, _ in found])
    assert sum(each.low <= expected <= each.high for _, each in found) >= 54


def test_rows_that_are_worth_the_fewest_are_enough_for_a_claim() -> None:
    """A row and its mirror image are drawn together or not at all, so that one may be lacking."""
    x = np.arange(13.0)
    verdict = bqcd.decide(x, x[::-1] + 0.0, method="panel")
    assert 0.5 <= claimed_by_method(verdict, 10.0) <= 1.0


def test_copies_are_worth_the_distinct_rows() -> None:
    worth = []
    for seed in range(8):
        told = bqcd.assess(*copies(default_rng(seed)), replicates=200, method="bqcd")
        assert told.together is not None
        worth.append(told.together.effective_rows)
    assert 60 < np.median(worth) < 110


def test_a_series_along_the_column_it_is_sorted_by_is_one() -> None:
    """What the sorted column does not explain is looked at: merely sorted rows are left alone."""
    time = np.arange(600.0)
    merely, series = [], []
    for seed in range(20):
        rng = default_rng(seed)
        merely.append(found_units(Pair(time, np.sin(time / 60.0) + 0.5 * rng.normal(size=600))))
        series.append(found_units(Pair(time, rng.normal(size=600).cumsum())))
    assert sum(units is not None for units in merely) <= 1
    assert all(units is not None and units.kind == "blocks" for units in series)


def test_years_with_several_rows_each_are_a_series_whatever_the_order_within() -> None:
    year = np.repeat(np.arange(60.0), 10)
    equal, noisy = [], []
    for seed in range(20):
        rng = default_rng(seed)
        walk = rng.normal(size=60).cumsum()[year.astype(int)]
        equal.append(found_units(Pair(year, walk)))
        other = walk + rng.normal(size=600)
        noisy.append(found_units(Pair(year, other)))
        shuffled = np.lexsort((rng.random(600), year))
        worth = serial_rows(Pair(year, other))
        assert serial_rows(Pair(year, other[shuffled])) == pytest.approx(worth)
    for found in (equal, noisy):
        assert sum(units is not None and units.kind == "blocks" for units in found) >= 17


@pytest.mark.parametrize("doses", [5, 12, 30, 60])
@pytest.mark.parametrize(
    "curve",
    [
        lambda dose: dose / (1.0 + dose) + 0.02 * default_rng(3).normal(size=600),
        lambda dose: (dose - 4.0) ** 2 + 0.2 * default_rng(4).normal(size=600),
        lambda dose: np.sin(dose) * (1.0 + 0.3 * default_rng(5).laplace(size=600)),
    ],
)
def test_doses_with_several_rows_each_are_no_series_sorted_or_not(doses, curve) -> None:
    dose = np.repeat(np.linspace(0.0, 8.0, doses), 600 // doses)
    pair = Pair(dose, curve(dose))
    assert serial_rows(pair) == 600.0
    mixed = default_rng(0).permutation(600)
    units = found_units(Pair(pair.x[mixed], pair.y[mixed]))
    assert units is None or units.kind != "blocks"


@pytest.mark.parametrize("n", [100, 500, 2000])
def test_sorted_rows_along_a_sharp_curve_are_no_series(n: int) -> None:
    """A parabola with little noise has a cusp in the ranks, which no smooth curve follows."""
    found = []
    for seed in range(15):
        rng = default_rng(seed)
        x = np.sort(rng.uniform(-2.0, 2.0, n))
        for y in (x**2, np.sin(2.0 * x)):
            found.append(serial_rows(Pair(x, y + 0.05 * rng.normal(size=n))) < 0.8 * n)
    assert sum(found) <= 2


def test_links_of_unrelated_series_are_found_as_often_as_promised() -> None:
    """Without counting what rows are worth, nearly every pair of walks seems linked."""
    plain, counted = 0, 0
    for seed in range(40):
        pair = Pair(*default_rng(seed).normal(size=(2, 500)).cumsum(axis=1))
        plain += dependence_of(pair).p_value <= 0.05
        counted += link_of(pair, found_units(pair)).p_value <= 0.05
    assert plain >= 38
    assert counted <= 2


def test_links_between_units_count_the_units() -> None:
    rng = default_rng(0)
    person = np.repeat(np.arange(12), 50)
    x, y = rng.normal(size=(2, 12))[:, person] + 0.1 * rng.normal(size=(2, 600))
    rows = link_rows(Pair(x, y), Units(person, "given"))
    assert rows == pytest.approx(12, rel=0.2)
    alone = link_rows(Pair(*rng.normal(size=(2, 600))), Units(person, "given"))
    assert alone == pytest.approx(600, rel=0.1)
    assert link_rows(Pair(x, y), None) is None


def test_a_link_between_the_steps_of_series_is_seen() -> None:
    """Walks are worth a handful of rows; that their steps go together is plain to see."""
    seen = 0
    for seed in range(20):
        steps = default_rng(seed).normal(size=(3, 400))
        pair = Pair((steps[0] + steps[1]).cumsum(), (steps[0] + steps[2]).cumsum())
        found = link_of(pair, found_units(pair))
        assert found.rows is not None
        assert found.rows < 20
        seen += found.p_value <= 0.05
    assert seen >= 19
