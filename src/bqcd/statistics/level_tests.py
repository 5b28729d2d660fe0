"""Tests whether levels, at which rows lie given some columns, depend on these or on others.

A model gives each row the level of its conditional quantile. If the model is right and needs no
other column, levels are independent of all of them. Pinball residuals τ - 1{level ≤ τ}, integrated
over τ with polynomial weights, are the Legendre polynomials of the level: the first moves with the
location, the second with the scale, the third with the skewness, and so on. Their covariances with
functions of columns are tested together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.dependence.independence import log_upper_tail
from bqcd.statistics.splines.level_models import LevelModel, LevelModels

ANY = (1, 2, 3)
"""Degrees of location, scale and skewness."""
SHAPE = (1, 2, 3, 4, 5)
"""Degrees of what the shape is told by, less what location and scale move."""

# What is left of functions, off those of the model, below this share of them is rounding.
NOTHING_LEFT = 1e-5
# Shift of the noise, in standard deviations, over which slopes are taken at most.
SHIFT = 0.5
# Steps by which a model is sharpened before the shape of its noise is tested.
STEPS = 2


@dataclass(frozen=True, slots=True)
class LevelTest:
    """Outcome of a test of levels.

    Parameters
    ----------
    statistic : float
        Sum of squares, of standard normal numbers if levels are independent of what was tried.
    degrees : int
        How many.
    """

    statistic: float
    degrees: int

    @property
    def log_p(self) -> float:
        """Logarithm of the p-value: finite where that is too small for a double."""
        if self.degrees == 0 or self.statistic <= 0.0:
            return 0.0
        return log_upper_tail(0.5 * self.degrees, 0.5 * self.statistic)

    @property
    def p_value(self) -> float:
        """Probability of a statistic as large or larger if levels are independent."""
        return exp(self.log_p)


def level_test(model: LevelModel, tried: Matrix) -> LevelTest:
    """Test whether levels of a model depend on further functions.

    Functions are tried as far as the model's location and scale cannot imitate them. What was
    estimated then does not touch the test, to first order, in whatever way it was.

    Parameters
    ----------
    model : LevelModel
        Conditional quantiles, given what is taken as enough.
    tried : ndarray of shape (k, n)
        Functions of other columns.

    References
    ----------
    .. [1] Gutenbrunner, Jurečková, Koenker, Portnoy. Tests of linear hypotheses based on regression
       rank scores. Journal of Nonparametric Statistics 1993.

    Examples
    --------
    >>> from bqcd.statistics.splines.level_models import LevelModels
    >>> rng = np.random.default_rng(0)
    >>> x, z, noise = rng.normal(size=(3, 500))
    >>> models = LevelModels([x, z, x + np.exp(0.3 * z) * noise], n_basis=8)
    >>> level_test(models.fit(2, [0, 1]), models.functions(1)).degrees
    0
    >>> level_test(models.fit(2, [0]), models.functions(1)).p_value < 1e-4
    True
    """
    return _tested(model, [tried])[0]


def chosen_inputs(
    models: LevelModels, node: int, others: Sequence[int], *, most: int, cutoff: float = 1.0
) -> list[int]:
    """Columns that levels of a column depend on, the one with the smallest p-value first.

    One is added after the other, given those before, as long as the p-value is small enough.

    Parameters
    ----------
    models : LevelModels
        Columns.
    node : int
        Column that is explained.
    others : sequence of int
        Columns to choose from.
    most : int
        How many are chosen, at most.
    cutoff : float, default=1.0
        Columns are added whose p-value is smaller, times the number of those tried.
    """
    chosen: list[int] = []
    left = list(others)
    while left and len(chosen) < most:
        model = models.fit(node, sorted(chosen))
        tests = _tested(model, [models.functions(other) for other in left])
        best = min(range(len(left)), key=lambda at: tests[at].log_p)
        if cutoff < 1.0 and tests[best].log_p + log(len(left)) >= log(cutoff):
            break
        chosen.append(left.pop(best))
    return chosen


def _tested(model: LevelModel, several: Sequence[Matrix]) -> list[LevelTest]:
    """Test of each of several groups of functions on its own."""
    base = _base(model.spanned)
    polynomials = _standard(base, _polynomials(model.levels, ANY))
    found = []
    for tried in several:
        products = polynomials @ _off(base, tried)
        found.append(LevelTest(float(np.square(products).sum()), products.size))
    return found


def shape_test(model: LevelModel) -> LevelTest:
    """Test whether the shape of the noise depends on the columns of the model.

    Where a column is a sink, it does not. Location and scale are fitted, and levels hardly depend
    on the columns through them; but where the model goes against the causal direction, skewness and
    what is beyond it mostly do. Of the first five polynomials of levels those three combinations
    are taken whose means move neither with location nor with scale. So the test does not feel, to
    first order, how these were estimated [1]_. It would feel large errors of them, as heavy tails
    and bounded noise make: the model is sharpened first.

    Parameters
    ----------
    model : LevelModel
        Conditional quantiles.

    References
    ----------
    .. [1] Neyman. Optimal asymptotic tests of composite statistical hypotheses. In: Probability and
       statistics, 1959.

    Examples
    --------
    >>> from bqcd.statistics.splines.level_models import LevelModels
    >>> rng = np.random.default_rng(0)
    >>> x, noise = rng.normal(size=(2, 1000))
    >>> models = LevelModels([x, np.sin(2.0 * x) + 0.5 * noise], n_basis=8)
    >>> shape_test(models.fit(1, [0])).p_value > 0.01, shape_test(models.fit(0, [1])).p_value < 0.01
    (True, True)
    """
    functions = _off(_base(model.functions[:0]), model.functions)
    if functions.shape[1] == 0:
        return LevelTest(0.0, 0)
    for _ in range(STEPS):
        model = model.sharpened()
    # As large as the errors of the fit: bounded noise does not move in proportion to a shift.
    shift = min(sqrt((1.0 + model.degrees) / len(model.noise)), SHIFT)
    _, _, turn = np.linalg.svd(_slopes(model.noise, shift))
    products = turn[2:] @ _polynomials(model.levels, SHAPE) @ functions
    return LevelTest(float(np.square(products).sum()), products.size)


def interaction_test(model: LevelModel, columns: Sequence[Vector]) -> LevelTest:
    """Test whether levels depend on products of two columns of an additive model.

    Parameters
    ----------
    model : LevelModel
        Conditional quantiles, given all the columns.
    columns : sequence of ndarray of shape (n,)
        The columns, as normal scores. Their ranks are multiplied: products of large numbers would
        test how well splines fit the tails.
    """
    from scipy.special import ndtr

    ranks = [2.0 * ndtr(column) - 1.0 for column in columns]
    pairs = [first * second for at, first in enumerate(ranks) for second in ranks[:at]]
    if not pairs:
        return LevelTest(0.0, 0)
    return level_test(model, np.array(pairs))


def _slopes(noise: Vector, shift: float) -> Matrix:
    """How fast means of polynomials move with the location of some noise, and with its scale."""
    in_order = np.sort(noise - np.median(noise))

    def mean_of(moved: Vector) -> Vector:
        levels = np.clip(np.interp(moved, in_order, np.linspace(0.0, 1.0, len(noise))), 0.0, 1.0)
        means: Vector = _polynomials(levels, SHAPE).mean(axis=1)
        return means

    step = shift * float(np.subtract(*np.quantile(in_order, [0.75, 0.25]))) / 1.35
    by_location = mean_of(in_order + step) - mean_of(in_order - step)
    by_scale = mean_of(in_order * exp(shift)) - mean_of(in_order * exp(-shift))
    return np.array([by_location, by_scale])


def _base(given: Matrix) -> Matrix:
    """Orthonormal functions, one a column, that span a constant and some others."""
    n = given.shape[1]
    base, lengths, _ = np.linalg.svd(np.vstack((np.full(n, n**-0.5), given)).T, full_matrices=False)
    return np.asarray(base[:, lengths > NOTHING_LEFT * lengths[0]])


def _off(base: Matrix, tried: Matrix) -> Matrix:
    """Orthonormal functions, one a column, that span what is left of some off a base."""
    centred = tried.T - tried.T.mean(axis=0)
    left = centred - base @ (base.T @ centred)
    left -= base @ (base.T @ left)
    vectors, lengths, _ = np.linalg.svd(left, full_matrices=False)
    size = float(np.sqrt(np.square(centred).sum(axis=0).max(initial=0.0)))
    return np.asarray(vectors[:, lengths > NOTHING_LEFT * size])


def _standard(base: Matrix, values: Matrix) -> Matrix:
    """Values, one a row, off a base, with the variance there that they have altogether.

    The fit takes of location and scale what it needs, of the skewness nothing, and ranks hide how
    much that was; what is left tells it. If no direction is marked, the mean square of products
    with functions off the base is then 1, whatever was fitted. Ties make it less.
    """
    n, taken = base.shape
    left = values - (values @ base) @ base.T
    before = np.square(values - values.mean(axis=1, keepdims=True)).sum(axis=1) / n
    after = np.square(left).sum(axis=1) / (n - taken)
    there = after > NOTHING_LEFT**2
    return np.asarray(left[there] * np.sqrt(before[there] / after[there])[:, None])


def _polynomials(levels: Vector, degrees: Sequence[int]) -> Matrix:
    """Orthonormal polynomials of levels, one a row."""
    values = np.polynomial.legendre.legvander(2.0 * levels - 1.0, max(degrees))
    return np.array([values[:, degree] * np.sqrt(2.0 * degree + 1.0) for degree in degrees])
