"""The promises of a regressor, checked on every one in the table and on adapted ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor
from sklearn.linear_model import QuantileRegressor as LinearQuantiles

import bqcd
from bqcd.discovery.quantiles import QUANTILE_REGRESSORS, EstimatorQuantiles
from bqcd.discovery.ranks import normal_scores
from bqcd.discovery.scores import gauss_legendre
from bqcd.errors import InvalidRegressorError, InvalidSettingError

LEVELS = gauss_legendre(3).levels

ADAPTED = {
    "gradient boosting": EstimatorQuantiles(
        GradientBoostingRegressor(loss="quantile", n_estimators=60, max_depth=2)
    ),
    "histogram boosting": EstimatorQuantiles(
        HistGradientBoostingRegressor(
            loss="quantile", quantile=0.5, max_iter=30, min_samples_leaf=100, learning_rate=0.2
        )
    ),
    "linear": EstimatorQuantiles(LinearQuantiles(alpha=0.0)),
}
ALL = {name: build() for name, build in QUANTILE_REGRESSORS.items()} | ADAPTED
NONLINEAR = sorted(ALL.keys() - {"linear"})


def scored(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Normal scores of a heteroscedastic pair: y = x + exp(x / 2) e / 2."""
    rng = np.random.default_rng(seed)
    x, e = rng.normal(size=(2, n))
    y = x + 0.5 * np.exp(0.5 * x) * e
    scores = normal_scores(n)
    return scores[np.argsort(np.argsort(x))], scores[np.argsort(np.argsort(y))]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("m", [1, 3, 7])
def test_quantiles_have_one_column_per_level_and_never_cross(name: str, m: int) -> None:
    given, target = scored(150)
    levels = gauss_legendre(m).levels
    model = ALL[name].fit(given, target, levels, np.random.default_rng(0))
    for values in (given, np.linspace(-6.0, 6.0, 41)):
        quantiles = model(values)
        assert quantiles.shape == (len(values), m)
        assert np.isfinite(quantiles).all()
        assert (np.diff(quantiles, axis=1) >= 0.0).all()


@pytest.mark.parametrize("name", ALL)
def test_the_share_of_targets_below_each_curve_is_near_its_level(name: str) -> None:
    given, target = scored(2000)
    model = ALL[name].fit(given, target, LEVELS, np.random.default_rng(0))
    below = (target[:, None] <= model(given)).mean(axis=0)
    np.testing.assert_allclose(below, LEVELS, atol=0.04)


@pytest.mark.parametrize("name", NONLINEAR)
def test_the_spread_of_the_quantiles_follows_the_data(name: str) -> None:
    given, target = scored(3000)
    model = ALL[name].fit(given, target, LEVELS, np.random.default_rng(0))
    low, _, high = model(np.array([-1.0, 1.0])).T
    # In normal scores the ratio of the spreads at x = 1 and x = -1 is tempered but clear.
    assert (high[1] - low[1]) / (high[0] - low[0]) > 1.3


@pytest.mark.parametrize("name", ALL)
def test_independent_targets_get_their_marginal_quantiles(name: str) -> None:
    rng = np.random.default_rng(3)
    scores = normal_scores(2000)
    given, target = rng.permutation(scores), rng.permutation(scores)
    model = ALL[name].fit(given, target, LEVELS, np.random.default_rng(0))
    error = model(np.linspace(-1.5, 1.5, 31)) - norm.ppf(LEVELS)
    assert np.sqrt((error**2).mean()) < 0.2


@pytest.mark.parametrize("name", ALL)
def test_the_same_generator_gives_the_same_curves_and_inputs_are_untouched(name: str) -> None:
    given, target = scored(120)
    copies = given.copy(), target.copy()
    fits = [ALL[name].fit(given, target, LEVELS, np.random.default_rng(5))(given) for _ in "ab"]
    np.testing.assert_array_equal(*fits)
    np.testing.assert_array_equal(given, copies[0])
    np.testing.assert_array_equal(target, copies[1])


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("tied", [False, True])
def test_swap_and_row_order_are_exact_with_every_regressor(name: str, tied: bool) -> None:
    rng = np.random.default_rng(9)
    x, e = rng.normal(size=(2, 300))
    y = x**2 + 0.3 * e
    if tied:
        x, y = np.round(x, 1), np.round(y)
    rows = rng.permutation(300)
    one = bqcd.decide(x, y, regressor=ALL[name], tie_orders=2, seed=3)
    other = bqcd.decide(y[rows], x[rows], regressor=ALL[name], tie_orders=2, seed=3)
    assert one.confidence == -other.confidence
    assert one.confidence != 0.0


@pytest.mark.parametrize("name", NONLINEAR)
def test_an_easy_pair_is_solved_with_every_regressor(name: str) -> None:
    rng = np.random.default_rng(2)
    x, e = rng.normal(size=(2, 500))
    assert bqcd.decide(x, x**2 + 0.3 * e, regressor=ALL[name]).direction.value == "->"


# -- objects of the user ---------------------------------------------------------------


class Nearest:
    """A regressor nobody registered: quantiles of the targets in a window around the value."""

    def fit(self, given, target, levels, rng):
        order = np.argsort(given)
        ordered, values = given[order], target[order]

        def quantiles(at):
            places = np.clip(np.searchsorted(ordered, at), 20, len(ordered) - 20)
            return np.array([np.quantile(values[p - 20 : p + 20], levels) for p in places])

        return quantiles


def test_any_object_with_a_fit_is_a_regressor() -> None:
    rng = np.random.default_rng(2)
    x, e = rng.normal(size=(2, 400))
    verdict = bqcd.decide(x, x**2 + 0.3 * e, regressor=Nearest())
    assert verdict.direction.value == "->"
    assert verdict.evidence.regressor == "Nearest"
    assert verdict.evidence.chance_bound is None
    assert "copula regressor only" in verdict.explain()


@pytest.mark.parametrize(
    ("quantiles", "message"),
    [
        (lambda at: np.zeros((len(at), 2)), r"must have shape \(300, 3\).*got \(300, 2\)"),
        (lambda at: np.full((len(at), 3), np.nan), "must be finite"),
        (lambda at: np.tile([0.0, 1.0, 0.5], (len(at), 1)), "must not cross; those of row 1 "),
    ],
)
def test_a_regressor_that_breaks_the_contract_is_told_so(quantiles, message: str) -> None:
    class Broken:
        def fit(self, given, target, levels, rng):
            return quantiles

    x, y = np.random.default_rng(0).normal(size=(2, 300))
    with pytest.raises(InvalidRegressorError, match=message):
        bqcd.decide(x, y, regressor=Broken())


def test_an_estimator_must_have_a_quantile_loss() -> None:
    with pytest.raises(InvalidSettingError, match="loss of GradientBoostingRegressor must be"):
        EstimatorQuantiles(GradientBoostingRegressor())


def test_an_estimator_without_a_parameter_for_the_level_is_refused() -> None:
    with pytest.raises(InvalidSettingError, match="level_parameter of EstimatorQuantiles"):
        EstimatorQuantiles(LinearQuantiles(), level_parameter="tau")
    with pytest.raises(InvalidSettingError, match="must be a scikit-learn estimator"):
        EstimatorQuantiles("boosting")
