"""Quantiles of a nonparametric copula: the default regressor, and the fast one.

The copula density is a Gaussian kernel estimate on the normal scale, held on a grid and
rescaled to uniform margins; between grid points it is bilinear, so conditional quantiles
are roots of quadratics. It agrees with the estimator "tll", degree constant, of
vinecopulib, which stands beside it as the regressor ``vinecopulib``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.discovery.quantiles.contract import OneWay, Order
from bqcd.discovery.ranks import normal_scores
from bqcd.discovery.sorting import stable_order
from bqcd.runtime.arrays import Matrix, Stack, Vector
from bqcd.runtime.settings import check_integer

Orders = NDArray[np.int32]

_GRID_EDGE = 3.25


class Room(NamedTuple):
    """Memory for the work on many pairs of one length, written over by whatever comes next.

    Fresh memory is handed out page by page, which costs up to a tenth of the work itself where
    it is given back each time, as it is in the workers of a Dask cluster.

    Parameters
    ----------
    seconds : ndarray of shape (k, n)
        For the scores of the second variable of each pair.
    densities : ndarray of shape (k, grid, grid)
        For the copula density of each pair.
    """

    seconds: Matrix
    densities: Stack

    def of(self, n_pairs: int) -> Room:
        """The part of it that so many pairs need."""
        return Room(self.seconds[:n_pairs], self.densities[:n_pairs])


@dataclass(frozen=True, kw_only=True)
class Copula:
    """Transformation kernel copula [1]_ on a grid of normal quantiles.

    Parameters
    ----------
    grid : int, default=30
        Knots along each axis. 30 is what the paper's results were computed with; a finer
        grid is nearer the kernel estimate itself.

    References
    ----------
    .. [1] Geenens, Charpentier, Paindaveine. Probit transformation for nonparametric
       kernel estimation of the copula density. Bernoulli 23(3), 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from bqcd.discovery.ranks import normal_scores
    >>> z = normal_scores(500)
    >>> median = Copula().fit(z, z, np.array([0.5]), np.random.default_rng(0))
    >>> bool(abs(median(np.array([0.0])) - 0.0).max() < 0.05)
    True
    """

    grid: int = 30

    def __post_init__(self) -> None:
        """Check the settings."""
        check_integer("Copula", "grid", self.grid, minimum=5, maximum=1_000)

    def fit(self, given: Vector, target: Vector, levels: Vector, rng: Generator) -> CopulaQuantiles:
        """Conditional quantiles of ``target``; nothing is drawn from ``rng``."""
        order, _ = stable_order(given)
        inverse, _ = stable_order(target[order])
        scores = normal_scores(len(order))
        densities, _ = self._densities(scores, inverse[None])
        return CopulaQuantiles(densities[0], scores, np.asarray(levels, dtype=np.float64))

    def fit_both_ways(
        self, scores: Vector, inverse: Order, levels: Vector
    ) -> tuple[OneWay, OneWay]:
        """Second variable given the first, and first given the second, from one density."""
        densities, found = self._densities_and_scores(scores, inverse[None], levels)
        density, flipped = densities[0], np.ascontiguousarray(densities[0].T)
        forward = CopulaQuantiles(density, scores, levels)
        backward = CopulaQuantiles(flipped, scores, levels)
        return OneWay(found[0, 0], forward), OneWay(found[0, 1], backward)

    def room(self, n_pairs: int, n_rows: int) -> Room:
        """Memory for :meth:`scores_both_ways` of so many pairs, or of fewer."""
        return Room(np.empty((n_pairs, n_rows)), np.empty((n_pairs, self.grid, self.grid)))

    def scores_both_ways(
        self, scores: Vector, inverses: Orders, levels: Vector, room: Room | None = None
    ) -> Stack:
        """Mean pinball scores of many pairs of one length: those of :meth:`fit_both_ways`.

        Parameters
        ----------
        scores : ndarray of shape (n,)
            Normal scores of n ranks, increasing.
        inverses : ndarray of shape (k, n)
            For each pair, the rank of the first variable by the rank of the second.
        levels : ndarray of shape (m,)
            Quantile levels.
        room : Room, optional
            Memory for at least k pairs, from an earlier call. Default: fresh memory.

        Returns
        -------
        ndarray of shape (k, 2, m)
            Of the second variable given the first, and of the first given the second.
        """
        return self._densities_and_scores(scores, inverses, levels, room)[1]

    def _densities_and_scores(
        self, scores: Vector, inverses: Orders, levels: Vector, room: Room | None = None
    ) -> tuple[Stack, Stack]:
        densities, seconds = self._densities(scores, inverses, room)
        return densities, self._scores(densities, scores, seconds, inverses, levels)

    def _scores(
        self, densities: Stack, scores: Vector, seconds: Matrix, inverses: Orders, levels: Vector
    ) -> Stack:
        _, knots = _grid(self.grid)
        found = np.empty((len(inverses), 2, len(levels)))
        kernels = _kernels()
        long = len(scores) >= kernels.rows_of_long_curves
        fill = kernels.fill_long_scores_both_ways if long else kernels.fill_scores_both_ways
        fill(densities, knots, scores, seconds, inverses, levels, found)
        return found

    def _shapes(self, scores: Vector, inverses: Orders, seconds: Matrix) -> Matrix:
        """Shapes of the kernels; fills in the scores of the second variable by the first."""
        kernels = _kernels()
        shapes = np.empty((len(inverses), 2))
        long = len(scores) >= kernels.rows_of_long_shapes
        fill = kernels.fill_long_kernel_shapes if long else kernels.fill_kernel_shapes
        fill(scores, inverses, seconds, shapes)
        return shapes

    def _densities(
        self, scores: Vector, inverses: Orders, room: Room | None = None
    ) -> tuple[Stack, Matrix]:
        """Copula densities on the grid, and the scores of the second variable by the first."""
        kernels = _kernels()
        points, knots = _grid(self.grid)
        room = self.room(*inverses.shape) if room is None else room.of(len(inverses))
        seconds, densities = room
        shapes = self._shapes(scores, inverses, seconds)
        kernels.fill_densities(scores, seconds, shapes, points, knots, densities)
        return densities, seconds

    def fits_both_ways(
        self, scores: Vector, inverses: Orders, seconds: Matrix, shapes: Matrix, levels: Vector
    ) -> tuple[Stack, Stack]:
        """Densities of many pairs and their scores, with kernels of given shapes.

        Parameters
        ----------
        scores, inverses, levels
            As for :meth:`scores_both_ways`.
        seconds : ndarray of shape (k, n)
            For each pair, the scores of the second variable by the rank of the first.
        shapes : ndarray of shape (k, 2)
            Correlation and bandwidth of the kernels.
        """
        points, knots = _grid(self.grid)
        densities = np.empty((len(inverses), self.grid, self.grid))
        _kernels().fill_densities(scores, seconds, shapes, points, knots, densities)
        return densities, self._scores(densities, scores, seconds, inverses, levels)

    def shapes(self, scores: Vector, inverses: Orders) -> Matrix:
        """Correlation and bandwidth of the kernel of each pair."""
        return self._shapes(scores, inverses, np.empty(inverses.shape))

    def shares_both_ways(
        self, density: Matrix, levels: Vector, n_rows: int
    ) -> tuple[Vector, Stack]:
        """Knots, and the conditional quantiles of a density at all ranks, on [0, 1]."""
        _, knots = _grid(self.grid)
        shares = np.empty((2, len(levels), n_rows))
        _kernels().fill_shares_both_ways(density, knots, levels, shares)
        return knots, shares


@dataclass(frozen=True, slots=True, eq=False)
class CopulaQuantiles:
    """Quantiles of the second variable of a copula given the first.

    Parameters
    ----------
    density : ndarray of shape (grid, grid)
        Copula density at the knots, first variable down.
    scores : ndarray of shape (n,)
        Values of the second variable, increasing; quantiles are read off them.
    levels : ndarray of shape (m,)
        Quantile levels.
    """

    density: Matrix
    scores: Vector
    levels: Vector

    def __call__(self, given: Vector) -> Matrix:
        """Quantiles at each value of ``given``, shape (n, m)."""
        values = np.asarray(given, dtype=np.float64)
        _, knots = _grid(len(self.density))
        curves = _kernels().conditional_curves
        return curves(values, self.scores, self.density, knots, self.levels)


@lru_cache(maxsize=16)
def _grid(size: int) -> tuple[Vector, Vector]:
    """Grid points on the normal scale, and the knots on [0, 1] they are mapped to."""
    points = np.linspace(-_GRID_EDGE, _GRID_EDGE, size)
    knots = np.array([0.5 * math.erfc(-point / math.sqrt(2.0)) for point in points])
    knots[0], knots[-1] = 0.0, 1.0
    return points, knots


class _Kernels(NamedTuple):
    """Compiled functions, and the rows from which those for long columns serve."""

    conditional_curves: Callable[[Vector, Vector, Matrix, Vector, Vector], Matrix]
    fill_kernel_shapes: Callable[[Vector, Orders, Matrix, Matrix], None]
    fill_long_kernel_shapes: Callable[[Vector, Orders, Matrix, Matrix], None]
    fill_densities: Callable[[Vector, Matrix, Matrix, Vector, Vector, Stack], None]
    fill_scores_both_ways: Callable[[Stack, Vector, Vector, Matrix, Orders, Vector, Stack], None]
    fill_long_scores_both_ways: Callable[
        [Stack, Vector, Vector, Matrix, Orders, Vector, Stack], None
    ]
    rows_of_long_shapes: int
    rows_of_long_curves: int
    fill_shares_both_ways: Callable[[Matrix, Vector, Vector, Stack], None]


@lru_cache(maxsize=1)
def _kernels() -> _Kernels:
    """Kernels, loaded on first use: an import statement per call would cost more than some."""
    from bqcd.discovery.quantiles import curve_kernels, density_kernels, dependence_kernels

    return _Kernels(
        curve_kernels.conditional_curves,
        dependence_kernels.fill_kernel_shapes,
        dependence_kernels.fill_long_kernel_shapes,
        density_kernels.fill_densities,
        curve_kernels.fill_scores_both_ways,
        curve_kernels.fill_long_scores_both_ways,
        dependence_kernels.MANY_ROWS,
        curve_kernels.MANY_ROWS,
        curve_kernels.fill_shares_both_ways,
    )
