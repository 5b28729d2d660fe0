"""Accuracies of all methods on all benchmark files: the table of the README and docs/accuracy.md.

``python benchmarks/accuracy.py reproduction`` reads the answers that ``bqcd reproduce accuracy
tuebingen regressors --out reproduction`` has kept (``make bench-accuracy`` does both; it takes
hours, and goes on where it was interrupted), and writes ``benchmarks/results/accuracy.json``. Then,
as without a folder, both pages are made from that record alone. Methods that the folder has not on
all pairs keep what was recorded of them before, and its commit. With ``--only margins``, the cells
of that method alone are taken from the folder, which need not hold others, and added to the record.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from bqcd.benchmark import ResultsFolder, contender
from bqcd.benchmark.summary import Answers, answers
from bqcd.methods.table import COMPARED, METHODS
from bqcd.show.reproduction import paper
from bqcd.show.reproduction.differences import DIFFERENCES
from bqcd.show.reproduction.products import TOLERANCE
from bqcd.show.reproduction.rows import BQCD_ROW, Row, accuracy_rows
from bqcd.show.reproduction.workshop import MAIN, TIES, Workshop
from bqcd.show.sheets import duration
from bqcd.show.words.methods import MARK, chosen_words, table_notes

ROOT = Path(__file__).parent.parent
RECORDED = ROOT / "benchmarks" / "results" / "accuracy.json"
TEMPLATE = ROOT / "benchmarks" / "accuracy_page.md"
PAGE = ROOT / "docs" / "accuracy.md"
README = ROOT / "README.md"
BEGIN = "<!-- accuracy: begin (made by `make bench-accuracy`, do not edit) -->\n"
END = "<!-- accuracy: end -->"
COLUMNS = (*paper.BENCHMARKS, paper.WEIGHTED)
HEADS = {"tuebingen": "Tübingen", paper.WEIGHTED: "weighted"}
LEVELS = (1, 3, 5, 7)
REGRESSORS = ("copula", "forest", "network")

Record = Mapping[str, Any]
Found = Mapping[tuple[str, str, str], Answers]


# -- from answers to the record --------------------------------------------------------------


def recorded(folder: Path) -> Record:
    """Everything the pages need, from the answers kept in a folder."""
    results = folder / "results"
    main, ties = _answers(results / MAIN), _answers(results / TIES)
    rows = accuracy_rows(Workshop(results, quick=False, workers=1))
    return {
        **origin_of(folder),
        "defaults": {name: _cells(main, name, name) for name in COMPARED},
        "rows": {
            row.name: _cells(ties if row.repeats > 1 else main, row.simulated, row.real)
            for row in rows
        },
        "seconds": {name: _seconds(main, name) for name in COMPARED},
        "regressors": {
            f"{name} {m}": _cells(_answers(results / f"regressors-{name}"), spec, spec)
            for name in REGRESSORS
            for m in LEVELS
            for spec in [f"bqcd:regressor={name}:n_levels={m}"]
        },
    }


def kept(before: Record, now: Record) -> Record:
    """A record in which methods that were not run on all pairs have what there was before."""
    whole = dict(now)
    method_of = {
        row.name: row.method for row in accuracy_rows(Workshop(ROOT, quick=False, workers=1))
    }
    for name, cells in before["defaults"].items():
        if len(now["defaults"].get(name, {})) >= len(cells):
            continue
        rows = {row: told for row, told in before["rows"].items() if method_of.get(row) == name}
        whole["defaults"] = whole["defaults"] | {name: cells}
        whole["rows"] = whole["rows"] | rows
        whole["seconds"] = whole["seconds"] | {name: before["seconds"][name]}
        whole["commit"] = named_commit(whole["commit"], name, _commit_of(before["commit"], name))
    return whole


def _commit_of(told: str, name: str) -> str:
    """The commit of a method in those of a record: its own, or the first."""
    named = dict(part.split(" ") for part in told.split(", ") if " " in part)
    return named.get(name, told.split(", ")[0])


def with_methods(record: Record, folder: Path, names: Sequence[str]) -> Record:
    """A record with all rows of some methods replaced or added."""
    results = folder / "results"
    main, ties = _answers(results / MAIN), _answers(results / TIES)
    rows = accuracy_rows(Workshop(results, quick=False, workers=1))
    origin = origin_of(folder)
    added = dict(record)
    for name in names:
        cells = {
            row.name: _cells(ties if row.repeats > 1 else main, row.simulated, row.real)
            for row in rows
            if row.method == name
        }
        added["defaults"] = added["defaults"] | {name: _cells(main, name, name)}
        added["rows"] = added["rows"] | cells
        added["seconds"] = added["seconds"] | {name: _seconds(main, name)}
        added["commit"] = named_commit(added["commit"], name, origin["commit"])
    return added


def named_commit(told: str, name: str, commit: str) -> str:
    """The commits of a record, with another one for a method."""
    others = [part for part in told.split(", ") if not part.startswith(f"{name} ")]
    return ", ".join([*others, f"{name} {commit}"])


def _answers(folder: Path) -> Found:
    if not folder.is_dir():
        return {}
    found = answers(ResultsFolder(folder).results())
    return {(one.pairset, one.method, one.settings): one for one in found}


def _cells(found: Found, simulated: str, real: str) -> dict[str, float]:
    """Accuracy by benchmark, of those whose pairs are all answered."""
    cells = {}
    for name in paper.BENCHMARKS:
        asked = contender(real if name == "tuebingen" else simulated)
        one = found.get((name, asked.name, asked.settings))
        if one is None or len(one.pairs) < (99 if name == "tuebingen" else 100):
            continue
        cells[name] = round(one.mean("accuracy", weighted=False), 4)
        if name == "tuebingen":
            cells[paper.WEIGHTED] = round(one.mean("accuracy"), 4)
    return cells


def _seconds(found: Found, name: str) -> float | None:
    """Time of one core for the Tübingen pairs."""
    asked = contender(name)
    one = found.get(("tuebingen", asked.name, asked.settings))
    return None if one is None else round(float(one.seconds.sum()), 2)


def origin_of(folder: Path) -> dict[str, str]:
    """Commit and date of a run: what was noted when it began, or those of now."""
    noted = folder / "origin.json"
    if noted.exists():
        told: dict[str, str] = json.loads(noted.read_text())
        return told
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return {"commit": commit.stdout.strip(), "date": datetime.now().date().isoformat()}


# -- from the record to the pages -------------------------------------------------------------


def read_record() -> Record:
    """The recorded run."""
    found: Record = json.loads(RECORDED.read_text())
    return found


def readme_table(record: Record) -> str:
    """Methods with their defaults; bQCD first, then by mean accuracy."""

    def rank(method: str) -> tuple[bool, float]:
        cells = record["defaults"][method]
        return method != "bqcd", -sum(cells.values()) / max(len(cells), 1)

    names = sorted(record["defaults"], key=rank)
    lines = [
        f"| {_shown(name)} | {_numbers(record['defaults'][name])} |"
        for name in names
        if record["defaults"][name]
    ]
    notes = "\n\n".join(table_notes((name, contender(name).settings) for name in names))
    return "\n".join([*_head(""), *lines]) + f"\n\n{notes}\n"


def with_table(readme: str) -> str:
    """The README with the table in its place."""
    before, rest = readme.split(BEGIN)
    return before + BEGIN + readme_table(read_record()) + END + rest.split(END, 1)[1]


def page() -> str:
    """docs/accuracy.md: its text with the numbers of the record."""
    record = read_record()
    rows = accuracy_rows(Workshop(ROOT, quick=False, workers=1))
    return TEMPLATE.read_text(encoding="utf-8").format(
        commit=record["commit"],
        date=record["date"],
        bqcd=_bqcd_table(record),
        own=_two(record["rows"][BQCD_ROW][paper.WEIGHTED]),
        published=_two(record["rows"][f"{BQCD_ROW}, ties as published"][paper.WEIGHTED]),
        drawn=_two(_drawn(record)[paper.WEIGHTED]),
        regressors=_regressor_table(record),
        widest_many=_widest(record, LEVELS[1:]),
        widest_one=_widest(record, LEVELS[:1]),
        methods="\n".join([*_head(""), *_method_lines(record, rows)]),
        missing=_missing(record, rows),
        differences="\n".join(_differences(rows)),
        chosen="\n".join(_chosen()),
        agreement=_agreement(record, rows),
        times=_times(record),
    )


def _drawn(record: Record) -> Mapping[str, float]:
    cells: Mapping[str, float] = record["rows"][f"{BQCD_ROW}, mean of 30 random orders of ties"]
    return cells


def _bqcd_table(record: Record) -> str:
    printed = next(row for row in paper.ACCURACY if row.label == BQCD_ROW)
    lines = [f"| paper | {_numbers({name: printed.on(name) for name in COLUMNS})} |"]
    for name, shown in (
        (BQCD_ROW, "bqcd"),
        (f"{BQCD_ROW}, ties as published", "bqcd, ties as published"),
        (f"{BQCD_ROW}, mean of 30 random orders of ties", "bqcd, mean of 30 random orders"),
    ):
        lines.append(f"| {shown} | {_numbers(record['rows'][name])} |")
    return "\n".join([*_head(""), *lines])


def _regressor_table(record: Record) -> str:
    lines = [
        f"| m = {m}, {name} | {_numbers(record['regressors'][f'{name} {m}'])} |"
        for m in LEVELS
        for name in REGRESSORS
        if record["regressors"].get(f"{name} {m}")
    ]
    return "\n".join([*_head(""), *lines])


def _widest(record: Record, levels: Sequence[int]) -> str:
    """Where regressors differ most."""
    found = {}
    for m in levels:
        cells = {name: record["regressors"][f"{name} {m}"] for name in REGRESSORS}
        for at in COLUMNS:
            known = {name: cells[name][at] for name in REGRESSORS if at in cells[name]}
            gap = max(known.values()) - min(known.values())
            found[round(gap, 4), m, at] = known
    (gap, m, at), known = max(found.items(), key=lambda item: item[0][0])
    told = ", ".join(f"{name} {_two(value)}" for name, value in known.items())
    return f"{_two(gap)} ({HEADS.get(at, at)}, m = {m}: {told})"


def _method_lines(record: Record, rows: Sequence[Row]) -> Iterator[str]:
    """Here / in print, cells that are apart in bold."""
    for row in rows:
        cells = record["rows"].get(row.name)
        if cells and not row.other_ties:
            told = [_cell(cells.get(at), row.printed.get(at)) for at in COLUMNS]
            yield f"| {row.label} | {' | '.join(told)} |"


def _cell(here: float | None, there: float | None) -> str:
    if here is None:
        return ""
    if there is None:
        return _two(here)
    told = f"{_two(here)} / {_two(there)}"
    return f"**{told}**" if _apart(here, there) else told


def _apart(here: float, there: float) -> bool:
    return round(abs(round(here, 2) - there), 2) > TOLERANCE


def _agreement(record: Record, rows: Sequence[Row]) -> str:
    pairs = [
        (cells[at], row.printed[at])
        for row in rows
        if (cells := record["rows"].get(row.name)) and not row.other_ties
        for at in COLUMNS
        if at in cells and at in row.printed
    ]
    agree = sum(not _apart(*pair) for pair in pairs)
    return f"{agree} of {len(pairs)} numbers agree with the printed ones within {TOLERANCE}"


def _missing(record: Record, rows: Sequence[Row]) -> str:
    """What has not been run on all pairs."""
    absent: dict[str, list[str]] = {}
    for row in rows:
        cells = record["rows"].get(row.name, {})
        lacking = [HEADS.get(at, at) for at in paper.BENCHMARKS if at not in cells]
        if lacking:
            absent.setdefault(", ".join(lacking), []).append(row.name)
    if not absent:
        return "All methods are run on all pairs of all sets."
    told = "; ".join(f"{', '.join(names)} on {sets}" for sets, names in absent.items())
    return f"Not run on all pairs yet: {told}."


def _differences(rows: Sequence[Row]) -> Iterator[str]:
    """The reasons, each with the cells it holds for."""
    names = {row.name: row.label for row in rows if not row.other_ties}
    by_reason: dict[tuple[str, str], list[str]] = {}
    for (name, column), one in DIFFERENCES.items():
        if name in names and column in COLUMNS:
            by_reason.setdefault((names[name], one.reason), []).append(HEADS.get(column, column))
    for (label, reason), columns in by_reason.items():
        yield f"- {label}, {', '.join(columns)}: {reason}."


def _chosen() -> Iterator[str]:
    for card in METHODS.values():
        if card.chosen:
            yield f"- `{card.name}`: {chosen_words(card)}."


def _times(record: Record) -> str:
    spent = {name: value for name, value in record["seconds"].items() if value is not None}
    slow = {name: value for name, value in spent.items() if value >= 6.0}
    told = ", ".join(
        f"`{name}` {duration(value)}"
        for name, value in sorted(slow.items(), key=lambda item: -item[1])
    )
    return f"{told}, all others below 6 s; {duration(sum(spent.values()))} in all"


def _shown(name: str) -> str:
    return f"`{name}` {MARK}" if METHODS[name].chosen else f"`{name}`"


def _head(first: str) -> list[str]:
    heads = " | ".join(HEADS.get(name, name) for name in COLUMNS)
    return [f"| {first}| {heads} |", "|---" * (len(COLUMNS) + 1) + "|"]


def _numbers(cells: Mapping[str, float]) -> str:
    return " | ".join(_two(cells[name]) if name in cells else "" for name in COLUMNS)


def _two(value: float) -> str:
    return f"{value:.2f}"


def main() -> None:
    """Record, if there is a folder; then write both pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--only", default="", help="methods to add, separated by commas")
    options = parser.parse_args()
    if options.folder is not None:
        names = [name for name in options.only.split(",") if name]
        record = (
            with_methods(read_record(), options.folder, names)
            if names
            else kept(read_record(), recorded(options.folder))
        )
        RECORDED.write_text(json.dumps(record, indent=1) + "\n")
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
    print(readme_table(read_record()))


if __name__ == "__main__":
    main()
