from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import bqcd
from bqcd.show.reports.points import STEPS, curves_of, places_on, points_of
from bqcd.show.views import quantile_curves
from tests.show.reports.tables import bent


def in_units(places, limits):
    low, high = limits
    return low + (high - low) * np.array(places) / STEPS


def test_every_row_of_a_small_pair_is_drawn_where_it_is():
    pair = bent(60)
    points = points_of(pair, most=400)
    half_a_step = 0.5001 * np.diff([points.x_range, points.y_range], axis=1).ravel() / STEPS
    assert np.abs(in_units(points.x, points.x_range) - pair.x).max() <= half_a_step[0]
    assert np.abs(in_units(points.y, points.y_range) - pair.y).max() <= half_a_step[1]
    assert points.as_dict()["shown"] == points.total == 60
    assert points.rule == "All 60 rows."


def test_of_many_rows_some_are_drawn_by_lot_and_the_page_says_so():
    pair = bent(6_000)
    points = points_of(pair, most=400)
    assert len(points.x) == len(points.y) == 400
    assert points.rule.startswith("400 of 6,000 rows, drawn at random")
    assert "darker" not in points.rule
    # A sample of all rows, not the first ones: its median is that of the column.
    drawn = in_units(points.x, points.x_range)
    assert abs(np.median(drawn) - np.median(pair.x)) < 4.0 * 1.25 / np.sqrt(400)
    rows = {*zip(places_on(pair.x, points.x_range), places_on(pair.y, points.y_range), strict=True)}
    assert {*zip(points.x, points.y, strict=True)} <= rows


@pytest.mark.parametrize("n", [50, 1_000])
def test_exchanged_columns_are_drawn_as_the_same_points(n):
    points, turned = points_of(bent(n), most=400), points_of(bent(n).swapped(), most=400)
    assert replace(
        turned, x=turned.y, y=turned.x, x_range=turned.y_range, y_range=turned.x_range
    ) == (points)


def test_one_outlier_does_not_squeeze_the_rest_and_is_counted():
    pair = bent(300)
    x = pair.x.copy()
    x[7] = 1e9
    points = points_of(replace(pair, x=x), most=400)
    assert points.x_range[1] < 100.0
    assert len(points.x) == 299
    assert points.rule == "299 of 300 rows; 1 point outside the view."


def test_curves_run_along_the_quantiles_of_the_verdict():
    verdict = bqcd.decide_pair(bent(400))
    points = points_of(verdict.pair, most=400)
    told = curves_of(verdict, points)
    found = quantile_curves(verdict)
    for way, curves, given, target in (
        ("x_to_y", found.y_given_x, points.x_range, points.y_range),
        ("y_to_x", found.x_given_y, points.y_range, points.x_range),
    ):
        at = in_units(told[way]["at"], given)
        probes = [int(np.abs(curves.given - place).argmin()) for place in at]
        assert len(set(probes)) == 50
        assert np.abs(at - curves.given[probes]).max() <= 0.501 * (given[1] - given[0]) / STEPS
        for place, level in enumerate(told[way]["levels"]):
            assert level["level"] == found.levels[place]
            gaps = in_units(level["values"], target) - curves.quantiles[probes, place]
            assert np.abs(gaps).max() <= 0.501 * (target[1] - target[0]) / STEPS


def test_values_too_far_apart_are_not_drawn_and_stop_nothing():
    x = 1.7e308 * np.linspace(-1.0, 1.0, 40)
    verdict = bqcd.decide_pair(bqcd.Pair(x, np.arange(40.0) ** 2))
    points = points_of(verdict.pair, most=400)
    assert points.as_dict()["shown"] == 0
    assert points.rule == "The values are too far apart to be drawn."
    assert curves_of(verdict, points) is None


def test_an_axis_that_ends_at_the_largest_number_is_not_drawn():
    x = np.linspace(1.70e308, 1.797e308, 40)
    assert points_of(bqcd.Pair(x, np.arange(40.0)), most=400).as_dict()["shown"] == 0
