"""What the records were at each commit that changed them: `make history`.

Reads the recorded files at every commit that touched them, adds what is new to
``benchmarks/results/history.csv``, and writes docs/history.md with its picture. Nothing is measured
here, and lines are never taken out. Times are of one machine; ratios within one run carry further.
"""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
FILE = RESULTS / "history.csv"
PAGE = ROOT / "docs" / "history.md"
PICTURE = ROOT / "docs" / "figures" / "history.svg"
HEAD = ("measure", "date", "commit", "value")


def _speed(rows: str, column: int) -> Callable[[str], float | None]:
    def read(text: str) -> float | None:
        for line in text.splitlines():
            words = line.replace(" ms", "ms").split()
            if words[:1] == [rows] and len(words) > column:
                return float(words[column].rstrip("x"))
        return None

    return read


def _after(pattern: str) -> Callable[[str], float | None]:
    def read(text: str) -> float | None:
        found = re.search(pattern, text, flags=re.M)
        return float(found[1].replace(",", "")) if found else None

    return read


def _mean_accuracy(method: str) -> Callable[[str], float | None]:
    def read(text: str) -> float | None:
        told = json.loads(text).get("defaults", {}).get(method)
        if not told:
            return None
        shares = [share for name, share in told.items() if name != "tuebingen-weighted"]
        return round(sum(shares) / len(shares), 4)

    return read


@dataclass(frozen=True)
class Measure:
    """A number that is recorded, and where it stands."""

    file: str
    read: Callable[[str], float | None]
    unit: str
    better: str


MEASURES: Mapping[str, Measure] = {
    "decide, 1,000 rows": Measure(
        "speed.txt", _speed("1,000", 5), "times faster than vinecopulib", "more"
    ),
    "decide, 100,000 rows": Measure(
        "speed.txt", _speed("100,000", 5), "times faster than vinecopulib", "more"
    ),
    "scan, 1,000 rows": Measure(
        "scan.txt", _after(r"^ +ratio +([\d.,]+)"), "times faster than vinecopulib", "more"
    ),
    "first verdict": Measure(
        "startup.txt",
        _after(r"^first decide .*? ([\d.]+)$"),
        "times importing NumPy and pyarrow",
        "less",
    ),
    "bqcd, right": Measure(
        "accuracy.json",
        _mean_accuracy("bqcd"),
        "share right, not weighted, mean of ten benchmarks",
        "more",
    ),
    "panel, right": Measure(
        "accuracy.json",
        _mean_accuracy("panel"),
        "share right, not weighted, mean of ten benchmarks",
        "more",
    ),
}
"""What is followed, by name."""

Row = tuple[str, str, str, float]


def kept_rows() -> list[Row]:
    """Rows that earlier runs have written."""
    if not FILE.is_file():
        return []
    with FILE.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    return [(name, date, commit, float(value)) for name, date, commit, value in rows]


def found_rows() -> list[Row]:
    """Rows of every commit that changed a recorded number, oldest first."""
    rows: list[Row] = []
    for name, measure in MEASURES.items():
        last = None
        for commit, date in _commits(measure.file):
            try:
                value = measure.read(_git("show", f"{commit}:benchmarks/results/{measure.file}"))
            except ValueError:
                continue
            if value is not None and value != last:
                rows.append((name, date, commit[:7], value))
                last = value
    return rows


def merged(kept: Sequence[Row], found: Sequence[Row]) -> list[Row]:
    """Rows that were kept, then those that are new, measure by measure."""
    known = {(name, date, value) for name, date, _, value in kept}
    new = [row for row in found if (row[0], row[1], row[3]) not in known]
    order = list(MEASURES)
    return sorted([*kept, *new], key=lambda row: (order.index(row[0]), row[1]))


def table_text(rows: Sequence[Row]) -> str:
    """The rows as comma-separated values."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([HEAD, *((name, date, commit, f"{v:g}") for name, date, commit, v in rows)])
    return text.getvalue()


def page_text(rows: Sequence[Row]) -> str:
    """The page: first, last and all recorded values of every measure."""
    lines = [
        "<!-- Made by benchmarks/history.py from benchmarks/results/history.csv: change those, "
        "not this page. -->",
        "",
        "# What the records were",
        "",
        "Speed and accuracy as they were recorded, at each commit that changed a record. Ratios "
        "are within one run on one machine;",
        "what is measured and how is told in [](accuracy.md) and [](benchmarks.md). "
        "`make history` adds what is new.",
        "",
        "```{image} figures/history.svg",
        ":alt: Recorded values of each measure, in the order of their commits",
        ":class: picture",
        "```",
        "",
        "| measure | unit | better | recorded, oldest first |",
        "|---|---|---|---|",
    ]
    for name, measure in MEASURES.items():
        told = [f"{v:g} ({date}, `{c}`)" for other, date, c, v in rows if other == name]
        lines.append(f"| {name} | {measure.unit} | {measure.better} | {'; '.join(told)} |")
    return "\n".join([*lines, ""])


def picture(rows: Sequence[Row]) -> str:
    """A small panel for each measure, as SVG that needs no library."""
    wide, high, across = 230, 110, 3
    down = -(-len(MEASURES) // across)
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="0 0 {wide * across} {high * down}" font-family="sans-serif" font-size="11">'
    ]
    for at, name in enumerate(MEASURES):
        values = [value for other, _, _, value in rows if other == name]
        left, top = wide * (at % across), high * (at // across)
        parts.append(f'<text x="{left + 10}" y="{top + 16}" fill="#1f2328">{name}</text>')
        parts += _line(values, left + 12, top + 28, wide - 70, high - 48)
    return "\n".join([*parts, "</svg>", ""])


def _line(values: Sequence[float], left: float, top: float, wide: float, high: float) -> list[str]:
    if not values:
        return []
    most = max(values)
    places = [
        (left + wide * (at / max(len(values) - 1, 1)), top + high * (1.0 - value / most))
        for at, value in enumerate(values)
    ]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#0b5d8a"/>' for x, y in places]
    (x, y), last = places[-1], values[-1]
    return [
        f'<line x1="{left}" y1="{top + high}" x2="{left + wide}" y2="{top + high}" stroke="#ccc"/>',
        f'<polyline points="{points}" fill="none" stroke="#0b5d8a" stroke-width="1.5"/>',
        *dots,
        f'<text x="{x + 6:.1f}" y="{y + 4:.1f}" fill="#59636e">{last:g}</text>',
    ]


def _commits(file: str) -> list[tuple[str, str]]:
    log = _git(
        "log", "--reverse", "--format=%H %as", "--first-parent", "--", f"benchmarks/results/{file}"
    )
    return [(line.split()[0], line.split()[1]) for line in log.splitlines()]


def _git(*words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True
    )
    return done.stdout


def main() -> None:
    """Add what is new, and write the page and its picture."""
    rows = merged(kept_rows(), found_rows() if "--render" not in sys.argv[1:] else [])
    FILE.write_text(table_text(rows), encoding="utf-8")
    PAGE.write_text(page_text(rows), encoding="utf-8")
    PICTURE.write_text(picture(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
