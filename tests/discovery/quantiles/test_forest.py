"""Claims about the quantile forests: the definition, the reference, calibration, limits."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from functools import cache
from typing import get_args

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import norm

from bqcd.discovery.quantiles import QuantileRegressor
from bqcd.discovery.quantiles.forest import Forest, QuantileForest, Weigh
from bqcd.discovery.scores import gauss_legendre
from bqcd.errors import InvalidSettingError, MissingPackageError

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Shape = Callable[[Vector, Vector], Vector]

LEVELS = gauss_legendre(3).levels
SHAPES: dict[str, Shape] = {
    "smooth": lambda x, noise: np.tanh(2.0 * x) + 0.3 * noise,
    "heteroscedastic": lambda x, noise: 0.5 * x + np.exp(0.7 * x) * noise,
    "step": lambda x, noise: np.where(x > 0.2, 2.0, -1.0) + 0.4 * noise,
}
BOTH: tuple[Weigh, ...] = get_args(Weigh)


@pytest.fixture(
    params=[*(Forest(n_trees=50, weigh=weigh) for weigh in BOTH), QuantileForest(n_trees=50)],
    ids=[*BOTH, "package"],
)
def forest(request: pytest.FixtureRequest) -> QuantileRegressor:
    if isinstance(request.param, QuantileForest):
        pytest.importorskip("quantile_forest")
    regressor: QuantileRegressor = request.param
    return regressor


def make_data(shape: str, n: int, seed: int) -> tuple[Vector, Vector]:
    rng = np.random.default_rng(seed)
    # Single precision, so that the packages that round to it see the same numbers.
    x = rng.standard_normal(n).astype(np.float32).astype(np.float64)
    return x, SHAPES[shape](x, rng.standard_normal(n))


class Drawn:
    """A stand-in for a generator that draws the integers it is told to."""

    def __init__(self, integers: NDArray[np.int64]) -> None:
        self.drawn = integers

    def integers(self, high: int, *, size: tuple[int, ...] = ()) -> NDArray[np.int64]:
        assert self.drawn.shape == size
        assert self.drawn.max() < high
        return self.drawn


def quantile_of_copies(values: Vector, weights: Vector, count: int, level: float) -> float:
    """Linear quantile of ``count`` observations, the values repeated by fractional counts."""
    order = np.argsort(values)
    values, weights = values[order], weights[order]
    ends = np.cumsum(weights) * count / weights.sum()
    position = level * (count - 1) + 1.0
    lower = int(np.sum(ends <= position)) - 1
    if lower < 0:
        return float(values[0])
    ramp = min(position - ends[lower], 1.0)
    return float(values[lower] + ramp * (values[lower + 1] - values[lower]))


def forest_by_definition(
    x: Vector, y: Vector, samples: NDArray[np.int64], points: Vector, node_size: int, weigh: Weigh
) -> Matrix:
    """Quantiles from scikit-learn trees and weights summed tree by tree at each point."""
    tree = pytest.importorskip("sklearn.tree")
    weights = np.zeros((len(points), len(y)))
    counts = np.zeros(len(points), dtype=int)
    for sample in samples:
        model = tree.DecisionTreeRegressor(min_samples_split=node_size + 1, random_state=0)
        model.fit(x[sample, None], y[sample])
        times = np.bincount(sample, minlength=len(x)) if weigh == "sample" else 1
        leaves = model.apply(x[:, None])
        members = times * (model.apply(points[:, None])[:, None] == leaves)
        sizes = members.sum(axis=1)
        weights += members / sizes[:, None]
        counts += sizes
    return np.array(
        [
            [quantile_of_copies(y[w > 0], w[w > 0], count, level) for level in LEVELS]
            for w, count in zip(weights, counts, strict=True)
        ]
    )


@pytest.mark.parametrize("weigh", BOTH)
@pytest.mark.parametrize("digits", [6, 1], ids=["no ties", "ties"])
def test_quantiles_do_not_depend_on_what_else_is_asked_for(weigh, digits):
    x, y = (column.round(digits) for column in make_data("smooth", 150, 5))
    rng = np.random.default_rng(0)
    quantiles = Forest(n_trees=40, weigh=weigh).fit(x, y, LEVELS, rng)
    everywhere = quantiles(np.sort(x))
    shuffled = rng.permutation(150)
    assert np.array_equal(quantiles(np.sort(x)[shuffled]), everywhere[shuffled])
    assert np.array_equal(quantiles(np.r_[-9.0, np.sort(x)[:70], 9.0])[1:-1], everywhere[:70])
    for row in (0, 77, 149):
        assert np.array_equal(quantiles(np.sort(x)[row : row + 1])[0], everywhere[row])
    assert quantiles(np.empty(0)).shape == (0, len(LEVELS))


@pytest.mark.parametrize("weigh", BOTH)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("n", "n_trees", "sample_size", "node_size"),
    [
        (300, 40, 50, 10),
        (60, 25, 50, 10),
        (200, 1, 50, 10),
        (200, 30, 40, 1),
        (300, 20, 200, 90),
        # Leaves of a thousand rows and more.
        (10_000, 40, 50, 10),
    ],
)
def test_forest_equals_its_definition_tree_by_tree(
    weigh: Weigh, shape: str, n: int, n_trees: int, sample_size: int, node_size: int
) -> None:
    x, y = make_data(shape, n, seed=n + n_trees)
    positions = np.random.default_rng(7).integers(n, size=(n_trees, sample_size))
    points = np.concatenate([x[:50], np.linspace(-4.0, 4.0, 51)])
    forest = Forest(n_trees=n_trees, sample_size=sample_size, node_size=node_size, weigh=weigh)
    found = forest.fit(x, y, LEVELS, Drawn(positions))(points)  # type: ignore[arg-type]
    samples = np.lexsort((y, x))[positions]
    expected = forest_by_definition(x, y, samples, points, node_size, weigh)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_forest_equals_the_package_on_the_same_samples(shape: str) -> None:
    pytest.importorskip("quantile_forest")
    ensemble = pytest.importorskip("sklearn.ensemble")
    x, y = make_data(shape, 20_000, seed=3)
    small, seed = {"n_trees": 20, "sample_size": 50, "node_size": 10}, 0
    twin = ensemble.RandomForestRegressor(n_estimators=20, max_samples=50, random_state=seed)
    samples = np.array(twin.fit(x[:, None], y).estimators_samples_)
    # Only a row drawn twice would be counted differently.
    assert all(len(np.unique(sample)) == 50 for sample in samples)

    position = np.empty(len(x), dtype=np.int64)
    position[np.lexsort((y, x))] = np.arange(len(x))
    points = np.concatenate([x[:200], np.linspace(-4.0, 4.0, 201)])
    forest = Forest(**small, weigh="sample")
    found = forest.fit(x, y, LEVELS, Drawn(position[samples]))(points)  # type: ignore[arg-type]
    package = QuantileForest(**small).fit(x, y, LEVELS, Drawn(np.array(seed)))  # type: ignore[arg-type]
    np.testing.assert_allclose(found, package(points), rtol=0, atol=1e-9)


@cache
def predictions(model: Forest | QuantileForest, shape: str, repeats: int) -> NDArray[np.float64]:
    """Predictions at 25 points for as many seeds."""
    x, y = make_data(shape, 1000, seed=11)
    points = norm.ppf((np.arange(25) + 0.5) / 25)
    streams = [np.random.default_rng(seed) for seed in range(repeats)]
    return np.array([model.fit(x, y, LEVELS, stream)(points) for stream in streams])


def standardized_gaps(shape: str, forest: Forest | QuantileForest) -> Matrix:
    """Mean gap of a forest to the package, over the Monte-Carlo error of the gap."""
    ours = predictions(forest, shape, 300)
    package = predictions(QuantileForest(n_trees=50), shape, 20)
    # Forests jump between few values near a step: one spread from many is steadier than two.
    error = ours.std(axis=0, ddof=1) * np.sqrt(1 / len(ours) + 1 / len(package))
    gaps: Matrix = (ours.mean(axis=0) - package.mean(axis=0)) / error
    return gaps


@pytest.mark.parametrize("shape", SHAPES)
def test_forest_agrees_with_the_package_within_monte_carlo_error(shape: str) -> None:
    pytest.importorskip("quantile_forest")
    gaps = standardized_gaps(shape, Forest(n_trees=50, weigh="sample"))
    assert np.sqrt(np.mean(gaps**2)) < 1.5
    assert np.abs(gaps).max() < 5.0


@pytest.mark.parametrize(
    "other", [Forest(n_trees=50, weigh="sample", node_size=20), Forest(n_trees=50, weigh="all")]
)
def test_the_comparison_with_the_package_notices_other_settings(other: Forest) -> None:
    pytest.importorskip("quantile_forest")
    gaps = standardized_gaps("smooth", other)
    assert np.sqrt(np.mean(gaps**2)) > 3.0


def excess_of_fresh_targets(shape: str, forest: Forest) -> Vector:
    """Mean share of fresh targets below each quantile, less its level."""
    shares = []
    for seed in range(10):
        x, y = make_data(shape, 1000, seed=seed)
        quantiles = forest.fit(x, y, LEVELS, np.random.default_rng(seed))
        fresh_x, fresh_y = make_data(shape, 10_000, seed=100 + seed)
        shares.append(np.mean(fresh_y[:, None] <= quantiles(fresh_x), axis=0))
    excess: Vector = np.mean(shares, axis=0) - LEVELS
    return excess


@pytest.mark.parametrize(
    ("shape", "weigh"),
    [(shape, weigh) for shape in SHAPES for weigh in BOTH if (shape, weigh) != ("smooth", "all")],
)
def test_the_share_of_fresh_targets_below_a_quantile_is_its_level(shape: str, weigh: Weigh) -> None:
    # One share varies by 0.013 from training set to training set.
    assert np.abs(excess_of_fresh_targets(shape, Forest(weigh=weigh))).max() < 0.015


def test_on_a_steep_curve_whole_leaves_spread_too_far_unless_narrow() -> None:
    # All rows of a leaf show the slope across it; splits fitted to a sample hide part of it.
    low, middle, high = excess_of_fresh_targets("smooth", Forest(weigh="all"))
    assert -0.035 < low < -0.015
    assert abs(middle) < 0.015
    assert 0.015 < high < 0.035
    narrow = excess_of_fresh_targets("smooth", Forest(weigh="all", sample_size=100))
    assert np.abs(narrow).max() < 0.015


@pytest.mark.parametrize("weigh", BOTH)
def test_quantiles_follow_the_true_curves_of_a_step(weigh: Weigh) -> None:
    x, y = make_data("step", 5000, seed=5)
    points = np.array([-1.5, -1.0, -0.5, 0.9, 1.3, 1.7])
    truth = np.where(points > 0.2, 2.0, -1.0)[:, None] + 0.4 * norm.ppf(LEVELS)
    found = Forest(weigh=weigh).fit(x, y, LEVELS, np.random.default_rng(0))(points)
    # Leaves hold at least about five observations, pooled over 500 trees.
    np.testing.assert_allclose(found, truth, rtol=0, atol=0.1)


@pytest.mark.parametrize("weigh", BOTH)
@pytest.mark.parametrize("constant", [False, True])
def test_without_a_split_quantiles_are_those_of_all_targets(constant: bool, weigh: Weigh) -> None:
    x, y = make_data("smooth", 400, seed=1)
    x = np.zeros_like(x) if constant else x
    forest = Forest(sample_size=400, node_size=10 if constant else 400, weigh=weigh)
    found = forest.fit(x, y, LEVELS, np.random.default_rng(0))(np.linspace(-3.0, 3.0, 7))
    assert np.all(found == found[0])
    # Each target once per tree, or 500 bootstrap samples of 400.
    within = 1e-9 if weigh == "all" else 0.02
    expected = np.quantile(np.repeat(y, 500), LEVELS)
    np.testing.assert_allclose(found[0], expected, rtol=0, atol=within)


@pytest.mark.parametrize("n", [5, 20, 49])
def test_fewer_rows_than_the_sample_size_will_do(forest: QuantileRegressor, n: int) -> None:
    x, y = make_data("step", n, seed=2)
    found = forest.fit(x, y, LEVELS, np.random.default_rng(0))(x)
    assert found.shape == (n, 3)
    assert np.all((found >= y.min()) & (found <= y.max()))
    if n == 49:
        assert np.median(found[x > 0.5, 1]) > np.median(found[x < -0.1, 1]) + 2.0


@pytest.mark.parametrize("n_levels", [1, 7])
def test_one_column_belongs_to_each_level(forest: QuantileRegressor, n_levels: int) -> None:
    x, y = make_data("heteroscedastic", 300, seed=4)
    levels = gauss_legendre(n_levels).levels
    found = forest.fit(x, y, levels, np.random.default_rng(0))(x[:40])
    assert found.shape == (40, n_levels)
    for j, level in enumerate(levels):
        alone = forest.fit(x, y, np.array([level]), np.random.default_rng(0))(x[:40])
        np.testing.assert_array_equal(found[:, j], alone[:, 0])


def test_beyond_the_training_range_quantiles_are_constant(forest: QuantileRegressor) -> None:
    x, y = make_data("smooth", 300, seed=6)
    quantiles = forest.fit(x, y, LEVELS, np.random.default_rng(0))
    left, right = quantiles(np.array([x.min()])), quantiles(np.array([x.max()]))
    np.testing.assert_array_equal(quantiles(x.min() - np.array([0.1, 9.0])), np.repeat(left, 2, 0))
    np.testing.assert_array_equal(quantiles(x.max() + np.array([0.1, 9.0])), np.repeat(right, 2, 0))
    assert np.all(left < right)


def test_the_generator_alone_decides_the_result(forest: QuantileRegressor) -> None:
    x, y = make_data("smooth", 300, seed=8)
    first, again, other = (
        forest.fit(x, y, LEVELS, np.random.default_rng(seed))(x) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert np.any(first != other)


@settings(max_examples=60, deadline=None)
@drawn(st.data())
def test_quantiles_never_cross_and_stay_within_the_targets(data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 80))
    # Few distinct numbers, so that ties in both columns are common.
    numbers = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e3, 1e3))
    x, y = (np.array(data.draw(st.lists(numbers, min_size=n, max_size=n))) for _ in range(2))
    levels = np.sort(data.draw(st.lists(st.floats(1e-6, 1 - 1e-6), min_size=2, max_size=7)))
    forest = Forest(
        n_trees=data.draw(st.integers(1, 20)),
        sample_size=data.draw(st.integers(1, 60)),
        node_size=data.draw(st.integers(1, 12)),
        weigh=data.draw(st.sampled_from(BOTH)),
    )
    found = forest.fit(x, y, levels, np.random.default_rng(0))(np.append(x, [-2e3, 2e3]))
    assert np.all(np.diff(found, axis=1) >= 0.0)
    assert np.all((found >= y.min()) & (found <= y.max()))


@settings(max_examples=50, deadline=None)
@drawn(st.integers(0, 2**32 - 1), st.sampled_from(BOTH))
def test_the_order_of_rows_does_not_matter_even_with_ties(seed: int, weigh: Weigh) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(-5, 6, size=(2, 100)).astype(float)
    order = rng.permutation(100)
    forest = Forest(n_trees=20, weigh=weigh)
    straight = forest.fit(x, y, LEVELS, np.random.default_rng(0))(x)
    shuffled = forest.fit(x[order], y[order], LEVELS, np.random.default_rng(0))(x)
    np.testing.assert_array_equal(straight, shuffled)


@pytest.mark.parametrize("weigh", BOTH)
def test_neighbouring_floats_are_split_apart(weigh: Weigh) -> None:
    # The midpoint of two neighbours rounds to one of them; each must keep its own leaf.
    low, high = 1.0 + np.finfo(float).eps, 1.0 + 2 * np.finfo(float).eps
    x, y = np.repeat([low, high], 25), np.repeat([0.0, 1.0], 25)
    quantiles = Forest(n_trees=50, weigh=weigh).fit(x, y, LEVELS, np.random.default_rng(0))
    np.testing.assert_array_equal(quantiles(np.array([low, high]))[:, 1], [0.0, 1.0])


def test_fitting_leaves_its_inputs_and_the_global_generator_alone() -> None:
    x, y = make_data("smooth", 100, seed=9)
    before, state = (x.copy(), y.copy()), np.random.get_state()[1].copy()  # type: ignore[index] # noqa: NPY002
    x.setflags(write=False)
    y.setflags(write=False)
    Forest(n_trees=5).fit(x, y, LEVELS, np.random.default_rng(0))(x)
    np.testing.assert_array_equal((x, y), before)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # type: ignore[index] # noqa: NPY002


def test_a_fitted_forest_survives_pickling() -> None:
    x, y = make_data("smooth", 100, seed=10)
    quantiles = Forest(n_trees=5).fit(x, y, LEVELS, np.random.default_rng(0))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(quantiles))(x), quantiles(x))


@pytest.mark.parametrize("forest", [Forest, QuantileForest])
@pytest.mark.parametrize("name", ["n_trees", "sample_size", "node_size"])
def test_settings_out_of_range_are_refused(forest: type, name: str) -> None:
    most = "100,000" if name == "n_trees" else "1,000,000,000"
    for value in (0, -1, 2.5, True, "ten"):
        message = f"{name} of {forest.__name__} must be an integer from 1 to {most}, got {value!r}."
        with pytest.raises(InvalidSettingError) as refusal:
            forest(**{name: value})
        assert str(refusal.value) == message


@pytest.mark.parametrize("value", ["none", "", None, True, ["all"]])
def test_weighing_is_one_of_two_words(value: object) -> None:
    with pytest.raises(InvalidSettingError) as refusal:
        Forest(weigh=value)  # type: ignore[arg-type]
    message = f"weigh of Forest must be one of 'all', 'sample', got {value!r}."
    assert str(refusal.value) == message


def test_settings_are_those_of_the_paper_and_frozen() -> None:
    assert Forest().weigh == "all"
    for forest in (Forest(), QuantileForest()):
        assert (forest.n_trees, forest.sample_size, forest.node_size) == (500, 50, 10)
        with pytest.raises(FrozenInstanceError):
            forest.n_trees = 10  # type: ignore[misc]


def test_without_the_package_the_reference_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "quantile_forest", None)
    x, y = make_data("smooth", 50, seed=0)
    with pytest.raises(MissingPackageError, match=r"pip install 'bqcd\[forest\]'"):
        QuantileForest().fit(x, y, LEVELS, np.random.default_rng(0))


def test_importing_the_forest_does_not_load_its_kernels() -> None:
    code = (
        "import sys, bqcd.discovery.quantiles.forest as forest; "
        "sys.exit(f'{forest.__name__}_kernels' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
