"""The transformation kernel copula by its formulas, in plain NumPy and without short cuts.

Written from the definition of vinecopulib's "tll" estimator of degree constant: no binning,
no piecewise linear curves, any grid. Slow, and there to check the compiled version.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri


def confidence(permutation, levels, weights, *, grid=30):
    """Confidence of a pair whose first variable has rank r where the second has permutation[r]."""
    n = len(permutation)
    z = ndtri(np.arange(1, n + 1) / (n + 1))
    inverse = np.argsort(permutation)
    density, knots = copula_density(permutation, grid=grid)
    gap = total = 0.0
    for level, weight in zip(levels, weights, strict=True):
        y_given_x = _pinball(_curve(density, knots, z, level), z[permutation], level)
        x_given_y = _pinball(_curve(density.T, knots, z, level), z[inverse], level)
        gap += weight * (x_given_y - y_given_x)
        total += 2.0 * weight * _pinball(_quantile(z, np.array([level])), z, level)
    return gap / total


def copula_density(permutation, *, grid):
    n = len(permutation)
    z = ndtri(np.arange(1, n + 1) / (n + 1))
    second = z[permutation]
    rho = np.clip(z @ second / (z @ z), -0.95, 0.95)
    mcor = maximal_correlation(permutation)
    h2 = n ** (-1.0 / 3.0) * abs(rho / mcor) ** (0.5 * mcor)
    points = np.linspace(-3.25, 3.25, grid)
    knots = ndtr(points)
    knots[0], knots[-1] = 0.0, 1.0
    across = np.sqrt(1.0 - rho**2)
    sheared = (second - rho * z) / across
    near = np.exp(-((points[:, None] - z) ** 2) / (2.0 * h2))
    density = np.empty((grid, grid))
    for i, point in enumerate(points):
        t = (points - rho * point) / across
        density[i] = np.exp(-((t[:, None] - sheared) ** 2) / (2.0 * h2)) @ near[i]
    density *= np.exp(0.5 * (points[:, None] ** 2 + points**2))
    return _uniform_margins(density, _trapezoid(knots)), knots


def maximal_correlation(permutation):
    n = len(permutation)
    inverse = np.argsort(permutation)
    width = int(np.ceil(n / 5))
    first = np.arange(n) - (n - 1) / 2
    last = 1.0
    for _ in range(200):
        second = _standard(_moving_mean(first[inverse], width))
        first = _standard(_moving_mean(second[permutation], width))
        found = np.corrcoef(second[permutation], first)[0, 1]
        if abs(last - found) < 1e-10:
            break
        last = found
    return found


def _moving_mean(values, width):
    n = len(values)
    total = np.concatenate([[0.0], np.cumsum(values)])
    smooth = np.empty(n)
    inner = np.arange(width, n - width)
    smooth[inner] = (total[inner + width + 1] - total[inner - width]) / (2 * width + 1)
    smooth[:width] = smooth[width]
    smooth[n - width :] = smooth[n - width - 1]
    return smooth


def _standard(values):
    centred = values - values.mean()
    return centred / centred.std(ddof=1)


def _trapezoid(knots):
    half = np.diff(knots) / 2.0
    return np.concatenate([half, [0.0]]) + np.concatenate([[0.0], half])


def _uniform_margins(density, weights):
    for _ in range(100_000):
        density = density / (density @ weights)[:, None]
        density = density / (density.T @ weights)
        if abs(density @ weights - 1.0).max() < 1e-11:
            break
    return density


def _curve(density, knots, z, level):
    n = len(z)
    u = np.arange(1, n + 1) / (n + 1)
    cell = np.clip(np.searchsorted(knots, u, side="right") - 1, 0, len(knots) - 2)
    s = ((u - knots[cell]) / np.diff(knots)[cell])[:, None]
    line = density[cell] * (1.0 - s) + density[cell + 1] * s
    pieces = 0.5 * (line[:, 1:] + line[:, :-1]) * np.diff(knots)
    below = np.concatenate([np.zeros((n, 1)), np.cumsum(pieces, axis=1)], axis=1)
    target = level * below[:, -1:]
    k = np.clip((below < target).sum(axis=1) - 1, 0, len(knots) - 2)
    rows = np.arange(n)
    short = below[rows, k] - target[:, 0]
    v, w, width = line[rows, k], line[rows, k + 1], np.diff(knots)[k]
    slope = (w - v) / (2.0 * width)
    root = v + np.sqrt(np.maximum(v * v - 4.0 * slope * short, 0.0))
    return _quantile(z, knots[k] + np.clip(-2.0 * short / root, 0.0, width))


def _quantile(z, p):
    return np.interp(p * (len(z) - 1), np.arange(len(z)), z)


def _pinball(quantile, observed, level):
    gap = quantile - observed
    return float((((gap >= 0) - level) * gap).mean())
