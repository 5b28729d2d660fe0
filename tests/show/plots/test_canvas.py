"""What all pictures share: labels that keep apart, looks that differ, names that fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bqcd.show.plots.canvas import STRONG, line_looks, short_name, spread


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=25), st.floats(0.001, 0.03))
def test_labels_are_spread_in_order_within_the_panel(places: list[float], gap: float) -> None:
    found = spread(places, gap)
    order = np.argsort(places, kind="stable")
    assert (np.diff(found[order]) >= gap - 1e-9).all()
    assert found.min() >= -1e-12
    assert found.max() <= 1 + 1e-12


def test_labels_that_have_room_stay_where_they_are() -> None:
    np.testing.assert_allclose(spread([0.9, 0.1, 0.5], 0.05), [0.9, 0.1, 0.5])


def test_two_labels_in_one_place_part_evenly() -> None:
    np.testing.assert_allclose(spread([0.5, 0.5], 0.1), [0.45, 0.55])


def test_more_labels_than_there_is_room_for_share_what_there_is() -> None:
    np.testing.assert_allclose(np.sort(spread([0.3] * 11, 0.5)), np.linspace(0, 1, 11))


def test_one_line_is_heavy_and_twenty_others_all_look_different() -> None:
    names = [f"method {i}" for i in range(20)]
    looks = line_looks([*names[:7], "bqcd", *names[7:]], "bqcd")
    assert looks["bqcd"]["color"] == STRONG
    assert all(looks["bqcd"]["linewidth"] > 2 * looks[name]["linewidth"] for name in names)
    assert len({(looks[name]["color"], str(looks[name]["linestyle"])) for name in names}) == 20
    assert STRONG not in {looks[name]["color"] for name in names}


def test_a_look_does_not_depend_on_where_the_heavy_line_stands() -> None:
    first = line_looks(["bqcd", "a", "b"], "bqcd")
    last = line_looks(["a", "b", "bqcd"], "bqcd")
    assert first == last


@pytest.mark.parametrize(
    ("name", "longest", "short"),
    [("plain", 30, "plain"), ("a\nb\t c", 30, "a b c"), ("abcdefghijkl", 7, "abcd…kl")],
)
def test_names_come_on_one_line_and_lose_their_middle(name: str, longest: int, short: str) -> None:
    assert short_name(name, longest) == short
