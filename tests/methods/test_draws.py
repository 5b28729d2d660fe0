"""Draws of rows: which are drawn, what is averaged, and what is left if no draw varies."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bqcd.data.pair import Pair
from bqcd.errors import InvalidSettingError
from bqcd.methods.draws import check_draws, drawn_columns, mean_scores
from bqcd.methods.verdict import DirectedScores


def pair_of(n: int) -> Pair:
    rng = np.random.default_rng(0)
    return Pair(5.0 + 3.0 * rng.normal(size=n), rng.normal(size=n) - 40.0)


def test_columns_run_from_0_to_1_before_rows_are_drawn():
    pair = pair_of(100)
    ((x, y),) = drawn_columns(pair, np.random.default_rng(1), max_rows=0, draws=3)
    for column, scaled in ((pair.x, x), (pair.y, y)):
        assert (scaled.min(), scaled.max()) == (0.0, 1.0)
        assert np.array_equal(np.argsort(scaled), np.argsort(column))
    rows = set(zip(x.tolist(), y.tolist(), strict=True))
    drawn = drawn_columns(pair, np.random.default_rng(1), max_rows=20, draws=3)
    parts = [set(zip(a.tolist(), b.tolist(), strict=True)) for a, b in drawn]
    assert [len(part) for part in parts] == [20, 20, 20]
    assert all(part < rows for part in parts)
    assert len(parts[0] | parts[1] | parts[2]) > 20


def test_draws_in_which_a_column_is_constant_are_left_out():
    alone = Pair(np.arange(60.0) == 7, np.arange(60.0))
    drawn = drawn_columns(alone, np.random.default_rng(2), max_rows=20, draws=12)
    # The row that differs is in a third of the draws.
    assert 0 < len(drawn) < 12
    assert all(x.max() == 1.0 for x, _ in drawn)


def test_scores_of_both_directions_are_averaged_over_the_draws():
    drawn = [(np.full(12, at), np.full(12, 10.0 * at)) for at in (1.0, 2.0, 6.0)]
    found = mean_scores(drawn, lambda x, y: (float(x[0]), float(y[0]) - x[0]), "something")
    assert found == DirectedScores(3.0, 27.0, "something", 12, {"draws": 3})


def test_scores_are_asked_for_draw_by_draw():
    # A method that draws numbers of its own on the way relies on the order.
    drawn, seen = [(np.full(10, at), np.zeros(10)) for at in (3.0, 1.0, 2.0)], []

    def scores(x: np.ndarray, _: np.ndarray) -> tuple[float, float]:
        seen.append(float(x[0]))
        return 0.0, 0.0

    mean_scores(drawn, scores, "something")
    assert seen == [3.0, 1.0, 2.0]


def test_no_draw_leaves_zeros():
    found = mean_scores([], lambda x, y: (1.0, 2.0), "something")
    assert found == DirectedScores(0.0, 0.0, "something", 0, {"draws": 0})


def test_scores_of_arrays_are_ready_for_json():
    pair = pair_of(10)
    found = mean_scores([(pair.x, pair.y)], lambda x, y: (x.sum(), y.sum()), "a sum")
    told = json.loads(json.dumps(found.as_dict(pair)))
    assert (told["x_to_y"], told["y_to_x"]) == (pair.x.sum(), pair.y.sum())


@pytest.mark.parametrize(("max_rows", "draws"), [(0, 1), (10, 1), (np.int64(500), 3)])
def test_all_rows_or_ten_and_more_may_be_drawn(max_rows, draws):
    check_draws("Owner", max_rows, draws)


@pytest.mark.parametrize(
    ("max_rows", "draws", "message"),
    [
        (9, 1, "max_rows of Owner must be an integer from 10 to 1,000,000,000, got 9"),
        (-1, 1, "max_rows of Owner must be an integer from 10 to 1,000,000,000, got -1"),
        (20.0, 1, "max_rows of Owner must be an integer from 10 to 1,000,000,000, got 20.0"),
        (False, 1, "max_rows of Owner must be an integer from 0 to 1,000,000,000, got False"),
        (0, 0, "draws of Owner must be an integer from 1 to 10,000, got 0"),
        (0, True, "draws of Owner must be an integer from 1 to 10,000, got True"),
    ],
)
def test_other_draws_are_refused_by_name(max_rows, draws, message):
    with pytest.raises(InvalidSettingError, match=message):
        check_draws("Owner", max_rows, draws)
