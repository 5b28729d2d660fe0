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
Indices = NDArray[np.int64]


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
        from bqcd.discovery.quantiles.forest_kernels import grown_leaves, stretches

        given, target = (np.asarray(column, dtype=np.float64) for column in (given, target))
        by_given = np.lexsort((target, given))
        line, targets = given[by_given], target[by_given]
        size = (self.n_trees, min(self.sample_size, len(line)))
        rows = np.sort(rng.integers(len(line), size=size), axis=1)

        firsts, passed, edges = grown_leaves(line, targets, rows, self.node_size)
        values, ranks = np.unique(targets, return_inverse=True)
        if self.weigh == "all":
            leaves, members = stretches(passed, edges, len(line)), rows.ravel()[:0]
        else:
            leaves, members = stretches(firsts, edges, rows.size), rows.ravel()
        model = Leaves(leaves, edges, (ranks, members), values, np.array(levels, dtype=float))
        return Steps(model, line, passed)


@dataclass(frozen=True, slots=True, eq=False)
class Leaves:
    """The leaves of a forest on a line, tree by tree from left to right.

    Parameters
    ----------
    leaves : ndarray of int, shape (k, 3)
        Where the leaf on the left of each begins, where it begins, and where it ends.
    edges : ndarray of shape (k,)
        Left edges of the leaves. An edge belongs to the leaf on its left.
    rows : tuple of ndarray of int
        Ranks of the targets, and rows that the leaves hold if they are no stretches.
    values : ndarray
        Distinct targets in increasing order.
    levels : ndarray of shape (m,)
        Quantile levels.
    """

    leaves: Indices
    edges: Vector
    rows: tuple[Indices, Indices]
    values: Vector
    levels: Vector

    def quantiles(self, passed: Indices, n_points: int) -> Matrix:
        """Quantiles at increasing points, from how many of them are left of each leaf."""
        from bqcd.discovery.quantiles.forest_kernels import step_quantiles

        return step_quantiles(self.leaves, passed, self.rows, self.values, self.levels, n_points)


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Quantiles of a forest, constant between edges, found where they are asked for.

    Parameters
    ----------
    forest : Leaves
        The forest.
    line : ndarray of shape (n,)
        What it was fitted on, in increasing order.
    passed : ndarray of int, shape (k,)
        How many of its values are left of each leaf.
    """

    forest: Leaves
    line: Vector
    passed: Indices

    def __call__(self, given: Vector) -> Matrix:
        """Quantiles at each value of ``given``."""
        if np.array_equal(given, self.line):
            return self.forest.quantiles(self.passed, len(given))
        points, places = np.unique(given, return_inverse=True)
        passed = np.searchsorted(points, self.forest.edges, side="right")
        rows: Matrix = self.forest.quantiles(passed, len(points))[places]
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
