"""Where bQCD errs: the model behind the limits of its probability, checked on families left out.

    python benchmarks/train_regions.py

Learns from the simulated pairs of ``benchmarks/panel`` and writes
``src/bqcd/assessments/regions.json``. Then compares what ``assess`` claims with and without the
limits, on other pairs, by models that have not seen their family, and on products y = x e,
which are in no family. That goes to ``benchmarks/results/regions.json``. Three minutes or so.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from unittest.mock import patch

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

sys.path.insert(0, str(Path(__file__).resolve().parent / "panel"))

from families import FAMILIES
from learning import folds
from prior import simulated

import bqcd.assessments
from bqcd.assessments import assess_pair
from bqcd.assessments.probability import LEAST
from bqcd.assessments.regions import (
    KNOWN_TO_ERR,
    NUMBERS,
    RegionModel,
    features_of_direction,
)
from bqcd.data.pair import Pair
from bqcd.methods.bqcd import BQCD

MODEL_FILE = Path(bqcd.assessments.__file__).with_name("regions.json")
RECORDED = Path(__file__).resolve().parent / "results" / "regions.json"
FEATURES = (*NUMBERS, "fan")
LEVELS = (1, 3, 7)
# Numbers of the pairs of a family that are learned from, and of those that are asked about;
# the panel has learned from neither.
LEARNED, ASKED = range(20_000, 20_100), range(30_000, 30_030)
GROUPS, PENALTY = 6, 0.1
HALVES, PRODUCTS, PRODUCT_ROWS = 100, 20, 1000

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

CAUSES: Mapping[str, Callable[[int, Generator], Vector]] = {
    "uniform on (0, 1)": lambda n, rng: rng.uniform(size=n),
    "uniform on (0.5, 1.5)": lambda n, rng: rng.uniform(0.5, 1.5, n),
    "half-normal": lambda n, rng: np.abs(rng.normal(size=n)),
    "log-normal": lambda n, rng: rng.lognormal(size=n),
    "exponential": lambda n, rng: rng.exponential(size=n),
    "normal": lambda n, rng: rng.normal(size=n),
}


@dataclass(frozen=True)
class Verdicts:
    """Features of directions that bQCD took, whether they were right, and families."""

    features: Matrix
    right: NDArray[np.bool_]
    families: NDArray[np.str_]


def verdicts(rounds: range, units: Mapping[str, float]) -> Verdicts:
    """Directions of bQCD with all numbers of levels on simulated pairs."""
    rows, right, families = [], [], []
    for family, pair in pairs_of(rounds):
        for levels in LEVELS:
            method = BQCD(n_levels=levels, small_n=0)
            confidence = method.decide(pair, default_rng(0)).confidence
            found = features_of_direction(pair, confidence or 1.0, units)
            rows.append([found[name] for name in FEATURES])
            right.append(confidence > 0.0)
            families.append(family)
    return Verdicts(np.array(rows), np.array(right), np.array(families))


def pairs_of(rounds: range) -> Iterator[tuple[str, Pair]]:
    """Families and pairs in which x causes y."""
    for number in rounds:
        for family in FAMILIES:
            made = simulated(family, number)
            yield family, Pair(made.x, made.y)


def median_sizes(rounds: range) -> dict[str, float]:
    """Median size of the difference of each number between the directions."""
    ones = dict.fromkeys(NUMBERS, 1.0)
    found = [features_of_direction(pair, 1.0, ones) for _, pair in pairs_of(rounds)]
    return {
        name: round(float(np.median([np.expm1(abs(one[name])) for one in found])), 6)
        for name in NUMBERS
    }


def learned(examples: Verdicts, units: Mapping[str, float]) -> RegionModel:
    """Logistic regression without intercept: where nothing speaks, a coin."""
    regression = LogisticRegression(C=1.0 / PENALTY, fit_intercept=False)
    numbers, fan = examples.features[:, :-1], examples.features[:, -1] > 0.0
    weights = regression.fit(numbers, examples.right).coef_[0].tolist()
    by_name = {name: round(weight, 4) for name, weight in zip(NUMBERS, weights, strict=True)}
    return RegionModel(units, by_name, round(float(examples.right[fan].mean()), 4))


def left_out(examples: Verdicts, units: Mapping[str, float]) -> dict[str, RegionModel]:
    """For each family a model that has not seen it."""
    found = {}
    for rows in folds(examples.families, GROUPS):
        seen = Verdicts(examples.features[~rows], examples.right[~rows], examples.families[~rows])
        model = learned(seen, units)
        found |= dict.fromkeys(sorted(set(examples.families[rows].tolist())), model)
    return found


def claims(pair: Pair, model: RegionModel) -> tuple[bool, float, float, float]:
    """Whether bQCD is right, what is claimed without limits and with them, and the share."""
    with patch("bqcd.assessments.claims.most_probable", lambda *_: 1.0):
        found = assess_pair(pair, method="bqcd", find_units=False, replicates=HALVES)
    share = model.share_right(features_of_direction(pair, found.confidence or 1.0, model.units))
    assert found.probability is not None
    limit = 1.0 if share >= KNOWN_TO_ERR else max(LEAST, share)
    return found.confidence > 0.0, found.probability, min(limit, found.probability), share


def judged(claimed: Vector, right: Vector) -> dict[str, float]:
    """Claimed against right: in all, calibration error, surer half, and with 0.8 or more."""
    bins = np.minimum((20.0 * (claimed - 0.5)).astype(int), 9)
    gaps = [abs(float((claimed - right)[bins == at].sum())) for at in range(10)]
    surer = np.argsort(-claimed, kind="stable")[: len(claimed) // 2]
    found = {
        "claimed": claimed.mean(),
        "right": right.mean(),
        "error": sum(gaps) / len(claimed),
        "surer_half": right[surer].mean(),
    }
    for name, low, high in (("clear", 0.8, 1.1), ("leaning", 0.65, 0.8), ("cannot_tell", 0, 0.65)):
        rows = (claimed >= low) & (claimed < high)
        found[name] = int(rows.sum())
        found[f"{name}_right"] = right[rows].mean() if rows.any() else float("nan")
    return {name: round(float(value), 4) for name, value in found.items()}


def compared(asked: list[tuple[bool, float, float, float]]) -> dict[str, object]:
    """The same pairs before and after, and how often bQCD is right where it is known to err."""
    right, before, after, share = np.array(asked, dtype=float).T
    known = share < KNOWN_TO_ERR
    return {
        "pairs": len(asked),
        "known_to_err": int(known.sum()),
        "known_right": round(float(right[known].mean()), 4) if known.any() else None,
        "before": judged(before, right),
        "after": judged(after, right),
    }


def on_families(models: Mapping[str, RegionModel]) -> dict[str, object]:
    """Pairs of families that the models have not seen."""
    return compared([claims(pair, models[family]) for family, pair in pairs_of(ASKED)])


def on_products(model: RegionModel) -> dict[str, object]:
    """Products y = x e with a normal e."""
    found = {}
    for at, (name, cause) in enumerate(CAUSES.items()):
        rng, asked = default_rng([11, at]), []
        for _ in range(PRODUCTS):
            x = cause(PRODUCT_ROWS, rng)
            asked.append(claims(Pair(x, x * rng.normal(size=PRODUCT_ROWS)), model))
        right, before, after, _ = np.array(asked, dtype=float).T
        found[name] = {
            "right": round(float(right.mean()), 4),
            "before": round(float(np.median(before)), 4),
            "after": round(float(np.median(after)), 4),
            "most": round(float(after.max()), 4),
        }
    return found


def main() -> None:
    """Learn, ship, compare."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    start = process_time()
    units = median_sizes(LEARNED[:20])
    examples = verdicts(LEARNED, units)
    model = learned(examples, units)
    stored = {"pairs": len(examples.right) // len(LEVELS), **asdict(model)}
    MODEL_FILE.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    print(stored, flush=True)
    record = {
        "learned_from": stored["pairs"],
        "families": on_families(left_out(examples, units)),
        "products": on_products(model),
        "seconds": round(process_time() - start),
    }
    RECORDED.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(record, indent=1))


if __name__ == "__main__":
    main()
