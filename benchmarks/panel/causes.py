"""Kinds of causes: what columns that come first look like. PRIOR.md argues for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from mechanisms import monotone_spline, standardised
from numpy.random import Generator
from numpy.typing import NDArray
from worlds import existing

Vector = NDArray[np.float64]


def _normal(n: int, rng: Generator) -> Vector:
    return rng.normal(size=n)


def _uniform(n: int, rng: Generator) -> Vector:
    return rng.uniform(size=n)


def _skewed(n: int, rng: Generator) -> Vector:
    """Positive and skewed: incomes, sizes, concentrations, waiting times."""
    kind = rng.integers(4)
    if kind == 0:
        return rng.lognormal(sigma=rng.uniform(0.2, 1.2), size=n)
    if kind == 1:
        return rng.gamma(rng.uniform(0.5, 8.0), size=n)
    if kind == 2:
        return rng.weibull(rng.uniform(0.7, 4.0), size=n)
    return rng.exponential(size=n)


def _heavy(n: int, rng: Generator) -> Vector:
    """Heavy tails on both sides."""
    if rng.random() < 0.5:
        return rng.standard_t(rng.uniform(2.0, 8.0), size=n)
    return rng.laplace(size=n)


def _bounded(n: int, rng: Generator) -> Vector:
    """Shares and scores between two ends, gathered in the middle, at one end or at both."""
    return rng.beta(*np.exp(rng.uniform(np.log(0.3), np.log(6.0), 2)), size=n)


def _groups(n: int, rng: Generator) -> Vector:
    """Two to five groups of units, each about its own mean."""
    k = int(rng.integers(2, 6))
    means, spreads = rng.normal(size=k) * rng.uniform(1.0, 4.0), rng.uniform(0.2, 1.2, k)
    which = rng.choice(k, size=n, p=rng.dirichlet(np.full(k, 2.0)))
    return means[which] + spreads[which] * rng.normal(size=n)


def _truncated(n: int, rng: Generator) -> Vector:
    """Only units within limits were taken, or values beyond the limits read as the limit."""
    draws = rng.normal(size=8 * n)
    low, high = rng.uniform(-2.0, 0.0), rng.uniform(0.3, 2.5)
    if rng.random() < 0.5:
        return np.clip(draws[:n], low, high)
    return draws[(draws > low) & (draws < high)][:n]


def _counted(n: int, rng: Generator) -> Vector:
    """Counts: rooms, children, visits, cylinders."""
    mean = np.exp(rng.uniform(np.log(1.0), np.log(60.0)))
    if rng.random() < 0.5:
        return rng.poisson(mean, size=n).astype(float)
    shape = rng.uniform(0.5, 6.0)
    return rng.negative_binomial(shape, shape / (shape + mean), size=n).astype(float)


def _ages(n: int, rng: Generator) -> Vector:
    """Whole years of age or of the calendar, from some first to some last year."""
    low = rng.integers(0, 60)
    span = int(np.exp(rng.uniform(np.log(8.0), np.log(90.0))))
    if rng.random() < 0.5:
        return np.floor(low + span * rng.uniform(size=n))
    return np.floor(low + span * rng.beta(rng.uniform(0.8, 3.0), rng.uniform(0.8, 4.0), size=n))


def _grades(n: int, rng: Generator) -> Vector:
    """Ordered classes: grades, stages, levels of a questionnaire."""
    k = int(rng.integers(4, 13))
    return rng.choice(k, size=n, p=rng.dirichlet(np.full(k, 3.0))).astype(float)


def _zeros(n: int, rng: Generator) -> Vector:
    """None at all in a part of the units, a positive amount in the others: rain, smoking."""
    return np.where(rng.random(n) < rng.uniform(0.05, 0.5), 0.0, _skewed(n, rng))


def _cyclic(n: int, rng: Generator) -> Vector:
    """Hours, days, directions of the wind: one full round, evenly or with a rush."""
    around = rng.uniform(size=n)
    if rng.random() < 0.5:
        around = np.mod(around + 0.15 * rng.uniform() * np.sin(2 * np.pi * around), 1.0)
    parts = int(rng.choice([0, 12, 24, 52, 360, 365]))
    return np.floor(around * parts) if parts else around


def _warped(n: int, rng: Generator) -> Vector:
    """A scale nobody chose with a model in mind: a random increasing map of a plain column."""
    plain = rng.normal(size=n) if rng.random() < 0.3 else rng.uniform(-1.0, 1.0, n)
    return monotone_spline(plain, rng)


def _lumpy(n: int, rng: Generator) -> Vector:
    """Densities of no name: a random histogram, even within its bars."""
    k = int(rng.integers(4, 20))
    edges = np.concatenate(([0.0], np.cumsum(rng.gamma(2.0, size=k))))
    bars = rng.choice(k, size=n, p=rng.dirichlet(np.full(k, rng.uniform(0.7, 4.0))))
    return edges[bars] + (edges[bars + 1] - edges[bars]) * rng.uniform(size=n)


def _caused(n: int, rng: Generator) -> Vector:
    """A cause that is itself an effect of something else, as most causes are."""
    before = CAUSES[str(rng.choice(["uniform", "skewed", "groups", "bounded"]))](n, rng)
    share = rng.uniform(0.2, 0.9)
    return np.sqrt(share) * monotone_spline(before, rng) + np.sqrt(1.0 - share) * standardised(
        _skewed(n, rng) if rng.random() < 0.3 else rng.normal(size=n)
    )


CAUSES: Mapping[str, Callable[[int, Generator], Vector]] = MappingProxyType(
    {
        "normal": _normal,
        "uniform": _uniform,
        "skewed": _skewed,
        "heavy": _heavy,
        "bounded": _bounded,
        "groups": _groups,
        "truncated": _truncated,
        "counted": _counted,
        "ages": _ages,
        "grades": _grades,
        "zeros": _zeros,
        "cyclic": _cyclic,
        "warped": _warped,
        "lumpy": _lumpy,
        "caused": _caused,
    }
)
"""Kinds of causes by name."""

SMOOTH = (
    *("normal", "uniform", "skewed", "skewed", "heavy"),
    *("bounded", "groups", "warped", "lumpy", "caused"),
)
"""Those without ties and heaps; skewed ones twice, as tables of amounts are."""


def drawn_cause(n: int, rng: Generator, *, kinds: tuple[str, ...] = ()) -> tuple[str, Vector]:
    """Kind and values of one cause; kinds as given, or one smooth in two of three, else any."""
    if not kinds:
        kinds = SMOOTH if rng.random() < 0.65 else tuple(CAUSES)
    kind = str(rng.choice(existing(kinds, list(CAUSES))))
    return kind, CAUSES[kind](n, rng)
