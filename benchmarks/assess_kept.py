"""Right answers of the panel that stay once everything that limits a probability has acted.

    BQCD_DATA=FOLDER OPENBLAS_NUM_THREADS=1 python benchmarks/assess_page.py --parts kept \
        --out docs/trust.md

All pairs of some sets go through :func:`bqcd.assess` as a user would ask it. Nothing is chosen by
what comes out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assess_markdown import markdown_table, paragraph, percent
from assess_records import Part, Table

from bqcd import load_pairs
from bqcd.assessments import Assessment, assess_pair
from bqcd.methods.answers import answer_by_probability


@dataclass(frozen=True)
class Plan:
    """Sets, most pairs of each (0: all), halves of a pair, and the seed."""

    sets: tuple[str, ...] = ("AN", "LS", "MN-U")
    pairs: int = 0
    halves: int = 10
    seed: int = 0


@dataclass(frozen=True)
class KeptRow:
    """Pairs of one set: how many are right, and told, before and after the limits.

    Parameters
    ----------
    source : str
        The set.
    pairs, right : int
        How many there are, and of how many the sign is right.
    claimed_clear, claimed_leaning : int
        Right ones that the panel alone would tell.
    clear, leaning : int
        Right ones that are told by ``assess``.
    wrong_clear, wrong_leaning : int
        Wrong ones that are.
    """

    source: str
    pairs: int
    right: int
    claimed_clear: int
    claimed_leaning: int
    clear: int
    leaning: int
    wrong_clear: int
    wrong_leaning: int


def rows_of(plan: Plan) -> Iterator[KeptRow]:
    """One set after the other."""
    for name in plan.sets:
        items = load_pairs(name).items[: plan.pairs or None]
        right, wrong = [], []
        for item in items:
            found = assess_pair(item.pair, replicates=plan.halves, seed=plan.seed)
            (right if found.confidence * item.truth.sign > 0.0 else wrong).append(found)
        claims = [answer_by_probability(one.claimed or 0.5) for one in right]
        yield KeptRow(
            name,
            len(items),
            len(right),
            claims.count("clear"),
            claims.count("leaning"),
            *_told(right),
            *_told(wrong),
        )


def _told(found: Sequence[Assessment]) -> tuple[int, int]:
    answers = [one.answer for one in found]
    return answers.count("clear"), answers.count("leaning")


def kept_section(table: Table[KeptRow]) -> tuple[list[str], dict[str, str]]:
    """How many right answers stay."""
    lines = [
        (
            row.source, f"{row.pairs}", f"{row.right}",
            percent((row.claimed_clear + row.claimed_leaning) / row.right),
            f"{row.clear}", f"{row.leaning}", percent((row.clear + row.leaning) / row.right),
            f"{row.wrong_clear + row.wrong_leaning} of {row.pairs - row.right}",
        )
        for row in table.rows
    ]  # fmt: skip
    head = ("", "pairs", "right", "told before limits", "clear", "leaning", "told", "wrong, told")
    return [
        "## Right answers that stay",
        paragraph(
            "What limits a probability must not silence what is right. Pairs through `assess` as a "
            "user asks it, with all that [acts on the number](problems.md): of those whose sign is "
            "right, how many are told, before limits and after.",
        ),
        markdown_table(head, lines),
    ], {}


KEPT = Part("kept", KeptRow, rows_of, Plan(), Plan(("AN",), 3))
