"""Vectors of known direction, drawn."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.benchmark.datasets import load_pairs, simulate_pairs, write_pairmeta
from bqcd.benchmark.datasets.generators import VECTOR_GENERATORS, make_generator
from bqcd.benchmark.datasets.generators.vectors import Vectors
from bqcd.data.pair import Direction
from bqcd.errors import InvalidSettingError, UnknownNameError

every_generator = pytest.mark.parametrize("name", VECTOR_GENERATORS)


@every_generator
def test_sides_have_the_columns_asked_for_in_an_order_that_a_coin_draws(name):
    pairs = simulate_pairs(name, n_pairs=20, n_rows=40, causes=2, effects=4)
    for item in pairs:
        cause = item.pair.x if item.truth is Direction.X_TO_Y else item.pair.y
        assert cause.shape == (40, 2)
    assert 3 <= sum(item.truth is Direction.X_TO_Y for item in pairs) <= 17
    assert {(item.pair.x_name, item.pair.y_name) for item in pairs} == {("x", "y")}


@every_generator
def test_a_pair_follows_from_name_seed_number_and_rows(name):
    first, again = (simulate_pairs(name, n_pairs=n, n_rows=50) for n in (1, 2))
    np.testing.assert_array_equal(first.items[0].pair.x, again.items[0].pair.x)
    other = simulate_pairs(name, n_pairs=1, n_rows=50, seed=1)
    assert (other.items[0].pair.x != first.items[0].pair.x).any()


@every_generator
def test_every_column_of_the_effect_hears_the_cause(name):
    from bqcd.assessments.dependence import dependence_of
    from bqcd.data.vector_pair import vector_pair

    generator = make_generator(name, causes=2, effects=2)
    heard = []
    for seed in range(10):
        cause, effect = generator.draw(600, np.random.default_rng(seed))
        heard += [dependence_of(vector_pair(cause, column)).p_value < 0.01 for column in effect.T]
    assert sum(heard) >= 16


def test_columns_of_a_cause_share_something_and_have_unit_variance():
    cause, _ = Vectors(causes=4).draw(2000, np.random.default_rng(3))
    np.testing.assert_allclose(cause.std(axis=0, ddof=1), 1.0)
    assert np.abs(np.corrcoef(cause.T) - np.eye(4)).max() > 0.05


def test_gaussian_vectors_are_gaussian():
    from scipy.stats import kstest

    cause, effect = Vectors(relation="gaussian").draw(1000, np.random.default_rng(4))
    scaled = effect / effect.std(axis=0)
    assert min(kstest(column, "norm").pvalue for column in (*cause.T, *scaled.T)) > 0.001


def test_exchanging_the_order_renames_sides_by_place_and_turns_the_truth():
    item = simulate_pairs("vector-index", n_pairs=1, n_rows=40, causes=1, effects=3).items[0]
    turned = item.exchanged()
    assert turned.truth is item.truth.flipped()
    assert turned.pair.x_names == tuple(f"x{at + 1}" for at in range(item.pair.y.shape[1]))
    np.testing.assert_array_equal(turned.pair.x, item.pair.y)


def test_written_vectors_are_read_again_with_the_same_numbers(tmp_path):
    pairs = simulate_pairs("vector-scale", n_pairs=4, n_rows=40, causes=1, effects=3)
    write_pairmeta(pairs, tmp_path / "made")
    assert load_pairs(tmp_path / "made").fingerprint == pairs.fingerprint


def test_settings_are_checked():
    with pytest.raises(InvalidSettingError, match="causes of Vectors"):
        Vectors(causes=0)
    with pytest.raises(InvalidSettingError, match="relation of Vectors"):
        Vectors(relation="cubic")
    with pytest.raises(UnknownNameError, match="no setting 'relation'"):
        simulate_pairs("vector-linear", relation="scale")
