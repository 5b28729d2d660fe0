"""One hidden cause shows in tetrads, and a cause that is among the columns does not."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.statistics.common_factor import Tetrads, hidden_cause_tetrads

N = 1500


def effects(cause: np.ndarray, count: int, rng: np.random.Generator) -> list[np.ndarray]:
    sizes = rng.uniform(0.5, 1.0, count)
    return [rng.choice([-1.0, 1.0]) * cause + size * rng.normal(size=N) for size in sizes]


@pytest.mark.parametrize("shape", [np.asarray, np.tanh, np.square])
def test_nearly_all_tetrads_of_effects_of_one_hidden_cause_fit(shape):
    fitting = count = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x, y, *others = effects(shape(1.5 * rng.normal(size=N)), 7, rng)
        found = hidden_cause_tetrads(x, y, others)
        assert len(found.columns) >= 3
        fitting, count = fitting + found.fitting, count + found.sets
    assert fitting >= 0.9 * count


@pytest.mark.parametrize("shape", [np.asarray, np.tanh, lambda z: np.sin(2.0 * z)])
def test_beside_a_cause_fewer_than_three_columns_tell_of_its_effect(shape):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        cause = rng.normal(size=N)
        y, *others = effects(shape(cause), 7, rng)
        assert len(hidden_cause_tetrads(cause, y, others).columns) <= 2
        assert len(hidden_cause_tetrads(y, cause, others).columns) <= 2


def test_a_chain_fits_no_hidden_cause():
    rng = np.random.default_rng(1)
    columns = [rng.normal(size=N)]
    for _ in range(7):
        columns.append(columns[-1] + 0.7 * rng.normal(size=N))
    for at in range(7):
        others = [column for place, column in enumerate(columns) if place not in (at, at + 1)]
        assert hidden_cause_tetrads(columns[at], columns[at + 1], others).sets == 0


def test_a_direct_link_beside_the_hidden_cause_fits_less():
    rng = np.random.default_rng(2)
    cause = rng.normal(size=N)
    x, _, *others = effects(cause, 7, rng)
    y = cause + 2.0 * x + 0.5 * rng.normal(size=N)
    found = hidden_cause_tetrads(x, y, others)
    assert found.fitting < 0.75 * max(found.sets, 1)


def test_exchanging_the_columns_or_their_signs_changes_nothing():
    rng = np.random.default_rng(3)
    x, y, *others = effects(rng.normal(size=N), 6, rng)
    found = hidden_cause_tetrads(x, y, others)
    assert found.sets >= 3
    assert hidden_cause_tetrads(y, x, others) == found
    assert hidden_cause_tetrads(np.exp(x), -y, [-other for other in others]) == found


def test_no_other_column_fits_nothing():
    x, y = np.random.default_rng(4).normal(size=(2, 50))
    assert hidden_cause_tetrads(x, y, []) == Tetrads((), 0, 0)
