"""How plain a surface over cause and noise the effect is, for the panel.

Any effect is a function f(x, e) of its cause and of a noise that knows nothing of the cause.
Here the noise is read off the data as normal scores of y among rows of similar x, and f is a
smooth tensor-product spline. In the causal direction f tends to be plainer, to leave less and to
vary less: numbers that see mechanisms in which noise is neither added nor a factor.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from bqcd.data.margins import mapped_to_normal
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.ordering import row_order

SURFACES = ("surface-evidence", "surface-length", "surface-rough", "surface-left")
"""Names of the numbers of :func:`surface_scores`."""

# Splines over the cause and over the noise.
_ALONG, _ACROSS = 10, 7
# Width of the window of similar causes, in normal scores.
_WINDOW = 0.25
_PENALTIES = tuple((x, e) for x in (0.01, 0.1, 1.0, 10.0, 100.0) for e in (0.1, 1.0, 10.0))
_RIDGE = 1e-3
# Step for the slope along the noise, and the least slope, as rounding leaves places without any.
_STEP, _LEAST_SLOPE = 0.05, 0.02
_LEAST_LEFT = 1e-4


class _Surface(NamedTuple):
    """Coefficients of least cost, the cost, and its part that is the room taken by f itself."""

    coefficients: Vector
    cost: float
    room: float


def surface_scores(given: Vector, target: Vector) -> Vector:
    """Numbers about the target as a surface over given and noise, named by ``SURFACES``.

    Parameters
    ----------
    given, target : ndarray of shape (n,)
        Columns of mean 0 and variance 1.

    Returns
    -------
    ndarray of shape (4,)
        Nats a row: minus the evidence of the surface; the length of given, noise, slopes and
        surface together; the logarithms of its roughness along the given and of the variance it
        leaves. The smaller, the plainer. The same to the bit for any order of the rows.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x, e = rng.uniform(-1.7, 1.7, 300), rng.normal(size=300)
    >>> y = np.exp(0.5 * (x + 0.5 * e))
    >>> y = (y - y.mean()) / y.std()
    >>> bool(surface_scores(x, y)[3] < surface_scores(y, x)[3])
    True
    """
    order = row_order(given, target)
    given, target = given[order], target[order]
    noise = conditional_noise(given, target)
    along = _spline_rows(given, _ALONG, float(given.min()), float(given.max()))
    rows = _products(along, _across(noise, noise))
    surface = _fitted(rows, target)
    n = len(target)
    steps = (
        _products(along, _across(noise + side * _STEP, noise)) @ surface.coefficients
        for side in (1.0, -1.0)
    )
    slope = (next(steps) - next(steps)) / (2.0 * _STEP)
    length = float(np.log(np.maximum(slope, _LEAST_SLOPE)).mean()) + 0.5 * float(noise @ noise) / n
    left = float(np.square(target - rows @ surface.coefficients).mean())
    bent = surface.coefficients @ _penalties()[0] @ surface.coefficients / (_ALONG * _ACROSS)
    return np.array(
        [
            surface.cost / n,
            length + surface.room / n + _entropy(given),
            float(np.log(float(bent) + _LEAST_LEFT)),
            float(np.log(left + _LEAST_LEFT)),
        ]
    )


def conditional_noise(given: Vector, target: Vector) -> Vector:
    """Normal scores of the target among rows of similar given; rows weigh by a Gaussian window.

    Examples
    --------
    >>> x = np.linspace(-1.0, 1.0, 200)
    >>> noise = conditional_noise(x, 3.0 * x + np.tile([-0.5, 0.5], 100))
    >>> bool((noise[1::2] > noise[::2]).all())
    True
    """
    places = mapped_to_normal(given)
    weights = np.exp(-0.5 * np.square((places[:, None] - places) / _WINDOW))
    below = (target < target[:, None]) + 0.5 * (target == target[:, None])
    total = weights.sum(axis=1)
    end = 0.5 / np.maximum(total, 2.0)
    return ndtri(np.clip((weights * below).sum(axis=1) / total, end, 1.0 - end))


def _across(noise: Vector, seen: Vector) -> Matrix:
    return _spline_rows(noise, _ACROSS, float(seen.min()), float(seen.max()))


def _products(along: Matrix, across: Matrix) -> Matrix:
    """Every spline over the given times every one over the noise, a row for each row."""
    return (along[:, :, None] * across[:, None, :]).reshape(len(along), -1)


def _spline_rows(places: Vector, count: int, low: float, high: float) -> Matrix:
    """Cubic B-splines on even knots, the ends beyond which values count as the end."""
    cells = count - 3
    at = np.clip((places - low) / max(high - low, 1e-12), 0.0, 1.0) * cells
    cell = np.minimum(at.astype(np.intp), cells - 1)
    t = at - cell
    values = np.stack(
        (
            (1.0 - t) ** 3,
            3.0 * t**3 - 6.0 * t**2 + 4.0,
            -3.0 * t**3 + 3.0 * t**2 + 3.0 * t + 1.0,
            t**3,
        ),
        axis=1,
    )
    rows = np.zeros((len(places), count))
    np.put_along_axis(rows, cell[:, None] + np.arange(4), values / 6.0, axis=1)
    return rows


def _fitted(rows: Matrix, target: Vector) -> _Surface:
    """Surface of largest evidence over a few penalties, its scale integrated out."""
    n, (products, moments) = len(target), (rows.T @ rows, rows.T @ target)
    square = float(target @ target)
    best: _Surface | None = None
    for penalty, log_determinant in _weighted_penalties():
        factor = np.linalg.cholesky(products + penalty)
        half = np.linalg.solve(factor, moments)
        left = max(square - float(half @ half), 1e-9 * square)
        room = float(np.log(np.diag(factor)).sum()) - 0.5 * log_determinant
        cost = 0.5 * n * float(np.log(left / n)) + room
        if best is None or cost < best.cost:
            best = _Surface(np.linalg.solve(factor.T, half), cost, room)
    assert best is not None
    return best


@lru_cache(maxsize=1)
def _penalties() -> tuple[Matrix, Matrix]:
    """Squared second differences of coefficients along the given and along the noise."""
    along, across = (np.diff(np.eye(count), 2, axis=0) for count in (_ALONG, _ACROSS))
    return (
        np.kron(along.T @ along, np.eye(_ACROSS)),
        np.kron(np.eye(_ALONG), across.T @ across),
    )


@lru_cache(maxsize=1)
def _weighted_penalties() -> tuple[tuple[Matrix, float], ...]:
    """Penalties that are tried, each with the logarithm of its determinant."""
    along, across = _penalties()
    ridge = _RIDGE * np.eye(len(along))
    every = [x * along + e * across + ridge for x, e in _PENALTIES]
    return tuple((penalty, float(np.linalg.slogdet(penalty)[1])) for penalty in every)


def _entropy(column: Vector) -> float:
    """Entropy of a column by a Gaussian kernel, each row left out of its own density."""
    n = len(column)
    middle = float(np.diff(np.quantile(column, [0.25, 0.75]))[0]) / 1.34 + 0.1
    width = 0.54 * min(1.0, middle) * n**-0.2
    bells = np.exp(-0.5 * np.square((column[:, None] - column) / width))
    density = (bells.sum(axis=1) - 1.0) / ((n - 1.0) * width * np.sqrt(2.0 * np.pi))
    return -float(np.log(density + 1e-6).mean())
