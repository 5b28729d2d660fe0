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


DEEP_HEAD = """# The deep panel on simulated families it has not seen

As [panel.md](panel.md), by `python benchmarks/panel/train.py judge --depth deep`: it also hears
GPLVM on {rows} rows. "Quick panel": the recipe of the quick one, learned from the same pairs.

{with_direction:,} pairs with a direction, {pairs:,} in all; the quick panel that is shipped has
learned from more. Models were learned with one of six groups of families left out at a time.
Log-odds of the shipped panel are multiplied by {shrinkage:.2f}.
"""


def panel_page(stored: dict[str, Any], depth: str = "quick", rows: int = 0) -> str:
    """Tables of what train.py found."""
    head = HEAD if depth == "quick" else DEEP_HEAD
    parts = [head.format(**stored, rows=rows), _lines(stored["lines"]), "\n## By family\n"]
    parts.append(_families(stored["by_family"], stored["best_factor_by_family"]))
    if "answers" in stored:
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


def deep_words(stored: dict[str, Any]) -> str:
    """What the slow voice is worth, in a paragraph."""
    lines = stored["lines"]
    quick, deep = lines["quick panel, shrunk"], lines["panel, shrunk"]

    def told(key: str, where: str = "as drawn") -> str:
        return f"{deep[where][key]:.3f} instead of {quick[where][key]:.3f}"

    alone = lines["gplvm by itself"]["as drawn"]["right"]
    return (
        f"On {stored['with_direction']:,} simulated pairs of families left out, {told('right')} "
        f"are right, in the surer half {told('surer_half')}, and the logarithmic loss is "
        f"{told('loss')}; where the margins tell nothing, {told('right', 'equal margins')} and "
        f"{told('loss', 'equal margins')}. The error of calibration is {told('error')}. GPLVM by "
        f"itself, which has learned nothing, is right on {alone:.3f} of these pairs. A pair of "
        "1,000 rows takes about 0.07 s more. `benchmarks/results/panel_deep.md` has the tables."
    )


def with_words(page: str, words: str) -> str:
    """Page with a paragraph between its markers."""
    before, rest = page.split(DEEP_MARKS[0])
    return (
        before + DEEP_MARKS[0] + "\n" + words + "\n" + DEEP_MARKS[1] + rest.split(DEEP_MARKS[1])[1]
    )


DEEP_MARKS = ("<!-- deep: made by benchmarks/panel/train.py -->", "<!-- end of deep -->")
