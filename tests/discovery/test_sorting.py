"""Sorting by NumPy and by compiled code: the same orders, forms and counts of ties."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.discovery import sorting
from bqcd.discovery.sorting import stable_order, untied_form

RNG = np.random.default_rng(7)
COLUMNS = {
    "normal": RNG.normal(size=500),
    "heavy tails": RNG.standard_cauchy(500) ** 3,
    "rounded": RNG.normal(size=500).round(1),
    "grades": RNG.integers(0, 5, 500).astype(float),
    "zeros of both signs": RNG.choice([0.0, -0.0, 1.0, -1.0], 500),
    "few values, far apart": RNG.choice([1e-300, 1.0, 1e300], 500),
    "two rows": np.array([2.0, 1.0]),
}


@pytest.fixture
def both(monkeypatch):
    """Answers by NumPy and by compiled code."""

    def ask(function, *columns):
        monkeypatch.setattr("bqcd.runtime.kernel.at_hand", lambda *_: False)
        monkeypatch.setattr(sorting, "MANY_ROWS", 10**12)
        by_numpy = function(*columns)
        monkeypatch.setattr(sorting, "MANY_ROWS", 0)
        return by_numpy, function(*columns)

    return ask


@pytest.mark.parametrize("name", COLUMNS)
def test_orders_and_repeats_are_the_same(name, both):
    (order, repeats), (compiled, compiled_repeats) = both(stable_order, COLUMNS[name])
    np.testing.assert_array_equal(order, compiled)
    assert order.dtype == compiled.dtype
    assert repeats == compiled_repeats == len(order) - len(np.unique(COLUMNS[name]))


@pytest.mark.parametrize("name", [name for name in COLUMNS if len(COLUMNS[name]) == 500])
@pytest.mark.parametrize("swapped", [False, True])
def test_forms_are_the_same(name, swapped, both):
    x, y = COLUMNS[name], RNG.normal(size=500)
    by_numpy, compiled = both(untied_form, *((y, x) if swapped else (x, y)))
    assert by_numpy[:3] == compiled[:3]
    np.testing.assert_array_equal(by_numpy[3], compiled[3])


def test_a_pair_that_looks_the_same_from_both_sides_has_no_first_column(both):
    turned = np.array([3.0, 2.0, 1.0, 0.0])
    for sign, _, _, order in both(untied_form, np.arange(4.0), turned):
        assert sign == 0
        assert order.tolist() == [3, 2, 1, 0]


def test_compiling_pays_for_long_columns_and_very_many_short_ones(monkeypatch):
    monkeypatch.setattr(sorting._ByNumPy, "rows", 0)
    assert sorting._pays(sorting.LONG_COLUMN)
    assert not sorting._pays(sorting.LONG_COLUMN - 1)
    sorting._order_by_numpy(np.arange(1000.0))
    assert sorting._ByNumPy.rows == 1000
    monkeypatch.setattr(sorting._ByNumPy, "rows", sorting.MANY_ROWS)
    assert sorting._pays(10)
