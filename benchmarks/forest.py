"""Time of the compiled forest against the package quantile-forest, both in one run.

Each time is the best of several for fitting both directions and predicting at all rows.
"""

from __future__ import annotations

from time import perf_counter
from typing import get_args

import numpy as np

from bqcd.discovery.quantiles import QuantileRegressor
from bqcd.discovery.quantiles.forest import Forest, QuantileForest, Weigh
from bqcd.discovery.scores import gauss_legendre


def seconds_per_pair(regressor: QuantileRegressor, n: int, repeats: int) -> float:
    """Least time of ``repeats`` to fit and predict a pair of ``n`` rows in both directions."""
    rng = np.random.default_rng(n)
    x = rng.standard_normal(n)
    y = np.tanh(2.0 * x) + 0.3 * rng.standard_normal(n)
    levels = gauss_legendre(3).levels
    times = []
    for _ in range(repeats):
        start = perf_counter()
        for given, target in ((x, y), (y, x)):
            regressor.fit(given, target, levels, rng)(given)
        times.append(perf_counter() - start)
    return min(times)


def main() -> None:
    """Print a line per sample size."""
    seconds_per_pair(Forest(), 100, 1)
    print("seconds per pair; the last column is the package over weigh='sample'")
    print(f"{'n':>7} {'all':>9} {'sample':>9} {'QuantileForest':>15} {'ratio':>6}")
    for n in (200, 1000, 10_000, 100_000):
        every, own = (seconds_per_pair(Forest(weigh=weigh), n, 10) for weigh in get_args(Weigh))
        line = f"{n:>7} {every:>9.4f} {own:>9.4f}"
        if n <= 10_000:
            package = seconds_per_pair(QuantileForest(), n, 3)
            line += f" {package:>15.3f} {package / own:>6.0f}"
        print(line)


if __name__ == "__main__":
    main()
