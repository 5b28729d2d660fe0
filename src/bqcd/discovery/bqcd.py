"""Bivariate quantile causal discovery: Algorithm 1 of the paper [1]_, step by step.

1. Transform X and Y to standard normal.
2. Compute the weights and nodes of the quadrature.
3. At each node, compute the marginal and the conditional scores, both ways.
4. Sum them over the nodes.
5. Compare S_X + S_{Y|X} with S_Y + S_{X|Y}: the smaller one is the causal direction.

Away from the paper: scores are averaged over the orders in which ties can be broken
(:mod:`bqcd.discovery.tie_averages`); means are taken in place of sums; and the confidence is
divided by S_X + S_Y.

References
----------
.. [1] Tagasovska, Chavez-Demoulin, Vatter. Distinguishing cause from effect using quantiles:
   bivariate quantile causal discovery. ICML 2020.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from bqcd.data.pair import Pair
from bqcd.discovery.evidence import CodeLengths, QuantileEvidence
from bqcd.discovery.published_ties import published_ranks
from bqcd.discovery.quantiles import (
    ConditionalQuantiles,
    Copula,
    OneWay,
    QuantileRegressor,
    fit_one_way,
    serves_both_ways,
)
from bqcd.discovery.quantiles.copula import CopulaQuantiles
from bqcd.discovery.ranks import RankedPair, normal_scores, rank_pair, ranks_of
from bqcd.discovery.scores import Quadrature, marginal_scores
from bqcd.discovery.tie_averages import TieAverage, average_over_ties
from bqcd.runtime.arrays import Matrix, Stack, Vector

Order = NDArray[np.int32]
Orders = NDArray[np.int32]
Signs = NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class TieBreaking:
    """In what orders ties are broken.

    Parameters
    ----------
    fixed : int or None
        Number of fixed orders, even; None for as many as it takes, with the copula.
    jitters : int or None, default=None
        Number of random orders instead.
    published : bool, default=False
        Whether the order of the paper's published results is taken instead.
    """

    fixed: int | None
    jitters: int | None = None
    published: bool = False

    def ranked(self, pair: Pair) -> RankedPair:
        """Ranks of a pair, without ties if the published order breaks them."""
        ranked = ranks_of(pair)
        if not self.published or ranked.ties is None:
            return ranked
        untied = rank_pair(*published_ranks(pair.x, pair.y))
        return replace(untied, x_ties=ranked.x_ties, y_ties=ranked.y_ties)


def quantile_evidence(
    pair: Pair, regressor: QuantileRegressor, rule: Quadrature, ties: TieBreaking, rng: Generator
) -> QuantileEvidence:
    """Code lengths of both directions, and what they were computed from.

    Parameters
    ----------
    pair : Pair
        Two columns.
    regressor : QuantileRegressor
        Gives the conditional quantiles.
    rule : Quadrature
        Levels and weights.
    ties : TieBreaking
        Orders in which ties are broken.
    rng : Generator
        For random orders of ties, and for regressors that draw.

    Examples
    --------
    >>> from bqcd.discovery.quantiles import Copula
    >>> from bqcd.discovery.scores import gauss_legendre
    >>> rng = default_rng(0)
    >>> x = rng.normal(size=500)
    >>> pair = Pair(x, x**2 + 0.3 * rng.normal(size=500))
    >>> found = quantile_evidence(pair, Copula(), gauss_legendre(3), TieBreaking(32), rng)
    >>> found.code_lengths.x_to_y < found.code_lengths.y_to_x
    True
    """
    # 1. Standard normal columns are the same scores in two orders: ranks are all that is needed.
    ranked = ties.ranked(pair)
    # 2. Weights and nodes are those of the rule.
    # 3. Marginal scores are the same for both columns; conditional ones come from fits both ways.
    marginal = marginal_scores(len(pair), rule)
    fitted = _fitted(ranked, regressor, rule, ties, rng)
    y_given_x, x_given_y, y_model, x_model = _turned_back(fitted, ranked)
    # 4. and 5. Scores by level are kept; their sums and the comparison are properties.
    lengths = CodeLengths(rule, marginal, marginal, y_given_x, x_given_y)
    x_coarse, y_coarse = ranks_of(pair).coarse()
    return QuantileEvidence(
        lengths,
        y_model=y_model,
        x_model=x_model,
        n_rows=len(pair),
        x_ties=ranked.x_ties,
        y_ties=ranked.y_ties,
        x_coarse=x_coarse,
        y_coarse=y_coarse,
        tie_orders=fitted.orders,
        tie_spread=fitted.spread if ranked.sign else 0.0,
        tie_error=fitted.error if ranked.sign else 0.0,
        regressor=type(regressor).__name__,
    )


def confidences_of(scores: Stack, signs: Signs, rule: Quadrature, n_rows: int) -> Vector:
    """Confidences of many pairs from their scores, to the bit those of their evidence.

    Parameters
    ----------
    scores : ndarray of shape (k, 2, m)
        Mean pinball scores of the second variable given the first, and the other way.
    signs : ndarray of shape (k,)
        1 where the first variable is x, -1 where it is y, 0 where none can tell.
    rule : Quadrature
        Levels and weights.
    n_rows : int
        Rows of each pair.
    """
    marginal = marginal_scores(n_rows, rule)
    turned = (signs < 0)[:, None]
    y_given_x = np.where(turned, scores[:, 1], scores[:, 0])
    x_given_y = np.where(turned, scores[:, 0], scores[:, 1])
    gaps = rule.integrate_each((marginal + x_given_y) - (marginal + y_given_x))
    gaps[signs == 0] = 0.0
    return gaps / rule.integrate(marginal + marginal)


def _both_ways(
    regressor: QuantileRegressor, inverse: Order, levels: Vector, rng: Generator
) -> tuple[OneWay, OneWay]:
    """Second variable given the first, and first given the second."""
    scores = normal_scores(len(inverse))
    if serves_both_ways(regressor):
        return regressor.fit_both_ways(scores, inverse, levels)
    permutation = np.empty_like(inverse)
    permutation[inverse] = np.arange(len(inverse), dtype=inverse.dtype)
    # Both directions draw from the same seed: neither is favoured by luck.
    seed = int(rng.integers(2**63))
    second = fit_one_way(regressor, scores, scores[permutation], levels, default_rng(seed))
    first = fit_one_way(regressor, scores, scores[inverse], levels, default_rng(seed))
    return second, first


class _Fitted(NamedTuple):
    """Mean scores of the second variable given the first and the other way, and their models."""

    scores: Matrix
    models: tuple[ConditionalQuantiles, ConditionalQuantiles]
    orders: int
    spread: float
    error: float | None


def _fitted(
    ranked: RankedPair,
    regressor: QuantileRegressor,
    rule: Quadrature,
    ties: TieBreaking,
    rng: Generator,
) -> _Fitted:
    if ranked.ties is not None and ties.jitters is None and ties.fixed is None:
        assert isinstance(regressor, Copula)
        return _averaged(average_over_ties(ranked.ties, regressor, rule), rule)
    orders = ranked.orders(jitters=ties.jitters, fixed=ties.fixed or 2, rng=rng)
    models, each = None, []
    for order in orders:
        second, first = _both_ways(regressor, order, rule.levels, rng)
        each.append([second.scores, first.scores])
        models = models or (second.model, first.model)
    assert models is not None
    scores = np.array(each)
    gaps = (scores[:, 1] - scores[:, 0]) @ rule.weights
    gaps /= 2.0 * rule.integrate(marginal_scores(ranked.n_rows, rule))
    spread = float(gaps.std(ddof=1)) if len(gaps) > 1 else 0.0
    error = _error(gaps, opposites=ties.jitters is None) if ranked.has_ties else 0.0
    mean = scores.mean(axis=0) if len(scores) > 1 else scores[0]
    return _Fitted(mean, models, len(gaps), spread, error)


def _averaged(found: TieAverage, rule: Quadrature) -> _Fitted:
    """What few fits tell of all orders."""
    scores = normal_scores(found.n_rows)
    forward = CopulaQuantiles(found.density, scores, rule.levels)
    backward = CopulaQuantiles(np.ascontiguousarray(found.density.T), scores, rule.levels)
    return _Fitted(found.scores, (forward, backward), found.orders, found.spread, found.error)


def _error(gaps: Vector, *, opposites: bool) -> float | None:
    """Standard error of the mean of some orders of ties; None if nothing tells."""
    if len(gaps) == 1:
        return None
    if not opposites:
        return float(gaps.std(ddof=1)) / sqrt(len(gaps))
    means = gaps.reshape(-1, 2).mean(axis=1)
    if len(means) > 1:
        return float(means.std(ddof=1)) / sqrt(len(means))
    # Half the distance of two opposites is more than their mean is off by.
    return 0.5 * abs(float(gaps[1] - gaps[0]))


def _turned_back(
    fitted: _Fitted, ranked: RankedPair
) -> tuple[Vector, Vector, ConditionalQuantiles, ConditionalQuantiles]:
    """Scores of y given x and of x given y, and their models."""
    (second, first), (second_model, first_model) = fitted.scores, fitted.models
    if ranked.sign == 0:
        # Seen from either side the ranks are the same, and so must the answer be.
        both = 0.5 * (second + first)
        return both, both, second_model, second_model
    if ranked.sign < 0:
        return first, second, first_model, second_model
    return second, first, second_model, first_model
