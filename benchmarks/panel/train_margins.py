"""The trees of the method ``margins``: learned from the margins of simulated pairs.

    python benchmarks/panel/train_margins.py [--rounds 1000] [--dry-run]

One pair of each family of the prior in a round, under numbers that nothing else is trained on.
Boosted trees on what the two margins are described by, each pair in both orders of its columns.
Printed are accuracy and calibration by family, of trees that a fifth of the families, that one
among them, had no part in; the trees are then grown on all of them, and their log-odds shrunk by
the factor that suits families left out best. No benchmark file is read.
"""

from __future__ import annotations

import argparse
import json
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from sklearn.ensemble import HistGradientBoostingClassifier

import bqcd.methods
from bqcd.benchmark.metrics import reliability
from bqcd.methods.margins import margins_inputs
from bqcd.statistics.margins import MARGIN_FEATURES, margin_features

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

MODEL_FILE = Path(bqcd.methods.__file__).with_name("margins.json")
VERSION = 1
ROUNDS = 1000
# The panel is trained on pairs of lower numbers.
FIRST_NUMBER = 1_000_000
GROUPS = 5
DIGITS = 7


def simulated_inputs(rounds: int) -> tuple[Matrix, Matrix, NDArray[np.str_]]:
    """What trees see of pairs, the cause first and the effect first; and their families."""
    from families import FAMILIES
    from prior import simulated

    keys = [(family, FIRST_NUMBER + at) for at in range(rounds) for family in FAMILIES]
    first, second = [], []
    for family, number in keys:
        pair = simulated(family, number)
        x, y = margin_features(pair.x), margin_features(pair.y)
        first.append(margins_inputs(x, y, len(pair.x)))
        second.append(margins_inputs(y, x, len(pair.x)))
    return np.array(first), np.array(second), np.array([family for family, _ in keys])


def grown(first: Matrix, second: Matrix) -> HistGradientBoostingClassifier:
    """Boosted trees on both orders of the columns."""
    model = HistGradientBoostingClassifier(
        max_iter=100,
        max_leaf_nodes=8,
        learning_rate=0.1,
        l2_regularization=5.0,
        early_stopping=False,
        random_state=0,
    )
    return model.fit(np.vstack((first, second)), np.repeat([1, 0], len(first)))


def odd_scores(model: HistGradientBoostingClassifier, first: Matrix, second: Matrix) -> Vector:
    """Log-odds of the cause being the cause, made to change sign with the order."""
    scores: Vector = 0.5 * (model.decision_function(first) - model.decision_function(second))
    return scores


def left_out_scores(first: Matrix, second: Matrix, families: NDArray[np.str_]) -> Vector:
    """Log-odds of every pair by trees that its family had no part in."""
    names = np.random.default_rng(0).permutation(np.unique(families))
    scores = np.empty(len(first))
    for group in range(GROUPS):
        out = np.isin(families, names[group::GROUPS])
        scores[out] = odd_scores(grown(first[~out], second[~out]), first[out], second[out])
    return scores


def shrinkage(scores: Vector) -> float:
    """Factor by which log-odds are multiplied to be likeliest."""
    found = minimize_scalar(
        lambda factor: np.mean(np.logaddexp(0.0, -factor * scores)), bounds=(0.1, 2.0)
    )
    return round(float(found.x), 3)


def exported(model: HistGradientBoostingClassifier, digits: int = DIGITS) -> dict[str, list[float]]:
    """Trees with so many digits."""
    from shipping import grown_trees

    def shortened(value: float) -> float:
        return float(f"{value:.{digits}g}") if isinstance(value, float) else value

    return {name: [shortened(one) for one in part] for name, part in grown_trees(model).items()}


def prior_digest() -> str:
    """Digest of the modules that pairs are drawn by."""
    names = ("causes", "families", "measurement", "mechanisms", "noises", "prior")
    sources = [(HERE / f"{name}.py").read_bytes() for name in names]
    return sha256(b"".join(sources)).hexdigest()[:16]


def print_line(name: str, scores: Vector) -> None:
    """Print claimed and right, calibration error and the surer half of some pairs."""
    found = reliability(np.ones(len(scores)), 1.0 / (1.0 + np.exp(-scores)))
    print(
        f"{name:<14} {len(scores):>6} {found.claimed:>8.3f} {found.right:>6.3f} "
        f"{found.error:>6.3f} {found.surer_half:>11.3f}"
    )


def main() -> None:
    """Draw, grow, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--dry-run", action="store_true", help="leave the file of trees alone")
    options = parser.parse_args()
    first, second, families = simulated_inputs(options.rounds)
    scores = left_out_scores(first, second, families)
    factor = shrinkage(scores)
    print(f"prior {prior_digest()}, log-odds times {factor:.3f}")
    print("left out        pairs  claimed  right    ECE  surer half")
    print_line("all", factor * scores)
    for family in np.unique(families):
        print_line(family, factor * scores[families == family])
    if options.dry_run:
        return
    stored = {
        "version": VERSION,
        "about": "log-odds of x -> y from both margins; see bqcd.methods.margins",
        "trained_by": "benchmarks/panel/train_margins.py",
        "training_pairs": len(first),
        "prior": prior_digest(),
        "features": list(MARGIN_FEATURES),
        "shrinkage": factor,
        "trees": exported(grown(first, second)),
    }
    MODEL_FILE.write_text(json.dumps(stored) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
