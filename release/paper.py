"""The software paper from its text and the records: `make paper` writes paper/paper.md.

Numbers in double brackets in ``paper/text.md`` are read from benchmarks/results; nothing is typed.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT, PAPER = ROOT / "paper" / "text.md", ROOT / "paper" / "paper.md"
PICTURES = {
    "docs/figures/trust-reliability.svg": "paper/figures/reliability.svg",
    "docs/figures/errors-bqcd.svg": "paper/figures/errors.svg",
}
RESULTS = ROOT / "benchmarks" / "results"


def _accuracy(method: str, name: str) -> str:
    told = json.loads((RESULTS / "accuracy.json").read_text(encoding="utf-8"))["defaults"]
    return f"{told[method][name]:.2f}"


def _mean(method: str) -> str:
    told = json.loads((RESULTS / "accuracy.json").read_text(encoding="utf-8"))["defaults"][method]
    shares = [share for name, share in told.items() if name != "tuebingen-weighted"]
    return f"{sum(shares) / len(shares):.2f}"


def _found(file: str, pattern: str) -> str:
    found = re.search(pattern, (RESULTS / file).read_text(encoding="utf-8"), flags=re.M)
    assert found is not None, f"{file} has no {pattern}"
    return found[1]


NUMBERS: Mapping[str, Callable[[], str]] = {
    "bqcd tuebingen": lambda: _accuracy("bqcd", "tuebingen"),
    "panel tuebingen": lambda: _accuracy("panel", "tuebingen"),
    "bqcd weighted": lambda: _accuracy("bqcd", "tuebingen-weighted"),
    "panel weighted": lambda: _accuracy("panel", "tuebingen-weighted"),
    "bqcd mean": lambda: _mean("bqcd"),
    "panel mean": lambda: _mean("panel"),
    "pairs a second": lambda: _found("scan.txt", r"^ +scan +([\d,]+) pairs/s"),
    "scan ratio": lambda: f"{float(_found('scan.txt', r'^ +ratio +([0-9.]+)')):.0f}",
    "pair ms": lambda: _found("speed.txt", r"^ +1,000 +\S+ ms +([0-9.]+) ms"),
    "methods": lambda: str(_methods()),
    "version": lambda: _version(),
}
"""What a text in double brackets stands for."""


def _methods() -> int:
    from bqcd import METHODS

    return len(METHODS)


def _version() -> str:
    from bqcd import __version__

    return __version__


def paper() -> str:
    """The paper with all numbers in their places."""
    text = TEXT.read_text(encoding="utf-8")
    return re.sub(r"\[\[(.+?)\]\]", lambda found: NUMBERS[found[1]](), text)


def main() -> None:
    """Write the paper, and copy its figures from the record."""
    PAPER.write_text(paper(), encoding="utf-8")
    for source, goal in PICTURES.items():
        shutil.copyfile(ROOT / source, ROOT / goal)


if __name__ == "__main__":
    main()
