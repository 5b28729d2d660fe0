"""What GPI and ROCHE add to the panel: learned from what deep_voices.py wrote, and judged.

    python benchmarks/panel/deep.py ship
    python benchmarks/panel/deep.py judge

Needs the chunks of make.py and deep_voices.py. The quick panel's log-odds of each pair are by
models that have not seen its family; they are kept beside the chunks for the weights they are of,
so that a second run takes seconds. ``ship`` learns the head from the first rounds and writes its
weights; ``judge`` takes the pairs of all later rounds, judges what is shipped and what could be
learned from them, and writes benchmarks/results/panel_deep.json and panel_deep.md, and a paragraph
of docs/panel.md. Some minutes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).resolve().parent))

from learning import best_factor, equal_families, folds, judged, read_examples
from learning import left_out as models_left_out
from make import FOLDER, chunk_paths
from sheets import deep_page, deep_words, with_words
from train import GROUPS, PANEL, RECIPE, RESULTS
from train import learned as model_of

import bqcd
from bqcd.methods.models.panel_model import shipped_version, squashed
from bqcd.methods.panel_deep import (
    GPI_ROWS,
    ROCHE_ROWS,
    ROCHE_STEPS,
    SLOW,
    WEIGHTS,
    DeepHead,
    shipped_deep_head,
)

PAGE = RESULTS.parents[1] / "docs" / "panel.md"
FILE = Path(bqcd.__file__).parent / "methods" / "models" / WEIGHTS
METHODS = ("gpi", "roche")
EFFECT = SLOW[1]
SETS: dict[str, tuple[str, ...]] = {
    "quick, scaled anew": (),
    "and gpi": SLOW[:2],
    "and roche": SLOW[2:],
    "and both, a number each": METHODS,
    "and both": SLOW,
}
# Rounds that the shipped head has learned from.
LEARNED = range(12)
# Of squared distances to the quick panel: little with thousands of pairs, much with hundreds.
PENALTY = 100.0
DRAWS = 2000
# Groups of families left out of the quick panel: few, as it takes long to learn.
QUICK_GROUPS = 3

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Pairs:
    """The quick panel's log-odds of the truth, slow voices, and families."""

    quick: Vector
    slow: Matrix
    families: NDArray[np.str_]

    def of(self, rows: NDArray[np.bool_]) -> Pairs:
        """Some of them."""
        return Pairs(self.quick[rows], self.slow[rows], self.families[rows])

    def units(self) -> dict[str, float]:
        """Median size of each voice where it speaks."""
        sizes = [np.abs(column[column != 0.0]) for column in self.slow.T]
        return {
            name: float(f"{np.median(size):.4g}") for name, size in zip(SLOW, sizes, strict=True)
        }

    def inputs(self, names: Sequence[str], units: dict[str, float]) -> Matrix:
        """Log-odds of the quick panel, and slow voices on their scale."""
        if not names:
            return self.quick[:, None]
        columns = [SLOW.index(name) for name in names]
        loud = squashed(self.slow[:, columns], np.array([units[name] for name in names]))
        return np.column_stack((self.quick, loud))


def quick_odds(folder: Path) -> dict[tuple[str, int], float]:
    """Log-odds of the quick panel by family and number, by models that know other families."""
    kept = folder / f"odds-{shipped_version()}.json"
    if not kept.exists():
        examples, numbers = read_examples(folder), _numbers(folder)
        directed = examples.kinds == 0
        examples, numbers = examples.of(directed), numbers[directed]
        groups, weight = folds(examples.families, QUICK_GROUPS), equal_families(examples)
        odds = models_left_out(examples, partial(model_of, PANEL, RECIPE), groups, weight)
        columns = zip(examples.families.tolist(), numbers.tolist(), odds.tolist(), strict=True)
        rows = [list(row) for row in columns]
        kept.write_text(json.dumps(rows), encoding="utf-8")
    return {(family, number): odds for family, number, odds in json.loads(kept.read_text("utf-8"))}


def _numbers(folder: Path) -> NDArray[np.int64]:
    """Numbers of the pairs, in the order of ``read_examples``."""
    return np.concatenate([np.load(path)["numbers"] for path in chunk_paths(folder, "rounds")])


def read_pairs(folder: Path, rounds: range) -> Pairs:
    """Pairs of these rounds of which slow voices are known."""
    odds = quick_odds(folder)
    every = np.array(list(odds.values()))
    # Honest on all pairs that the quick panel was learned from, which are many more.
    shrinkage = best_factor(every, np.ones(len(every)))
    chunks = [np.load(path) for path in chunk_paths(folder, "deep")]
    slow = [
        chunk["voices"][:, [chunk["names"].tolist().index(name) for name in SLOW]]
        for chunk in chunks
    ]
    families = np.concatenate([chunk["families"] for chunk in chunks])
    numbers = np.concatenate([chunk["numbers"] for chunk in chunks])
    keys = zip(families.tolist(), numbers.tolist(), strict=True)
    quick = shrinkage * np.array([odds[key] for key in keys])
    within = (numbers >= rounds.start) & (numbers < rounds.stop)
    return Pairs(quick, np.concatenate(slow), families).of(within)


def learned(
    pairs: Pairs, names: Sequence[str], units: dict[str, float], *, scaled: bool = True
) -> DeepHead:
    """Logistic regression on log-odds of the truth, held near the quick panel.

    As in the quick panel, a voice can speak for its direction only: no weight is negative. The
    quick panel keeps a factor of 1 unless it is ``scaled``.
    """
    inputs = pairs.inputs(names, units)
    start = np.zeros(inputs.shape[1])
    start[0] = 1.0

    def cost(weights: Vector) -> tuple[float, Vector]:
        odds, away = inputs @ weights, weights - start
        slope = -inputs.T @ (1.0 / (1.0 + np.exp(odds)))
        loss = float(np.logaddexp(0.0, -odds).sum()) + 0.5 * PENALTY * float(away @ away)
        return loss, slope + PENALTY * away

    bounds = [(0.0 if scaled else 1.0, None if scaled else 1.0), *[(0.0, None)] * len(names)]
    found = minimize(cost, start, jac=True, method="L-BFGS-B", bounds=bounds, tol=1e-10)
    factor, *weights = (round(weight, 4) for weight in found.x.tolist())
    return DeepHead(factor, units, dict(zip(names, weights, strict=True)), shipped_version())


def left_out(
    pairs: Pairs, names: Sequence[str], units: dict[str, float], *, scaled: bool = True
) -> Vector:
    """Log-odds of the truth by heads that have not seen the family."""
    found = np.zeros(len(pairs.quick))
    for rows in folds(pairs.families, GROUPS):
        head = learned(pairs.of(~rows), names, units, scaled=scaled)
        found[rows] = odds_by(head, pairs.of(rows))
    return found


def odds_by(head: DeepHead, pairs: Pairs) -> Vector:
    """Log-odds of the truth by a head."""
    weights = np.array([head.factor, *head.weights.values()])
    odds: Vector = pairs.inputs(tuple(head.weights), dict(head.units)) @ weights
    return odds


def measured(odds: Vector, families: NDArray[np.str_], base: Vector | None) -> dict[str, object]:
    """How good log-odds are, and differences to others with intervals over families."""
    found: dict[str, object] = {
        name: round(value, 4) for name, value in asdict(judged(odds, np.ones(len(odds)))).items()
    }
    if base is None:
        return found
    rng, rows = np.random.default_rng(0), [np.flatnonzero(families == f) for f in set(families)]
    rows.sort(key=lambda places: int(places[0]))
    drawn = []
    for _ in range(DRAWS):
        places = np.concatenate([rows[at] for at in rng.integers(len(rows), size=len(rows))])
        one, other = (judged(x[places], np.ones(len(places))) for x in (odds, base))
        drawn.append(
            [one.right - other.right, one.surer_half - other.surer_half, one.loss - other.loss]
        )
    for name, column in zip(("right", "surer_half", "loss"), np.array(drawn).T, strict=True):
        ends = np.quantile(column, (0.025, 0.975)).round(4).tolist()
        found[f"{name}_difference"] = ends
    return found


def ship(folder: Path) -> None:
    """Learn the head that is shipped."""
    pairs = read_pairs(folder, LEARNED)
    head = learned(pairs, SLOW, pairs.units())
    FILE.write_text(json.dumps(asdict(head), indent=1) + "\n", encoding="utf-8")


def judge(folder: Path) -> None:
    """Judge the shipped head, and others on families left out, where it has not learned."""
    pairs, head = read_pairs(folder, range(LEARNED.stop, sys.maxsize)), shipped_deep_head()
    units = pairs.units()
    odds = {"quick": pairs.quick, "as shipped": odds_by(head, pairs)}
    for name in METHODS:
        odds[f"{name} alone"] = pairs.slow[:, SLOW.index(name)] / units[name]
    odds |= {name: left_out(pairs, voices, units) for name, voices in SETS.items()}
    odds[f"and {EFFECT}, times 1"] = left_out(pairs, (EFFECT,), units, scaled=False)
    lines = {
        name: measured(found, pairs.families, None if name == "quick" else pairs.quick)
        for name, found in odds.items()
    }
    write(
        {
            "pairs": len(pairs.quick),
            "learned from": len(LEARNED) * len(set(pairs.families.tolist())),
            "rows": {"gpi": GPI_ROWS, "roche": ROCHE_ROWS, "roche steps": ROCHE_STEPS},
            "lines": lines,
            "head": asdict(head),
        }
    )


def write(record: dict[str, object]) -> None:
    """Numbers, tables, and the paragraph of the page."""
    text = json.dumps(record, indent=1) + "\n"
    RESULTS.joinpath("panel_deep.json").write_text(text, encoding="utf-8")
    RESULTS.joinpath("panel_deep.md").write_text(deep_page(record), encoding="utf-8")
    page = with_words(PAGE.read_text(encoding="utf-8"), deep_words(record))
    PAGE.write_text(page, encoding="utf-8")


def main() -> None:
    """Ship or judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("ship", "judge"))
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args()
    {"ship": ship, "judge": judge}[options.what](options.folder)


if __name__ == "__main__":
    main()
