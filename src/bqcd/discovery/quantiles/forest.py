"""Quantile regression forests on one predictor.

A tree is grown on a small bootstrap sample and splits where that most reduces the variance
of the target. At a point, each tree spreads weight one evenly over the targets that share
the point's leaf; the quantiles are those of the weights averaged over the trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.discovery.quantiles.contract import ConditionalQuantiles
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.optional import require
from bqcd.runtime.settings import MOST_REPEATS, MOST_ROWS, check_choice, check_integer

Weigh = Literal["all", "sample"]


@dataclass(frozen=True, kw_only=True)
class Forest:
    """Quantile regression forest [1]_, compiled for one predictor.

    Parameters
    ----------
    n_trees : int, default=500
        Number of trees.
    sample_size : int, default=50
        Observations drawn with replacement for each tree, at most as many as there are.
    node_size : int, default=10
        Nodes with at most this many observations are not split.
    weigh : {"all", "sample"}, default="all"
        Which targets of a leaf get weight: those of all rows in it [1]_, or only of the
        rows its tree was grown on, as in the package quantile-forest.

    References
    ----------
    .. [1] Meinshausen. Quantile regression forests. JMLR 7, 2006.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> given = rng.standard_normal(1000)
    >>> quantiles = Forest().fit(given, given + 1.0, np.array([0.5]), rng)
    >>> quantiles(np.array([0.0])).round(1)
    array([[1.]])
    """

    n_trees: int = 500
    sample_size: int = 50
    node_size: int = 10
    weigh: Weigh = "all"

    def __post_init__(self) -> None:
        """Refuse settings out of range."""
        _check("Forest", self)
        check_choice("Forest", "weigh", self.weigh, get_args(Weigh))

    def fit(
        self, given: Vector, target: Vector, levels: Vector, rng: Generator
    ) -> ConditionalQuantiles:
        """Quantiles as a step function of ``given``, constant beyond its range.

        The order of the rows does not matter.
        """
        # Imported here: compiling is for those who fit.
        from bqcd.discovery.quantiles.forest_kernels import leaf_starts, step_quantiles

        by_given = np.lexsort((target, given))
        line = np.asarray(given, dtype=np.float64)[by_given]
        values, ranks = np.unique(np.asarray(target, dtype=np.float64), return_inverse=True)
        ranks = ranks[by_given]
        size = (self.n_trees, min(self.sample_size, len(line)))
        rows = np.sort(rng.integers(len(line), size=size), axis=1)

        starts = leaf_starts(line[rows], values[ranks[rows]], self.node_size)
        edges = _left_edges(line[rows])[starts]
        if self.weigh == "all":
            begins = np.searchsorted(line, edges, side="right")
        else:
            begins = np.flatnonzero(starts)
            ranks = ranks[rows].ravel()
        # A leaf ends where the next begins, unless that is the first of another tree.
        ends = np.roll(begins, -1)
        ends[ends == 0] = len(ranks)
        order = np.argsort(edges)
        edges = edges[order]
        table = step_quantiles(
            ranks, begins, ends, order, edges, values, np.array(levels, dtype=np.float64)
        )
        return Steps(np.unique(edges)[1:], table)


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Quantiles constant between edges.

    Parameters
    ----------
    edges : ndarray of shape (k,)
        Increasing; an edge belongs to the interval on its left.
    table : ndarray of shape (k + 1, m)
        Quantiles on each interval.
    """

    edges: Vector
    table: Matrix

    def __call__(self, given: Vector) -> Matrix:
        """Quantiles at each value of ``given``."""
        rows: Matrix = self.table[np.searchsorted(self.edges, given)]
        return rows


@dataclass(frozen=True, kw_only=True)
class QuantileForest:
    """The forest of the package quantile-forest, as a reference.

    It differs from ``Forest(weigh="sample")`` in two details: a row drawn twice counts once
    when ``node_size`` is compared, and predictors are rounded to single precision.

    Parameters
    ----------
    n_trees : int, default=500
        Number of trees.
    sample_size : int, default=50
        Observations drawn with replacement for each tree, at most as many as there are.
    node_size : int, default=10
        Nodes with at most this many observations are not split.
    """

    n_trees: int = 500
    sample_size: int = 50
    node_size: int = 10

    def __post_init__(self) -> None:
        """Refuse settings out of range."""
        _check("QuantileForest", self)

    def fit(
        self, given: Vector, target: Vector, levels: Vector, rng: Generator
    ) -> ConditionalQuantiles:
        """Quantiles as a step function of ``given``, constant beyond its range.

        Raises
        ------
        MissingPackageError
            If quantile-forest is not installed.
        """
        package = require("quantile_forest", extra="forest", needed_by="QuantileForest")
        model = package.RandomForestQuantileRegressor(
            n_estimators=self.n_trees,
            max_samples=min(self.sample_size, len(given)),
            min_samples_split=self.node_size + 1,
            # The package's own default keeps one target per leaf.
            max_samples_leaf=None,
            bootstrap=True,
            n_jobs=1,
            random_state=int(rng.integers(2**31)),
        )
        model.fit(np.reshape(given, (-1, 1)), target)
        asked = [float(level) for level in levels]

        def quantiles(given: Vector) -> Matrix:
            """Quantiles at each value of ``given``."""
            table = model.predict(np.reshape(given, (-1, 1)), asked, weighted_leaves=True)
            return np.maximum.accumulate(np.reshape(table, (-1, len(asked))), axis=1)

        return quantiles


def _check(owner: str, forest: Forest | QuantileForest) -> None:
    """Refuse settings that are not integers of at least one, or too large."""
    limits = {"n_trees": MOST_REPEATS, "sample_size": MOST_ROWS, "node_size": MOST_ROWS}
    for name, most in limits.items():
        check_integer(owner, name, getattr(forest, name), minimum=1, maximum=most)


def _left_edges(sample: Matrix) -> NDArray[np.float64]:
    """Midpoints to the left neighbours in sorted rows; minus infinity in the first column."""
    lower, upper = sample[:, :-1], sample[:, 1:]
    middle = lower + (upper - lower) / 2.0
    edges = np.full(sample.shape, -np.inf)
    # A midpoint may round up to the upper value, which belongs to the right.
    edges[:, 1:] = np.where(middle < upper, middle, lower)
    return edges
