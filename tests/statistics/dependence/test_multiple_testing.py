from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import false_discovery_control, norm

from bqcd.errors import InvalidSettingError
from bqcd.statistics.dependence.multiple_testing import benjamini_hochberg


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_q_values_are_those_of_scipy(seed, size):
    rng = np.random.default_rng(seed)
    # Rounded, so that some are equal; a power, so that some are tiny.
    p = np.round(rng.uniform(size=size), 2) ** rng.choice([1, 9], size)
    assert np.allclose(benjamini_hochberg(p), false_discovery_control(p), rtol=1e-14, atol=0.0)


def test_a_test_that_was_not_made_does_not_count():
    p = np.random.default_rng(1).uniform(size=50) ** 3
    gaps = np.insert(p, [0, 20, 50], np.nan)
    found = benjamini_hochberg(gaps)
    assert np.array_equal(np.isnan(found), np.isnan(gaps))
    assert np.array_equal(found[~np.isnan(gaps)], benjamini_hochberg(p))


def test_the_order_of_the_tests_does_not_matter():
    rng = np.random.default_rng(2)
    p = np.round(rng.uniform(size=300), 2)
    order = rng.permutation(300)
    assert np.array_equal(benjamini_hochberg(p[order]), benjamini_hochberg(p)[order])


def test_a_smaller_p_value_never_has_a_larger_q_value():
    p = np.sort(np.random.default_rng(3).uniform(size=500) ** 2)
    q = benjamini_hochberg(p)
    assert (np.diff(q) >= 0.0).all()
    assert (q >= p).all()
    assert q[-1] == p[-1]


def test_bounds_are_kept():
    assert benjamini_hochberg([0.0, 1.0, 1.0]).tolist() == [0.0, 1.0, 1.0]
    assert benjamini_hochberg(np.ones(49)).max() == 1.0
    assert benjamini_hochberg([0.3]).tolist() == [0.3]
    assert benjamini_hochberg([]).shape == (0,)
    assert np.isnan(benjamini_hochberg([np.nan, np.nan])).all()


def test_the_share_of_false_discoveries_is_what_was_asked_for():
    rng = np.random.default_rng(4)
    true, tests, runs, level = 60, 200, 600, 0.2
    shares = np.zeros(runs)
    for run in range(runs):
        z = rng.normal(size=tests)
        z[:true] += 3.0
        rejected = benjamini_hochberg(norm.sf(z)) <= level
        shares[run] = rejected[true:].sum() / max(1, rejected.sum())
    # Independent tests reach the level times the share of true hypotheses of no effect.
    expected = level * (tests - true) / tests
    assert abs(shares.mean() - expected) < 4.0 * shares.std() / np.sqrt(runs)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([0.5, 1.5], r"from 0 to 1, got 1\.5"),
        ([0.5, -0.1], r"from 0 to 1, got -0\.1"),
        ([np.inf], "from 0 to 1, got inf"),
        ([[0.5]], r"one-dimensional, got shape \(1, 1\)"),
    ],
)
def test_what_is_no_p_value_is_refused(given, words):
    with pytest.raises(InvalidSettingError, match=words):
        benjamini_hochberg(given)
