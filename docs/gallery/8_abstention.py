"""Abstention in practice: fewer answers, more of them right.

`assess` gives each verdict a probability, learned from simulated pairs; asking for more of it
leaves pairs undecided. Here it judges pairs with a direction, pairs of a straight line with
Gaussian noise, which looks the same from both sides, and pairs that only a hidden cause links.

Asking for a little leaves out the worst: most of the wrong answers, and most lines. Asking for more
costs answers and gains less. What no number can see is the hidden cause: nearly all pairs of the
last kind pass whatever is asked. Whether there may be one is for you to know, not for the data to
tell.
"""

import numpy as np

from bqcd import Pair, simulate_pairs
from bqcd.assessments import assess_pair
from bqcd.benchmark.metrics import decision_rate_curve
from bqcd.show.plots import plot_decision_rates

ROWS = 500
rng = np.random.default_rng(3)


def line() -> Pair:
    """Straight line with Gaussian noise."""
    x = rng.normal(size=ROWS)
    return Pair(x, x + rng.normal(size=ROWS))


def hidden_cause() -> Pair:
    """Two effects of a cause that is not in the table."""
    cause = rng.normal(size=ROWS)
    x = np.sin(2.0 * cause) + cause + 0.3 * rng.normal(size=ROWS)
    return Pair(x, cause**2 + 0.3 * rng.normal(size=ROWS))


def probabilities(pairs: list[Pair]) -> np.ndarray:
    """What assess makes of each pair."""
    return np.array([assess_pair(pair, method="bqcd", replicates=50).probability for pair in pairs])


items = [
    item
    for name in ("SIM", "SIM-G", "AN-s", "LS-s")
    for item in simulate_pairs(name, n_pairs=25, n_rows=ROWS, seed=2)
]
found = [assess_pair(item.pair, method="bqcd", replicates=50) for item in items]
truth = np.array([item.truth.sign for item in items])
confidence = np.array([one.confidence for one in found])
sure = np.array([one.probability for one in found])
lines = probabilities([line() for _ in range(40)])
hidden = probabilities([hidden_cause() for _ in range(40)])

print("            with a direction             share answered of")
print("asked for   answered   of these right    lines   hidden causes")
for asked in (0.5, 0.6, 0.7, 0.8, 0.9):
    kept = sure >= asked
    right = np.mean(np.sign(confidence[kept]) == truth[kept])
    shares = f"{np.mean(lines >= asked):9.2f}{np.mean(hidden >= asked):16.2f}"
    print(f"{asked:9.1f}{kept.mean():11.2f}{right:17.2f}{shares}")

curve = decision_rate_curve(truth, np.sign(confidence) * sure)
plot_decision_rates(
    {"by probability": (curve.rate, curve.accuracy, curve.pairs)},
    (curve.rate, curve.coin_low, curve.coin_high),
    emphasised="by probability",
    title="100 pairs with a direction, the surest first",
    path="abstention.png",
)
