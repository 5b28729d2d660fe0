"""A method of your own in the benchmark.

Any object with `decide(pair, rng)` can be judged next to the built-in methods. This one fits a
cubic each way and takes the direction with the smaller error, like RECI in a few lines.

The runner hands it pairs without their answers, in processes of their own; a method that raises,
hangs or crashes costs its own rows and nothing else. With 30 pairs a set, two shares that differ
by less than a quarter may be the same; the full sets have 100.
"""

from dataclasses import dataclass

import numpy as np

from bqcd import Pair, Verdict, run_benchmark, simulate_pairs
from bqcd.benchmark.metrics import accuracy
from bqcd.show.plots import plot_accuracy_dots


@dataclass(frozen=True, kw_only=True)
class CubicError:
    """The direction whose cubic leaves the smaller error, columns scaled to [0, 1]."""

    degree: int = 3

    def decide(self, pair: Pair, rng: np.random.Generator) -> Verdict:
        """Compare the errors of the two directions."""
        x, y = ((one - one.min()) / np.ptp(one) for one in (pair.x, pair.y))
        forward, backward = self._error(x, y), self._error(y, x)
        return Verdict((backward - forward) / (backward + forward), pair)

    def _error(self, cause: np.ndarray, effect: np.ndarray) -> float:
        curve = np.polynomial.Polynomial.fit(cause, effect, self.degree)
        return float(np.mean((effect - curve(cause)) ** 2))


def main() -> None:
    """Judge generated pairs by three methods, and draw their accuracies."""
    names = ["AN", "AN-s", "LS", "LS-s", "MN-U"]
    pairsets = [simulate_pairs(name, n_pairs=30, n_rows=500, seed=1) for name in names]
    methods = ["bqcd", ("cubic", CubicError()), "igci-g"]
    rows = run_benchmark(methods, pairsets).table.to_pylist()
    print(" " * 8 + "".join(f"{name:>8}" for name in names))
    found = {}
    for method in ("bqcd", "cubic", "igci-g"):
        of_method = [row for row in rows if row["method"] == method]
        found[method] = [
            accuracy(
                [row["truth"] for row in of_method if row["pairset"] == one.name],
                [row["confidence"] for row in of_method if row["pairset"] == one.name],
            )
            for one in pairsets
        ]
        print(f"{method:8}" + "".join(f"{share:8.2f}" for share in found[method]))
    plot_accuracy_dots({"30 pairs of 500 rows": found}, names, path="own-method.png")


if __name__ == "__main__":
    main()
