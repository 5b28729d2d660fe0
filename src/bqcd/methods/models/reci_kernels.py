"""Least squares of a logistic curve on one predictor."""

from __future__ import annotations

from math import exp, log

import numpy as np

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.kernel import kernel

# Limits of log(steepness): below, the curve is a line, above, a step. A step that is so many
# times 1 / steepness outside the data makes an exponential, to more than ten digits.
LOWEST, HIGHEST, FARTHEST = -7.0, 9.0, 30.0
# Fits end after so many steps, or when one brings less than this share of the error.
MOST_STEPS = 60
LEAST_GAIN = 1e-9


@kernel
def logistic_moments(given: Vector, target: Vector, steepness: float, place: float) -> Vector:
    """Second moments of a logistic curve s, its two derivatives and the target.

    s = 1 / (1 + exp(steepness * (place - given))), or 1 - s if the place is below 1/2: of
    the two, the one that is precise where the step lies outside the data.

    Parameters
    ----------
    given, target : ndarray of shape (n,)
        Predictor from 0 to 1, and target with mean 0.
    steepness, place : float
        The derivative a is by log(steepness), with the exponent held fast at the place or,
        if it is outside, at the nearer of 0 and 1; b is by the exponent there.

    Returns
    -------
    ndarray of shape (12,)
        Sums of s s, s t, a s, b s, a t, b t, a a, a b and b b, each about the means; and of s, a
        and b.
    """
    n = len(given)
    side = 1.0 if place >= 0.5 else -1.0
    pivot = min(max(place, 0.0), 1.0)
    start = 1.0 / (1.0 + exp(side * steepness * (place - given[n // 2])))
    sums = np.zeros(12)
    for i in range(n):
        curve = 1.0 / (1.0 + exp(side * steepness * (place - given[i])))
        slope = side * curve * (1.0 - curve)
        s, a, b, t = curve - start, slope * steepness * (given[i] - pivot), -slope, target[i]
        sums[0] += s * s
        sums[1] += s * t
        sums[2] += a * s
        sums[3] += b * s
        sums[4] += a * t
        sums[5] += b * t
        sums[6] += a * a
        sums[7] += a * b
        sums[8] += b * b
        sums[9] += s
        sums[10] += a
        sums[11] += b
    s, a, b = sums[9], sums[10], sums[11]
    sums[0] -= s * s / n
    sums[2] -= a * s / n
    sums[3] -= b * s / n
    sums[6] -= a * a / n
    sums[7] -= a * b / n
    sums[8] -= b * b / n
    return sums


@kernel
def damped_step(moments: Vector, damping: float) -> tuple[float, float]:
    """Step of a damped Gauss-Newton search along the two derivatives.

    Scale and shift of the curve are always the best ones: residuals and derivatives are
    taken orthogonal to the curve and to constants.
    """
    ss, st, sa, sb = moments[0], moments[1], moments[2], moments[3]
    at, bt, aa, ab, bb = moments[4], moments[5], moments[6], moments[7], moments[8]
    scale = st / ss
    # Moments of the fitted curve's derivatives with the residual, and among themselves.
    ar, br = scale * (at - sa * scale), scale * (bt - sb * scale)
    square = scale * scale
    aa = square * (aa - sa * sa / ss) * (1.0 + damping) + 1e-300
    bb = square * (bb - sb * sb / ss) * (1.0 + damping) + 1e-300
    ab = square * (ab - sa * sb / ss)
    determinant = aa * bb - ab * ab
    if determinant <= 0.0:
        return ar / aa, br / bb
    return (bb * ar - ab * br) / determinant, (aa * br - ab * ar) / determinant


@kernel
def moved(
    steepness: float, place: float, to_steeper: float, to_exponent: float
) -> tuple[float, float]:
    """Steepness and place after a step, within limits for both."""
    pivot = min(max(place, 0.0), 1.0)
    log_steepness = log(steepness) + min(max(to_steeper, -2.0), 2.0)
    new_steepness = exp(min(max(log_steepness, LOWEST), HIGHEST))
    most = 2.0 + 0.5 * steepness
    exponent = steepness * (place - pivot) + min(max(to_exponent, -most), most)
    new_place = pivot + exponent / new_steepness
    reach = FARTHEST / new_steepness
    return new_steepness, min(max(new_place, -reach), 1.0 + reach)


@kernel
def logistic_fit(
    given: Vector, target: Vector, steepness: float, place: float
) -> tuple[float, float, float]:
    """Steepness, place and explained sum of squares of the best logistic curve nearby.

    Parameters
    ----------
    given, target : ndarray of shape (n,)
        Predictor from 0 to 1, and target with mean 0.
    steepness, place : float
        Where the search starts.
    """
    whole = 0.0
    for value in target:
        whole += value * value
    moments = logistic_moments(given, target, steepness, place)
    explained = moments[1] * moments[1] / moments[0] if moments[0] > 0.0 else 0.0
    damping = 1e-3
    for _ in range(MOST_STEPS):
        if moments[0] <= 0.0 or damping > 1e10:
            break
        to_steeper, to_exponent = damped_step(moments, damping)
        new_steepness, new_place = moved(steepness, place, to_steeper, to_exponent)
        new_moments = logistic_moments(given, target, new_steepness, new_place)
        found = 0.0
        if new_moments[0] > 0.0:
            found = new_moments[1] * new_moments[1] / new_moments[0]
        if not found > explained:
            damping *= 8.0
            continue
        gain, left = found - explained, whole - found
        steepness, place, moments, explained = new_steepness, new_place, new_moments, found
        damping *= 0.2
        if gain <= LEAST_GAIN * max(left, 1e-16 * whole):
            break
    return steepness, place, explained


@kernel
def explained_squares(given: Vector, target: Vector, steepness: Vector, places: Vector) -> Matrix:
    """Explained sums of squares of logistic curves, for every steepness and every place.

    Parameters
    ----------
    given, target : ndarray of shape (n,)
        Predictor from 0 to 1, and target with mean 0.
    steepness, places : ndarray of shape (k,) and (m,)
        The curves are 1 / (1 + exp(steepness * (place - given))).
    """
    n = len(given)
    explained = np.zeros((len(steepness), len(places)))
    for i in range(len(steepness)):
        for j in range(len(places)):
            side = steepness[i] if places[j] >= 0.5 else -steepness[i]
            start = 1.0 / (1.0 + exp(side * (places[j] - given[n // 2])))
            s_sum, ss, st = 0.0, 0.0, 0.0
            for k in range(n):
                s = 1.0 / (1.0 + exp(side * (places[j] - given[k]))) - start
                s_sum += s
                ss += s * s
                st += s * target[k]
            ss -= s_sum * s_sum / n
            if ss > 0.0:
                explained[i, j] = st * st / ss
    return explained
