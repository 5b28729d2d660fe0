"""Numbers of dates, levels and durations are shown as what they stand for."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

from bqcd.data.pair import Pair
from bqcd.data.scales import Scale


def seconds(text: str) -> float:
    return float(np.datetime64(text, "s").astype(np.int64))


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        ("2000-01-01", "2040-01-01", ["2000", "2010", "2020", "2030", "2040"]),
        ("2020-01-01", "2020-12-31", ["2020-01", "2020-03", "2020-05", "2020-07", "2020-09",
                                      "2020-11"]),
        ("2020-03-01", "2020-03-06", ["2020-03-01", "2020-03-02", "2020-03-03", "2020-03-04",
                                      "2020-03-05", "2020-03-06"]),
        ("2020-03-01T06:00", "2020-03-01T18:00",
         ["2020-03-01 06:00", "2020-03-01 09:00", "2020-03-01 12:00", "2020-03-01 15:00",
          "2020-03-01 18:00"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_axes_of_dates_have_ticks_at_round_dates(low, high, labels, unit):
    scale, factor = Scale("datetime", unit), {"s": 1.0, "ms": 1e3, "us": 1e6}[unit]
    ends = seconds(low) * factor, seconds(high) * factor
    ticks = scale.ticks(*ends)
    assert [label for _, label in ticks] == labels
    assert all(ends[0] <= place <= ends[1] for place, _ in ticks)
    for place, label in ticks:
        assert scale.label(place).startswith(label)


def test_levels_are_not_crowded_and_stand_at_their_places():
    scale = Scale("category", levels=tuple("abcdefghij"))
    assert scale.ticks(-0.5, 9.5, 5) == [(0.0, "a"), (2.0, "c"), (4.0, "e"), (6.0, "g"), (8.0, "i")]
    assert Scale("boolean", levels=("no", "yes")).ticks(-0.2, 1.2) == [(0.0, "no"), (1.0, "yes")]


def test_times_durations_and_periods_have_ticks_of_their_own():
    hours = Scale("time", "s").ticks(0.0, 86_400.0, 4)
    assert [label for _, label in hours] == ["00:00", "06:00", "12:00", "18:00", "00:00"]
    days = Scale("duration", "s").ticks(0.0, 10 * 86_400.0, 5)
    assert [label for _, label in days] == ["0 d", "2 d", "4 d", "6 d", "8 d", "10 d"]
    first = pd.Period("2020-01", "M").ordinal
    months = Scale("period", "M").ticks(first, first + 11, 4)
    assert [label for _, label in months] == ["2020-01", "2020-04", "2020-07", "2020-10"]


@pytest.mark.parametrize("kind", ["date", "datetime", "time", "duration"])
@pytest.mark.parametrize("ends", [(0.0, 0.0), (1.0, 0.0), (-1e300, 1e300), (np.nan, 1.0)])
def test_axes_without_room_for_ticks_have_none(kind, ends):
    assert isinstance(Scale(kind, "D" if kind == "date" else "s").ticks(*ends), list)


def test_labels_of_numbers_that_stand_for_nothing_are_numbers():
    assert Scale("category", levels=("a", "b")).label(7.0) == "7"
    assert Scale("date", "D").label(1e300) == "1e+300"


def test_a_pair_keeps_its_scales_when_it_is_swapped_pickled_or_loses_rows():
    days = pd.Series(pd.date_range("2020-01-01", periods=14)).where(lambda day: day.dt.day != 3)
    words = ["no", "yes", "no", "no", "yes", "yes", "no"] * 2
    pair = Pair.from_arrays(days, words, missing="drop", x_name="day", y_name="ok")
    assert (pair.dropped_rows, pair.x_scale.kind, pair.y_scale.levels) == (
        1,
        "datetime",
        ("no", "yes"),
    )
    assert (pair.swapped().x_scale, pair.swapped().y_scale) == (pair.y_scale, pair.x_scale)
    copy = pickle.loads(pickle.dumps(pair))
    assert (copy.x_scale, copy.y_scale) == (pair.x_scale, pair.y_scale)


def test_a_constant_column_is_refused_with_its_label():
    with pytest.raises(ValueError, match=r"it is constant: all 12 rows are 2020-01-01\."):
        Pair.from_arrays(np.array(["2020-01-01"] * 12, "M8[D]"), range(12))
