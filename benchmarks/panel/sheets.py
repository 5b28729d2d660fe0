"""The page about the panel on families left out."""

from __future__ import annotations

from typing import Any

HEAD = """# The panel on simulated families it has not seen

Made by `python benchmarks/panel/train.py judge`; the prior is in `benchmarks/panel/PRIOR.md`.
Shares of right directions, every family counting the same. "Equal margins" weights pairs such
that the margins alone tell nothing.

{with_direction:,} pairs with a direction, {pairs:,} in all. Models below were learned with one of
six groups of families left out at a time, learning curves and ablations with one of three, but for
the lines that say otherwise. Log-odds of the shipped panel are multiplied by {shrinkage:.2f}, which
is what the groups left out ask for.
"Without" a method: it is mute in a panel that has learned with it.
"""


def panel_page(stored: dict[str, Any]) -> str:
    """Tables of what train.py found."""
    parts = [HEAD.format(**stored), _lines(stored["lines"]), "\n## By family\n"]
    parts.append(_families(stored["by_family"], stored["best_factor_by_family"]))
    parts.append("\n## Four answers\n\nOn families left out, both sides counting the same.\n")
    parts.append(_answers(stored["answers"]))
    return "\n".join(parts) + "\n"


def _lines(lines: dict[str, Any]) -> str:
    rows = [
        "| | right | surer half | claimed | ECE | loss "
        "| equal margins: right | surer half | claimed | ECE | loss |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, found in lines.items():
        cells = [
            f"{found[where][key]:.3f}"
            for where in ("as drawn", "equal margins")
            for key in ("right", "surer_half", "claimed", "error", "loss")
        ]
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _families(families: dict[str, Any], factors: dict[str, float]) -> str:
    rows = [
        "| family left out | right | surer half | claimed | ECE | best factor |",
        "|---|---|---|---|---|---|",
    ]
    for name, found in families.items():
        cells = [f"{found[key]:.3f}" for key in ("right", "surer_half", "claimed", "error")]
        rows.append(f"| {name} | " + " | ".join(cells) + f" | {factors[name]:.2f} |")
    return "\n".join(rows)


def _answers(answers: dict[str, Any]) -> str:
    rows = ["| | AUC | ECE | pairs |", "|---|---|---|---|"]
    for name, found in answers.items():
        rows.append(f"| {name} | {found['auc']:.3f} | {found['ece']:.3f} | {found['pairs']:,} |")
    rows += ["", "| mean probability at | linked | direct |", "|---|---|---|"]
    for key in answers["linked"]:
        if key.startswith("mean at "):
            direct = answers["direct"].get(key)
            shown = f"{direct:.2f}" if direct is not None else ""
            rows.append(f"| {key[8:]} | {answers['linked'][key]:.2f} | {shown} |")
    return "\n".join(rows)


DEEP_HEAD = """# The deep panel on simulated pairs it has not seen

Made by `python benchmarks/panel/deep.py judge`. The deep panel is the quick one and what the
evidence of GPLVM, on {rows} rows, says of the columns beyond what it says of their ranks, times
{weight:g} on a logarithmic scale. "Families left out": {pairs:,} simulated pairs of 80 to 1,200
rows; the quick panel was learned from these with one of six groups of families left out at a time.
The weight was taken from them. "Worlds": {world_pairs:,} pairs of worlds that share no kind of
cause, mechanism or noise, and no family; it was learned in one and judged in the other, means of
five draws. "Neutral": pairs weighted such that the margins alone tell nothing.
"""


def deep_page(stored: dict[str, Any]) -> str:
    """Tables of what deep.py found."""
    head = DEEP_HEAD.format(
        rows=stored["rows"],
        weight=stored["head"]["weight"],
        pairs=stored["pairs"],
        world_pairs=stored["pairs of worlds"],
    )
    parts = [head]
    for where in ("families left out", "worlds"):
        parts += [f"\n## {where.capitalize()}\n", *_deep_rows(stored[where])]
    return "\n".join(parts) + "\n"


def _deep_rows(lines: dict[str, Any]) -> list[str]:
    rows = [
        "| | right | surer half | claimed | ECE | loss | neutral: right | loss |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, found in lines.items():
        drawn, neutral = found["as drawn"], found["neutral"]
        cells = [drawn[key] for key in ("right", "surer_half", "claimed", "error", "loss")]
        cells += [neutral["right"], neutral["loss"]]
        # What a voice claims by itself is on no scale.
        unscaled = name.endswith(" by itself")
        told = [
            "" if unscaled and place in (2, 3, 4, 6) else f"{cell:.3f}"
            for place, cell in enumerate(cells)
        ]
        rows.append(f"| {name} | " + " | ".join(told) + " |")
    return rows


def deep_words(stored: dict[str, Any]) -> str:
    """What the slow voice is worth, in a paragraph."""

    def told(where: str, key: str) -> str:
        lines = stored[where]
        return (
            f"{lines['deep']['as drawn'][key]:.3f} instead of {lines['quick']['as drawn'][key]:.3f}"
        )

    left_out, worlds = "families left out", "worlds"
    alone = stored[worlds]["gplvm by itself"]["as drawn"]["right"]
    return (
        f"On {stored['pairs']:,} simulated pairs of families left out, {told(left_out, 'right')} "
        f"are right, in the surer half {told(left_out, 'surer_half')}; the error of calibration is "
        f"{told(left_out, 'error')}, the logarithmic loss {told(left_out, 'loss')}. In worlds that "
        f"share nothing with what was learned from, {told(worlds, 'right')} are right, the loss is "
        f"{told(worlds, 'loss')}. GPLVM by itself, which has learned nothing, is right on "
        f"{alone:.3f} there. "
        "`benchmarks/results/panel_deep.md` has the tables."
    )


def with_words(page: str, words: str) -> str:
    """Page with a paragraph between its markers."""
    before, rest = page.split(DEEP_MARKS[0])
    return (
        before + DEEP_MARKS[0] + "\n" + words + "\n" + DEEP_MARKS[1] + rest.split(DEEP_MARKS[1])[1]
    )


DEEP_MARKS = ("<!-- deep: made by benchmarks/panel/deep.py -->", "<!-- end of deep -->")
