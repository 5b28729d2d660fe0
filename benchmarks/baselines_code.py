"""Speed of biCAM, Slope and Sloppy against plain implementations of the same formulas.

    python benchmarks/baselines_code.py [--largest 16000]

The plain ones below follow the descriptions line by line, with dense matrices and loops.
Both are timed in turn, round by round, in CPU seconds of one thread, and the best round of each
counts. The last column is the difference of their confidences: what the speed costs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from math import ceil, log, log2, pi
from time import thread_time

import numpy as np
from scipy.interpolate import BSpline
from scipy.linalg import eigh
from scipy.optimize import brentq, minimize_scalar

import bqcd

ROUNDS = 3
PLAIN_UP_TO = 1_000


def columns(n: int, digits: int | None) -> tuple[np.ndarray, np.ndarray]:
    """An additive pair, rounded or not."""
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    y = np.tanh(2.0 * x) + 0.3 * rng.normal(size=n)
    return (x, y) if digits is None else (x.round(digits), y.round(digits))


def standardised(column: np.ndarray) -> np.ndarray:
    """Column with mean 0 and variance 1."""
    return (column - column.mean()) / column.std(ddof=1)


def from_0_to_1(column: np.ndarray) -> np.ndarray:
    """Column scaled by its range."""
    return (column - column.min()) / np.ptp(column)


def plain_bicam(x: np.ndarray, y: np.ndarray) -> float:
    """Difference of log residual variances of two thin-plate splines."""
    x, y = standardised(x), standardised(y)
    return log(thin_plate_residuals(y, x)) - log(thin_plate_residuals(x, y))


def thin_plate_residuals(x: np.ndarray, y: np.ndarray, size: int = 10) -> float:
    """Residual sum of squares, by all eigenvectors of the kernel matrix."""
    knots, places = np.unique(x, return_inverse=True)
    values, vectors = np.linalg.eigh(np.abs(knots[:, None] - knots) ** 3 / 12.0)
    keep = np.argsort(-np.abs(values))[:size]
    d, u = values[keep], vectors[:, keep]
    line = np.column_stack((np.ones_like(knots), knots - knots.mean()))
    z = np.linalg.qr((line.T @ u).T, mode="complete")[0][:, 2:]
    q, r = np.linalg.qr(np.column_stack((line, u * d @ z))[places])
    half = np.linalg.solve(r[2:, 2:].T, z.T @ (d[:, None] * z))
    stiffness, turn = np.linalg.eigh(np.linalg.solve(r[2:, 2:].T, half.T))
    shares = q.T @ y
    energy = (turn.T @ shares[2:]) ** 2
    rest = float(((y - q @ shares) ** 2).sum())

    def squares(log_penalty: float) -> float:
        bent = np.exp(log_penalty) * stiffness
        return rest + float(((bent / (1.0 + bent)) ** 2 * energy).sum())

    def gcv(log_penalty: float) -> float:
        degrees = 2.0 + float((1.0 / (1.0 + np.exp(log_penalty) * stiffness)).sum())
        return log(squares(log_penalty)) - 2.0 * log(len(x) - degrees)

    grid = np.arange(-log(stiffness[-1]) - 15.0, 15.0 - log(stiffness[0]), 0.25)
    start = grid[np.argmin([gcv(point) for point in grid])]
    around = (start - 0.25, start + 0.25)
    return squares(minimize_scalar(gcv, bounds=around, options={"xatol": 1e-9}).x)


def plain_slope(x: np.ndarray, y: np.ndarray) -> float:
    """Relative difference of code lengths."""
    x, y = from_0_to_1(x), from_0_to_1(y)
    step_x, step_y = (
        min(0.01, *(gap for gap in np.diff(np.sort(column)) if gap > 0.0)) for column in (x, y)
    )
    alone_x, alone_y = -len(x) * log2(step_x), -len(y) * log2(step_y)
    to_y, to_x = alone_x + told(x, y, step_y), alone_y + told(y, x, step_x)
    return (to_x - to_y) / (alone_x + alone_y)


def told(x: np.ndarray, y: np.ndarray, step: float) -> float:
    """Bits of y given x: one curve for all, and others for repeated values."""
    n = len(x)
    whole = curves(x, y, step)
    best = min(whole, key=lambda curve: curve[0] + curve[1])
    totals, bins = [best[0]] * len(whole), [1] * len(whole)
    cells = np.round(x * 1e5)
    for cell in np.unique(cells):
        rows = cells == cell
        m = int(rows.sum())
        if m < 5:
            continue
        before = gaussian_bits(float((best[2][rows] ** 2).sum()), m, step)
        spaced = 10.0 * np.arange(m) / (m - 1) - 5.0
        for j, curve in enumerate(curves(spaced, np.sort(y[rows]), step)):
            b = bins[j]
            change = curve[0] + curve[1] - before + choices(n - 1, b + 1) - choices(n - 1, b)
            change += log2(b + 1) - log2(b)
            if change < 0.0:
                bins[j] += 1
                totals[j] += change
    bins = [b - (b > len(np.unique(cells))) for b in bins]
    return min(total + 1 + choices(n - 1, b - 1) for total, b in zip(totals, bins, strict=True))


def curves(x: np.ndarray, y: np.ndarray, step: float) -> list[tuple[float, float, np.ndarray]]:
    """Residual bits, parameter bits and residuals of five regressions."""
    found = []
    for feature in (x, x**2, x**3, np.exp(x), 1.0 / np.where(x == 0.0, step, x)):
        design = np.column_stack((np.ones_like(feature), feature))
        scale = np.abs(design).max(axis=0)
        coefficients = np.linalg.lstsq(design / scale, y)[0] / scale
        left = y - design @ coefficients
        bits = gaussian_bits(float((left**2).sum()), len(y), step)
        found.append((bits, sum(map(real_bits, coefficients)), left))
    return found


def gaussian_bits(squares: float, m: int, step: float) -> float:
    """Bits of residuals."""
    if squares == 0.0:
        return 0.0
    return max(0.5 * m * (1 / log(2) + log2(2 * pi * squares / m)) - m * log2(step), 0.0)


def real_bits(value: float) -> float:
    """Bits of a parameter."""
    value, places = abs(value), 1
    if value == 0.0:
        return 0.0
    while value < 1000.0:
        value, places = value * 10.0, places + 1
    return integer_bits(value) + integer_bits(places) + 1.0


def integer_bits(value: float) -> float:
    """Bits of an integer."""
    term = log2(ceil(value))
    total = term + log2(2.865064)
    while term > 0.0:
        term = log2(term)
        total += term
    return total


def choices(n: int, k: int) -> float:
    """Bits of a choice, as published."""
    if k == 0 or k > n:
        return 0.0
    sums = [1.0 if m < 2 else sum(map(log2, range(2, m + 1))) for m in (n, k, n - k)]
    return sums[0] - sums[1] - sums[2]


def plain_sloppy(x: np.ndarray, y: np.ndarray) -> float:
    """One less the ratio of the best BIC of splines."""
    x, y = standardised(x), standardised(y)
    given_x, given_y = cheapest_spline(x, y), cheapest_spline(y, x)
    gap = 1.0 - min(given_x, given_y) / max(given_x, given_y)
    return gap if given_x < given_y else -gap


def cheapest_spline(x: np.ndarray, y: np.ndarray) -> float:
    """Least BIC over all whole degrees of freedom, by simultaneous diagonalisation."""
    n = len(x)
    cells = np.round((x - x.mean()) / (1e-6 * np.subtract(*np.quantile(x, (0.75, 0.25)))))
    found = np.unique(cells, return_index=True, return_inverse=True, return_counts=True)
    _, first, places, counts = found
    points = from_0_to_1(x[first])
    means = np.bincount(places, y) / counts
    size = spline_knots(len(points))
    chosen = points[np.linspace(0, len(points) - 1, size).astype(int)]
    knots = np.concatenate((np.zeros(3), chosen, np.ones(3)))
    design = BSpline.design_matrix(points, knots, 3).toarray()
    gram, curvature = design.T * counts @ design, curvatures(knots)
    inner = slice(2, size - 1)
    ratio = log(np.diag(gram)[inner].sum() / np.diag(curvature)[inner].sum())
    low, high = ratio - 5.5 * log(256.0), ratio + 3.5 * log(256.0)
    middle = 0.5 * (low + high)
    held, basis = eigh(gram, gram + np.exp(middle) * curvature)
    held, shares = held.clip(0.0, 1.0), basis.T @ (design.T @ (counts * means))
    total = float((y**2).sum())

    def scale(log_penalty: float) -> np.ndarray:
        return held + np.exp(log_penalty - middle) * (1.0 - held)

    def degrees(log_penalty: float) -> float:
        return float((held / scale(log_penalty)).sum())

    best = n * log2(((y - y.mean()) ** 2).sum() / n + 1.0) + log2(n)
    for wanted in range(2, min(len(points), ceil(degrees(low))) + 1):
        at = high if degrees(high) >= wanted else low
        if degrees(high) < wanted < degrees(low):
            at = brentq(lambda point, k=wanted: degrees(point) - k, low, high, xtol=1e-12)
        d = scale(at)
        squares = total - float((shares**2 * (2.0 / d - held / d**2)).sum())
        best = min(best, n * log2(squares / n + 1.0) + degrees(at) * log2(n))
    return best


def spline_knots(n: int) -> int:
    """Knots that R uses."""
    if n < 50:
        return n
    if n >= 3200:
        return int(200 + (n - 3200) ** 0.2)
    return int(2.0 ** np.interp(n, (50, 200, 800, 3200), np.log2((50, 100, 140, 200))))


def curvatures(knots: np.ndarray) -> np.ndarray:
    """Integrals of products of second derivatives, with 0.333 for a third as in R."""
    start, width = knots[3:-4], np.diff(knots[3:-3])
    bent = BSpline(knots, np.eye(len(knots) - 4), 3).derivative(2)
    # Straight lines between the knots: values at one and three quarters tell them.
    early, late = bent(start + 0.25 * width), bent(start + 0.75 * width)
    rise = 2.0 * (late - early)
    left = early - 0.25 * rise
    both = left.T * width @ left + 0.5 * (left.T * width @ rise + rise.T * width @ left)
    return both + 0.333 * (rise.T * width @ rise)


PLAIN: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "bicam": plain_bicam,
    "slope": plain_slope,
    "sloppy": plain_sloppy,
}


def best_time(job: Callable[[], float], calls: int) -> tuple[float, float]:
    """Shortest CPU seconds a call, and what came out."""
    best, found = float("inf"), job()
    for _ in range(ROUNDS):
        start = thread_time()
        for _ in range(calls):
            job()
        best = min(best, (thread_time() - start) / calls)
    return best, found


def line(name: str, n: int, digits: int | None) -> str:
    """One line of the table."""
    x, y = columns(n, digits)
    calls = max(1, 10_000 // n)
    ours, found = best_time(lambda: bqcd.decide(x, y, method=name).confidence, calls)
    shown = f"{name:>8} {n:>7,} {'yes' if digits else 'no':>5} {ours * 1e3:>7.2f} ms"
    if n > PLAIN_UP_TO:
        return shown
    theirs, expected = best_time(lambda: PLAIN[name](x, y), 1)
    return f"{shown} {theirs * 1e3:>8.1f} ms {theirs / ours:>6.1f}x {found - expected:>9.1e}"


def main() -> None:
    """Print one line per method, number of rows and kind of data."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=float, default=16_000)
    largest = int(parser.parse_args().largest)
    print("  method    rows  ties       bqcd       plain   ratio difference")
    for name in PLAIN:
        for n in (200, 1_000, 16_000):
            if n <= largest:
                for digits in (None, 1):
                    print(line(name, n, digits), flush=True)


if __name__ == "__main__":
    main()
