"""Mixtures of least message length: against the algorithm written out, and known answers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.mixture import GaussianMixture

from bqcd.errors import InvalidSettingError
from bqcd.statistics.codes.mixture_kernels import LEAST_DENSITY
from bqcd.statistics.codes.mixtures import LEAST_VARIANCE, MOST_SWEEPS, TOLERANCE, shortest_mixture


def columns() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=150)
    return {
        "normal": x,
        "skewed": np.exp(x),
        "two humps": np.where(x > 0.3, x + 3.0, x),
        "uniform": rng.uniform(-1.7, 1.7, 150),
        "heavy tails": rng.standard_t(2, 150),
        "ties": x.round(),
    }


COLUMNS = columns()
every_column = pytest.mark.parametrize("values", COLUMNS.values(), ids=COLUMNS)


def found(values: np.ndarray, seed: int = 0, **settings):
    return shortest_mixture(values, rng=np.random.default_rng(seed), **settings)


def parts(values, weights, means, variances) -> np.ndarray:
    """Weighted density of each component at each value."""
    squares = (values[:, None] - means) ** 2 / variances
    return weights * np.exp(-0.5 * squares) / np.sqrt(2.0 * np.pi * variances)


def log_likelihood(values, weights, means, variances) -> float:
    densities = parts(values, weights, means, variances).sum(axis=1)
    return np.log(np.maximum(densities, LEAST_DENSITY)).sum()


def message_length(values, weights, means, variances) -> float:
    price = np.log(weights).sum() + 1.5 * len(weights) * np.log(len(values))
    return price - log_likelihood(values, weights, means, variances)


# -- against the algorithm, written out ------------------------------------------------


def settled(values, weights, means, variances):
    """Components after as many sweeps as it takes, and the shortest message on the way."""
    shortest, before = np.inf, log_likelihood(values, weights, means, variances)
    for _ in range(MOST_SWEEPS):
        c = 0
        while c < len(weights):
            each = parts(values, weights, means, variances)
            share = each[:, c] / np.maximum(each.sum(axis=1), LEAST_DENSITY)
            weights[c] = max(share.sum() - 1.0, 0.0) / len(values)
            weights /= weights.sum()
            if weights[c] == 0.0:
                weights, means, variances = (np.delete(v, c) for v in (weights, means, variances))
                continue
            means[c] = share @ values / share.sum()
            variances[c] = share @ (values - means[c]) ** 2 / share.sum() + LEAST_VARIANCE
            c += 1
        shortest = min(shortest, message_length(values, weights, means, variances))
        now = log_likelihood(values, weights, means, variances)
        if abs(now - before) < TOLERANCE * abs(before):
            break
        before = now
    return weights, means, variances, shortest


def shortest_length(values: np.ndarray, size: int, seed: int) -> float:
    """Least message length, every share computed from all components each time."""
    values = np.sort(values)
    means = np.random.default_rng(seed).permutation(values)[:size].copy()
    weights, variances = np.full(size, 1.0 / size), np.full(size, values.var(ddof=1) / 10.0)
    shortest = np.inf
    while len(weights):
        weights, means, variances, length = settled(values, weights, means, variances)
        shortest = min(shortest, length)
        lightest = np.argmin(weights)
        weights, means, variances = (np.delete(v, lightest) for v in (weights, means, variances))
        weights = weights / weights.sum() if len(weights) else weights
    return shortest


@every_column
def test_length_is_that_of_the_algorithm_written_out(values):
    expected = shortest_length(values, size=12, seed=3)
    assert found(values, 3, max_components=12).length == pytest.approx(expected, rel=1e-7)


@every_column
def test_length_is_that_of_the_mixture_that_is_returned(values):
    mixture = found(values)
    expected = message_length(values, mixture.weights, mixture.means, mixture.variances)
    assert mixture.length == pytest.approx(expected, rel=1e-10)
    assert mixture.weights.sum() == pytest.approx(1.0, rel=1e-12)
    assert (np.diff(mixture.means) >= 0.0).all()


# -- known answers ---------------------------------------------------------------------


def test_one_component_is_the_normal_fit():
    values = COLUMNS["skewed"]
    variance = values.var() + LEAST_VARIANCE
    expected = 1.5 * np.log(150) - norm.logpdf(values, values.mean(), np.sqrt(variance)).sum()
    mixture = found(values, max_components=1)
    assert mixture.length == pytest.approx(expected, rel=1e-12)
    assert mixture.means[0] == pytest.approx(values.mean(), rel=1e-12)


def test_normal_values_need_one_component():
    for seed in range(5):
        assert len(found(np.random.default_rng(seed).normal(size=500)).weights) == 1


def test_three_groups_are_found_from_any_start():
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.normal(m, 0.1, 200) for m in (-1.0, 0.0, 2.0)])
    for seed in range(5):
        mixture = found(values, seed)
        # Three standard errors of a mean of 200.
        assert mixture.means == pytest.approx([-1.0, 0.0, 2.0], abs=0.022)
        assert mixture.weights == pytest.approx([1 / 3] * 3, abs=0.01)


def test_components_are_those_of_scikit_learn():
    rng = np.random.default_rng(2)
    values = np.append(rng.normal(-1.0, 0.5, 1_500), rng.normal(1.5, 0.3, 500))
    mixture = found(values)
    model = GaussianMixture(2, reg_covar=LEAST_VARIANCE, tol=1e-9, max_iter=500, random_state=0)
    model.fit(values[:, None])
    order = np.argsort(model.means_[:, 0])
    # One row is taken off each component here.
    assert mixture.weights == pytest.approx(model.weights_[order], abs=1e-3)
    assert mixture.means == pytest.approx(model.means_[order, 0], abs=1e-3)
    assert mixture.variances == pytest.approx(model.covariances_[order, 0, 0], rel=1e-2)


def test_a_mixture_of_two_is_told_in_fewer_nats_than_one_normal():
    values = COLUMNS["two humps"]
    assert found(values).length < found(values, max_components=1).length - 10.0


# -- promises --------------------------------------------------------------------------


def test_order_of_the_values_does_not_matter():
    values = COLUMNS["skewed"]
    shuffled = np.random.default_rng(5).permutation(values)
    assert found(shuffled).length == found(values).length


@pytest.mark.parametrize(
    "values",
    [
        np.array([0.0, 1.0]),
        np.repeat([0.0, 1.0], 50),
        np.append(np.zeros(99), 1.0),
        np.append(np.linspace(-0.1, 0.1, 200), 14.0),
        np.append(np.zeros(999), 31.6),
    ],
    ids=["two rows", "two values", "one apart", "one far away", "one far from the rest"],
)
def test_awkward_columns_get_a_finite_length(values):
    mixture = found(values)
    assert np.isfinite(mixture.length)
    assert (mixture.variances >= LEAST_VARIANCE).all()


def test_no_components_are_refused():
    with pytest.raises(InvalidSettingError, match="max_components of shortest_mixture must be"):
        found(COLUMNS["normal"], max_components=0)
