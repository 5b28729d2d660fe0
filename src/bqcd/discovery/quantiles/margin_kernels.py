"""Densities on a grid rescaled to uniform margins, compiled."""

from __future__ import annotations

from math import sqrt

import numpy as np

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.kernel import kernel

LEAST_MASS = 1e-20
MARGIN_TOLERANCE = 1e-8
MOST_SWEEPS = 3000
PLAIN_SWEEPS = 6
CYCLE = 30


@kernel
def trapezoid_weights(knots: Vector) -> Vector:
    """Weights that integrate a piecewise linear function through the knots."""
    weights = np.zeros(len(knots))
    for i in range(len(knots) - 1):
        half = 0.5 * (knots[i + 1] - knots[i])
        weights[i] += half
        weights[i + 1] += half
    return weights


@kernel
def overshot(margin: float, power: float) -> float:
    """Margin to a power, to second order where it is near one: powers are costly."""
    off = margin - 1.0
    if abs(off) > 0.1:
        return float(margin**power)
    return 1.0 + power * off * (1.0 + 0.5 * (power - 1.0) * off)


@kernel
def rescale(
    flipped: Matrix,
    weights: Vector,
    factors: Vector,
    others: Vector,
    power: float,
    totals: Vector,
) -> float:
    """Update the factors of the rows in place; the largest error of a margin before.

    The density comes with its rows as columns, so that all rows are summed side by side.
    """
    totals[:] = 0.0
    for j in range(len(others)):
        weight = others[j] * weights[j]
        for i in range(len(totals)):
            totals[i] += weight * flipped[j, i]
    worst = 0.0
    for i in range(len(factors)):
        margin = max(totals[i] * factors[i], LEAST_MASS)
        worst = max(worst, abs(margin - 1.0))
        factors[i] /= margin if power == 1.0 else overshot(margin, power)
    return worst


@kernel
def with_uniform_margins(density: Matrix, weights: Vector) -> Matrix:
    """Density rescaled by rows and columns until both margins are uniform.

    Plain sweeps tell how fast the error shrinks; from that follows how far the next sweeps
    may overshoot. Near-deterministic pairs would take thousands of plain ones.
    """
    flipped = density.T.copy()
    rows = np.ones(len(weights))
    columns = np.ones(len(weights))
    totals = np.empty(len(weights))
    power = 1.0
    last = 1.0
    for sweep in range(MOST_SWEEPS):
        worst = rescale(flipped, weights, rows, columns, power, totals)
        worst = max(worst, rescale(density, weights, columns, rows, power, totals))
        if worst < MARGIN_TOLERANCE:
            break
        if sweep % CYCLE == PLAIN_SWEEPS:
            rate = min(worst / last, 0.9999)
            power = 2.0 / (1.0 + sqrt(1.0 - rate))
        elif sweep % CYCLE == CYCLE - 1:
            power = 1.0
        last = worst
    for i in range(len(rows)):
        for j in range(len(columns)):
            density[i, j] *= rows[i] * columns[j]
    return density
