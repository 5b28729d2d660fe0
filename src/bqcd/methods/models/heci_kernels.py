"""Polynomials in runs of bins of a sorted predictor, and the cheapest set of runs."""

from __future__ import annotations

from math import log2

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Vector
from bqcd.runtime.kernel import kernel
from bqcd.runtime.sum_kernels import inner_product

# Added to every sum of squares, so that a perfect fit costs a finite number of bits.
TINY = 1e-4
HIGHEST_DEGREE = 3
# A polynomial this much smaller than its predecessor is rounding: the values are too few.
ROUNDING = 1e-26


@kernel
def next_polynomial(
    given: Vector, before: Vector, current: Vector, centre: float, ratio: float
) -> None:
    """Put the polynomial of the next degree in the place of the last one but one."""
    for i in range(len(given)):
        before[i] = (given[i] - centre) * current[i] - ratio * before[i]


@kernel
def add_multiple(factor: float, vector: Vector, out: Vector) -> None:
    """Add a multiple of one vector to another."""
    for i in range(len(out)):
        out[i] += factor * vector[i]


@kernel
def polynomial_cost(given: Vector, target: Vector, log_n: float) -> float:
    """Bits of the cheapest polynomial of degree 1 to 3 and of what it leaves.

    Least squares by polynomials orthogonal on the rows, each from the two before it.

    Parameters
    ----------
    given, target : ndarray of shape (m,)
        Rows of a run of bins, both columns from 0 to 1.
    log_n : float
        Bits per parameter.
    """
    m = len(given)
    before, current, weighted, rest = np.zeros(m), np.empty(m), np.empty(m), np.empty(m)
    total = 0.0
    for i in range(m):
        total += target[i]
    mean = total / m
    for i in range(m):
        current[i], rest[i] = 1.0, target[i] - mean
    square, ratio = float(m), 0.0
    left = inner_product(rest, rest)
    best = np.inf
    for degree in range(1, HIGHEST_DEGREE + 1):
        for i in range(m):
            weighted[i] = given[i] * current[i]
        centre = inner_product(weighted, current) / square
        next_polynomial(given, before, current, centre, ratio)
        before, current = current, before
        new_square = inner_product(current, current)
        if new_square > ROUNDING * square:
            add_multiple(-inner_product(current, rest) / new_square, current, rest)
            left = inner_product(rest, rest)
        cost = log2((left + TINY) / m) * m + (degree + 2) * log_n
        best = min(best, cost)
        if new_square <= ROUNDING * square:
            break
        ratio, square = new_square / square, new_square
    return best


@kernel
def cheapest_runs(given: Vector, target: Vector, edges: NDArray[np.int64]) -> tuple[float, int]:
    """Bits of the cheapest way to merge neighbouring bins into runs, and how many runs.

    Parameters
    ----------
    given, target : ndarray of shape (n,)
        Rows sorted by the predictor, both columns from 0 to 1.
    edges : ndarray of shape (bins + 1,)
        First row of every bin, and n.
    """
    n_bins = len(edges) - 1
    log_n = log2(len(given))
    costs, runs = np.zeros(n_bins + 1), np.zeros(n_bins + 1, dtype=np.int64)
    for stop in range(1, n_bins + 1):
        costs[stop] = np.inf
        for start in range(stop):
            a, z = edges[start], edges[stop]
            cost = costs[start] + polynomial_cost(given[a:z], target[a:z], log_n)
            if cost < costs[stop]:
                costs[stop], runs[stop] = cost, runs[start] + 1
    return costs[n_bins], runs[n_bins]
