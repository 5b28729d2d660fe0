"""The model behind Assessment.probability: learned from simulated pairs, checked on others.

    python benchmarks/train_probability.py [--pairs 3000] [--held-out 1000] [--dry-run]

Pairs are drawn from the generators, never from benchmark files: half of them from the nine
published scenarios, three in ten with rounding, outliers, heavy tails or a hidden common cause put
on one of these, one in ten rounded or not with no direction to find (linear Gaussian pairs, whose
answer is a coin's), one in ten cause and effect of a hidden cause alone (a coin's too). Rows run
from 50 to 10,000, evenly by their logarithm.

Writes ``src/bqcd/assessments/probability.json`` and prints how well the probabilities are
calibrated: on pairs held out, and on each published benchmark if ``BQCD_DATA`` says where they are.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np
from assess_records import Part
from numpy.random import Generator, default_rng
from numpy.typing import NDArray
from scipy.optimize import minimize

import bqcd
import bqcd.assessments
from bqcd.assessments.dependence import pair_dependence
from bqcd.assessments.probability import (
    FEATURES,
    MODEL_VERSION,
    ProbabilityModel,
    features_of,
    shipped_model,
)
from bqcd.assessments.stability import half_samples
from bqcd.benchmark.datasets import PAPER_PAIRSETS, load_pairs
from bqcd.benchmark.datasets.generators import pair_stream
from bqcd.benchmark.metrics.calibration import calibration_curve, expected_calibration_error
from bqcd.data.pair import Pair
from bqcd.discovery.ranks import rank_pair

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

MODEL_FILE = Path(bqcd.assessments.__file__).with_name("probability.json")
SCENARIOS = ("AN", "AN-s", "LS", "LS-s", "MN-U", "SIM", "SIM-c", "SIM-ln", "SIM-G")
# Kinds of pairs whose direction nobody can know.
UNKNOWABLE = ("unknowable", "hidden")
FEWEST, MOST_ROWS = 50, 10_000
HALVES = 100
# Coefficients that may not be negative: those of size, effect and steadiness.
RISING = 3
RIDGE = 1e-3


@dataclass(frozen=True)
class Examples:
    """Features of verdicts, whether they were right, and what the pairs weigh."""

    features: Matrix
    right: Vector
    weight: Vector
    kinds: NDArray[np.str_]


@dataclass(frozen=True)
class HeldOutPlan:
    """Simulated pairs that the model has not seen, and their seed; it was trained with 1."""

    pairs: int = 1000
    seed: int = 2


@dataclass(frozen=True)
class HeldOutRow:
    """Kind of a simulated pair, the probability of its direction, and whether that is right."""

    kind: str
    probability: float
    right: int


def simulated_pairs(count: int, seed: int) -> Iterator[tuple[str, Pair, int]]:
    """Kind, pair and true sign; the sign is a coin's where no direction can be known."""
    rng = default_rng([2020, seed])
    for number in range(count):
        n_rows = round(FEWEST * (MOST_ROWS / FEWEST) ** rng.random())
        kind = rng.choice(
            ["scenario", "difficulty", "unknowable", "hidden"], p=[0.5, 0.3, 0.1, 0.1]
        )
        name = str(rng.choice(SCENARIOS))
        if kind == "unknowable":
            yield str(kind), _unknowable(n_rows, rng), int(rng.choice([-1, 1]))
            continue
        if kind == "hidden":
            name, settings = "confounded", {"base": name, "strength": 1.0}
        else:
            name, settings = _settings(name, rng) if kind == "difficulty" else (name, {})
        stream = pair_stream(name, n_rows=n_rows, seed=10_000 + seed, first=number + 1, **settings)
        item = next(stream)
        sign = int(rng.choice([-1, 1])) if kind == "hidden" else item.truth.sign
        yield str(kind), item.pair, sign


def _settings(base: str, rng: Generator) -> tuple[str, dict[str, object]]:
    """Name and settings of a difficulty put on a scenario."""
    name = str(rng.choice(["discretised", "outliers", "heavy-tails", "confounded"]))
    settings: dict[str, object] = {"base": base}
    if name == "discretised":
        settings["levels"] = round(5 * 20 ** rng.random())
        settings["columns"] = str(rng.choice(["cause", "effect", "both"]))
    elif name == "outliers":
        settings["share"] = float(rng.choice([0.01, 0.05, 0.1]))
    elif name == "confounded":
        settings["strength"] = float(rng.uniform(0.1, 0.9))
    return name, settings


def _unknowable(n_rows: int, rng: Generator) -> Pair:
    """Linear Gaussian pair; in one of three, either column or both are rounded."""
    rho = rng.uniform(-1.0, 1.0)
    x, noise = rng.normal(size=(2, n_rows))
    y = rho * x + np.sqrt(1.0 - rho**2) * noise
    if rng.random() < 1 / 3:
        steps = rng.choice([0.1, 0.5, 1.0])
        which = rng.integers(3)
        x = np.round(x / steps) * steps if which != 0 else x
        y = np.round(y / steps) * steps if which != 1 else y
    return Pair(x, y)


def judged(pair: Pair) -> tuple[float, tuple[float, ...]]:
    """Confidence of BQCD() and the features the model sees."""
    method = bqcd.BQCD()
    confidence = bqcd.decide_pair(pair, method=method).confidence
    stability = half_samples(pair, method, replicates=HALVES).stability(confidence)
    ranked = rank_pair(pair.x, pair.y)
    features = features_of(
        confidence=confidence,
        agreement=stability.agreeing,
        n_rows=len(pair),
        tie_share=(ranked.x_ties + ranked.y_ties) / (2 * len(pair)),
        dependence=float(pair_dependence(ranked).strength[0]),
        one_level=len(pair) < method.small_n,
    )
    return confidence, features


def examples_of(items: Iterator[tuple[str, Pair, int, float]]) -> Examples:
    """Verdicts on labelled pairs; those of confidence zero say nothing and are left out."""
    features, right, weights, kinds = [], [], [], []
    for kind, pair, sign, weight in items:
        confidence, found = judged(pair)
        if confidence != 0.0:
            features.append(found)
            right.append(float(confidence * sign > 0.0))
            weights.append(weight)
            kinds.append(kind)
    return Examples(np.array(features), np.array(right), np.array(weights), np.array(kinds))


def simulated(count: int, seed: int) -> Examples:
    """Verdicts on simulated pairs."""
    return examples_of((kind, p, sign, 1.0) for kind, p, sign in simulated_pairs(count, seed))


def held_out_rows(plan: HeldOutPlan) -> Iterator[HeldOutRow]:
    """A row for each pair held out, judged by the model that comes with the package."""
    model, found = shipped_model(), simulated(plan.pairs, plan.seed)
    for kind, features, right in zip(found.kinds, found.features, found.right, strict=True):
        yield HeldOutRow(str(kind), model.at(tuple(features)), int(right))


HELD_OUT = Part("held_out", HeldOutRow, held_out_rows, HeldOutPlan(), HeldOutPlan(pairs=10))


def fitted(examples: Examples) -> ProbabilityModel:
    """Logistic regression by maximum likelihood, with a slight ridge and signs constrained."""
    design = np.column_stack([np.ones(len(examples.right)), examples.features])
    # What a coin says is known to be right in half of the cases: no need to learn from its noise.
    target = np.where(np.isin(examples.kinds, UNKNOWABLE), 0.5, examples.right)

    def loss(weights: Vector) -> tuple[float, Vector]:
        odds = design @ weights
        value = np.mean(np.logaddexp(0.0, odds) - target * odds)
        gradient = design.T @ (1.0 / (1.0 + np.exp(-odds)) - target) / len(target)
        gradient[1:] += 2.0 * RIDGE * weights[1:]
        return float(value) + RIDGE * float(weights[1:] @ weights[1:]), gradient

    bounds = [(None, None), *[(0.0, None)] * RISING, *[(None, None)] * (len(FEATURES) - RISING)]
    start = np.zeros(design.shape[1])
    weights = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    rounded = [round(float(weight), 4) for weight in weights]
    return ProbabilityModel(MODEL_VERSION, rounded[0], tuple(rounded[1:]))


def write_model(model: ProbabilityModel, n_pairs: int, path: Path = MODEL_FILE) -> None:
    """Write the model as JSON."""
    stored = {
        "version": model.version,
        "about": "log-odds that the direction of bQCD is right; see bqcd.assessments.probability",
        "trained_by": "benchmarks/train_probability.py",
        "training_pairs": n_pairs,
        "intercept": model.intercept,
        "coefficients": dict(zip(FEATURES, model.coefficients, strict=True)),
    }
    path.write_text(json.dumps(stored, indent=2) + "\n", encoding="utf-8")


def print_line(name: str, model: ProbabilityModel, examples: Examples) -> None:
    """Print mean probability, share right, calibration error and reliability of one set."""
    # A bin holds its upper edge: 0.5 itself would be a bin of its own.
    claimed = np.array([max(0.5 + 1e-9, model.at(tuple(row))) for row in examples.features])
    truth = np.where(examples.right > 0.5, 1.0, -1.0)
    error = expected_calibration_error(truth, claimed, weight=examples.weight, n_bins=20)
    curve = calibration_curve(truth, claimed, weight=examples.weight, n_bins=10)
    mean, share = (np.average(v, weights=examples.weight) for v in (claimed, examples.right))
    bins = " ".join(
        f"{p:.2f}:{o:.2f}({w:.2f})" if w > 0.0 else " " * 15
        for p, o, w in zip(curve.probability[5:], curve.observed[5:], curve.weight[5:], strict=True)
    )
    excess = mean - share
    note = " over-confident" if excess > 0.05 else " too modest" if excess < -0.05 else ""
    print(f"{name:<12} {len(truth):>5} {mean:>7.3f} {share:>7.3f} {error:>6.3f}  {bins}{note}")


def print_tables(model: ProbabilityModel, held_out: Examples) -> None:
    """Print a line for the held-out pairs, each kind of them, and each benchmark."""
    print("claimed: mean probability; right: share right; ECE in 20 bins; then by bin of width")
    print("0.1 from 0.5 to 1 - claimed:right(share of the pairs)")
    print(f"{'set':<12} {'pairs':>5} {'claimed':>7} {'right':>7} {'ECE':>6}")
    print_line("held out", model, held_out)
    for kind in np.unique(held_out.kinds):
        of_it = held_out.kinds == kind
        parts = (held_out.features, held_out.right, held_out.weight, held_out.kinds)
        print_line(f" {kind}", model, Examples(*(part[of_it] for part in parts)))
    if not os.environ.get("BQCD_DATA"):
        print("the benchmark files are not here: set BQCD_DATA to their folder")
        return
    for name in PAPER_PAIRSETS:
        items = load_pairs(name).items
        labelled = ((name, item.pair, item.truth.sign, item.weight) for item in items)
        print_line(name, model, examples_of(labelled))


def main() -> None:
    """Draw, fit, write and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=3000)
    parser.add_argument("--held-out", type=int, default=1000)
    parser.add_argument("--dry-run", action="store_true", help="leave the model's file alone")
    options = parser.parse_args()
    start = process_time()
    training = simulated(options.pairs, seed=1)
    model = fitted(training)
    print(f"{len(training.right)} pairs judged in {process_time() - start:.0f} s of one core")
    print(f"intercept {model.intercept:+.3f}")
    for name, weight in zip(FEATURES, model.coefficients, strict=True):
        print(f"{name:<12} {weight:+.3f}")
    if not options.dry_run:
        write_model(model, len(training.right))
    print_tables(model, simulated(options.held_out, seed=2))


if __name__ == "__main__":
    main()
