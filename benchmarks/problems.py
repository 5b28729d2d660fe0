"""What known problems do to a probability, and what a third column tells: docs/problems.md.

    python benchmarks/problems.py --run [--pairs 20] [--panel 6] [--coarse 250] [--hidden 120] \
        [--clocks 60] [--tables 100] [--workers 1] [--keep FOLDER]
    python benchmarks/problems.py

The first measures and writes ``benchmarks/results/problems.json``; then, as without ``--run``, the
page is made from that record alone. With ``--keep`` an interrupted run goes on where it was.
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
from scipy.stats import binomtest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.clocks import CLOCKS, DOSES
from benchmarks.clocks import SHAPES as CLOCK_SHAPES
from benchmarks.clocks import measured as measured_clocks
from benchmarks.coarse_pairs import HALVES as COARSE_HALVES
from benchmarks.coarse_pairs import measured as measured_coarse
from benchmarks.hidden_causes import CAUSES, COLUMNS
from benchmarks.hidden_causes import kinds as hidden_kinds
from benchmarks.hidden_causes import measured as measured_hidden
from benchmarks.problem_pairs import Family, families
from benchmarks.problem_pairs_left_out import left_out_families
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
# Beside families, alarms and cases.
_PARTS = ("coarse", "hidden", "clocks")

Record = Mapping[str, Any]


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


def run(asked: argparse.Namespace) -> Record:
    """Everything the page needs."""
    counts = {"panel": asked.panel, "bqcd": asked.pairs}
    tasks = {
        "families": [
            (measured, name, method, count)
            for method, count in counts.items()
            for name in every_family()
        ],
        "coarse": [(_coarse, half, asked.coarse) for half in range(len(COARSE_HALVES))],
        "hidden": [(measured_hidden, *cell) for cell in hidden_cells(asked.hidden)],
        "clocks": [(measured_clocks, name, asked.clocks) for name in (*CLOCKS, *DOSES)],
        "alarms": [
            (alarms, name, width, asked.tables) for name in ALARM_PAIRS for width in (1, 20, 100)
        ],
        "cases": [(case_outcomes, name, max(20, asked.tables // 2)) for name in CASES],
    }
    with ProcessPoolExecutor(asked.workers) as pool:
        waiting = {
            part: [pool.submit(_done, asked.keep, *task) for task in listed]
            for part, listed in tasks.items()
        }
        done = {part: [one.result() for one in listed] for part, listed in waiting.items()}
    return {"rows": ROWS, **done, "coarse": [row for rows in done["coarse"] for row in rows]}


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
    known, other = ([row for row in record["families"] if row["left_out"] is out]
                    for out in (False, True))  # fmt: skip
    parts = {
        "left_out": other,
        **{name: record.get(name, []) for name in ("coarse", "hidden", "clocks")},
    }
    alarm = (
        sum(row["alarms"] for row in record["alarms"]),
        sum(row["tables"] for row in record["alarms"]),
    )
    return _template(parts).format(
        n_rows=record["rows"],
        families="\n".join(_family_table(known)),
        summary=_summary(known),
        left_out="\n".join(_family_table(other)),
        left_out_summary=_summary(other) if other else "",
        coarse="\n".join(_coarse_table(parts["coarse"])),
        coarse_summary=_coarse_summary(parts["coarse"]),
        hidden="\n".join(_hidden_table(parts["hidden"])),
        hidden_causes=CAUSES,
        hidden_columns=COLUMNS,
        hidden_summary=_hidden_summary(parts["hidden"]) if parts["hidden"] else "",
        clocks="\n".join(_clock_table(parts["clocks"])),
        alarms="\n".join(_alarm_table(record["alarms"])),
        alarm_share=f"{alarm[0]} of {alarm[1]:,}",
        cases="\n".join(_case_table(record["cases"])),
    )


def _template(parts: Mapping[str, Sequence[Record]]) -> str:
    """The template without the parts that were not measured."""
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, rows in parts.items():
        before, rest = text.split(f"<!-- part: {name} -->\n")
        inside, after = rest.split("<!-- end -->\n", 1)
        text = before + inside + after if rows else before.rstrip("\n") + "\n" + after
    return text


def _summary(rows: Sequence[Record]) -> str:
    """What the limits do where there is no direction, and where there is one."""
    chance = [row for row in rows if not row["directed"]]
    real = [row for row in rows if row["directed"]]
    told = ("clear", "leaning")
    return (
        f"Of all pairs without a direction, {_share(chance, 'before_clear')} were clear before and "
        f"{_share(chance, 'after_clear')} are after; {_share(chance, 'before_leaning')} were "
        f"leaning and {_share(chance, 'after_leaning')} are. Of the pairs with a direction, which "
        f"the rules should leave alone, {_share(real, 'before_clear')} were clear before and "
        f"{_share(real, 'after_clear')} are, "
        f"{_share(real, *(f'before_{one}' for one in told))} and "
        f"{_share(real, *(f'after_{one}' for one in told))} clear or leaning."
    )


def _coarse_summary(rows: Sequence[Record]) -> str:
    """Claims and what is right of all pairs of each half."""
    sentences = []
    for row in (row for row in rows if row["group"] == "all"):
        kept = row["after_told_right"] / row["before_told_right"]
        sentences.append(
            f"Families {row['families']}: of pairs without a direction "
            f"{_percent(row['chance_fine_clear'])} were clear before they were made coarse, "
            f"{_percent(row['chance_before_clear'])} are as they come and "
            f"{_percent(row['chance_after_clear'])} with the limits (told at all "
            f"{_percent(row['chance_fine_told'])}, {_percent(row['chance_before_told'])}, "
            f"{_percent(row['chance_after_told'])}); of pairs with one {_percent(row['right'])} "
            f"are right, where {row['before_claimed']:.2f} is claimed without and "
            f"{row['after_claimed']:.2f} with them, and {_percent(kept)} of the right answers stay."
        )
    return " ".join(sentences)


def _coarse_table(rows: Sequence[Record]) -> Iterator[str]:
    yield (
        "| families | pairs | no direction | clear: fine | before | after | told: fine | before | "
        "after | direction | right | claimed: before | after | told: before | right | after | "
        "right |"
    )
    yield f"|:--|:--|{'--:|' * 15}"
    for row in rows:
        chance = " | ".join(
            _percent(row[f"chance_{when}_{what}"])
            for what in ("clear", "told")
            for when in ("fine", "before", "after")
        )
        told = " | ".join(
            f"{_percent(row[f'{when}_told'])} | "
            f"{_percent(row[f'{when}_told_right'] / (row[f'{when}_told'] or float('nan')))}"
            for when in ("before", "after")
        )
        yield (
            f"| {row['families']} | {row['group']} | {row['chance']} | {chance} | "
            f"{row['directed']} | {_percent(row['right'])} | {row['before_claimed']:.2f} | "
            f"{row['after_claimed']:.2f} | {told} |"
        )


def _hidden_table(rows: Sequence[Record]) -> Iterator[str]:
    yield (
        "| tables | rows | pairs | clear: claimed | after the pair | after the table | leaning: "
        "claimed | after the pair | after the table |"
    )
    yield f"|:--|{'--:|' * 8}"
    for row in rows:
        shares = " | ".join(
            _percent(row[f"{when}_{answer}"])
            + (_interval(row["table_" + answer], row["pairs"]) if when == "table" else "")
            for answer in ("clear", "leaning")
            for when in ("claimed", "pair", "table")
        )
        yield f"| {row['tables']} | {row['rows']:,} | {row['pairs']} | {shares} |"


def _interval(share: float, pairs: int) -> str:
    """Exact 95 % interval of a share, in percent (Clopper and Pearson)."""
    found = binomtest(round(share * pairs), pairs).proportion_ci()
    return f" ({100.0 * found.low:.0f} to {100.0 * found.high:.0f})"


def _hidden_summary(rows: Sequence[Record]) -> str:
    """What stays of right answers to direct links, and of answers where nothing is direct."""
    direct = [row for row in rows if row["directed"]]
    hidden = [row for row in rows if not row["directed"]]
    kept = [
        sum(row["pairs"] * (row[f"{when}_clear"] + row[f"{when}_leaning"]) for row in direct)
        for when in ("pair", "table")
    ]
    return (
        f"Where hidden causes are all there is, {_share(hidden, 'pair_clear')} are clear and "
        f"{_share(hidden, 'pair_leaning')} leaning by the pair alone, "
        f"{_share(hidden, 'table_clear')} and {_share(hidden, 'table_leaning')} with the table; of "
        f"right answers to direct links, {_percent(kept[1] / kept[0])} stay."
    )


def _percent(share: float) -> str:
    return "" if share != share else f"{100.0 * share:.0f} %"


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
    for row in sorted(rows, key=lambda row: list(every_family()).index(row["family"])):
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


def _clock_table(rows: Sequence[Record]) -> Iterator[str]:
    shapes = [f"{values} x {each}" for values, each in CLOCK_SHAPES]
    yield f"| pairs | should be | drawn | {' | '.join(shapes)} |"
    yield f"|:--|:--|{'--:|' * (1 + len(shapes))}"
    for row in rows:
        shares = " | ".join(_percent(row[shape]) for shape in shapes)
        is_time = "time" if row["is_time"] else "not"
        yield f"| {row['pairs']} | {is_time} | {row['drawn']} | {shares} |"


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
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--panel", type=int, default=6)
    parser.add_argument("--coarse", type=int, default=250)
    parser.add_argument("--hidden", type=int, default=120)
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
