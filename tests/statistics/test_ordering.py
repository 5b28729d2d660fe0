"""The order of rows: by both columns, and the same for any table of the same rows."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.statistics.ordering import row_order


@pytest.mark.parametrize("digits", [0, 1, 8], ids=["many ties", "ties", "no ties"])
def test_rows_are_sorted_by_the_first_column_and_then_by_the_second(digits):
    first, second = np.random.default_rng(0).normal(size=(2, 500)).round(digits)
    order = row_order(first, second)
    rows = list(zip(first[order].tolist(), second[order].tolist(), strict=True))
    assert rows == sorted(zip(first.tolist(), second.tolist(), strict=True))


@pytest.mark.parametrize("digits", [0, 1, 8], ids=["many ties", "ties", "no ties"])
def test_permuted_rows_come_in_the_same_order(digits):
    rng = np.random.default_rng(1)
    columns = rng.normal(size=(2, 500)).round(digits)
    shuffled = columns[:, rng.permutation(500)]
    assert np.array_equal(shuffled[:, row_order(*shuffled)], columns[:, row_order(*columns)])
