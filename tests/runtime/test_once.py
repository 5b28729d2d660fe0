"""What is made of columns once: shared while they live, never of what may change."""

from __future__ import annotations

import gc
from weakref import ref

import numpy as np
import pytest

from bqcd.runtime.once import MOST_ROWS_KEPT, once_for_columns, once_for_each


def frozen(*values: float) -> np.ndarray:
    column = np.array(values)
    column.flags.writeable = False
    return column


@pytest.fixture
def calls() -> list[str]:
    return []


@pytest.fixture
def weighted_sum(calls):
    @once_for_columns
    def weighted_sum(first: np.ndarray, second: np.ndarray, *, weight: float = 1.0) -> np.ndarray:
        calls.append("made")
        return first + weight * second

    return weighted_sum


def test_a_column_is_computed_with_once_for_each_setting_and_place(weighted_sum, calls):
    x, y = frozen(1.0, 2.0), frozen(3.0, 5.0)
    for _ in range(2):
        assert weighted_sum(x, y).tolist() == [4.0, 7.0]
        assert weighted_sum(x, y, weight=2.0).tolist() == [7.0, 12.0]
        assert weighted_sum(y, x, weight=2.0).tolist() == [5.0, 9.0]
    assert len(calls) == 3


def test_what_is_shared_cannot_be_written_to(weighted_sum):
    shared = weighted_sum(frozen(1.0), frozen(2.0))
    with pytest.raises(ValueError, match="read-only"):
        shared += 1.0


def test_a_column_that_may_change_is_computed_with_each_time(weighted_sum, calls):
    x, y = frozen(1.0), np.array([3.0])
    assert weighted_sum(x, y).tolist() == [4.0]
    y[0] = 5.0
    found = weighted_sum(x, y)
    found += 1.0
    assert found.tolist() == [7.0]
    assert len(calls) == 2


def test_what_was_made_goes_with_any_of_its_columns(weighted_sum, calls):
    x, y = frozen(1.0), frozen(2.0)
    made = ref(weighted_sum(x, y))
    assert made() is not None
    del y
    gc.collect()
    assert made() is None
    # Another column may get the number of the one that is gone.
    for other in range(20):
        assert weighted_sum(x, frozen(float(other))).tolist() == [1.0 + other]
    assert len(calls) == 21


def test_chains_go_with_the_first_column():
    @once_for_columns
    def raised(column: np.ndarray) -> np.ndarray:
        return column + 1.0

    x = frozen(1.0)
    far = ref(raised(raised(raised(x))))
    assert far() is raised(raised(raised(x)))
    del x
    gc.collect()
    assert far() is None


def test_nothing_is_kept_of_long_columns(weighted_sum, calls):
    long = np.zeros(MOST_ROWS_KEPT + 1)
    long.flags.writeable = False
    weighted_sum(long, long)
    weighted_sum(long, long)
    assert len(calls) == 2


def test_what_is_made_of_an_object_goes_with_it():
    made = once_for_each(lambda names: np.zeros(len(names)))
    names = frozenset({"a"})
    kept = ref(made(names))
    assert kept() is made(names)
    del names
    gc.collect()
    assert kept() is None
