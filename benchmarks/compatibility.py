"""Whether the compatibility of verdicts tells right tables from wrong ones: simulated graphs.

    OPENBLAS_NUM_THREADS=1 python benchmarks/compatibility.py [--tables 40] [--out FILE]

Tables of 8 columns and 600 rows from Erdős-Rényi graphs of mean degree 2.4, three mechanisms. Each
is scanned by four methods. A verdict is right if its cause is an ancestor of its effect; pairs
linked by a common cause alone count for neither. Then the same verdicts are turned: each by coin,
and all of them. Told: how well the score of the verdicts as they are is told from those turned
(area under the curve over tables), and how it goes with the share of right verdicts.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

import bqcd
from bqcd.assessments.compatibility import compatibility_of
from bqcd.benchmark.datasets.generators.networks import simulate_table
from bqcd.graphs.partial import PartialGraph, directed_path
from bqcd.runtime.seeds import seed_from
from bqcd.scans.fitting import demands_on, verdicts_of

METHODS = ("bqcd", "igci-g", "lingam", "reci")
MECHANISMS = ("AN", "LS", "MN")
NODES, ROWS, DEGREE = 8, 600, 2.4


def right_share(verdicts: dict, truth: PartialGraph) -> float:
    """Share of verdicts, on pairs of an ancestor and its descendant, that are right."""
    right = []
    for (first, second), sign in verdicts.items():
        forward, backward = (
            directed_path(truth, *pair) is not None for pair in ((first, second), (second, first))
        )
        if forward or backward:
            right.append(forward == (sign > 0))
    return float(np.mean(right)) if right else np.nan


def of_table(mechanism: str, at: int) -> list[dict]:
    """Scores on one table: by each method as it is, by coin, and all turned."""
    rng = np.random.default_rng(seed_from("compatibility", mechanism, at))
    table = simulate_table(NODES, n_rows=ROWS, degree=DEGREE, mechanism=mechanism, rng=rng)
    truth = PartialGraph(table.columns, directed=table.edges)
    rows = []
    for method in METHODS:
        found = bqcd.scan(table.columns, method=method, then=None)
        verdicts = verdicts_of(found)
        demands = demands_on(found, verdicts, table.columns)
        coins = {link: int(rng.choice([-1, 1])) for link in verdicts}
        ways = {"as judged": verdicts, "by coin": coins}
        ways["all turned"] = {link: -sign for link, sign in verdicts.items()}
        for way, signs in ways.items():
            score = compatibility_of(signs, demands)
            rows.append(
                {
                    "mechanism": mechanism,
                    "method": method,
                    "way": way,
                    "right": right_share(signs, truth),
                    "fit": score.fit,
                    "p": score.p_value,
                    "demands": score.demands,
                }
            )
    return rows


def area(high: list[float], low: list[float]) -> float:
    """Probability that one of the first is larger than one of the second."""
    first, second = np.array(high), np.array(low)
    above = (first[:, None] > second[None, :]).mean()
    return float(above + 0.5 * (first[:, None] == second[None, :]).mean())


def lines(rows: list[dict]) -> list[str]:
    """The record, in Markdown."""
    told = [one for one in rows if one["demands"] >= 5]
    head = "| method | tables | right | fit | fit by coin | fit turned | p <= 0.05 | by coin | "
    out = [head + "turned | AUC, coin | AUC, turned |", "|---|" + "---:|" * 10]
    for method in METHODS:
        mine = [one for one in told if one["method"] == method]
        by = {way: [one for one in mine if one["way"] == way] for way in WAYS}
        fits = {way: [one["fit"] for one in by[way]] for way in WAYS}
        small = {way: np.mean([one["p"] <= 0.05 for one in by[way]]) for way in WAYS}
        right = np.nanmean([one["right"] for one in by["as judged"]])
        numbers = [right, *(np.mean(fits[way]) for way in WAYS), *small.values()]
        numbers += [area(fits["as judged"], fits[way]) for way in WAYS[1:]]
        cells = " | ".join(f"{number:.2f}" for number in numbers)
        out.append(f"| {method} | {len(by['as judged'])} | {cells} |")
    judged = [one for one in told if one["way"] == "as judged" and not np.isnan(one["right"])]
    rank = spearmanr([one["right"] for one in judged], [one["fit"] for one in judged]).statistic
    good = [one["fit"] for one in judged if one["right"] >= 0.8]
    bad = [one["fit"] for one in judged if one["right"] <= 0.6]
    out += [
        "",
        f"Over {len(judged)} scans as judged, fit and the share of right verdicts have a rank "
        f"correlation of {rank:.2f}; scans with 80 % right or more ({len(good)}) are told from "
        f"those with 60 % or less ({len(bad)}) with an AUC of {area(good, bad):.2f}.",
    ]
    return out


WAYS = ("as judged", "by coin", "all turned")


def main() -> None:
    """Print the record, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    rows = [row for name in MECHANISMS for at in range(asked.tables) for row in of_table(name, at)]
    first = f"{asked.tables} tables of each of {', '.join(MECHANISMS)}; 5 demands or more."
    text = "\n".join([first, "", *lines(rows), ""])
    print(text)
    if asked.out:
        asked.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
