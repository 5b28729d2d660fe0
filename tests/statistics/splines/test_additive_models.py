import numpy as np
import pytest
from scipy.optimize import minimize

from bqcd.statistics.splines.additive_models import additive_model, fitted
from bqcd.statistics.splines.additive_screening import residual_sums_with
from bqcd.statistics.splines.smooth_terms import smooth_terms
from bqcd.statistics.splines.thin_plates import thin_plate_fit


def example(seed=0, n=400):
    """Five columns, of which the first three matter, two of them dependent, and a target."""
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(5, n))
    columns[1] += columns[0]
    target = np.sin(2.0 * columns[0]) + columns[1] ** 2 / 4.0 + columns[2]
    return columns, target + 0.5 * rng.normal(size=n)


def by_least_squares(terms, target, log_penalties):
    """Residual sum and degrees of a model by a dense solution over all rows."""
    functions = np.concatenate([term.functions for term in terms.terms])
    roots = [
        np.sqrt(np.exp(log_penalty) * term.stiffness)
        for log_penalty, term in zip(log_penalties, terms.terms, strict=True)
    ]
    tall = np.concatenate([functions.T, np.diag(np.concatenate(roots))])
    smoother = np.linalg.pinv(tall)[:, : len(target)]
    left = target - functions.T @ (smoother @ target)
    return left @ left, 1.0 + np.trace(smoother @ functions.T)


@pytest.mark.parametrize("seed", range(4))
def test_a_model_of_one_term_is_the_thin_plate_spline(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=300) if seed else rng.integers(0, 7, size=300).astype(float)
    y = np.sin(seed * x) + rng.normal(size=300)
    fit, spline = additive_model([x], y), thin_plate_fit(x, y)
    assert fit.residual_sum == pytest.approx(spline.residual_sum, rel=1e-6)
    assert fit.total_degrees == pytest.approx(spline.degrees, rel=1e-4)


def test_sums_and_degrees_are_those_of_dense_least_squares():
    columns, target = example()
    fit = additive_model(columns, target)
    terms = smooth_terms(columns)
    left, degrees = by_least_squares(terms, target - target.mean(), fit.log_penalties)
    assert fit.residual_sum == pytest.approx(left, rel=1e-7)
    assert fit.total_degrees == pytest.approx(degrees, rel=1e-7)
    assert 1.0 + fit.degrees.sum() == pytest.approx(degrees, rel=1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_penalties_are_at_a_minimum_of_gcv_and_no_other_is_much_deeper(seed):
    columns, target = example(seed, n=150)
    columns, centred = columns[:3], target - target.mean()
    terms = smooth_terms(columns)

    def gcv(log_penalties):
        left, degrees = by_least_squares(terms, centred, log_penalties)
        return np.log(left) - 2.0 * np.log(150 - degrees)

    def minimum(start):
        return minimize(gcv, start, method="L-BFGS-B", bounds=[(-18.0, 12.0)] * 3).fun

    found = additive_model(columns, target).log_penalties
    assert gcv(found) <= minimum(found) + 1e-6
    assert gcv(found) <= minimum(np.array([-6.0, -6.0, 3.0])) + 0.005


def test_straight_terms_are_straight_and_curved_ones_curved():
    columns, target = example(4)
    degrees = additive_model(columns, target).degrees
    assert degrees[0] > 6.0
    assert degrees[1] > 2.0
    assert degrees[2] < 1.5


def test_terms_that_matter_have_small_p_values_and_others_do_not():
    columns, target = example()
    p_values = additive_model(columns, target).p_values
    assert p_values[:3].max() < 1e-20
    assert p_values[3:].min() > 0.01


def test_columns_of_two_values_have_the_p_values_of_a_linear_model():
    from scipy.special import stdtr

    rng = np.random.default_rng(3)
    columns = rng.integers(0, 2, size=(2, 60)).astype(float)
    target = 0.4 * columns[0] + rng.normal(size=60)
    design = np.stack([np.ones(60), *columns], axis=1)
    found, rest, *_ = np.linalg.lstsq(design, target, rcond=None)
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ design)) * rest[0] / 57.0)
    expected = 2.0 * stdtr(57.0, -np.abs(found / errors))
    fit = additive_model(columns, target)
    np.testing.assert_allclose(fit.p_values, expected[1:], rtol=1e-6)


def test_a_term_without_influence_is_found_significant_as_often_as_it_should():
    rng = np.random.default_rng(0)
    draws = 400
    p_values = np.empty(draws)
    for draw in range(draws):
        x, z, noise = rng.normal(size=(3, 120))
        z = z + 0.5 * x
        target = (x if draw % 2 else np.sin(2.0 * x)) + noise
        p_values[draw] = additive_model([x, z], target, n_basis=8).p_values[1]
    assert 0.03 <= (p_values < 0.05).mean() <= 0.08
    assert 0.4 <= (p_values < 0.5).mean() <= 0.65


def test_a_weak_bend_is_found_where_a_line_sees_nothing():
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(40):
        x, z, noise = rng.normal(size=(3, 300))
        found += additive_model([x, z], 0.3 * x**2 + z + noise).p_values[0] < 0.05
    assert found >= 36


@pytest.mark.parametrize("repeated", ["same", "multiple", "nearly"])
def test_columns_that_repeat_each_other_do_no_harm(repeated):
    rng = np.random.default_rng(2)
    x, noise = rng.normal(size=(2, 200))
    twin = {"same": x, "multiple": -2.0 * x, "nearly": x + 1e-9 * noise}[repeated]
    target = np.sin(2.0 * x) + 0.3 * noise
    alone, both = additive_model([x], target), additive_model([x, twin], target)
    assert both.residual_sum == pytest.approx(alone.residual_sum, rel=0.02)
    assert np.isfinite(both.p_values).all()


def test_what_is_explained_exactly_leaves_almost_nothing():
    x, z = np.random.default_rng(3).normal(size=(2, 100))
    fit = additive_model([x, z], 3.0 * x - z)
    assert 0.0 < fit.residual_sum < 1e-6
    assert fit.p_values.max() < 1e-12


def test_one_more_term_is_judged_almost_as_by_its_own_model():
    columns, target = example(n=500)
    centred = target - target.mean()
    terms, total = smooth_terms(columns), float(centred @ centred)
    products = terms.products(centred)
    fit = fitted(terms, [0, 3], products, total=total)
    quick = residual_sums_with(terms, fit, [0, 3], [1, 2, 4], products, total=total)
    slow = [fitted(terms, sorted([0, 3, i]), products, total=total) for i in (1, 2, 4)]
    np.testing.assert_allclose(quick, [one.residual_sum for one in slow], rtol=0.03)


def test_one_more_term_of_a_finished_model_with_held_penalties_is_exact():
    columns, target = example(n=300)
    centred = target - target.mean()
    terms, total = smooth_terms(columns[:3]), float(centred @ centred)
    products = terms.products(centred)
    fit = fitted(terms, [0, 2], products, total=total)
    quick = residual_sums_with(terms, fit, [0, 2], [1], products, total=total)[0]
    held = np.insert(fit.log_penalties, 1, 0.0)
    best = min(
        (np.log(left) - 2.0 * np.log(300 - degrees), left)
        for left, degrees in (
            by_least_squares(terms, centred, held + step * np.array([0, 1, 0]))
            for step in np.arange(-12.0, 2.0, 0.125)
        )
    )
    assert quick == pytest.approx(best[1], rel=2e-3)
