"""Quantiles of vinecopulib's nonparametric copula: the reference implementation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.discovery.quantiles.contract import OneWay, Order
from bqcd.discovery.ranks import normal_scores
from bqcd.discovery.scores import pinball_score
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.optional import require


@dataclass(frozen=True, kw_only=True)
class Vinecopulib:
    """Transformation kernel copula of the package pyvinecopulib (extra ``vinecopulib``).

    The estimator behind the paper's results: family "tll", degree constant. Slower than
    :class:`bqcd.discovery.quantiles.Copula` and there to check it.
    """

    def fit(
        self, given: Vector, target: Vector, levels: Vector, rng: Generator
    ) -> VinecopulibQuantiles:
        """Conditional quantiles of ``target``; nothing is drawn from ``rng``."""
        n = len(given)
        ranks = [np.argsort(np.argsort(values, kind="stable")) for values in (given, target)]
        copula = _fitted(np.column_stack(ranks), n)
        return VinecopulibQuantiles(copula, normal_scores(n), levels)

    def fit_both_ways(
        self, scores: Vector, inverse: Order, levels: Vector
    ) -> tuple[OneWay, OneWay]:
        """Second variable given the first, and first given the second, from one fit."""
        n = len(scores)
        permutation = np.empty(n, dtype=np.int64)
        permutation[inverse] = np.arange(n)
        copula = _fitted(np.column_stack([np.arange(n), permutation]), n)
        ways = []
        for first_given, ranks in ((True, permutation), (False, inverse)):
            model = VinecopulibQuantiles(copula, scores, levels, first_given=first_given)
            pinball = pinball_score(model(scores), scores[ranks][:, None], levels)
            ways.append(OneWay(pinball.mean(axis=0), model))
        return ways[0], ways[1]


@dataclass(frozen=True, slots=True, eq=False)
class VinecopulibQuantiles:
    """Quantiles of one variable of a fitted ``Bicop`` given the other.

    Parameters
    ----------
    copula : pyvinecopulib.Bicop
        The fitted copula.
    scores : ndarray of shape (n,)
        Values of the target, increasing; quantiles are read off them.
    levels : ndarray of shape (m,)
        Quantile levels.
    first_given : bool
        Whether the first variable is the one given.
    """

    copula: Any
    scores: Vector
    levels: Vector
    first_given: bool = True

    def __call__(self, given: Vector) -> Matrix:
        """Quantiles at each value of ``given``, shape (n, m)."""
        from scipy.special import ndtr

        u = ndtr(np.asarray(given, dtype=np.float64))
        curves = np.empty((len(u), len(self.levels)))
        for j, level in enumerate(self.levels):
            fixed = np.full(len(u), level)
            if self.first_given:
                p = self.copula.hinv1(np.column_stack([u, fixed]))
            else:
                p = self.copula.hinv2(np.column_stack([fixed, u]))
            # numpy.quantile with a vector of levels would cost far more than the copula
            curves[:, j] = np.interp(p, np.linspace(0.0, 1.0, len(self.scores)), self.scores)
        return np.maximum.accumulate(curves, axis=1)


def _fitted(ranks: NDArray[np.int64], n: int) -> Any:
    vine = require("pyvinecopulib", extra="vinecopulib", needed_by="The regressor 'vinecopulib'")
    controls = vine.FitControlsBicop(
        family_set=[vine.BicopFamily.tll], nonparametric_method="constant"
    )
    return vine.Bicop.from_data((ranks + 1.0) / (n + 1.0), controls=controls)
