"""Which columns are coarse, and what it does to a claim."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.methods.coarseness import coarseness, coarseness_by_sizes
from bqcd.statistics.common_grid import equally_coarse, equally_graded

RNG = np.random.default_rng(0)
FINE = RNG.normal(size=500)


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (FINE, None),
        (FINE.round(4), None),
        (FINE.round(1), "steps"),
        (FINE.clip(-1.0), "heap"),
        (np.argsort(np.argsort(FINE)) // 50.0, "grades"),
        (np.arange(500.0) % 2.0, "grades"),
        (np.arange(500.0) // 2.0, "steps"),
        (RNG.integers(10, size=500) / 1.0, "steps"),
    ],
)
def test_grades_heaps_and_steps_are_told_apart(column, kind):
    assert coarseness(column) == kind
    assert coarseness(RNG.permutation(-3.0 * column)) == kind
    assert coarseness_by_sizes(np.unique(column, return_counts=True)[1]) == kind


def test_grades_are_those_of_equal_size():
    grades = np.argsort(np.argsort(FINE)) // 50.0
    assert equally_graded(grades)
    grades[grades == 3.0] = 4.0
    assert coarseness(grades) == "steps"


def test_the_finer_column_takes_the_shares_of_the_coarser_one_and_keeps_its_scale():
    coarse = np.searchsorted([-1.0, 0.5], FINE).astype(float)
    other = np.exp(FINE + RNG.normal(size=500))
    same, cut = equally_coarse(coarse, other)
    assert same is coarse
    assert np.array_equal(
        np.unique(coarse, return_counts=True)[1], np.unique(cut, return_counts=True)[1]
    )
    assert cut.mean() == pytest.approx(other.mean())
    assert all(cut[cut == value].mean() == pytest.approx(other[cut == value].mean())
               for value in np.unique(cut))  # fmt: skip
    turned = equally_coarse(other, coarse)
    assert np.array_equal(turned[0], cut)
    assert turned[1] is coarse


def test_columns_with_as_many_values_stay_as_they_are():
    x, y = RNG.normal(size=(2, 100))
    assert equally_coarse(x, y) == (x, y)
