"""What known problems do to a probability, and what a third column tells: docs/problems.md.

    python benchmarks/problems.py --run [--only PART ...] [--pairs 20] [--panel 6] [--coarse 250] \
        [--piled 70] [--sizes 50] [--hidden 120] [--scans 5] [--clocks 60] [--tables 100] \
        [--workers 1] [--keep FOLDER]
    python benchmarks/problems.py

The first measures and writes ``benchmarks/results/problems.json``; then, as without ``--run``, the
page is made from that record alone. With ``--keep`` an interrupted run goes on where it was; with
``--only`` the other parts of the record stay as they are.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import coarse_limit, few_years, hidden_scans, piled_ends
from benchmarks import problems_tables as tables
from benchmarks.clocks import CLOCKS, DOSES
from benchmarks.clocks import measured as measured_clocks
from benchmarks.coarse_pairs import HALVES as COARSE_HALVES
from benchmarks.coarse_pairs import measured as measured_coarse
from benchmarks.hidden_causes import CAUSES, COLUMNS
from benchmarks.hidden_causes import kinds as hidden_kinds
from benchmarks.hidden_causes import measured as measured_hidden
from benchmarks.problem_pairs import Family, families
from benchmarks.problem_pairs_left_out import left_out_families
from benchmarks.problems_tables import Record
from benchmarks.third_columns import ALARM_PAIRS, CASES, alarms, case_outcomes
from bqcd.assessments import Assessment, assess
from bqcd.methods.answers import Answer, answer_by_probability
from bqcd.runtime.atomic import write_whole

ROOT = Path(__file__).resolve().parent.parent
RECORDED = ROOT / "benchmarks" / "results" / "problems.json"
TEMPLATE = ROOT / "benchmarks" / "problems_page.md"
PAGE = ROOT / "docs" / "problems.md"
ROWS, HALVES = 500, {"bqcd": 50, "panel": 10}
HIDDEN_ROWS = (500, 20_000)
_SERIAL = ("dependent rows", "sorted rows")
# Parts of the record, each a list; the page leaves out those of the second line that are empty.
PARTS = (
    "families", "alarms", "cases",
    "coarse", "piled", "sizes", "hidden", "scans", "clocks", "years",
)  # fmt: skip
_OPTIONAL = PARTS[3:]


def every_family() -> dict[str, Family]:
    """Families by name: those that limits were set on, then those left out.

    Coarse columns have a part of their own, with many more kinds.
    """
    every = (*families(), *left_out_families())
    return {family.name: family for family in every if family.problem != "few values"}


def is_left_out(name: str) -> bool:
    """Whether limits were set without a family."""
    return name in {family.name for family in left_out_families()}


def measured(name: str, method: str, pairs: int) -> dict[str, Any]:
    """Claims and answers on pairs of a family, before and after what is known counts."""
    family = every_family()[name]
    rng = np.random.default_rng([crc32(name.encode()), pairs])
    before, after, right = [], [], []
    for _ in range(pairs):
        x, y = family.draw(rng, ROWS)
        turned = bool(rng.random() < 0.5)
        columns = (y, x) if turned else (x, y)
        found = assess(*columns, method=method, replicates=HALVES[method])
        plain = found
        if family.problem in _SERIAL:
            plain = assess(*columns, method=method, replicates=HALVES[method], find_units=False)
        before.append((plain.claimed or 0.5, _plain_answer(plain)))
        after.append((found.probability or 0.5, found.answer))
        # Where there is no direction, the lot decides.
        right.append(found.confidence > 0.0 if not family.directed else
                     (found.confidence > 0.0) != turned)  # fmt: skip
    return {
        "problem": family.problem,
        "family": family.name,
        "directed": family.directed,
        "left_out": is_left_out(name),
        "method": method,
        "pairs": pairs,
        "right": round(float(np.mean(right)), 3),
        **{f"before_{key}": value for key, value in _shares(before).items()},
        **{f"after_{key}": value for key, value in _shares(after).items()},
    }


def _plain_answer(found: Assessment) -> Answer:
    if "independent" in found.doubts or found.claimed is None:
        return "cannot tell"
    return answer_by_probability(found.claimed)


def _shares(told: Sequence[tuple[float, str]]) -> dict[str, float]:
    answers = [answer for _, answer in told]
    return {
        "claimed": round(float(np.mean([claim for claim, _ in told])), 3),
        "clear": round(float(np.mean([answer == "clear" for answer in answers])), 3),
        "leaning": round(float(np.mean([answer == "leaning" for answer in answers])), 3),
    }


def tasks(asked: argparse.Namespace) -> dict[str, list[tuple[Any, ...]]]:
    """What is to be measured, by part: a function and its arguments."""
    counts = {"panel": asked.panel, "bqcd": asked.pairs}
    years = [
        (name, method, count) for name in few_years.kinds() for method, count in counts.items()
    ]
    every: dict[str, list[tuple[Any, ...]]] = {
        "families": [
            (measured, name, method, count)
            for name in every_family()
            for method, count in counts.items()
        ],
        "coarse": [(_coarse, half, asked.coarse) for half in range(len(COARSE_HALVES))],
        "piled": [(piled_ends.measured, asked.piled)],
        "sizes": [
            (coarse_limit.measured, half, asked.sizes) for half in range(len(coarse_limit.HALVES))
        ],
        "hidden": [(measured_hidden, *cell) for cell in hidden_cells(asked.hidden)],
        "scans": [(hidden_scans.measured, *cell) for cell in hidden_scans.cells(asked.scans)],
        "clocks": [(measured_clocks, name, asked.clocks) for name in (*CLOCKS, *DOSES)],
        "years": [(few_years.measured, *cell) for cell in years],
        "alarms": [
            (alarms, name, width, asked.tables) for name in ALARM_PAIRS for width in (1, 20, 100)
        ],
        "cases": [(case_outcomes, name, max(20, asked.tables // 2)) for name in CASES],
    }
    return {part: listed for part, listed in every.items() if part in (asked.only or PARTS)}


def run(asked: argparse.Namespace) -> Record:
    """Everything the page needs, or the parts that are asked for beside what was known."""
    before: Record = read_record() if asked.only else {}
    with ProcessPoolExecutor(asked.workers) as pool:
        waiting = {
            part: [pool.submit(_done, asked.keep, *task) for task in listed]
            for part, listed in tasks(asked).items()
        }
        done = {part: [one.result() for one in listed] for part, listed in waiting.items()}
    for part in {"coarse", "sizes"} & done.keys():
        done[part] = [row for rows in done[part] for row in rows]
    return {**before, "rows": ROWS, **done}


def hidden_cells(pairs: int) -> Iterator[tuple[str, int, int]]:
    """Kinds of tables, rows, pairs: half as many of long tables and of direct links."""
    for kind in hidden_kinds():
        if kind.startswith("hidden"):
            yield kind, HIDDEN_ROWS[0], pairs
            yield kind, HIDDEN_ROWS[1], pairs // 2
        else:
            yield kind, HIDDEN_ROWS[0], pairs // 2


def _done(keep: Path | None, task: Any, *arguments: Any) -> Any:
    """What a task found, now or before."""
    kept = None if keep is None else keep / f"{kept_name(task, *arguments)}.json"
    if kept is not None and kept.exists():
        return json.loads(kept.read_text(encoding="utf-8"))
    found = task(*arguments)
    print(json.dumps(found)[:200], flush=True)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(kept, json.dumps(found))
    return found


def kept_name(task: Any, *arguments: Any) -> str:
    """Name of the file of a task: all that it depends on."""
    told = " ".join((task.__module__.split(".")[-1], task.__name__, *map(str, arguments)))
    return "".join(letter if letter.isalnum() else "-" for letter in told)


def _coarse(half: int, pairs: int) -> list[dict[str, Any]]:
    return list(measured_coarse(half, pairs))


def read_record() -> Record:
    """What was measured."""
    record: Record = json.loads(RECORDED.read_text(encoding="utf-8"))
    return record


def page() -> str:
    """The page, from the record and the template."""
    record = read_record()
    listed_families = sorted(
        record["families"], key=lambda row: list(every_family()).index(row["family"])
    )
    known, other = ([row for row in listed_families if row["left_out"] is out]
                    for out in (False, True))  # fmt: skip
    parts = {"left_out": other, **{name: record.get(name, []) for name in _OPTIONAL}}
    alarm = (
        sum(row["alarms"] for row in record["alarms"]),
        sum(row["tables"] for row in record["alarms"]),
    )
    listed = {
        "families": tables.family_table(known),
        "left_out": tables.family_table(other),
        "coarse": tables.coarse_table(parts["coarse"]),
        "sizes": tables.size_table(parts["sizes"]),
        "kept_sizes": tables.kept_size_table(parts["sizes"]),
        "hidden": tables.hidden_table(parts["hidden"]),
        "scans": tables.scan_table(parts["scans"]),
        "clocks": tables.clock_table(parts["clocks"]),
        "years": tables.year_table(parts["years"]),
        "alarms": tables.alarm_table(record["alarms"]),
        "cases": tables.case_table(record["cases"]),
    }
    return _template(parts).format(
        n_rows=record["rows"],
        hidden_causes=CAUSES,
        hidden_columns=COLUMNS,
        scan_budget=hidden_scans.BUDGET,
        summary=tables.summary(known),
        alarm_share=f"{alarm[0]} of {alarm[1]:,}",
        **{name: "\n".join(lines) for name, lines in listed.items()},
        **_sentences(parts),
    )


def _sentences(parts: Mapping[str, Sequence[Record]]) -> dict[str, str]:
    """What is said of the parts that were measured."""
    coarse = [
        *(say(parts["coarse"]) for say in (tables.coarse_summary, tables.old_rule)),
        *map(tables.piled_summary, parts["piled"]),
    ]
    made = {
        "left_out_summary": ("left_out", tables.summary),
        "size_summary": ("sizes", tables.size_summary),
        "hidden_summary": ("hidden", tables.hidden_summary),
        "year_summary": ("years", tables.year_summary),
    }
    told = {name: say(parts[part]) if parts[part] else "" for name, (part, say) in made.items()}
    return told | {"coarse_summary": " ".join(filter(None, coarse))}


def _template(parts: Mapping[str, Sequence[Record]]) -> str:
    """The template without the parts that were not measured."""
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, rows in parts.items():
        if f"<!-- part: {name} -->" not in text:
            continue
        before, rest = text.split(f"<!-- part: {name} -->\n")
        inside, after = rest.split("<!-- end -->\n", 1)
        text = before + inside + after if rows else before.rstrip("\n") + "\n" + after
    return text


def main() -> None:
    """Measure, if asked to; then write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--only", nargs="+", choices=PARTS, help="measure these parts alone")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--panel", type=int, default=6)
    parser.add_argument("--coarse", type=int, default=250)
    parser.add_argument("--piled", type=int, default=70)
    parser.add_argument("--sizes", type=int, default=50, help="pairs of each kind and correlation")
    parser.add_argument("--hidden", type=int, default=120)
    parser.add_argument("--scans", type=int, default=5, help="tables of each kind and length")
    parser.add_argument("--clocks", type=int, default=60)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="save progress here; rerun to resume")
    asked = parser.parse_args()
    if asked.run:
        found = run(asked)
        RECORDED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
