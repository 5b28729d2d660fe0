"""Rows drawn without looking at their order, at which column is first, or at units."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.statistics.subsampling import subsamples


def columns(kind: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    return {
        "no ties": (x, x**2 + rng.normal(size=400)),
        "few values": (rng.integers(3, size=400) * 1.0, rng.integers(4, size=400) * 1.0),
        "mirrored rows": (np.append(x[:200], x[200:]), np.append(x[200:], x[:200])),
    }[kind]


def rows_of(drawn: list) -> list[list[tuple[float, float]]]:
    return [sorted(zip(x.tolist(), y.tolist(), strict=True)) for x, y in drawn]


every_kind = pytest.mark.parametrize("kind", ["no ties", "few values", "mirrored rows"])


def draw(x, y, seed=1, max_rows=50, draws=4):
    return subsamples(x, y, max_rows=max_rows, draws=draws, rng=np.random.default_rng(seed))


@every_kind
def test_the_order_of_rows_does_not_matter(kind):
    x, y = columns(kind)
    order = np.random.default_rng(2).permutation(len(x))
    assert rows_of(draw(x[order], y[order])) == rows_of(draw(x, y))


@every_kind
def test_exchanged_columns_have_the_same_rows_drawn(kind):
    x, y = columns(kind)
    assert rows_of([(a, b) for b, a in draw(y, x)]) == rows_of(draw(x, y))


@every_kind
def test_units_do_not_matter(kind):
    x, y = columns(kind)
    moved = [(a / 8.0, (b - 3.0) / 2.0) for a, b in draw(8.0 * x, 2.0 * y + 3.0)]
    for (a, b), (c, d) in zip(moved, draw(x, y), strict=True):
        assert a == pytest.approx(c)
        assert b == pytest.approx(d)


@every_kind
def test_a_draw_has_the_rows_asked_for_or_one_less_where_a_mirrored_pair_does_not_fit(kind):
    x, y = columns(kind)
    sizes = {len(rows) for rows, _ in draw(x, y, draws=40)}
    assert sizes <= ({50} if kind == "no ties" else {49, 50})


def test_every_row_is_drawn_equally_often():
    x, y = columns("no ties")
    drawn = np.concatenate([rows for rows, _ in draw(x, y, draws=2000)])
    counts = np.unique(drawn, return_counts=True)[1]
    # 2,000 draws of 50 in 400 rows: 250 each, standard deviation 14.8.
    assert len(counts) == 400
    assert np.abs(counts - 250).max() < 5 * 14.8


def test_shares_of_repeated_rows_are_those_of_the_table():
    x = np.repeat([0.0, 1.0, 2.0], [300, 60, 40])
    y = np.repeat([5.0, 3.0, 4.0], [300, 60, 40])
    drawn = np.concatenate([rows for rows, _ in draw(x, y, draws=400)])
    assert np.bincount(drawn.astype(int)) / len(drawn) == pytest.approx([0.75, 0.15, 0.1], abs=0.01)


def test_few_rows_are_all_taken_and_the_generator_is_left_alone():
    x, y = columns("no ties")
    rng = np.random.default_rng(0)
    for max_rows in (400, 0):
        ((a, b),) = subsamples(x, y, max_rows=max_rows, draws=5, rng=rng)
        assert a is x
        assert b is y
    assert rng.random() == np.random.default_rng(0).random()


def test_draws_in_which_a_column_is_constant_are_left_out():
    x = np.zeros(1000)
    x[0] = 1.0
    drawn = draw(x, np.arange(1000.0), max_rows=100, draws=50)
    assert 0 < len(drawn) < 20
    assert all(np.ptp(a) > 0.0 for a, _ in drawn)
