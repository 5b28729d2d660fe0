"""Time of RESIT and ANM against the same formulas with dense matrices, and against causal-learn.

    OPENBLAS_NUM_THREADS=1 python benchmarks/baselines_kernel.py [--rows 200 1000] [--repeats 3]

Each line tells milliseconds of CPU time a pair, best of several, how many times longer the
other implementation takes, and by how much its result differs. Past 2,000 rows dense matrices
are left out. causal-learn is compared if it is installed; its test of independence is another
one, so that only the direction can be compared.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from math import exp
from time import process_time

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.stats import gamma

from bqcd.data.pair import Pair
from bqcd.methods.anm import ANM
from bqcd.methods.resit import RESIT

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

MOST_DENSE = 2_000


def scaled(column: Vector) -> Vector:
    """Column with mean 0 and variance 1."""
    return (column - column.mean()) / column.std(ddof=1)


def dense_surprise(first: Vector, second: Vector) -> float:
    """-log p of independence by HSIC and a gamma distribution, from n x n matrices."""
    n = len(first)
    means, centred = [], []
    for column in (first, second):
        squares = (column[:, None] - column) ** 2
        gram = np.exp(-squares / np.median(squares[np.triu_indices(n, 1)]))
        means.append((gram.sum() - n) / (n * (n - 1)))
        centred.append(gram - gram.mean(0) - gram.mean(1)[:, None] + gram.mean())
    statistic = np.sum(centred[0] * centred[1]) / n**2
    mean = (1.0 - means[0]) * (1.0 - means[1]) / n
    norms = np.sum(centred[0] ** 2) * np.sum(centred[1] ** 2) / (n - 1) ** 4
    variance = 2.0 * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2) * (n - 3)) * norms
    return -float(gamma.logsf(n * statistic, mean**2 / variance, scale=n * variance / mean))


def dense_resit(x: Vector, y: Vector) -> float:
    """Confidence of RESIT with its fixed covariance, by solving n x n equations."""
    surprises = []
    for given, target in ((x, y), (y, x)):
        gram = np.exp(-0.5 * (given[:, None] - given) ** 2)
        target = target - target.mean()
        factor = cho_factor(gram + exp(-2.0) * np.eye(len(given)), lower=True)
        surprises.append(dense_surprise(given, target - gram @ cho_solve(factor, target)))
    dense_surprise(x, y)
    return surprises[1] - surprises[0]


def dense_loss(logs: Vector, squares: Matrix, target: Vector) -> tuple[float, Vector]:
    """Negative log-likelihood a row and its gradient by log length, signal and noise."""
    n = len(target)
    length, signal, noise = np.exp(2.0 * logs)
    smooth = signal * np.exp(-0.5 / length * squares)
    factor = cho_factor(smooth + noise * np.eye(n), lower=True)
    weights = cho_solve(factor, target)
    inner = np.outer(weights, weights) - cho_solve(factor, np.eye(n))
    value = 0.5 * float(target @ weights) + float(np.log(np.diag(factor[0])).sum())
    gradient = [
        0.5 * np.sum(inner * smooth * squares) / length,
        np.sum(inner * smooth),
        noise * np.trace(inner),
    ]
    return value / n, -np.array(gradient) / n


def dense_anm(x: Vector, y: Vector) -> float:
    """Confidence of ANM by p-values, trained by L-BFGS-B on n x n matrices from one start."""
    surprises = []
    for given, target in ((scaled(x), scaled(y)), (scaled(y), scaled(x))):
        squares = (given[:, None] - given) ** 2
        found = minimize(
            dense_loss,
            np.log([1.0, 1.0, 0.1]),
            args=(squares, target),
            jac=True,
            method="L-BFGS-B",
            bounds=[(-4.6, 4.6)] * 3,
            options={"ftol": 1e-10, "gtol": 1e-6},
        )
        length, signal, noise = np.exp(2.0 * found.x)
        smooth = signal * np.exp(-0.5 / length * squares)
        weights = np.linalg.solve(smooth + noise * np.eye(len(target)), target)
        surprises.append(dense_surprise(given, target - smooth @ weights))
    return surprises[1] - surprises[0]


def causal_learn_anm() -> Callable[[Vector, Vector], float] | None:
    """Signed difference of causal-learn's two p-values, if it is installed."""
    try:
        from causallearn.search.FCMBased.ANM.ANM import ANM as Theirs
    except ImportError:
        return None

    def decide(x: Vector, y: Vector) -> float:
        forward, backward = Theirs().cause_or_effect(scaled(x)[:, None], scaled(y)[:, None])
        return float(forward - backward)

    return decide


def seconds(
    decide: Callable[[Vector, Vector], float], x: Vector, y: Vector, repeats: int
) -> tuple[float, float]:
    """Least CPU time of ``repeats``, and the result."""
    times = []
    for _ in range(repeats):
        start = process_time()
        result = decide(x, y)
        times.append(process_time() - start)
    return min(times), result


def ours(method: ANM | RESIT) -> Callable[[Vector, Vector], float]:
    """Confidence of a method on two columns."""
    return lambda x, y: method.decide(Pair(x, y), np.random.default_rng(0)).confidence


def main() -> None:
    """Print a line per method and sample size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[200, 1000, 2000, 16000])
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    print(f"{'method':>6} {'rows':>6} {'ms':>8} {'other':>13} {'ms':>8} {'ratio':>6}  difference")
    by_p = ANM(decision="p-value")
    theirs = causal_learn_anm()
    for n in asked.rows:
        rng = np.random.default_rng(n)
        x = rng.normal(size=n)
        y = np.tanh(2.0 * x) + 0.3 * rng.normal(size=n)
        for name, method, dense in (("RESIT", RESIT(), dense_resit), ("ANM", by_p, dense_anm)):
            ours(method)(x, y)
            own, found = seconds(ours(method), x, y, max(asked.repeats, 5))
            line = f"{name:>6} {n:>6} {1e3 * own:>8.1f}"
            if n > MOST_DENSE:
                print(line)
                continue
            other, expected = seconds(dense, x, y, asked.repeats)
            gap = abs(found / expected - 1.0)
            print(f"{line} {'dense':>13} {1e3 * other:>8.0f} {other / own:>6.0f}  {gap:.1e}")
            if name == "ANM" and theirs is not None:
                other, sign = seconds(theirs, x, y, 1)
                same = "same direction" if sign * found > 0.0 else "other direction"
                print(
                    f"{line} {'causal-learn':>13} {1e3 * other:>8.0f} {other / own:>6.0f}  {same}"
                )


if __name__ == "__main__":
    main()
