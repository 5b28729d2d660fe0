"""What known problems do to a probability, and what a third column tells: docs/problems.md.

    python benchmarks/problems.py --run [--pairs 60] [--panel 24] [--tables 200]
    python benchmarks/problems.py

The first measures and writes ``benchmarks/results/problems.json``; then, as without ``--run``, the
page is made from that record alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.problem_pairs import Family, families
from benchmarks.third_columns import ALARM_PAIRS, CASES, alarms, case_outcomes
from bqcd.assessments import Assessment, assess
from bqcd.methods.answers import Answer, answer_by_probability

ROOT = Path(__file__).resolve().parent.parent
RECORDED = ROOT / "benchmarks" / "results" / "problems.json"
TEMPLATE = ROOT / "benchmarks" / "problems_page.md"
PAGE = ROOT / "docs" / "problems.md"
ROWS, HALVES = 500, {"bqcd": 50, "panel": 10}
_SERIAL = ("dependent rows", "sorted rows")

Record = Mapping[str, Any]


def measured(family: Family, method: str, pairs: int) -> dict[str, Any]:
    """Claims and answers on pairs of a family, before and after what is known counts."""
    rng = np.random.default_rng([len(family.name), pairs])
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


def run(pairs: int, panel: int, tables: int) -> Record:
    """Everything the page needs."""
    rows = []
    for method, count in (("bqcd", pairs), ("panel", panel)):
        for family in families():
            rows.append(measured(family, method, count))
            print(json.dumps(rows[-1]), flush=True)
    found = {
        "rows": ROWS,
        "families": rows,
        "alarms": [alarms(name, width, tables) for name in ALARM_PAIRS for width in (1, 20, 100)],
        "cases": [case_outcomes(name, max(20, tables // 2)) for name in CASES],
    }
    return found


def read_record() -> Record:
    """What was measured."""
    record: Record = json.loads(RECORDED.read_text(encoding="utf-8"))
    return record


def page() -> str:
    """The page, from the record and the template."""
    record = read_record()
    rows = record["families"]
    chance = [row for row in rows if not row["directed"]]
    real = [row for row in rows if row["directed"]]
    alarm = (
        sum(row["alarms"] for row in record["alarms"]),
        sum(row["tables"] for row in record["alarms"]),
    )
    return TEMPLATE.read_text(encoding="utf-8").format(
        n_rows=record["rows"],
        families="\n".join(_family_table(rows)),
        chance_before=_share(chance, "before_clear"),
        chance_after=_share(chance, "after_clear"),
        leaning_before=_share(chance, "before_leaning"),
        leaning_after=_share(chance, "after_leaning"),
        real_before=_share(real, "before_clear"),
        real_after=_share(real, "after_clear"),
        told_before=_share(real, "before_clear", "before_leaning"),
        told_after=_share(real, "after_clear", "after_leaning"),
        alarms="\n".join(_alarm_table(record["alarms"])),
        alarm_share=f"{alarm[0]} of {alarm[1]:,}",
        cases="\n".join(_case_table(record["cases"])),
    )


def _share(rows: Sequence[Record], *keys: str) -> str:
    """Share of all pairs, in percent."""
    total = sum(row["pairs"] for row in rows)
    found = sum(row["pairs"] * row[key] for row in rows for key in keys) / total
    return f"{100.0 * found:.1f} %"


def _family_table(rows: Sequence[Record]) -> Iterator[str]:
    yield (
        "| problem | pairs | method | drawn | right | claimed: before | after | clear: before | "
        "after | leaning: before | after |"
    )
    yield "|:--|:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|"
    for row in sorted(rows, key=lambda row: [one.name for one in families()].index(row["family"])):
        right = f"{row['right']:.0%}".replace("%", " %") if row["directed"] else "chance"
        shares = " | ".join(
            f"{row[f'{when}_{what}']:.0%}".replace("%", " %")
            for what in ("clear", "leaning")
            for when in ("before", "after")
        )
        yield (
            f"| {row['problem']} | {row['family']} | {row['method']} | {row['pairs']} | {right} | "
            f"{row['before_claimed']:.2f} | {row['after_claimed']:.2f} | {shares} |"
        )


def _alarm_table(rows: Sequence[Record]) -> Iterator[str]:
    yield "| pair | other columns | tables | passed the test | called a separator |"
    yield "|:--|--:|--:|--:|--:|"
    for row in rows:
        yield (
            f"| {row['pair']} | {row['columns']} | {row['tables']} | {row['passed']} | "
            f"{row['alarms']} |"
        )


def _case_table(rows: Sequence[Record]) -> Iterator[str]:
    outcomes = sorted({outcome for row in rows for outcome in row["outcomes"]})
    yield f"| the third column is | tables | {' | '.join(outcomes)} |"
    yield f"|:--|--:|{'--:|' * len(outcomes)}"
    for row in rows:
        counts = " | ".join(str(row["outcomes"].get(outcome, 0)) for outcome in outcomes)
        yield f"| {row['case']} | {row['tables']} | {counts} |"


def main() -> None:
    """Measure, if asked to; then write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--panel", type=int, default=24)
    parser.add_argument("--tables", type=int, default=200)
    asked = parser.parse_args()
    if asked.run:
        found = run(asked.pairs, asked.panel, asked.tables)
        RECORDED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
