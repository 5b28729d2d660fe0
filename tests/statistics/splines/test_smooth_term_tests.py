import numpy as np
import pytest
from scipy.stats import f

from bqcd.statistics.splines.smooth_term_tests import squares_tail, term_p_value


def test_whole_ranks_give_the_f_test():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(4, 4))
    covariance, coefficients = root @ root.T, rng.normal(size=4)
    statistic = coefficients @ np.linalg.solve(covariance, coefficients)
    found = term_p_value(coefficients, covariance, rank=4.0, residual_degrees=50.0)
    assert found == pytest.approx(f.sf(statistic / 4.0, 4, 50.0), rel=1e-9)


@pytest.mark.parametrize(("whole", "part"), [(1, 0.3), (2, 0.5), (3, 0.1), (6, 0.9)])
def test_tails_of_weighted_squares_are_those_of_draws(whole, part):
    rng = np.random.default_rng(1)
    draws = 100_000
    squares = np.square(rng.normal(size=(draws, whole + 1)))
    larger = 0.5 * (1.0 + part + np.sqrt(1.0 - part**2))
    weights = np.append(np.ones(whole - 1), [larger, 1.0 + part - larger])
    ratios = squares @ weights / (rng.chisquare(30.0, size=draws) / 30.0)
    for level in (0.001, 0.05, 0.5):
        statistic = float(np.quantile(ratios, 1.0 - level))
        spread = np.sqrt(level * (1.0 - level) / draws)
        assert abs(squares_tail(statistic, whole, part, 30.0) - level) < 4.0 * spread


def test_the_two_ways_to_mix_directions_count_the_same():
    covariance, settings = np.eye(3), {"rank": 1.4, "residual_degrees": 60.0}
    one = term_p_value(np.array([1.0, 2.0, 0.0]), covariance, **settings)
    other = term_p_value(np.array([1.0, -2.0, 0.0]), covariance, **settings)
    assert one == pytest.approx(other, rel=1e-12)


def test_fractional_ranks_lie_between_whole_ones():
    coefficients, covariance = np.array([3.0, 0.1, 0.1, 0.1]), np.diag([4.0, 3.0, 2.0, 1.0]) / 3.0
    values = [
        term_p_value(coefficients, covariance, rank=rank, residual_degrees=80.0)
        for rank in (1.0, 1.001, 1.5, 1.999, 2.0)
    ]
    assert values[0] == pytest.approx(values[1], rel=0.1)
    assert values[3] == pytest.approx(values[4], rel=0.1)
    assert values[0] < values[2] < values[4]


def test_directions_without_variance_are_left_out():
    covariance = np.diag([1.0, 1.0, 0.0])
    found = term_p_value(np.array([1.0, 2.0, 0.0]), covariance, rank=2.7, residual_degrees=30.0)
    assert found == pytest.approx(f.sf(2.5, 2, 30.0), rel=1e-9)
