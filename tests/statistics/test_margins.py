"""What is told of a column alone: against other implementations, and what changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import differential_entropy, entropy, kurtosis, probplot, skew

from bqcd.statistics.margins import MARGIN_FEATURES, margin_features


def told(column) -> dict[str, float]:
    return dict(zip(MARGIN_FEATURES, margin_features(np.asarray(column, float)), strict=True))


COLUMNS = {
    "normal": np.random.default_rng(0).normal(size=500),
    "skewed": np.random.default_rng(1).gamma(1.5, size=400),
    "counts": np.random.default_rng(2).poisson(3.0, size=300).astype(float),
    "few rows": np.random.default_rng(3).normal(size=10),
}
every_column = pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)


@every_column
def test_moments_are_those_of_scipy(column):
    found = told(column)
    assert np.sinh(found["skewness"]) == pytest.approx(skew(column), abs=1e-9)
    assert found["size of skewness"] == abs(found["skewness"])
    assert np.exp(found["kurtosis"]) == pytest.approx(kurtosis(column, fisher=False))
    peaks = (skew(column) ** 2 + 1.0) / kurtosis(column, fisher=False)
    assert found["two peaks"] == pytest.approx(peaks)


@every_column
def test_l_moments_are_those_of_all_samples_of_four(column):
    """By the definition: means of order statistics over all samples of two to four values."""
    from itertools import combinations

    few = column[:12]
    means = {
        size: np.mean([np.sort(drawn) for drawn in combinations(few, size)], axis=0)
        for size in (2, 3, 4)
    }
    second = (means[2][1] - means[2][0]) / 2
    third = (means[3][2] - 2 * means[3][1] + means[3][0]) / 3
    fourth = (means[4][3] - 3 * means[4][2] + 3 * means[4][1] - means[4][0]) / 4
    found = told(few)
    assert found["L-skewness"] == pytest.approx(third / second, abs=1e-9)
    assert found["L-kurtosis"] == pytest.approx(fourth / second, abs=1e-9)


def test_known_l_moments_of_known_distributions():
    levels = (np.arange(20_000) + 0.5) / 20_000
    assert told(levels)["L-kurtosis"] == pytest.approx(0.0, abs=1e-3)
    exponential = told(-np.log(1.0 - levels))
    assert exponential["L-skewness"] == pytest.approx(1 / 3, abs=2e-3)
    assert exponential["L-kurtosis"] == pytest.approx(1 / 6, abs=2e-3)


def test_the_distance_from_normal_is_that_of_a_quantile_plot():
    column = COLUMNS["skewed"]
    # Other plotting positions, so not to the last digit.
    _, (_, _, correlation) = probplot(column)
    assert np.exp(told(column)["distance from normal"]) == pytest.approx(
        1.0 - correlation**2, rel=0.02
    )


def test_entropies_are_those_of_scipy():
    column = COLUMNS["normal"]
    scaled = (column - column.mean()) / column.std()
    step = round(0.5 * len(column) ** 0.5)
    theirs = differential_entropy(scaled, window_length=step, method="ebrahimi")
    gaussian = 0.5 * np.log(2.0 * np.pi * np.e)
    # Shorter distances at the ends are handled alike, up to the floor of distances.
    assert told(column)["spacing entropy"] == pytest.approx(theirs - gaussian, abs=0.02)
    bars, _ = np.histogram(column, bins=20)
    assert told(column)["histogram entropy"] == pytest.approx(entropy(bars) / np.log(20), abs=0.01)


def test_ties_are_counted_by_hand():
    found = told([1.0, 1.0, 1.0, 2.0, 3.0, 4.0, 4.0, 9.0, 9.5, 11.0])
    assert found["unique values"] == 0.7
    assert found["unique values on a log scale"] == pytest.approx(np.log(7) / np.log(10))
    assert found["largest tie"] == found["values at an end"] == 0.3
    # Steps 1, 1, 1, 5, 0.5, 1.5: only the smallest is below three quarters.
    assert found["even steps"] == pytest.approx(1 / 6)


@every_column
def test_rows_units_and_signs_of_zero_change_no_bit(column):
    rng = np.random.default_rng(4)
    grid = np.round(column * 2.0**20) / 2.0**20
    expected = margin_features(grid).tobytes()
    assert margin_features(rng.permutation(grid)).tobytes() == expected
    assert margin_features(grid * 4.0 + 3.0).tobytes() == expected
    assert margin_features(grid * 1e-3).shape == (len(MARGIN_FEATURES),)


@pytest.mark.parametrize(
    "column",
    [
        np.append(np.zeros(199), 1.0),
        np.append(np.arange(199.0), 1e300),
        np.where(np.arange(200) % 2, 1.7e308, -1.7e308),
        np.arange(200) * 5e-324,
        np.tile([0.0, 1.0], 5),
    ],
)
def test_odd_columns_have_finite_numbers(column):
    assert np.isfinite(margin_features(column)).all()
