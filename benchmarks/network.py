"""Seconds per pair of the quantile network, and its accuracy on the benchmark pairs.

Usage: ``OMP_NUM_THREADS=1 python benchmarks/network.py [k]``. Times are always printed.
Accuracies, on the first k pairs of each set (30 unless given), need the environment variable
``BQCD_DATA``, the folder that holds ``ANLSMN_pairs``, ``SIM_pairs`` and ``tuebingen``. The
Tübingen pairs are always used in full.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from bqcd.quantiles.network import Network
from bqcd.scores import gauss_legendre, pinball_score

Vector = NDArray[np.float64]
LabelledPair = tuple[Vector, Vector, int, float]

NETWORK = Network()
RULE = gauss_legendre(3)
TUEBINGEN = {*range(1, 47), *range(48, 52), *range(56, 70), *range(72, 105), 106, 108}


def normal_scores(values: Vector, rng: np.random.Generator) -> Vector:
    """Scores with a standard normal margin: quantiles of ranks / (n + 1), ties at random."""
    ranks = np.empty(len(values))
    ranks[np.lexsort((rng.random(len(values)), values))] = np.arange(1, len(values) + 1)
    return np.asarray(ndtri(ranks / (len(values) + 1)))


def score(quantiles: Vector, target: Vector) -> float:
    """Pinball score averaged over rows and levels."""
    return RULE.integrate(pinball_score(quantiles, target[:, None], RULE.levels).mean(axis=0))


def confidence(x: Vector, y: Vector, seed: int) -> float:
    """Confidence of the network rule; positive if ``x`` causes ``y``."""
    rng = np.random.default_rng([seed, 0])
    x, y = normal_scores(x, rng), normal_scores(y, rng)
    given_x, given_y = (
        score(NETWORK.fit(given, target, RULE.levels, np.random.default_rng(seed))(given), target)
        for given, target in ((x, y), (y, x))
    )
    margins = (score(np.quantile(values, RULE.levels), values) for values in (x, y))
    return (given_y - given_x) / sum(margins)


def additive_and_multiplicative(folder: Path, count: int) -> Iterator[LabelledPair]:
    """First pairs of a set of ``ANLSMN_pairs`` with direction and weight."""
    truths = np.loadtxt(folder / "pairs_gt.txt")[:count]
    for number, truth in enumerate(truths, start=1):
        path = folder / f"pair_{number}.txt"
        table = np.genfromtxt(path, delimiter=",", skip_header=1, usecols=(1, 2))
        yield table[:, 0], table[:, 1], 1 if truth == 1 else -1, 1.0


def with_meta_data(folder: Path, wanted: set[int]) -> Iterator[LabelledPair]:
    """Wanted pairs of a set in the Tübingen format with direction and weight."""
    for line in (folder / "pairmeta.txt").read_text().splitlines():
        fields = line.split()
        if not fields or int(fields[0]) not in wanted:
            continue
        cause, effect = int(fields[1]) - 1, int(fields[3]) - 1
        table = np.loadtxt(folder / f"pair{int(fields[0]):04d}.txt")
        first, second = sorted((cause, effect))
        yield table[:, first], table[:, second], 1 if cause < effect else -1, float(fields[5])


def print_times() -> None:
    """Print the best of three times for both directions at three sample sizes."""
    for rows in (200, 1000, 10_000):
        rng = np.random.default_rng(rows)
        x = rng.standard_normal(rows)
        y = np.tanh(x) + 0.4 * (1.0 + 0.5 * np.sin(x)) * rng.standard_normal(rows)
        times = []
        for seed in range(3):
            begin = time.perf_counter()
            confidence(x, y, seed)
            times.append(time.perf_counter() - begin)
        print(f"n = {rows:>6}: {min(times):.2f} s per pair")


def print_accuracies(data: Path, count: int) -> None:
    """Print the share of right directions for each set."""
    first = set(range(1, count + 1))
    sets = [
        (name, additive_and_multiplicative(data / "ANLSMN_pairs" / name, count))
        for name in ("AN", "AN-s", "LS", "LS-s", "MN-U")
    ]
    sets += [
        (name, with_meta_data(data / "SIM_pairs" / name, first))
        for name in ("SIM", "SIM-c", "SIM-ln", "SIM-G")
    ]
    sets.append(("Tübingen", with_meta_data(data / "tuebingen", TUEBINGEN)))
    print(f"{'set':10} {'pairs':>5} {'accuracy':>8} {'weighted':>8} {'s/pair':>6}")
    for name, pairs in sets:
        begin = time.perf_counter()
        answers = [
            (confidence(x, y, seed) * truth > 0.0, weight)
            for seed, (x, y, truth, weight) in enumerate(pairs)
        ]
        seconds = (time.perf_counter() - begin) / len(answers)
        right, weights = np.array(answers, dtype=np.float64).T
        weighted = np.average(right, weights=weights)
        print(f"{name:10} {len(right):5} {right.mean():8.3f} {weighted:8.3f} {seconds:6.2f}")


if __name__ == "__main__":
    print_times()
    if "BQCD_DATA" in os.environ:
        pairs_per_set = int(sys.argv[1]) if len(sys.argv) > 1 else 30
        print_accuracies(Path(os.environ["BQCD_DATA"]), pairs_per_set)
