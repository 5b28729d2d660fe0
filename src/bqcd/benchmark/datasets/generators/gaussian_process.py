r"""Random smooth functions: draws of a Gaussian process in time and memory linear in the rows.

The process has mean 0, variance 1 and the squared-exponential kernel. In units of the length
scale, the kernel of one coordinate is a sum of products of features,

.. math:: \exp(-(s - t)^2 / 2) = \sum_j \varphi_j(s) \varphi_j(t),

so that the sum of the features with independent standard normal weights is a draw. Two such
sums serve, and both miss the kernel by less than 1e-10:

* powers, where the coordinate spans few length scales:
  :math:`\varphi_k(t) = e^{-t^2/2} t^k / \sqrt{k!}` around the middle of the data. The first K
  of them leave out the probability that a Poisson number of mean :math:`t^2` is K or more.
* bells on a grid of step h, elsewhere: :math:`\varphi_j(t) = c\, e^{-(t - jh)^2}` with
  :math:`c^2 = h \sqrt{2 / \pi}`. By Poisson's summation formula the sum misses the kernel by
  at most :math:`2 e^{-\pi^2 / 2h^2}`. A row needs the 25 bells next to it and no others, so far
  outliers cost no more than other rows.

The kernel of several coordinates is a product, and so are its features.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, pi, prod, sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector

__all__ = ["SmoothFunction", "smooth_function", "smooth_values"]


STEP = 0.45
REACH = 12
WINDOW = 2 * REACH + 1
BELL_HEIGHT = sqrt(STEP * sqrt(2.0 / pi))
LEFT_OUT = 1e-13

WIDEST_SPAN = 512
BLOCK_SIZE = 1 << 21


@dataclass(frozen=True, slots=True)
class SmoothFunction:
    """A drawn function, to be called on the coordinates it was drawn for.

    Parameters
    ----------
    axes : tuple
        Features of each coordinate.
    weights : ndarray
        One standard normal weight per product of features.
    """

    axes: tuple[Powers | Bells, ...]
    weights: NDArray[np.float64]

    def __call__(self, coordinates: Sequence[Vector]) -> Vector:
        """Values at rows of coordinates, shape (n,).

        Every coordinate of every row must be among those the function was drawn for, in
        whatever combination.
        """
        widest = max(range(len(self.axes)), key=lambda i: self.axes[i].size)
        others = [i for i in range(len(self.axes)) if i != widest]
        sizes = [self.axes[i].size for i in others]
        weights = np.moveaxis(self.weights, widest, 0).reshape(-1, prod(sizes))
        axis, column = self.axes[widest], coordinates[widest]
        values = np.empty(len(column))
        for rows, nodes in axis.blocks(column, BLOCK_SIZE // (WINDOW + prod(sizes))):
            sums = axis.features(column[rows], nodes) @ weights[nodes]
            for i in reversed(others):
                features = self.axes[i].features(coordinates[i][rows])
                sums = sums.reshape(len(features), -1, self.axes[i].size)
                sums = np.matmul(sums, features[:, :, None])
            values[rows] = sums.reshape(-1)
        return values


def smooth_function(
    coordinates: Sequence[Vector], lengths: Sequence[float], rng: Generator
) -> SmoothFunction:
    """Draw of the Gaussian process with the given length scales, one per coordinate.

    Parameters
    ----------
    coordinates : sequence of ndarray of shape (n,)
        Where the function will be asked for.
    lengths : sequence of float
        Length scale of each coordinate, in its own units.
    rng : Generator
        Source of the weights.
    """
    axes = tuple(_axis(column, length) for column, length in zip(coordinates, lengths, strict=True))
    return SmoothFunction(axes, rng.normal(size=tuple(axis.size for axis in axes)))


def smooth_values(
    coordinates: Sequence[Vector], lengths: Sequence[float], rng: Generator
) -> Vector:
    """Values of one drawn function at rows of coordinates; see :func:`smooth_function`.

    Examples
    --------
    >>> x = np.linspace(-3.0, 3.0, 7)
    >>> smooth_values([x], [1.0], np.random.default_rng(0)).shape
    (7,)
    """
    return smooth_function(coordinates, lengths, rng)(coordinates)


@dataclass(frozen=True, slots=True)
class Powers:
    """Powers of a coordinate under a bell around ``centre``."""

    centre: float
    length: float
    size: int

    def features(self, column: Vector, nodes: slice | None = None) -> Matrix:
        """Features of each row; all of them, whatever ``nodes`` says."""
        scaled = (column - self.centre) / self.length
        features = np.empty((len(column), self.size))
        features[:, 0] = np.exp(-0.5 * scaled * scaled)
        for k in range(1, self.size):
            features[:, k] = features[:, k - 1] * scaled / sqrt(k)
        return features

    def blocks(self, column: Vector, most_rows: int) -> Iterator[tuple[slice, slice]]:
        """Blocks of rows, each with the slice of features it needs."""
        step = max(most_rows, 1)
        for start in range(0, len(column), step):
            yield slice(start, start + step), slice(None)


@dataclass(frozen=True, slots=True)
class Bells:
    """Bells on those nodes of a grid that some row is near to."""

    nodes: NDArray[np.int64]
    length: float

    @property
    def size(self) -> int:
        """Number of features."""
        return len(self.nodes)

    def features(self, column: Vector, nodes: slice | None = None) -> Matrix:
        """Features of each row on the nodes of a slice, by default all."""
        grid = self.nodes[nodes or slice(None)] * STEP
        distance = (column / self.length)[:, None] - grid[None, :]
        np.multiply(distance, -distance, out=distance)
        np.exp(distance, out=distance)
        distance *= BELL_HEIGHT
        return distance

    def blocks(self, column: Vector, most_rows: int) -> Iterator[tuple[NDArray[np.int64], slice]]:
        """Blocks of neighbouring rows, each with the slice of nodes it needs."""
        order = np.argsort(column, kind="stable")
        first = np.searchsorted(self.nodes, _nearest_node(column[order], self.length) - REACH)
        start = 0
        while start < len(order):
            near = int(np.searchsorted(first, first[start] + WIDEST_SPAN))
            stop = min(near, start + max(most_rows // 8, 1))
            yield order[start:stop], slice(int(first[start]), int(first[stop - 1]) + WINDOW)
            start = stop


def _axis(column: Vector, length: float) -> Powers | Bells:
    low, high = float(column.min()), float(column.max())
    size = _power_count((0.5 * (high - low) / length) ** 2)
    if size is not None:
        return Powers(0.5 * (low + high), length, size)
    occupied = np.unique(_nearest_node(column, length))
    return Bells(np.unique(occupied[:, None] + np.arange(-REACH, REACH + 1)), length)


def _nearest_node(column: Vector, length: float) -> NDArray[np.int64]:
    return np.rint(column / (length * STEP)).astype(np.int64)


def _power_count(mean: float) -> int | None:
    """How many powers leave out at most ``LEFT_OUT``; None if more than a window of bells."""
    probability = exp(-mean)
    for count in range(1, WINDOW + 1):
        probability *= mean / count
        # Probabilities of a Poisson number fall at least geometrically beyond its mean.
        if count + 1 > mean and probability / (1.0 - mean / (count + 1)) <= LEFT_OUT:
            return count
    return None
