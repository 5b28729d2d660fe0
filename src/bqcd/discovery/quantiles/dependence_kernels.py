"""Correlation of ranks and the bandwidth that rests on it, compiled.

Everything is a function of one permutation: ``inverse[s]`` is the rank of the first
variable in the row where the second has rank ``s`` (ranks count from 0). ``scores`` are
the normal scores of the ranks, increasing.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.discovery.quantiles.maximal_kernels import maximal_by_directions, maximal_by_table
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.kernel import kernel
from bqcd.runtime.sum_kernels import long_inner_product

Order = NDArray[np.int32]
Orders = NDArray[np.int32]

# Rows from which a table of ranks is exact enough (to 1e-5).
MANY_ROWS = 100_000
MOST_CORRELATION = 0.95
# Where the correlation vanishes under strong dependence, the rule would give no width at all.
LEAST_SCALE = 0.01


@kernel
def place(scores: Vector, inverse: Order, second: Vector) -> None:
    """Fill ``second`` with the scores of the second variable, in order of the first."""
    for s in range(len(scores)):
        second[np.uint32(inverse[s])] = scores[s]


@kernel
def bandwidth(n: int, rho: float, maximal: float) -> float:
    """Kernel bandwidth on the normal scale, from linear and maximal correlation."""
    scale = abs(rho / maximal) ** (0.5 * maximal) if maximal > 0.0 else 1.0
    return sqrt(n ** (-1.0 / 3.0) * max(scale, LEAST_SCALE))


@kernel
def clipped_correlation(scores: Vector, second: Vector, square: float) -> float:
    """Correlation of two arrangements of the same scores, as far from one as a density allows.

    ``square`` is the sum of squares of the scores.
    """
    rho = long_inner_product(scores, second) / square
    return min(max(rho, -MOST_CORRELATION), MOST_CORRELATION)


@kernel
def fill_kernel_shapes(scores: Vector, inverses: Orders, seconds: Matrix, shapes: Matrix) -> None:
    """Fill ``shapes`` with correlation and bandwidth of each pair, ``seconds`` by :func:`place`."""
    square = long_inner_product(scores, scores)
    for b in range(len(inverses)):
        place(scores, inverses[b], seconds[b])
        rho = clipped_correlation(scores, seconds[b], square)
        maximal = maximal_by_directions(inverses[b])
        shapes[b, 0], shapes[b, 1] = rho, bandwidth(len(scores), rho, maximal)


@kernel
def fill_long_kernel_shapes(
    scores: Vector, inverses: Orders, seconds: Matrix, shapes: Matrix
) -> None:
    """Do what :func:`fill_kernel_shapes` does, for ``MANY_ROWS`` rows or more."""
    square = long_inner_product(scores, scores)
    for b in range(len(inverses)):
        place(scores, inverses[b], seconds[b])
        rho = clipped_correlation(scores, seconds[b], square)
        maximal = maximal_by_table(inverses[b])
        shapes[b, 0], shapes[b, 1] = rho, bandwidth(len(scores), rho, maximal)
