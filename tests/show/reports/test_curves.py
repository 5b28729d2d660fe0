"""Curves with fewer points, and what must be left of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bqcd.show.reports.curves import thinned


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 300), st.integers(2, 60), st.integers(0, 10_000))
def test_what_is_left_are_points_of_the_curve_in_order_with_both_ends(size, most, seed):
    rng = np.random.default_rng(seed)
    curve = np.column_stack((np.arange(size) / size, rng.random(size).cumsum()))
    left = thinned(curve, most)
    assert len(left) == min(size, most)
    np.testing.assert_array_equal(left[[0, -1]], curve[[0, -1]])
    assert (np.diff(left[:, 0]) > 0.0).all()
    assert set(map(tuple, left)) <= set(map(tuple, curve))


def test_corners_are_kept_and_points_on_straight_lines_are_not():
    across = np.linspace(0.0, 1.0, 201)
    steps = np.column_stack((across, np.floor(across * 3.999)))
    left = thinned(steps, 20)
    assert len(left) == 8
    np.testing.assert_allclose(np.interp(across, *left.T), steps[:, 1], atol=1e-12)


def test_a_steep_rise_is_no_straight_line():
    curve = np.array([[0.0, 0.0], *[[0.0, at / 50] for at in range(1, 51)], [1.0, 1.0]])
    assert thinned(curve, 10).tolist() == [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
