"""What margins give away, and accuracies with equal margins: the tables of docs/margins.md.

``python benchmarks/margins.py reproduction`` reads the answers that ``bqcd reproduce margins --out
reproduction`` has kept (``make bench-margins`` does both; ``--quick`` with either for methods of
small cost only), and writes ``benchmarks/results/margins.json``. Then, as without a folder, the
page is made from that record alone. With ``--only gplvm,panel`` those methods alone are asked, with
``--workers``, and added to the record with their commit; it goes on where it was interrupted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.accuracy import HEADS, ROOT, named_commit, origin_of
from bqcd.benchmark import contender
from bqcd.methods.table import COMPARED
from bqcd.show.reproduction import paper
from bqcd.show.reproduction.margins import (
    COLUMNS,
    FLOORS,
    MEAN,
    NEARER,
    WITHIN,
    Comparison,
    comparisons,
    floors,
)
from bqcd.show.reproduction.workshop import Workshop
from bqcd.show.words.methods import marked, table_notes
from bqcd.statistics.margins import MARGIN_FEATURES

RECORDED = ROOT / "benchmarks" / "results" / "margins.json"
TEMPLATE = ROOT / "benchmarks" / "margins_page.md"
PAGE = ROOT / "docs" / "margins.md"
SETS = COLUMNS[:-1]
# From here on a floor is called high: what is left to tell methods apart is little.
HIGH = 0.9

Record = Mapping[str, Any]


def recorded(folder: Path, *, quick: bool) -> Record:
    """Everything the page needs, from the answers kept in a folder."""
    workshop = Workshop(folder / "results", quick=quick, workers=1)
    return {
        **origin_of(folder),
        "quick": quick,
        "margins": workshop.margins,
        "floors": {name: _rounded(cells) for name, cells in floors(workshop).items()},
        "interval": _intervals(workshop),
        "methods": {one.spec: _cells(one) for one in comparisons(workshop)},
    }


def with_methods(record: Record, folder: Path, names: Sequence[str], workers: int) -> Record:
    """A record with some methods replaced or added; they are asked if they have not been."""
    workshop = Workshop(folder / "results", quick=False, workers=workers)
    found = {one.spec: _cells(one) for one in comparisons(workshop, names)}
    commit = record["commit"]
    for name in names:
        commit = named_commit(commit, name, origin_of(folder)["commit"])
    return {**record, "commit": commit, "methods": {**record["methods"], **found}}


def _cells(one: Comparison) -> Record:
    return {
        "equal": _rounded(one.equal),
        "as_is": _rounded(one.as_is),
        "difference": {
            column: [round(x, 4) for x in (found.difference, found.low, found.high)]
            for column, found in one.difference.items()
        },
    }


def _intervals(workshop: Workshop) -> dict[str, list[float]]:
    """95 % interval of the accuracy of ``margins`` on each set."""
    found = workshop.on_simulated(["margins"]) | workshop.on_real(["margins"])
    ends = [found["margins", name].accuracy_interval() for name in paper.BENCHMARKS]
    return {
        name: [round(one.low, 4), round(one.high, 4)] for name, one in zip(SETS, ends, strict=True)
    }


def _rounded(cells: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in cells.items()}


# -- from the record to the page ---------------------------------------------------------------


def read_record() -> Record:
    """The recorded run."""
    found: Record = json.loads(RECORDED.read_text(encoding="utf-8"))
    return found


def page() -> str:
    """docs/margins.md: its text with the numbers of the record."""
    record = read_record()
    methods = record["methods"]
    ranked = sorted(methods, key=lambda spec: -methods[spec]["equal"][MEAN])
    before = sorted(methods, key=lambda spec: -methods[spec]["as_is"][MEAN])
    asked = [contender(spec) for spec in ranked]
    return TEMPLATE.read_text(encoding="utf-8").format(
        commit=record["commit"],
        date=record["date"],
        command="bqcd reproduce margins" + (" --quick" if record["quick"] else ""),
        n_features=len(MARGIN_FEATURES),
        floors=_floor_table(record),
        within=_where(record, WITHIN, _at_least(HIGH)),
        nearer=_where(record, NEARER, _at_least(HIGH)),
        nearer_real=f"{record['floors'][NEARER][paper.WEIGHTED]:.2f}",
        entropy=_where(record, "igci-entropy-g", _at_least(HIGH - 0.05)),
        turned_round=_beyond_chance(record, below=True),
        agreeing=_beyond_chance(record, below=False),
        equal=_equal_table(record, ranked),
        differences=_difference_table(record, ranked),
        notes="\n\n".join(table_notes((one.name, one.settings) for one in asked)),
        left_out=_left_out(record),
        first=_placed(ranked, methods, "equal"),
        first_before=_placed(before, methods, "as_is"),
        overtaken=_overtaken(ranked, methods),
        moved=_moved(ranked, methods),
        turned="\n".join(_turned(record)),
    )


def _floor_table(record: Record) -> str:
    lines = [
        f"| {f'`{name}`' if name in FLOORS else name} | {_numbers(cells, COLUMNS)} |"
        for name, cells in record["floors"].items()
    ]
    return "\n".join([*_heads(COLUMNS), *lines])


def _equal_table(record: Record, ranked: Sequence[str]) -> str:
    lines = []
    for spec in ranked:
        cells = record["methods"][spec]
        both = f"{cells['as_is'][MEAN]:.3f} | {_interval(cells['difference'][MEAN])}"
        sets = _numbers(cells["equal"], SETS)
        lines.append(f"| {_name(spec)} | {sets} | **{cells['equal'][MEAN]:.3f}** | {both} |")
    heads = [*map(_head, SETS), "mean", "mean as they come", "difference of the means"]
    return "\n".join([f"| | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|", *lines])


def _difference_table(record: Record, ranked: Sequence[str]) -> str:
    """Equal minus as they come by set; in bold where the interval leaves zero out."""
    lines = []
    for spec in ranked:
        found = record["methods"][spec]["difference"]
        told = " | ".join(_interval(found[name], digits=2) for name in SETS)
        lines.append(f"| {_name(spec)} | {told} |")
    return "\n".join([*_heads(SETS), *lines])


def _interval(found: Sequence[float], *, digits: int = 3) -> str:
    value, low, high = found
    told = f"{value:+.{digits}f} ({low:+.{digits}f} to {high:+.{digits}f})"
    return f"**{told}**" if low > 0.0 or high < 0.0 else told


def _where(record: Record, floor: str, holds: Callable[[float], bool]) -> str:
    """Sets on which a floor is so, with its numbers."""
    cells = record["floors"][floor]
    there = [name for name in SETS if name in cells and holds(cells[name])]
    return _listed([f"{_head(name)} {cells[name]:.2f}" for name in there])


def _at_least(bar: float) -> Callable[[float], bool]:
    return lambda value: value >= bar


def _beyond_chance(record: Record, *, below: bool) -> str:
    """Sets on which the interval of ``margins`` leaves one half out, with both."""
    cells, ends = record["floors"]["margins"], record["interval"]
    out = {name: high < 0.5 if below else low > 0.5 for name, (low, high) in ends.items()}
    return _listed(
        [
            f"{_head(name)} {cells[name]:.2f} ({ends[name][0]:.2f} to {ends[name][1]:.2f})"
            for name in SETS
            if out[name]
        ]
    )


def _placed(ranked: Sequence[str], methods: Mapping[str, Any], kind: str) -> str:
    """The first three with their means."""
    return _listed([f"{_name(spec)} {methods[spec][kind][MEAN]:.3f}" for spec in ranked[:3]])


def _moved(ranked: Sequence[str], methods: Mapping[str, Any]) -> str:
    """How many means move up or down with an interval that leaves zero out."""
    ends = [methods[spec]["difference"][MEAN][1:] for spec in ranked]
    up, down = sum(low > 0.0 for low, _ in ends), sum(high < 0.0 for _, high in ends)
    return f"{up} of {len(ends)} means rise and {down} fall by more than chance"


def _overtaken(ranked: Sequence[str], methods: Mapping[str, Any]) -> str:
    """Methods ahead of bQCD as columns come, and those of them behind it with equal margins."""

    def mean(spec: str, kind: str) -> float:
        return float(methods[spec][kind][MEAN])

    others = [spec for spec in ranked if contender(spec).name != "bqcd"]
    ahead = [spec for spec in others if mean(spec, "as_is") > mean("bqcd", "as_is")]
    behind = [_name(spec) for spec in ahead if mean(spec, "equal") < mean("bqcd", "equal")]
    return (
        f"{len(ahead)} methods are ahead of `bqcd` as columns come; with equal margins "
        f"{len(behind)} of these are behind it: {_listed(behind)}"
    )


def _turned(record: Record) -> Iterator[str]:
    """Where a method is below one half one way and above it the other, both by a fifth."""
    for spec, cells in record["methods"].items():
        for name in SETS:
            equal, as_is = cells["equal"][name], cells["as_is"][name]
            if min(equal, as_is) < 0.5 < max(equal, as_is) and abs(equal - as_is) > 0.4:
                yield f"- {_name(spec)} on {_head(name)}: {as_is:.2f} as they come, {equal:.2f}."


def _left_out(record: Record) -> str:
    there = {contender(spec).name for spec in record["methods"]} | set(FLOORS)
    absent = [f"`{name}`" for name in COMPARED if name not in there]
    if not absent:
        return "All methods of the table are here."
    return f"Not run yet, for the time it takes: {_listed(absent)}."


def _name(spec: str) -> str:
    asked = contender(spec)
    return marked(f"`{spec}`", asked.name, asked.settings)


def _head(name: str) -> str:
    return "Tübingen, weighted" if name == paper.WEIGHTED else HEADS.get(name, name)


def _heads(columns: Sequence[str]) -> list[str]:
    heads = " | ".join(map(_head, columns))
    return [f"| | {heads} |", "|---" * (len(columns) + 1) + "|"]


def _numbers(cells: Mapping[str, float], columns: Sequence[str]) -> str:
    return " | ".join(f"{cells[name]:.2f}" if name in cells else "" for name in columns)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else "none"


def main() -> None:
    """Record, if there is a folder; then write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--quick", action="store_true", help="the folder is of a quick run")
    parser.add_argument("--only", default="", help="methods to add, separated by commas")
    parser.add_argument("--workers", type=int, default=1, help="processes that ask them")
    options = parser.parse_args()
    if options.folder is not None:
        names = [name for name in options.only.split(",") if name]
        record = (
            with_methods(read_record(), options.folder, names, options.workers)
            if names
            else recorded(options.folder, quick=options.quick)
        )
        RECORDED.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
