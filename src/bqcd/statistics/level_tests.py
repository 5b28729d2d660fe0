"""Do the levels at which rows lie, given some columns, depend on others?

A model gives each row the level of its conditional quantile. If the model needs no other column, levels
are independent of them. Pinball residuals τ - 1{level ≤ τ}, integrated over τ with three weights, are the
first three Legendre polynomials of the level: one moves with the location, one with the scale, one with
the skewness. Their covariances with functions of the columns tried are tested together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.splines.level_models import LevelModel

POLYNOMIALS = 3
"""Location, scale and skewness."""

# What is left of a function, off those of the model, below this share is rounding.
NOTHING_LEFT = 1e-7


@dataclass(frozen=True, slots=True)
class LevelTest:
    """Outcome of a test of levels.

    Parameters
    ----------
    statistic : float
        Sum of squares, of standard normal numbers if levels are independent of what was tried.
    degrees : int
        How many.
    p_value : float
        Probability of a statistic as large or larger if they are.
    """

    statistic: float
    degrees: int
    p_value: float


def level_test(model: LevelModel, tried: Matrix) -> LevelTest:
    """Test whether levels of a model depend on further functions.

    Functions are tried as far as the model's location and scale cannot imitate them. What was estimated
    then does not touch the test, to first order, in whatever way it was.

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
    left = _off(model.spanned, tried)
    degrees = POLYNOMIALS * left.shape[1]
    if degrees == 0:
        return LevelTest(0.0, 0, 1.0)
    n = len(model.levels)
    squares = np.square(_polynomials(model.levels) @ left).sum()
    # Residuals of a model with many functions are smaller than the noise, which ranks hide.
    statistic = float(squares) * max(n - 1.0 - model.degrees, 1.0) / n
    return LevelTest(statistic, degrees, _upper_tail(statistic, degrees))


def _off(given: Matrix, tried: Matrix) -> Matrix:
    """Orthonormal functions, one a column, that span what is left of some off others."""
    n = tried.shape[1]
    base, lengths, _ = np.linalg.svd(np.vstack((np.full(n, n**-0.5), given)).T, full_matrices=False)
    base = base[:, lengths > NOTHING_LEFT * lengths[0]]
    centred = tried.T - tried.T.mean(axis=0)
    size = np.sqrt(np.square(centred).sum(axis=0).max(initial=0.0))
    left = centred - base @ (base.T @ centred)
    left -= base @ (base.T @ left)
    values, vectors = np.linalg.eigh(left.T @ left)
    large = values > (NOTHING_LEFT * max(size, 1e-300)) ** 2 * 1e4
    return np.asarray(left @ (vectors[:, large] / np.sqrt(values[large])))


def _polynomials(levels: Vector) -> Matrix:
    """Orthonormal polynomials of levels: location, scale, skewness."""
    centred = 2.0 * levels - 1.0
    rows = [
        np.polynomial.legendre.legval(centred, np.eye(POLYNOMIALS + 1)[k]) * np.sqrt(2 * k + 1.0)
        for k in range(1, POLYNOMIALS + 1)
    ]
    return np.array(rows)


def _upper_tail(statistic: float, degrees: int) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(degrees, statistic))


