"""Two-part code lengths at one quantile level: why the shorter code is the causal one.

To send a pair, send the quantiles, then what is left. For the factorization into a cause
and an effect given the cause, the four parts are, with n rows and level t:

- the marginal quantile, one number: 1/2 log n,
- the conditional quantile curve, n^(1/3) numbers: n^(1/3)/2 log n,
- two sets of residuals under an asymmetric Laplace code: the sum of the pinball scores
  minus n log(t (1 - t)), each.

All lengths are in nats. The three mechanisms are those of the paper's first figure, up to
the choice of the curve, which the paper does not give.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import cbrt, ceil, log
from types import MappingProxyType

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.discovery.ranks import normal_scores
from bqcd.discovery.scores import checked_levels, pinball_score
from bqcd.errors import UnknownNameError
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.settings import MOST_REPEATS, MOST_ROWS, check_integer, nearest_names

Counts = NDArray[np.int64]

LEVELS = (0.5, 0.8)
SIZES = (50, 100, 200, 400, 600, 1000, 1500, 2000)


@dataclass(frozen=True, slots=True)
class Mechanism:
    """Effect of a standard normal cause: f(x) + g(x) e, with standard normal noise e.

    Parameters
    ----------
    location, scale : callable
        f and g.
    """

    location: Callable[[Vector], Vector]
    scale: Callable[[Vector], Vector]

    def sample(self, n_rows: int, rng: Generator) -> tuple[Vector, Vector]:
        """Cause and effect of this many rows."""
        check_integer("Mechanism.sample", "n_rows", n_rows, minimum=2, maximum=MOST_ROWS)
        x, noise = rng.normal(size=(2, n_rows))
        return x, self.location(x) + self.scale(x) * noise

    def quantiles(self, x: Vector, levels: Sequence[float]) -> Matrix:
        """True quantiles of the effect where the cause is ``x``, one column per level."""
        from scipy.special import ndtri

        noise = ndtri(np.array(checked_levels("Mechanism.quantiles", levels)))
        return np.asarray(self.location(x)[:, None] + np.abs(self.scale(x))[:, None] * noise)


def _wave(x: Vector) -> Vector:
    return 2.0 * np.sin(2.0 * x)


MECHANISMS: Mapping[str, Mechanism] = MappingProxyType(
    {
        "additive": Mechanism(_wave, np.ones_like),
        "multiplicative": Mechanism(np.zeros_like, np.positive),
        "location-scale": Mechanism(_wave, np.positive),
    }
)
"""The paper's three: f(x) + e, x e and f(x) + x e, here with f(x) = 2 sin 2x.

Examples
--------
>>> MECHANISMS["multiplicative"].quantiles(np.array([-2.0]), (0.1, 0.5, 0.9)).round(2)
array([[-2.56,  0.  ,  2.56]])
"""


def find_mechanism(name: str) -> Mechanism:
    """Mechanism of that name.

    Raises
    ------
    UnknownNameError
        If no mechanism is called ``name``.
    """
    if name not in MECHANISMS:
        raise UnknownNameError(
            f"No mechanism is called {name!r}. {nearest_names(name, MECHANISMS)}"
        )
    return MECHANISMS[name]


def kernel_quantiles(given: Vector, target: Vector, levels: Sequence[float]) -> Matrix:
    """Kernel quantile regression of ``target``, read off at each value of ``given``.

    At a point, the quantile of the targets weighted by a Gaussian kernel of ``given``. The
    kernel's standard deviation is n^(-1/3), the width of the grid the code length of the
    curve is counted on; curves are linear between points half that apart.

    Parameters
    ----------
    given, target : ndarray of shape (n,)
        Two columns on the normal scale.
    levels : sequence of float
        Quantile levels, increasing within (0, 1).

    Returns
    -------
    ndarray of shape (n, m)
        Column j belongs to level j; rows do not decrease.
    """
    wanted = checked_levels("kernel_quantiles", levels)
    width = 1.0 / cbrt(len(given))
    low, high = float(given.min()), float(given.max())
    points = np.linspace(low, high, ceil((high - low) / (0.5 * width)) + 1)
    order = np.argsort(target)
    shares = np.exp(-0.5 * ((given[order] - points[:, None]) / width) ** 2).cumsum(axis=1)
    shares /= shares[:, -1:]
    ordered = target[order]
    curves = [ordered[(shares < level).sum(axis=1)] for level in wanted]
    return np.stack([np.interp(given, points, curve) for curve in curves], axis=1)


def residual_code_length(quantile: Vector | float, observed: Vector, level: float) -> float:
    """Length of the residuals of one quantile under the asymmetric Laplace code, in nats.

    Examples
    --------
    >>> round(residual_code_length(0.0, np.array([1.0, -1.0]), 0.5), 4)
    3.7726
    """
    scores = pinball_score(quantile, observed, level)
    return float(scores.sum()) - len(observed) * log(level * (1.0 - level))


def model_code_length(n_rows: int) -> float:
    """Length of one marginal quantile and one conditional quantile curve, in nats.

    Examples
    --------
    >>> round(model_code_length(1000) / log(1000), 6)
    5.5
    """
    return 0.5 * log(n_rows) * (1.0 + cbrt(n_rows))


def factorization_code_lengths(cause: Vector, effect: Vector, levels: Sequence[float]) -> Vector:
    """Residual code length of the cause plus that of the effect given the cause, by level.

    Parameters
    ----------
    cause, effect : ndarray of shape (n,)
        Two columns on the normal scale; which is which is the claim to be coded.
    levels : sequence of float
        Quantile levels, increasing within (0, 1).

    Returns
    -------
    ndarray of shape (m,)
    """
    conditional = kernel_quantiles(cause, effect, levels)
    marginal = np.quantile(cause, levels)
    return np.array(
        [
            residual_code_length(marginal[j], cause, level)
            + residual_code_length(conditional[:, j], effect, level)
            for j, level in enumerate(levels)
        ]
    )


@dataclass(frozen=True, slots=True, eq=False)
class TwoPartCode:
    """Code lengths of one factorization, for samples of several sizes.

    Parameters
    ----------
    model : ndarray of shape (k,)
        Length of the quantiles, for each size.
    residuals : ndarray of shape (r, k)
        Length of the residuals, for each repetition and size.
    """

    model: Vector
    residuals: Matrix

    @property
    def total(self) -> Matrix:
        """Model and residuals, shape (r, k)."""
        return self.model + self.residuals


@dataclass(frozen=True, slots=True, eq=False)
class CodeComparison:
    """Code lengths of the causal and the anti-causal factorization of one mechanism.

    Parameters
    ----------
    mechanism : str
        Name in ``MECHANISMS``.
    level : float
        Quantile level.
    sizes : ndarray of shape (k,)
        Rows of the samples.
    causal, anticausal : TwoPartCode
        Code of cause and effect given cause, and of effect and cause given effect.
    """

    mechanism: str
    level: float
    sizes: Counts
    causal: TwoPartCode
    anticausal: TwoPartCode

    @property
    def ratio(self) -> Vector:
        """Mean over repetitions of causal by anti-causal total length, shape (k,)."""
        return np.asarray((self.causal.total / self.anticausal.total).mean(axis=0))

    @property
    def residual_ratio(self) -> Vector:
        """The same of the residuals alone; that of the models is one by construction."""
        return np.asarray((self.causal.residuals / self.anticausal.residuals).mean(axis=0))

    @property
    def share_identified(self) -> Vector:
        """Share of repetitions whose causal code is the shorter one, shape (k,)."""
        return np.asarray((self.causal.total < self.anticausal.total).mean(axis=0))


def compare_codes(
    mechanism: str,
    *,
    rng: Generator,
    levels: Sequence[float] = LEVELS,
    sizes: Sequence[int] = SIZES,
    repetitions: int = 100,
) -> tuple[CodeComparison, ...]:
    """Code lengths both ways on fresh samples of one mechanism, one comparison per level.

    Parameters
    ----------
    mechanism : {"additive", "multiplicative", "location-scale"}
        What to draw from.
    rng : Generator
        Source of randomness.
    levels : sequence of float, default=(0.5, 0.8)
        Quantile levels, increasing within (0, 1).
    sizes : sequence of int, default=(50, 100, 200, 400, 600, 1000, 1500, 2000)
        Rows of the samples.
    repetitions : int, default=100
        Samples of each size.

    Raises
    ------
    UnknownNameError
        If no mechanism is called ``mechanism``.
    InvalidSettingError
        If another setting is outside its range.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> median, high = compare_codes("location-scale", rng=rng, sizes=[400], repetitions=5)
    >>> bool(high.ratio[0] < 1.0)
    True
    """
    drawn = find_mechanism(mechanism)
    wanted = checked_levels("compare_codes", levels)
    check_integer("compare_codes", "repetitions", repetitions, minimum=1, maximum=MOST_REPEATS)
    for size in sizes:
        check_integer("compare_codes", "a size", size, minimum=10, maximum=MOST_ROWS)
    found = np.empty((2, repetitions, len(sizes), len(wanted)))
    for repetition in range(repetitions):
        for k, size in enumerate(sizes):
            x, y = (_on_normal_scale(v) for v in drawn.sample(size, rng))
            found[0, repetition, k] = factorization_code_lengths(x, y, wanted)
            found[1, repetition, k] = factorization_code_lengths(y, x, wanted)
    model = np.array([model_code_length(size) for size in sizes])
    return tuple(
        CodeComparison(
            mechanism,
            level,
            np.array(sizes, dtype=np.int64),
            TwoPartCode(model, found[0, :, :, j]),
            TwoPartCode(model, found[1, :, :, j]),
        )
        for j, level in enumerate(wanted)
    )


def _on_normal_scale(values: Vector) -> Vector:
    scores = np.empty(len(values))
    scores[np.argsort(values)] = normal_scores(len(values))
    return scores
