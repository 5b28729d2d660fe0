"""How often p_bound rejects: where the direction cannot be known, and where it can.

    python benchmarks/assess_size.py [--rows 200 1000 10000] [--pairs 400] [--seed 0]

The first table is of pairs whose direction nobody can know: linear Gaussian pairs and
independent columns, as they are and rounded. No share may exceed the level asked for. The second
is of pairs with a known direction: the share that p_bound calls significant, and how many of
those are wrong. ``--pairs`` says how many are drawn at 200 rows: with more rows there are fewer
of them, and a quarter of them where rounding makes them slow or the direction is known.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

import bqcd
from bqcd.assessments.resampling import half_samples
from bqcd.assessments.significance import Significance, significance
from bqcd.datasets.generators import pair_stream
from bqcd.metrics.intervals import clopper_pearson
from bqcd.pair import Pair

Vector = NDArray[np.float64]
Rounding = Callable[[Vector], Vector]

LEVELS = (0.05, 0.01)
HALVES = 100
SCENARIOS = ("AN", "AN-s", "LS", "LS-s", "MN-U", "SIM")


def as_it_is(column: Vector) -> Vector:
    """Column left alone."""
    return column


def to_halves(column: Vector) -> Vector:
    """Column rounded to half standard deviations."""
    return np.round(2.0 * column) / 2.0


def to_units(column: Vector) -> Vector:
    """Column rounded to standard deviations: some seven values."""
    return np.round(column)


def cut_at_zero(column: Vector) -> Vector:
    """Column with half of its rows at zero."""
    return np.maximum(column, 0.0)


ROUNDINGS: Mapping[str, tuple[Rounding, Rounding]] = {
    "": (as_it_is, as_it_is),
    ", both rounded": (to_halves, to_halves),
    ", x coarse": (to_units, as_it_is),
    ", x coarse, y fine": (to_units, to_halves),
    ", x cut at 0": (cut_at_zero, as_it_is),
}
UNKNOWABLE: Mapping[str, tuple[float, str]] = {
    f"{'independent' if rho == 0.0 else f'Gaussian {rho}'}{rounding}": (rho, rounding)
    for rounding, correlations in (
        ("", (0.0, 0.3, 0.5, 0.7, 0.9, 0.99)),
        (", both rounded", (0.0, 0.5, 0.9)),
        (", x coarse", (0.0, 0.5, 0.9)),
        (", x coarse, y fine", (0.7,)),
        (", x cut at 0", (0.0, 0.7)),
    )
    for rho in correlations
}


def unknowable_pairs(name: str, n_rows: int, rng: Generator) -> Iterator[Pair]:
    """Endless pairs whose direction nobody can know."""
    rho, rounding = UNKNOWABLE[name]
    of_x, of_y = ROUNDINGS[rounding]
    while True:
        x, noise = rng.normal(size=(2, n_rows))
        yield Pair(of_x(x), of_y(rho * x + np.sqrt(1.0 - rho**2) * noise))


def judged(pair: Pair) -> tuple[float, Significance]:
    """Confidence of BQCD() and its significance."""
    method = bqcd.BQCD()
    verdict = bqcd.decide_pair(pair, method=method)
    found = significance(verdict, half_samples(pair, method, replicates=HALVES))
    assert found is not None
    return verdict.confidence, found


def print_sizes(n_rows: int, n_pairs: int, seed: int) -> None:
    """Print a line for each kind of pair whose direction nobody can know."""
    for at, (name, (_, rounding)) in enumerate(UNKNOWABLE.items()):
        count = n_pairs // 4 if rounding else n_pairs
        rng = default_rng([seed, n_rows, at])
        found = [judged(pair)[1] for pair in islice(unknowable_pairs(name, n_rows, rng), count)]
        line = f"{n_rows:>6} {name:<30} {count:>5}"
        for kind in ("hypercompression", "sampling", "p_bound"):
            bounds = np.array([getattr(each, kind) for each in found])
            shares = [float(np.mean(bounds <= level)) for level in LEVELS]
            line += "  " + " ".join(f"{share:>6.3f}" for share in shares)
        low, _ = clopper_pearson(np.array([shares[0] * count]), np.array([float(count)]))
        print(line + ("  too many" if low[0] > LEVELS[0] else ""), flush=True)


def print_power(n_rows: int, n_pairs: int, seed: int) -> None:
    """Print a line for each scenario with a known direction."""
    for name in SCENARIOS:
        items = list(islice(pair_stream(name, n_rows=n_rows, seed=seed), n_pairs))
        found = [judged(item.pair) for item in items]
        right = np.array(
            [
                confidence * item.truth.sign > 0.0
                for item, (confidence, _) in zip(items, found, strict=True)
            ]
        )
        bounds = np.array([each.p_bound for _, each in found])
        line = f"{n_rows:>6} {name:<6} {n_pairs:>5} {right.mean():>9.2f}"
        for level in LEVELS:
            kept = bounds <= level
            wrong = int(np.count_nonzero(~right[kept]))
            line += f"   {kept.mean():>6.2f} {wrong:>6} of {np.count_nonzero(kept):<4}"
        print(line, flush=True)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[200, 1000, 10_000])
    parser.add_argument("--pairs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print("direction unknowable: share at or below 0.05 and 0.01")
    print(f"{'rows':>6} {'pairs':<30} {'count':>5}  hypercompr.    sampling       p_bound")
    counts = {n_rows: round(options.pairs * (200 / n_rows) ** 0.35) for n_rows in options.rows}
    for n_rows, count in counts.items():
        print_sizes(n_rows, count, options.seed)
    print("\ndirection known: share significant at 0.05 and 0.01, and how many of them are wrong")
    print(f"{'rows':>6} {'':<6} {'count':>5} {'accuracy':>9}")
    for n_rows, count in counts.items():
        print_power(n_rows, count // 4, options.seed)


if __name__ == "__main__":
    main()
