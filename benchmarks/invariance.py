"""Invariant quantile prediction against that by means: how often causes are named, and others.

    OPENBLAS_NUM_THREADS=1 python benchmarks/invariance.py [--draws 400]

x and w cause y, which causes z; three environments act on x and on z, so x can be named. "linear":
means are linear, the noise Gaussian and the same everywhere, and environments move x, as invariant
prediction by means assumes. "shift": smooth functions, a spread that follows x, and environments
move and stretch x. "spread": the same, but environments stretch x only. "none": as "shift", but
labels of environments are shuffled, so nothing can be told and every name is one too many. The set
of the causes is rejected where a test errs: that is its size, if its model holds. Rates with their
95 % intervals (Clopper and Pearson), at alpha 0.05, are written to
``results/invariance.md``.
"""

from __future__ import annotations

import argparse
from itertools import chain, combinations
from pathlib import Path

import numpy as np
from numpy.random import Generator

from bqcd import invariant_causes

OUT = Path(__file__).parent / "results" / "invariance.md"
CHANGES = ("linear", "shift", "spread", "none")
CAUSES, PREDICTORS = frozenset({"x", "w"}), ["x", "w", "z"]
ALPHA = 0.05
Columns = dict[str, np.ndarray]


def table(rng: Generator, n: int = 600, *, change: str = "shift") -> Columns:
    """Rows of three environments."""
    where = np.arange(n) % 3
    stretch = np.array([0.5, 1.0, 2.0] if change == "spread" else [1.0, 1.5, 1.0])[where]
    x = rng.normal(size=n) * stretch + (change != "spread") * (where == 2)
    w = rng.normal(size=n)
    if change == "linear":
        y = x + 0.5 * w + 0.5 * rng.normal(size=n)
    else:
        y = np.sin(x) + 0.5 * np.abs(w) + 0.4 * np.exp(0.4 * x) * rng.normal(size=n)
    z = y * np.array([1.0, 0.5, 1.0])[where] + 0.4 * rng.normal(size=n)
    labels = np.array(["a", "b", "c"])[rng.permutation(where) if change == "none" else where]
    return {"x": x, "w": w, "y": y, "z": z, "site": labels}


def by_means(columns: Columns, predictors: list[str]) -> dict[frozenset[str], float]:
    """P-value of each set by means: linear residuals, t- and F-tests of each environment [1]_.

    References
    ----------
    .. [1] Peters, Bühlmann, Meinshausen (2016), method II.
    """
    n = len(columns["y"])
    found = {}
    for names in chain.from_iterable(
        combinations(predictors, k) for k in range(len(predictors) + 1)
    ):
        given = np.column_stack([np.ones(n), *(columns[name] for name in names)])
        left = columns["y"] - given @ np.linalg.lstsq(given, columns["y"], rcond=None)[0]
        found[frozenset(names)] = _p_value(left, columns["site"])
    return found


def by_quantiles(columns: Columns) -> dict[frozenset[str], float]:
    """P-value of each set by quantiles."""
    found = invariant_causes(columns, "y", "site")
    return {frozenset(one.predictors): one.p_value for one in found.sets}


def named(p_values: dict[frozenset[str], float]) -> frozenset[str]:
    """What is in all sets that pass."""
    passed = [names for names, p_value in p_values.items() if p_value > ALPHA]
    return frozenset.intersection(*passed) if passed else frozenset()


def _p_value(left: np.ndarray, where: np.ndarray) -> float:
    """P-value that residuals have one mean and one variance, after Bonferroni."""
    from scipy import stats

    p_values = []
    for label in np.unique(where):
        inside, outside = left[where == label], left[where != label]
        ratio = inside.var(ddof=1) / outside.var(ddof=1)
        tail = stats.f.cdf(ratio, len(inside) - 1, len(outside) - 1)
        means = stats.ttest_ind(inside, outside, equal_var=False).pvalue
        p_values += [means, 2.0 * min(tail, 1.0 - tail)]
    return float(min(p_values)) * len(p_values)


def counted(change: str, draws: int) -> dict[str, tuple[int, int, int]]:
    """Tables in which x is named, a column wrongly, and the set of the causes rejected."""
    found = {"quantiles": [0, 0, 0], "means": [0, 0, 0]}
    for seed in range(draws):
        columns = table(np.random.default_rng([11, seed]), change=change)
        sets = {"quantiles": by_quantiles(columns), "means": by_means(columns, PREDICTORS)}
        for way, p_values in sets.items():
            names = named(p_values)
            found[way][0] += "x" in names
            found[way][1] += bool(names if change == "none" else names - CAUSES)
            found[way][2] += p_values[CAUSES] <= ALPHA
    return {way: (right, wrong, lost) for way, (right, wrong, lost) in found.items()}


def _rate(count: int, draws: int) -> str:
    from scipy.stats import binomtest

    low, high = binomtest(count, draws).proportion_ci()
    return f"{count / draws:.3f} ({low:.3f} to {high:.3f})"


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=400)
    draws = parser.parse_args().draws
    lines = [
        "# Invariant prediction, by quantiles and by means",
        "",
        f"Made by `benchmarks/invariance.py`: {draws} tables of 600 rows and 3 environments each,",
        "alpha 0.05; share of tables, with 95 % intervals.",
        "",
        "| environments | by | x named | a column wrongly named | the set of the causes rejected |",
        "|---|---|---:|---:|---:|",
    ]
    for change in CHANGES:
        for way, (right, wrong, lost) in counted(change, draws).items():
            power = "-" if change == "none" else _rate(right, draws)
            rates = f"{power} | {_rate(wrong, draws)} | {_rate(lost, draws)}"
            lines.append(f"| {change} | {way} | {rates} |")
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
