"""The columns at a glance: each alert where it belongs, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

import bqcd
from bqcd.scans.sources import open_source
from bqcd.show.reports.overview import BINS, columns_part, derived_columns

N = 300


@pytest.fixture(scope="module")
def cards() -> dict[str, dict]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=N)
    gaps = rng.normal(size=N)
    gaps[:60] = np.nan
    table = {
        "plain": x,
        "flat": np.full(N, 3.0),
        "row_id": np.arange(N),
        "inch": x / 2.54,
        "rising": np.sort(rng.normal(size=N)),
        "day": np.datetime64("2020-01-01") + rng.permutation(N),
        "walk": np.cumsum(rng.normal(size=N)),
        "grade": rng.integers(0, 4, N),
        "rounded": rng.normal(size=N).round(1),
        "gaps": gaps,
        "name": [f"person {at}" for at in range(N)],
        "country": ["CH", "FR", "AT"] * 100,
        "same": ["CH"] * N,
    }
    found = bqcd.scan(table, missing="drop")
    part = columns_part(open_source(table), derived_columns(found))
    return {card["name"]: card for card in part["cards"]}


@pytest.mark.parametrize(
    ("column", "alerts"),
    [
        ("plain", ["derived"]),
        ("inch", ["derived"]),
        ("flat", ["constant"]),
        ("row_id", ["identifier", "sorted"]),
        ("rising", ["sorted"]),
        ("day", ["time"]),
        ("walk", ["serial"]),
        ("grade", ["few values"]),
        ("rounded", []),
        ("gaps", ["missing"]),
        ("name", ["identifier"]),
        ("country", ["not judged"]),
        ("same", ["constant"]),
    ],
)
def test_a_column_has_the_alerts_that_it_deserves(cards, column, alerts):
    assert [alert["code"] for alert in cards[column]["alerts"]] == alerts


def test_a_column_that_follows_from_another_names_it(cards):
    [alert] = cards["inch"]["alerts"]
    assert alert["says"] == "It has the same order as 'plain': one follows from the other."


def test_counts_are_of_the_values_that_are_there(cards):
    assert (cards["gaps"]["missing"], cards["gaps"]["distinct"]) == (60, 240)
    assert len(cards["plain"]["counts"]) == BINS
    for name in ("plain", "day", "walk"):
        assert sum(cards[name]["counts"]) == N
    assert sum(cards["gaps"]["counts"]) == 240
    assert cards["country"]["counts"] == [100, 100, 100]
    assert cards["day"]["ends"] == ["2020-01-01", "2020-10-26"]


def test_a_wide_table_is_cut_and_says_so():
    table = dict(
        zip(map(str, range(9)), np.random.default_rng(1).normal(size=(9, 20)), strict=True)
    )
    part = columns_part(open_source(table), most=4)
    assert (len(part["cards"]), part["total"]) == (4, 9)


def test_values_too_far_apart_have_no_histogram_and_do_no_harm():
    values = np.array([-1e308, 1e308, 0.0] * 10)
    [card] = columns_part(open_source({"far": values}))["cards"]
    assert card["counts"] == []


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (53_914.0, "53,910"),
        (1e5, "100,000"),
        (2007.0, "2007"),
        (-1.73, "-1.73"),
        (0.0, "0"),
        (-61_551_234.0, "-61,550,000"),
        (1.03e12, "1.03 \N{MULTIPLICATION SIGN} 10¹²"),
        (-2.5e-7, "-2.5 \N{MULTIPLICATION SIGN} 10⁻⁷"),
    ],
)
def test_ends_of_a_histogram_are_written_out_unless_they_are_beyond_counting(value, told):
    others = np.linspace(value, value + 1.0 + abs(value), 40)
    [card] = columns_part(open_source({"a": others}), {})["cards"]
    assert card["ends"][0] == told
