"""What evidence adds to the panel: weighed by what deep_voices.py wrote, judged, and shipped.

    python benchmarks/panel/deep.py judge
    python benchmarks/panel/deep.py ship

Needs the chunks of make.py, of ``foreign.py make``, and of deep_voices.py for both; pairs of which
there are no slow voices are left out. The quick panel's log-odds of a pair are by models that have
not seen its family, or that have learned in the other world; they are multiplied by the factor of
the shipped one. ``judge`` writes benchmarks/results/panel_deep.json and panel_deep.md, and a
paragraph of docs/panel.md; ``ship`` writes the weight of the evidence. Seven minutes on two cores.
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

sys.path.insert(0, str(Path(__file__).resolve().parent))

from foreign import DRAWS, folder_of
from learning import Examples, equal_families, folds, judged, left_out, read_examples
from make import FOLDER, chunk_paths
from sheets import deep_page, deep_words, with_words
from train import (
    _FLOOR,
    GROUPS,
    PANEL,
    RECIPE,
    RESULTS,
    learned,
    margin_odds,
    neutral_weights,
)
from worlds import HALVES, World

import bqcd
from bqcd.methods.models.panel_model import shipped_heads, shipped_version, squashed
from bqcd.methods.panel_deep import ROWS, SLOW, STEPS, WEIGHTS, DeepHead
from bqcd.methods.panel_voices import MARGIN

PAGE = RESULTS.parents[1] / "docs" / "panel.md"
FILE = Path(bqcd.__file__).parent / "methods" / "models" / WEIGHTS
TRIED = np.arange(0.0, 3.01, 0.05)
BESIDE = (0.25, 1.0, 2.0)

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Pairs:
    """The quick panel's log-odds of the truth, nats of evidence, and weights of pairs.

    ``plain`` lets families count the same; with ``neutral`` the margins tell nothing besides.
    """

    quick: Vector
    slow: Matrix
    plain: Vector
    neutral: Vector

    @property
    def unit(self) -> float:
        """Median size of the evidence of columns as they come."""
        nats = np.abs(self.slow[:, 0])
        return float(f"{np.median(nats[nats > 0.0]):.4g}")

    def loud(self, unit: float) -> Matrix:
        """Evidence on the scale of the quick panel's voices."""
        return squashed(self.slow, np.full(len(SLOW), unit))

    def odds(self, head: DeepHead) -> Vector:
        """Log-odds of the truth by a head."""
        loud = self.loud(head.unit)
        return self.quick + head.weight * (loud[:, 0] - loud[:, 1])


def with_slow(folder: Path) -> tuple[Examples, Matrix]:
    """Examples with a direction of which slow voices are known, and these."""
    every = read_examples(folder)
    chunks = [np.load(path) for path in chunk_paths(folder, "deep")]
    slow = np.concatenate([chunk["voices"] for chunk in chunks])
    families = np.concatenate([chunk["families"] for chunk in chunks])
    directed = every.of(every.kinds == 0)
    examples = directed.of(np.arange(len(directed.families)) < len(slow))
    if not np.array_equal(examples.families, families):
        raise SystemExit(f"{folder} has slow voices of other pairs.")
    return examples, slow


def families_left_out(folder: Path) -> Pairs:
    """All pairs, each as judged by a quick panel that has not seen its family."""
    examples, slow = with_slow(folder)
    plain = equal_families(examples)
    learn = partial(learned, PANEL, RECIPE)
    quick = left_out(examples, learn, folds(examples.families, GROUPS), plain)
    neutral = neutral_weights(examples, margin_odds(examples))
    return Pairs(shipped_heads()["panel"].shrinkage * quick, slow, plain, neutral)


def other_world(draw: int, folder: Path) -> Pairs:
    """Pairs of two worlds, each as judged by a quick panel that has learned in the other one."""
    both = [with_slow(folder_of(World(draw, half), folder)) for half in HALVES]
    parts = []
    for (here, _), (there, slow) in (both, both[::-1]):
        quick = learned(PANEL, RECIPE, here, None)(there)
        margins = learned(MARGIN, _FLOOR, here, None)(there)
        parts.append((quick, slow, equal_families(there), neutral_weights(there, margins)))
    quick, *others = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Pairs(shipped_heads()["panel"].shrinkage * quick, *others)


def best_head(pairs: Pairs) -> DeepHead:
    """The weight that loses least, as drawn and where margins tell nothing in equal parts."""
    heads = [DeepHead(float(f"{one:.2f}"), pairs.unit, shipped_version()) for one in TRIED]
    losses = [
        sum(judged(pairs.odds(head), weight).loss for weight in (pairs.plain, pairs.neutral))
        for head in heads
    ]
    return heads[int(np.argmin(losses))]


def line(odds: Sequence[Vector], sets: Sequence[Pairs]) -> dict[str, dict[str, float]]:
    """How good log-odds are as drawn and where margins tell nothing: means over sets of pairs."""
    found = {}
    for where, name in (("as drawn", "plain"), ("neutral", "neutral")):
        each = [asdict(judged(x, getattr(p, name))) for x, p in zip(odds, sets, strict=True)]
        found[where] = {key: float(np.mean([one[key] for one in each])) for key in each[0]}
    return found


def lines(sets: Sequence[Pairs], head: DeepHead) -> dict[str, dict[str, dict[str, float]]]:
    """The quick panel, evidence by itself, the head, and others with more or less of it."""
    told = {
        "quick": [pairs.quick for pairs in sets],
        "gplvm by itself": [pairs.loud(head.unit)[:, 0] for pairs in sets],
        "gplvm on ranks by itself": [pairs.loud(head.unit)[:, 1] for pairs in sets],
        "deep": [pairs.odds(head) for pairs in sets],
    }
    for weight in BESIDE:
        other = DeepHead(weight, head.unit, head.quick)
        told[f"deep, a weight of {weight:g}"] = [pairs.odds(other) for pairs in sets]
    return {name: line(odds, sets) for name, odds in told.items()}


def judge(folder: Path) -> None:
    """Weigh the evidence, and judge it on families left out and in worlds that share nothing."""
    pairs = families_left_out(folder)
    worlds = [other_world(draw, folder) for draw in range(DRAWS)]
    head = best_head(pairs)
    write(
        {
            "pairs": len(pairs.quick),
            "pairs of worlds": sum(len(one.quick) for one in worlds),
            "rows": ROWS,
            "steps": STEPS,
            "head": asdict(head),
            "families left out": lines([pairs], head),
            "worlds": lines(worlds, head),
        }
    )


def write(record: dict[str, object]) -> None:
    """Numbers, tables, and the paragraph of the page."""
    text = json.dumps(record, indent=1) + "\n"
    RESULTS.joinpath("panel_deep.json").write_text(text, encoding="utf-8")
    RESULTS.joinpath("panel_deep.md").write_text(deep_page(record), encoding="utf-8")
    page = with_words(PAGE.read_text(encoding="utf-8"), deep_words(record))
    PAGE.write_text(page, encoding="utf-8")


def ship(folder: Path) -> None:
    """Write the weight that was recorded."""
    record = json.loads(RESULTS.joinpath("panel_deep.json").read_text(encoding="utf-8"))
    FILE.write_text(json.dumps(record["head"], indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Judge or ship."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("judge", "ship"))
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args()
    {"judge": judge, "ship": ship}[options.what](options.folder)


if __name__ == "__main__":
    main()
