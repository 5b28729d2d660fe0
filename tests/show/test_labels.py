"""Dates, levels and words are shown as such in panels, pictures and pages."""

from __future__ import annotations

import numpy as np
import pytest

import bqcd
from bqcd.show.terminal import verdict_rows

RNG = np.random.default_rng(0)
N = 120
DAYS = np.datetime64("2000-01-01") + 60 * np.arange(N)
OK = np.where(RNG.random(N) < 0.5, "yes", "no").tolist()
TABLE = {"day": DAYS, "ok": OK, "x": RNG.normal(size=N)}


def labels(axis: object) -> list[str]:
    return [text.get_text() for text in axis.get_ticklabels()]


@pytest.fixture(scope="module")
def verdict():
    return bqcd.decide("day", "ok", table=TABLE)


def test_pictures_have_dates_and_words_along_their_axes(verdict):
    figure = verdict.plot()
    first, second = figure.axes[:2]
    assert {"2005", "2010", "2015"} <= set(labels(first.xaxis))
    assert labels(first.yaxis) == ["no", "yes"]
    assert labels(second.xaxis) == ["no", "yes"]
    assert "2010" in labels(second.yaxis)


def test_panels_say_what_was_made_of_columns(verdict):
    told = dict(verdict_rows(verdict))
    assert told["day"] == "dates from 2000-01-01 to 2019-07-20"
    assert told["ok"] == "in the order no < yes"
    assert "x" not in dict(verdict_rows(bqcd.decide("day", "x", table=TABLE)))


def test_pages_have_the_labels_of_their_axes():
    found = bqcd.report(TABLE, [("day", "ok")], replicates=0)
    points = next(iter(found.details.values())).points.as_dict()
    assert [label for _, label in points["x_ticks"]][:4] == ["2000", "2005", "2010", "2015"]
    assert points["y_ticks"] == [[0.0, "no"], [1.0, "yes"]]
    plain = bqcd.report(TABLE, [("day", "x")], replicates=0)
    assert next(iter(plain.details.values())).points.as_dict()["y_ticks"] == []


def test_a_report_of_a_whole_table_judges_columns_with_an_order():
    found = bqcd.report(TABLE, replicates=0)
    assert {(row.x, row.y) for row in found.pairs} == {("day", "ok"), ("day", "x"), ("ok", "x")}
    assert any("2010" in str(detail.as_dict()["points"]) for detail in found.details.values())


def test_weighted_rows_keep_their_labels():
    weights = 1.0 + np.arange(N) % 2
    found = bqcd.decide("day", "x", table={**TABLE, "w": weights}, weights="w")
    assert found.pair.x_scale.kind == found.seen_pair.x_scale.kind == "date"
