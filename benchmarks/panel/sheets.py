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

Made by `python benchmarks/panel/deep.py judge` from {pairs:,} simulated pairs of 80 to 1,200 rows.
GPI is given {gpi} rows, ROCHE {roche} and {steps:,} steps. The quick panel was learned with one of
three groups of families left out at a time. "As shipped": the head that was learned from {learned}
other pairs of the same families. Below "alone": heads that are learned anew from these pairs, with
one of six groups of families left out. Differences are to the quick panel, with 95 % intervals from
families drawn with replacement.
"""


def deep_page(stored: dict[str, Any]) -> str:
    """Table of what deep.py found."""
    rows, head = stored["rows"], stored["head"]
    parts = [
        DEEP_HEAD.format(
            pairs=stored["pairs"],
            learned=stored["learned from"],
            gpi=rows["gpi"],
            roche=rows["roche"],
            steps=rows["roche steps"],
        ),
        "| | right | difference | surer half | difference | claimed | ECE | loss | difference |",
        "|---|---|---|---|---|---|---|---|---|",
        *(_deep_line(name, found) for name, found in stored["lines"].items()),
        "",
        f"Shipped: log-odds of the quick panel times {head['factor']:.2f}, and "
        + ", ".join(f"{weight:.2f} of {name}" for name, weight in head["weights"].items())
        + f" on a logarithmic scale; for the quick panel's weights {head['quick']}.",
    ]
    return "\n".join(parts) + "\n"


def _deep_line(name: str, found: dict[str, Any]) -> str:
    def ends(key: str) -> str:
        low, high = found.get(f"{key}_difference", (None, None))
        return "" if low is None else f"{low:+.3f} to {high:+.3f}"

    # What a voice claims by itself is on no scale.
    scaled = not name.endswith(" alone")
    cells = [
        f"{found['right']:.3f}",
        ends("right"),
        f"{found['surer_half']:.3f}",
        ends("surer_half"),
    ]
    cells += [f"{found[key]:.3f}" if scaled else "" for key in ("claimed", "error", "loss")]
    return f"| {name} | " + " | ".join((*cells, ends("loss") if scaled else "")) + " |"


def deep_words(stored: dict[str, Any]) -> str:
    """What the slow voices are worth, in a paragraph."""
    quick, deep = stored["lines"]["quick"], stored["lines"]["as shipped"]

    def told(key: str) -> str:
        low, high = deep[f"{key}_difference"]
        return f"{deep[key]:.3f} instead of {quick[key]:.3f} (difference {low:+.3f} to {high:+.3f})"

    measured = any(
        low > 0.0 for low, _ in (deep["right_difference"], deep["surer_half_difference"])
    )
    worth = (
        "They add something that can be measured"
        if measured or deep["loss_difference"][1] < 0.0
        else "What they add is too little to be measured"
    )
    alone = {name: stored["lines"][f"{name} alone"]["right"] for name in ("gpi", "roche")}
    return (
        f"{worth}: on {stored['pairs']:,} simulated pairs that the head has not seen, of families "
        f"that the quick panel has not seen either, {told('right')} are right, in the surer half "
        f"{told('surer_half')}; the error of calibration is {deep['error']:.3f} instead of "
        f"{quick['error']:.3f}, the logarithmic loss {told('loss')}. Intervals are 95 %, over "
        f"families. GPI by itself is right on {alone['gpi']:.3f} of these pairs, ROCHE on "
        f"{alone['roche']:.3f}. A pair of 1,000 rows takes about half a second more. "
        "`benchmarks/results/panel_deep.md` has the table."
    )


def with_words(page: str, words: str) -> str:
    """Page with a paragraph between its markers."""
    before, rest = page.split(DEEP_MARKS[0])
    return (
        before + DEEP_MARKS[0] + "\n" + words + "\n" + DEEP_MARKS[1] + rest.split(DEEP_MARKS[1])[1]
    )


DEEP_MARKS = ("<!-- deep: made by benchmarks/panel/deep.py -->", "<!-- end of deep -->")
