from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from bqcd.benchmark.datasets.generators.gaussian_process import (
    Bells,
    Powers,
    smooth_function,
    smooth_values,
)


def kernel(coordinates: list[np.ndarray], lengths: list[float]) -> np.ndarray:
    exponent = sum(
        (column[:, None] - column[None, :]) ** 2 / (2.0 * length**2)
        for column, length in zip(coordinates, lengths, strict=True)
    )
    return np.exp(-exponent)


def uneven_places(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=n)


@pytest.mark.parametrize("length", [0.01, 0.1, 0.5, 1.0, 1.5, 3.0, 10.0, 300.0, 1000.0])
def test_products_of_features_add_up_to_the_kernel(length: float) -> None:
    near = uneven_places(200)
    far = np.concatenate([near, [-40.0, 1e5, 1e5 + 0.5 * length]])
    for places, farthest in ((near, 4.0), (far, 1e5)):
        (axis,) = smooth_function([places], [length], np.random.default_rng(0)).axes
        features = axis.features(places)
        error = np.abs(features @ features.T - kernel([places], [length]))
        # On the diagonal: the variance a draw leaves out. Far places are rounded off.
        rounding = np.finfo(float).eps * farthest / length
        assert error.max() < 1e-10 + 4.0 * rounding


def test_both_kinds_of_features_are_used_where_they_are_cheap() -> None:
    x = uneven_places(1000)
    wide, narrow = (
        smooth_function([x], [length], np.random.default_rng(0)).axes[0] for length in (10.0, 0.5)
    )
    assert isinstance(wide, Powers)
    assert wide.size < 15
    assert isinstance(narrow, Bells)
    assert narrow.size < 25 + np.ptp(x) / (0.45 * 0.5) + 2


def test_far_outliers_add_only_the_features_next_to_them() -> None:
    x = np.concatenate([uneven_places(500), 1e7 * np.arange(1.0, 11.0)])
    without = smooth_function([x[:500]], [0.3], np.random.default_rng(0)).axes[0].size
    assert smooth_function([x], [0.3], np.random.default_rng(0)).axes[0].size == without + 10 * 25


@pytest.mark.parametrize("lengths", [[0.7], [4.0], [0.6, 9.0], [1.2, 0.8], [0.9, 12.0, 1.5]])
def test_draws_have_the_mean_and_the_covariance_of_the_process(lengths: list[float]) -> None:
    n_draws, n_places = 3000, 6
    rng = np.random.default_rng(1)
    places = [uneven_places(n_places, seed=10 + i) for i in range(len(lengths))]
    draws = np.array([smooth_values(places, lengths, rng) for _ in range(n_draws)])
    expected = kernel(places, lengths)
    # Var(f g) = 1 + k^2 for two standard normal variables of covariance k.
    error = (draws.T @ draws / n_draws - expected) / np.sqrt((1.0 + expected**2) / n_draws)
    assert np.abs(error).max() < 4.0
    assert np.abs(draws.mean(axis=0)).max() < 4.0 / np.sqrt(n_draws)


@pytest.mark.parametrize("lengths", [[0.05], [6.0], [0.1, 8.0], [8.0, 0.1], [2.0, 0.4, 0.9]])
def test_values_are_the_weighted_sum_of_all_products_of_features(lengths: list[float]) -> None:
    places = [uneven_places(700, seed=i) for i in range(len(lengths))]
    places[0] = np.concatenate([places[0][:-20], 50.0 * np.arange(20.0)])
    function = smooth_function(places, lengths, np.random.default_rng(3))
    expected = np.broadcast_to(function.weights, (700, *function.weights.shape))
    for axis, column in zip(function.axes, places, strict=True):
        features = axis.features(column)
        expected = np.einsum("nf...,nf->n...", expected, features)
    np.testing.assert_allclose(function(places), expected, rtol=0, atol=1e-12)


def test_a_drawn_function_has_one_value_per_place_whatever_it_is_asked_with() -> None:
    places = [uneven_places(300, seed=i) for i in range(2)]
    function = smooth_function(places, [0.3, 5.0], np.random.default_rng(3))
    values = function(places)
    some = np.random.default_rng(4).permutation(300)[:40]
    np.testing.assert_allclose(function([column[some] for column in places]), values[some])


def test_memory_grows_with_the_rows_and_not_with_their_square() -> None:
    n = 200_000
    x = [uneven_places(n, seed=i) for i in range(2)]
    tracemalloc.start()
    smooth_values(x, [0.5, 3.0], np.random.default_rng(0))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # A few columns, and blocks of a fixed size.
    assert peak < 10 * 8 * n + 100e6


def test_every_coordinate_needs_a_length() -> None:
    with pytest.raises(ValueError, match="shorter"):
        smooth_values([uneven_places(20)] * 2, [1.0], np.random.default_rng(0))
