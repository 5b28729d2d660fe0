"""Accuracy of every quick method on every benchmark file: the table of the README.

``python benchmarks/accuracy.py results`` writes ``benchmarks/results/accuracy.csv`` from a folder
that ``bqcd bench`` has written (``make bench-accuracy`` does both), and then, as it does without a
folder, the table in the README from that file alone.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from bqcd.benchmark import ResultsFolder
from bqcd.benchmark.summary import answers

ROOT = Path(__file__).parent.parent
RECORDED = ROOT / "benchmarks" / "results" / "accuracy.csv"
README = ROOT / "README.md"
BEGIN = "<!-- accuracy: begin (made by `make bench-accuracy`, do not edit) -->\n"
END = "<!-- accuracy: end -->"
HEADS = {"tuebingen": "Tübingen", "tuebingen, weighted": "weighted"}


def recorded(folder: str) -> list[dict[str, str]]:
    """One row a method: its accuracy on each benchmark, on the Tübingen pairs also weighted."""
    rows: dict[str, dict[str, str]] = {}
    for one in answers(ResultsFolder(folder).results()):
        row = rows.setdefault(one.label, {"method": one.label})
        row[one.pairset] = f"{one.mean('accuracy', weighted=False):.4f}"
        if one.pairset == "tuebingen":
            row["tuebingen, weighted"] = f"{one.mean('accuracy'):.4f}"
    return list(rows.values())


def write_record(rows: list[dict[str, str]]) -> None:
    """Write the numbers down, with four digits."""
    with RECORDED.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def table() -> str:
    """The recorded numbers as a table in Markdown; bQCD first, then by mean accuracy."""
    with RECORDED.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = [name for name in rows[0] if name != "method"]

    def rank(row: dict[str, str]) -> tuple[bool, float]:
        return row["method"] != "bqcd", -sum(float(row[name]) for name in columns)

    cells = [
        (f"`{row['method']}`", *(f"{float(row[name]):.2f}" for name in columns))
        for row in sorted(rows, key=rank)
    ]
    lines = ["| | " + " | ".join(HEADS.get(name, name) for name in columns) + " |"]
    lines.append("|---" * (len(columns) + 1) + "|")
    lines += ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join(lines) + "\n"


def with_table(readme: str) -> str:
    """The README with the table in its place."""
    before, rest = readme.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END, 1)[1]


def main() -> None:
    """Record, if there is a folder; then write the README's table."""
    if len(sys.argv) > 1:
        write_record(recorded(sys.argv[1]))
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
    print(table())


if __name__ == "__main__":
    main()
