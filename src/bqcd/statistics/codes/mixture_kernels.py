"""Mixtures of Gaussians on a line, fitted component by component until one is left."""

from __future__ import annotations

from math import exp, log, pi, sqrt

import numpy as np

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.kernel import kernel

# Densities below this count as this: a value far from every component has a logarithm.
LEAST_DENSITY = 1e-300
# What is left of a density after subtraction is summed anew if it is a smaller share.
CANCELLED = 1e-6


@kernel
def fill_bell(values: Vector, mean: float, variance: float, bell: Vector) -> None:
    """Set ``bell`` to the Gaussian density at the values."""
    height = 1.0 / sqrt(2.0 * pi * variance)
    for i in range(len(values)):
        gap = values[i] - mean
        bell[i] = height * exp(-0.5 * gap * gap / variance)


@kernel
def fill_density(mixture: Matrix, bells: Matrix, size: int, density: Vector) -> None:
    """Scale the weights to sum 1 and set ``density`` to the weighted sum of the bells."""
    mixture[0, :size] /= mixture[0, :size].sum()
    density[:] = 0.0
    for c in range(size):
        weight = mixture[0, c]
        for i in range(len(density)):
            density[i] += weight * bells[c, i]


@kernel
def moments(values: Vector, weight: float, bell: Vector, density: Vector) -> Vector:
    """Rows that fall to a component, and the mean and variance of their values."""
    rows, first, second = 0.0, 0.0, 0.0
    for i in range(len(values)):
        share = weight * bell[i] / max(density[i], LEAST_DENSITY)
        rows += share
        first += share * values[i]
        second += share * values[i] * values[i]
    if rows == 0.0:
        return np.zeros(3)
    mean = first / rows
    return np.array([rows, mean, max(second / rows - mean * mean, 0.0)])


@kernel
def take_out(mixture: Matrix, bells: Matrix, size: int, which: int, density: Vector) -> None:
    """Subtract the share of one component from the density, summing anew where it cancels."""
    weight = mixture[0, which]
    for i in range(len(density)):
        others = density[i] - weight * bells[which, i]
        if others < CANCELLED * density[i]:
            others = 0.0
            for c in range(size):
                if c != which:
                    others += mixture[0, c] * bells[c, i]
        density[i] = others


@kernel
def close_ranks(mixture: Matrix, bells: Matrix, size: int, which: int) -> None:
    """Move the components after one that is dropped a place forward."""
    for c in range(which, size - 1):
        mixture[:, c] = mixture[:, c + 1]
        bells[c] = bells[c + 1]


@kernel
def swept(
    values: Vector, mixture: Matrix, bells: Matrix, size: int, density: Vector, floor: float
) -> int:
    """Components left after each was fitted once to the rows that fall to it.

    A component costs two parameters, half a nat's worth of rows each: one row is taken off
    its weight, and it is dropped if nothing is left.

    Parameters
    ----------
    values : ndarray of shape (n,)
        What the mixture describes.
    mixture : ndarray of shape (3, m)
        Weight, mean and variance of the components, the first ``size`` in use; changed.
    bells : ndarray of shape (m, n)
        Density of each component; changed.
    size : int
        Components before.
    density : ndarray of shape (n,)
        Density of the mixture; changed.
    floor : float
        Added to each variance.
    """
    total, which = 1.0, 0
    while which < size:
        old = mixture[0, which]
        found = moments(values, old, bells[which], density)
        new = total * max(found[0] - 1.0, 0.0) / len(values)
        take_out(mixture, bells, size, which, density)
        total += new - old
        if new == 0.0:
            close_ranks(mixture, bells, size, which)
            size -= 1
            continue
        mixture[0, which] = new
        mixture[1, which] = found[1]
        mixture[2, which] = found[2] + floor
        fill_bell(values, found[1], found[2] + floor, bells[which])
        for i in range(len(density)):
            density[i] += new * bells[which, i]
        which += 1
    if size > 0:
        fill_density(mixture, bells, size, density)
    return size


@kernel
def log_likelihood(density: Vector) -> float:
    """Sum of the logarithms, densities no smaller than LEAST_DENSITY."""
    total = 0.0
    for i in range(len(density)):
        total += log(max(density[i], LEAST_DENSITY))
    return total


@kernel
def fitted_mixture(
    values: Vector, means: Vector, start_variance: float, floor: float, limits: Vector
) -> tuple[float, Matrix]:
    """Least message length on the way from many components to one, and its mixture.

    The length is -log L + sum of log weights + 1.5 k log n. It is infinite if all components
    were dropped at once.

    Parameters
    ----------
    values : ndarray of shape (n,)
        What the mixture describes.
    means : ndarray of shape (m,)
        Means at the start; weights are equal.
    start_variance, floor : float
        Variance at the start, and what is added to each variance.
    limits : ndarray of shape (2,)
        Sweeps end when the log-likelihood changes by less than the first of these, as a share
        of it, or after as many as the second; then the lightest component is dropped.
    """
    size, n = len(means), len(values)
    mixture = np.empty((3, size))
    mixture[0], mixture[1], mixture[2] = 1.0 / size, means, start_variance
    bells, density = np.empty((size, n)), np.empty(n)
    for c in range(size):
        fill_bell(values, means[c], start_variance, bells[c])
    fill_density(mixture, bells, size, density)
    shortest, best = np.inf, mixture[:, :0].copy()
    while size > 0:
        before = log_likelihood(density)
        for _ in range(int(limits[1])):
            size = swept(values, mixture, bells, size, density, floor)
            if size == 0:
                return shortest, best
            now = log_likelihood(density)
            length = np.log(mixture[0, :size]).sum() + 1.5 * size * log(float(n)) - now
            if length < shortest:
                shortest, best = length, mixture[:, :size].copy()
            if abs(now - before) < limits[0] * abs(before):
                break
            before = now
        close_ranks(mixture, bells, size, int(np.argmin(mixture[0, :size])))
        size -= 1
        if size > 0:
            fill_density(mixture, bells, size, density)
    return shortest, best
