"""Tables and sentences of docs/problems.md, from what benchmarks/problems.py measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scipy.stats import binomtest

from benchmarks.clocks import SHAPES as CLOCK_SHAPES
from benchmarks.few_years import SHAPES as YEAR_SHAPES
from benchmarks.hidden_scans import share_of

Record = Mapping[str, Any]


def summary(rows: Sequence[Record]) -> str:
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


def coarse_summary(rows: Sequence[Record]) -> str:
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


def coarse_table(rows: Sequence[Record]) -> Iterator[str]:
    """Answers on columns made coarse, by group."""
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


def hidden_table(rows: Sequence[Record]) -> Iterator[str]:
    """Answers on pairs of tables with hidden causes, and on direct links."""
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


def hidden_summary(rows: Sequence[Record]) -> str:
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


def scan_table(rows: Sequence[Record]) -> Iterator[str]:
    """Answers of whole scans, over all dependent pairs and over those the panel was asked about."""
    yield (
        "| hidden causes | rows | tables | dependent pairs | leaning by bqcd alone | clear | "
        "leaning | asked | clear | leaning |"
    )
    yield f"|:--|{'--:|' * 9}"
    for kind, n in dict.fromkeys((row["tables"], row["rows"]) for row in rows):
        found = [row for row in rows if (row["tables"], row["rows"]) == (kind, n)]
        cells = [
            f"{sum(row[pairs] for row in found):,} | "
            + (f"{_percent(_alone(found))} | " if pairs == "dependent" else "")
            + " | ".join(
                _with_interval(share_of(found, pairs, one)) for one in ("clear", "leaning")
            )
            for pairs in ("dependent", "asked")
        ]
        yield f"| {kind} | {n:,} | {len(found)} | {' | '.join(cells)} |"


def _alone(rows: Sequence[Record]) -> float:
    told = sum(row["alone_leaning"] for row in rows)
    return float(told / sum(row["dependent"] for row in rows))


def _with_interval(share: tuple[float, float, float]) -> str:
    middle, low, high = (100.0 * one for one in share)
    return f"{middle:.1f} % ({low:.1f} to {high:.1f})"


def year_table(rows: Sequence[Record]) -> Iterator[str]:
    """Answers on series and doses of few values, without and with the rule for jumps."""
    shapes = [f"{values} x {each}" for values, each in YEAR_SHAPES]
    heads = " | ".join(
        f"{shape} {answer}: before | after" for answer in ("clear", "leaning") for shape in shapes
    )
    yield f"| kinds | pairs | method | drawn | {heads} |"
    yield f"|:--|:--|:--|{'--:|' * (1 + 4 * len(shapes))}"
    for row in rows:
        shares = " | ".join(
            _percent(row[f"{shape} {when} {answer}"])
            for answer in ("clear", "leaning")
            for shape in shapes
            for when in ("before", "after")
        )
        half = "left out" if row["left_out"] else "chosen on"
        yield f"| {half} | {row['pairs']} | {row['method']} | {row['drawn']} | {shares} |"


def year_summary(rows: Sequence[Record]) -> str:
    """Clear answers to series and to doses, of both halves."""
    sentences = []
    for name, out in (("the rule was chosen on", False), ("left out", True)):
        chosen = [row for row in rows if row["left_out"] is out]
        series, doses = (
            [row for row in chosen if row["directed"] is directed] for directed in (False, True)
        )
        of_series, of_doses = (
            " before and ".join(_year_share(some, when, "clear") for when in ("before", "after"))
            for some in (series, doses)
        )
        told = (_year_share(doses, when, "clear", "leaning") for when in ("before", "after"))
        sentences.append(
            f"Of the kinds {name}, {of_series} after of the series are clear, {of_doses} after of "
            f"the doses clear and right, {' and '.join(told)} told and right."
        )
    return " ".join(sentences)


def _year_share(rows: Sequence[Record], when: str, *answers: str) -> str:
    shapes = [f"{values} x {each}" for values, each in YEAR_SHAPES]
    total = len(shapes) * sum(row["drawn"] for row in rows)
    told = sum(
        row["drawn"] * row[f"{shape} {when} {answer}"]
        for row in rows
        for shape in shapes
        for answer in answers
    )
    return _percent(told / total)


def piled_summary(row: Record) -> str:
    """What each rule leaves where values pile up at an end."""

    def told(rule: str) -> str:
        chance, right = row[f"chance_{rule}_told"], row[f"directed_{rule}_right"]
        return f"{_percent(chance / row['pairs'])} and {_percent(right / row['pairs'])}"

    clear = _percent(row["chance_after_clear"] / row["pairs"])
    right = _percent(row["directed_after_right"] / max(1, row["directed_after_told"]))
    return (
        f"Where values pile up at an end (12 to 50 % of the rows, 5 to 20 values, {row['pairs']} "
        f"pairs without a direction and as many with one, families chosen on), {told('before')} "
        "are told before any rule, without a direction and rightly with one; with the rule "
        f"{told('after')}, where {clear} of those without a direction are clear and {right} of "
        "what is told with one is right. Two other rules were tried for such columns: the other "
        f"column cut off at the same share, its scale kept ({told('cut')}), or the order alone "
        f"({told('order')}). Neither was taken. The worst are linear Gaussian pairs of which one "
        f"column is cut off: with a pile of 15 % and 20 values, {row['worst_leaning']} of "
        f"{row['worst']} lean."
    )


def old_rule(rows: Sequence[Record]) -> str:
    """What the rule before this one left of right answers on coarse columns, if measured."""
    halves = [row for row in rows if row["group"] == "all"]
    if not all("old_told_right" in row for row in halves):
        return ""
    kept = {
        rule: " and ".join(
            _percent(row[f"{rule}_told_right"] / row["before_told_right"]) for row in halves
        )
        for rule in ("old", "after")
    }
    return (
        "The old rule, both columns on one grid wherever half of the values repeat, left "
        f"{kept['old']} of the right answers (families chosen on, left out); the one above "
        f"{kept['after']}."
    )


def size_table(rows: Sequence[Record]) -> Iterator[str]:
    """How often ``decide`` leans on coarse linear Gaussian pairs, and the kind that does most."""
    yield "| kinds | coarse | rows | pairs | leaning: before | after | most of a kind, after |"
    yield f"|:--|:--|{'--:|' * 4}:--|"
    groups: dict[tuple[str, str, int], list[Record]] = {}
    for row in (row for row in rows if not row["model"]):
        groups.setdefault((row["kinds"], row["side"], row["rows"]), []).append(row)
    for (kinds, side, count), listed in sorted(groups.items()):
        pairs, before, after = (_total(listed, key) for key in ("pairs", "before", "after"))
        worst = max(listed, key=lambda row: sum(row["after"]) / sum(row["pairs"]))
        most = f"{sum(worst['after'])} of {sum(worst['pairs'])} ({worst['kind']})"
        yield (
            f"| {kinds} | {side} | {count:,} | {pairs:,} | {_percent(before / pairs)} | "
            f"{100 * after / pairs:.1f} % | {most} |"
        )


def kept_size_table(rows: Sequence[Record]) -> Iterator[str]:
    """What the limit of coarse columns leaves of directions that are there."""
    yield (
        "| kinds | pairs | coarse | drawn | told: before | right | after | right | "
        "right answers that stay |"
    )
    yield f"|:--|:--|:--|{'--:|' * 6}"
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for row in (row for row in rows if row["model"]):
        groups.setdefault((row["kinds"], row["model"], row["side"]), []).append(row)
    for (kinds, model, side), listed in sorted(groups.items()):
        told = {
            key: sum(row[key] for row in listed)
            for key in ("pairs", "before", "before_right", "after", "after_right")
        }
        shares = " | ".join(
            f"{_percent(told[when] / told['pairs'])} | "
            f"{_percent(told[f'{when}_right'] / max(1, told[when]))}"
            for when in ("before", "after")
        )
        stay = _percent(told["after_right"] / max(1, told["before_right"]))
        yield f"| {kinds} | {model} | {side} | {told['pairs']} | {shares} | {stay} |"


def size_summary(rows: Sequence[Record]) -> str:
    """All coarse linear Gaussian pairs of each half, and whether any kind leans beyond chance."""
    sentences = []
    for half in dict.fromkeys(row["kinds"] for row in rows):
        listed = [row for row in rows if row["kinds"] == half and not row["model"]]
        pairs, before, after = (_total(listed, key) for key in ("pairs", "before", "after"))
        cells = [cell for row in listed for cell in zip(row["after"], row["pairs"], strict=True)]
        beyond = sum(binomtest(told, drawn, 0.05, "greater").pvalue < 0.05 for told, drawn in cells)
        sentences.append(
            f"Of the kinds {half}, {_percent(before / pairs)} leaned by the limit of fine columns "
            f"and {100 * after / pairs:.1f} % do; of {len(cells):,} combinations of kind, side, "
            f"rows and correlation {beyond} lean more often than in 5 % (exact test at 0.05)."
        )
    return " ".join(sentences)


def _total(rows: Sequence[Record], key: str) -> int:
    return sum(sum(row[key]) for row in rows)


def _percent(share: float) -> str:
    return "" if share != share else f"{100.0 * share:.0f} %"


def _share(rows: Sequence[Record], *keys: str) -> str:
    """Share of all pairs, in percent."""
    total = sum(row["pairs"] for row in rows)
    found = sum(row["pairs"] * row[key] for row in rows for key in keys) / total
    return f"{100.0 * found:.1f} %"


def family_table(rows: Sequence[Record]) -> Iterator[str]:
    """Answers before and after limits, by family and method."""
    yield (
        "| problem | pairs | method | drawn | right | claimed: before | after | clear: before | "
        "after | leaning: before | after |"
    )
    yield "|:--|:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|"
    for row in rows:
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


def clock_table(rows: Sequence[Record]) -> Iterator[str]:
    """Shares taken for time."""
    shapes = [f"{values} x {each}" for values, each in CLOCK_SHAPES]
    yield f"| pairs | should be | drawn | {' | '.join(shapes)} |"
    yield f"|:--|:--|{'--:|' * (1 + len(shapes))}"
    for row in rows:
        shares = " | ".join(_percent(row[shape]) for shape in shapes)
        is_time = "time" if row["is_time"] else "not"
        yield f"| {row['pairs']} | {is_time} | {row['drawn']} | {shares} |"


def alarm_table(rows: Sequence[Record]) -> Iterator[str]:
    """Columns that have nothing to do with a pair."""
    yield "| pair | other columns | tables | passed the test | called a separator |"
    yield "|:--|--:|--:|--:|--:|"
    for row in rows:
        yield (
            f"| {row['pair']} | {row['columns']} | {row['tables']} | {row['passed']} | "
            f"{row['alarms']} |"
        )


def case_table(rows: Sequence[Record]) -> Iterator[str]:
    """What giving a third column brings."""
    outcomes = sorted({outcome for row in rows for outcome in row["outcomes"]})
    yield f"| the third column is | tables | {' | '.join(outcomes)} |"
    yield f"|:--|--:|{'--:|' * len(outcomes)}"
    for row in rows:
        counts = " | ".join(str(row["outcomes"].get(outcome, 0)) for outcome in outcomes)
        yield f"| {row['case']} | {row['tables']} | {counts} |"
