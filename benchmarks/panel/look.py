"""One look of a frozen panel at the ten benchmark sets, added to LOOKS.md.

    python benchmarks/panel/look.py [--depth quick]

Nothing about the panel may be chosen by what comes out. Weights that were looked at before are
refused.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.random import default_rng
from numpy.typing import NDArray

from bqcd.benchmark.datasets import load_pairs
from bqcd.benchmark.metrics import reliability
from bqcd.data.margins import with_margins
from bqcd.data.pair import Pair
from bqcd.methods.models.panel_model import shipped_version
from bqcd.methods.panel import Depth, Panel
from bqcd.methods.panel_deep import deep_version

LOG = Path(__file__).resolve().parent / "LOOKS.md"
SETS = ("AN", "AN-s", "LS", "LS-s", "MN-U", "SIM", "SIM-c", "SIM-ln", "SIM-G", "tuebingen")
HEADS = ("panel", "relation", "scales", "margins")

Vector = NDArray[np.float64]


class Answers:
    """Probabilities of the true direction by head, and weights, of one set of pairs."""

    def __init__(self, name: str, panel: Panel, *, equal_margins: bool) -> None:
        items = load_pairs(name).items
        found = [self._asked(item.pair, panel, equal_margins) for item in items]
        truth = np.array([float(item.truth.sign) for item in items])
        self.weight = np.array([item.weight for item in items])
        self.chance = {
            head: 0.5 + truth * (np.array([asked[0][head] for asked in found]) - 0.5)
            for head in HEADS
        }
        self.common = np.array([asked[1]["common_cause"] for asked in found])
        self.unlinked = np.array([asked[1]["no_link"] for asked in found])

    @staticmethod
    def _asked(
        pair: Pair, panel: Panel, equal_margins: bool
    ) -> tuple[dict[str, float], dict[str, float]]:
        seen = with_margins(pair, "normal" if equal_margins else "as-is")
        evidence = panel.evidence(seen, default_rng(0))
        return evidence.probabilities | {"panel": evidence.probability}, evidence.answers

    def share_right(self, head: str, rows: Vector | None = None) -> float:
        """Share right by weight; a half where undecided."""
        chance = self.chance[head]
        right = (chance > 0.5) + 0.5 * (chance == 0.5)
        kept = slice(None) if rows is None else rows
        return float(np.average(right[kept], weights=self.weight[kept]))

    def cells(self) -> list[str]:
        """Numbers of a line of the log."""
        chance = self.chance["panel"]
        found = reliability(np.ones(len(chance)), chance, weight=self.weight)
        sure = np.flatnonzero(np.maximum(chance, 1.0 - chance) >= 0.8)
        of_sure = f"{self.share_right('panel', sure):.3f} of {len(sure)}" if len(sure) else "none"
        numbers = (found.surer_half, found.claimed, found.error, found.error_by_chance)
        return [
            *(f"{self.share_right(head):.3f}" for head in HEADS),
            *(f"{number:.3f}" for number in numbers),
            of_sure,
            f"{float((self.common > 0.5).mean()):.2f}",
            f"{float((self.unlinked > 0.5).mean()):.2f}",
        ]


def table(panel: Panel, *, equal_margins: bool) -> str:
    """Lines for all sets, and the mean share right."""
    rows = [
        "| set | panel | relation | scales | margins | surer half | claimed | ECE "
        "| by chance | right with p ≥ .8 | says common cause | says no link |",
        "|---" * 12 + "|",
    ]
    rights = []
    for name in SETS:
        answers = Answers(name, panel, equal_margins=equal_margins)
        rights.append([answers.share_right(head) for head in HEADS])
        rows.append(f"| {name} | " + " | ".join(answers.cells()) + " |")
        print(rows[-1], flush=True)
    means = " | ".join(f"**{mean:.3f}**" for mean in np.mean(rights, axis=0))
    return "\n".join((*rows, f"| mean | {means} | | | | | | | |"))


def main() -> None:
    """Look once and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--note", default="", help="a sentence for the log")
    parser.add_argument("--depth", choices=get_args(Depth), default=Panel().depth)
    options = parser.parse_args()
    version, log = _version(options.depth), LOG.read_text(encoding="utf-8")
    if version in log:
        raise SystemExit(f"Weights {version} were looked at before: see {LOG.name}.")
    panel = Panel(depth=options.depth)
    day = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    parts = [f"\n## {day}, weights {version}\n", options.note, "\nAs they come:\n"]
    parts += [table(panel, equal_margins=False), "\nBoth columns as normal scores:\n"]
    parts.append(table(panel, equal_margins=True))
    LOG.write_text(log + "\n".join(parts) + "\n", encoding="utf-8")


def _version(depth: Depth) -> str:
    """Fingerprint of the weights, those of the deep panel told apart."""
    if depth == "quick":
        return shipped_version()
    return f"{deep_version()} of the deep panel"


if __name__ == "__main__":
    main()
