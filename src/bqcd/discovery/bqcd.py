"""Bivariate quantile causal discovery: Algorithm 1 of the paper [1]_, step by step.

1. Transform X and Y to standard normal.
2. Compute the weights and nodes of the quadrature.
3. At each node, compute the marginal and the conditional scores, both ways.
4. Sum them over the nodes.
5. Compare S_X + S_{Y|X} with S_Y + S_{X|Y}: the smaller one is the causal direction.

Away from the paper: ties are broken in several orders, over which the scores are averaged; means
are taken in place of sums; and the confidence is divided by S_X + S_Y.

References
----------
.. [1] Tagasovska, Chavez-Demoulin, Vatter. Distinguishing cause from effect using quantiles:
   bivariate quantile causal discovery. ICML 2020.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from bqcd.data.pair import Pair
from bqcd.discovery.evidence import CodeLengths, QuantileEvidence
from bqcd.discovery.published_ties import published_ranks
from bqcd.discovery.quantiles import (
    ConditionalQuantiles,
    OneWay,
    QuantileRegressor,
    fit_one_way,
    serves_both_ways,
)
from bqcd.discovery.ranks import RankedPair, normal_scores, rank_pair, ranks_of
from bqcd.discovery.scores import Quadrature, marginal_scores
from bqcd.runtime.arrays import Stack, Vector

Order = NDArray[np.int32]
Orders = NDArray[np.int32]
Signs = NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class TieBreaking:
    """In what orders ties are broken.

    Parameters
    ----------
    fixed : int
        Number of fixed orders, even.
    jitters : int or None, default=None
        Number of random orders instead.
    published : bool, default=False
        Whether the order of the paper's published results is taken instead.
    """

    fixed: int
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
    orders = ranked.orders(jitters=ties.jitters, fixed=ties.fixed, rng=rng)
    # 2. Weights and nodes are those of the rule.
    # 3. Marginal scores are the same for both columns; conditional ones come from fits both ways.
    marginal = marginal_scores(len(pair), rule)
    fits = (_both_ways(regressor, order, rule.levels, rng) for order in orders)
    y_scores, x_scores, y_model, x_model = _turned_back(fits, ranked)
    # 4. and 5. Scores by level are kept; their sums and the comparison are properties.
    lengths = CodeLengths(rule, marginal, marginal, _mean(y_scores), _mean(x_scores))
    return QuantileEvidence(
        lengths,
        y_model=y_model,
        x_model=x_model,
        n_rows=len(pair),
        x_ties=ranked.x_ties,
        y_ties=ranked.y_ties,
        tie_orders=len(y_scores),
        tie_spread=_spread((x_scores - y_scores) @ rule.weights, rule.integrate(marginal)),
        regressor=type(regressor).__name__,
    )


def untied_confidences(scores: Stack, signs: Signs, rule: Quadrature, n_rows: int) -> Vector:
    """Confidences of many pairs without ties, to the bit those of their evidence.

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


def _turned_back(
    fits: Iterable[tuple[OneWay, OneWay]], ranked: RankedPair
) -> tuple[Stack, Stack, ConditionalQuantiles, ConditionalQuantiles]:
    """Scores of y given x and of x given y by order of ties, and the models of the first order."""
    models: tuple[ConditionalQuantiles, ConditionalQuantiles] | None = None
    scores = []
    for second, first in fits:
        ways = (first, second) if ranked.sign < 0 else (second, first)
        scores.append([way.scores for way in ways])
        models = models or (ways[0].model, ways[1].model)
    assert models is not None
    y_scores, x_scores = np.array(scores).swapaxes(0, 1)
    if ranked.sign == 0:
        # Seen from either side the ranks are the same, and so must the answer be.
        y_scores = x_scores = 0.5 * (y_scores + x_scores)
        models = models[0], models[0]
    return y_scores, x_scores, *models


def _mean(scores: Stack) -> Vector:
    mean: Vector = scores.mean(axis=0) if len(scores) > 1 else scores[0]
    return mean


def _spread(gaps: Vector, marginal: float) -> float:
    """Standard deviation of the confidence between orders of ties."""
    return float(gaps.std(ddof=1)) / (2.0 * marginal) if len(gaps) > 1 else 0.0
