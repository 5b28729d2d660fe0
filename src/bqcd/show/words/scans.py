"""A scan in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from bqcd.scans.answering import DEPENDENT, NO_PROBABILITY, held_counts
from bqcd.scans.problems import TableProblems
from bqcd.scans.results import Scan
from bqcd.show.words import counted, joined, shown_name

DISCOVERED = DEPENDENT
"""Share of false discoveries at which pairs count as dependent in a summary."""


def summary(scan: Scan) -> str:
    """How many pairs have a direction worth a look, and what was judged."""
    told = outcome(scan.count("clear"), scan.count("leaning"), scan.n_judged)
    return joined(
        told, judged(scan), *held_told(scan), *columns_told(scan.problems(), len(scan.names))
    )


def outcome(clear: int, leaning: int, of: int) -> str:
    """How many pairs have which answer.

    Parameters
    ----------
    clear, leaning : int
        Pairs with these answers.
    of : int
        Pairs in all.

    Examples
    --------
    >>> outcome(3, 4, 15)
    '3 of 15 pairs have a clear direction, 4 lean, 8 cannot be told.'
    """
    if not of:
        return "No pair was judged."
    whole, lean = counted(of, "pair"), "leans" if leaning == 1 else "lean"
    if clear:
        have = "has" if clear == 1 else "have"
        start = f"{clear:,} of {whole} {have} a clear direction, {leaning:,} {lean}"
    elif leaning:
        start = f"{leaning:,} of {whole} {lean} towards a direction, none is clear"
    else:
        return f"None of {whole} has a direction that can be told."
    return f"{start}, {of - clear - leaning:,} cannot be told."


def told_to_people(clear: int, leaning: int, of: int, label: str, foremost: str = "") -> str:
    """What was found in a table, in a sentence or two that people use.

    Parameters
    ----------
    clear, leaning : int
        Pairs with these answers.
    of : int
        Pairs in all.
    label : str
        Name of the table.
    foremost : str, default=""
        The best supported of the directions, as "'a' as the cause of 'b' (probability 0.91)".

    Examples
    --------
    >>> print(told_to_people(1, 2, 6, "cells.csv", "'dose' as the cause of 'size'"))
    In cells.csv, 1 of 6 pairs has a clear direction, best supported 'dose' as the cause of 'size'.
    2 more lean to one side, and for 3 the data cannot tell.
    >>> told_to_people(0, 0, 3, "cells.csv")
    'For none of the 3 pairs of columns in cells.csv can the data tell which is the cause.'
    """
    whole, name, rest = counted(of, "pair"), shown_name(label), of - clear - leaning
    if not of:
        return f"No pair of columns in {name} was judged."
    open_ones = f"for {rest:,} the data cannot tell" if rest else "none is left open"
    if clear:
        have, best = (
            "has" if clear == 1 else "have",
            f", best supported {foremost}" * bool(foremost),
        )
        more = f"{leaning:,} more {'leans' if leaning == 1 else 'lean'} to one side, and "
        start = f"In {name}, {clear:,} of {whole} {have} a clear direction{best}."
        return f"{start} {_begun((more if leaning else '') + open_ones)}."
    if leaning:
        most = f", most of all {foremost}" * bool(foremost)
        lean = "leans" if leaning == 1 else "lean"
        start = f"No direction in {name} is clear. {leaning:,} of {whole} {lean} to one side{most}"
        return f"{start}; {open_ones}."
    if of == 1:
        return f"For the only pair of columns in {name}, the data cannot tell which is the cause."
    return (
        f"For none of the {of:,} pairs of columns in {name} can the data tell which is the cause."
    )


def _begun(words: str) -> str:
    """Words as the beginning of a sentence."""
    return words[:1].upper() + words[1:]


def columns_told(problems: TableProblems, of: int) -> tuple[str, ...]:
    """What is known to mislead and can be seen of a whole table, in sentences.

    Parameters
    ----------
    problems : TableProblems
        How many columns and pairs.
    of : int
        Columns that were judged.

    Examples
    --------
    >>> columns_told(TableProblems(serial=0, sorted=1, few_values=0, derived=0), 4)
    ('The rows are sorted by 1 of 4 columns.',)
    """
    told = (
        (
            problems.serial,
            "{} depend{s} on the row before, as in a time series: rows are worth less than their "
            "number, and unrelated columns seem to depend on each other.",
        ),
        (problems.sorted, "The rows are sorted by {}."),
        (
            problems.few_values,
            "{} repeat{s} values in half of the rows or more, or one value in a tenth of them: "
            "where that favours a direction, less is claimed.",
        ),
    )
    sentences = [
        words.format(
            f"{count:,} of {counted(of, 'column')}",
            s="s" if count == 1 else "",
            ve="s" if count == 1 else "ve",
        )
        for count, words in told
        if count
    ]
    if problems.derived:
        sentences.append(
            f"In {counted(problems.derived, 'pair')} each column follows from the other, and no "
            "direction shows."
        )
    return tuple(sentences)


def held_told(scan: Scan) -> tuple[str, ...]:
    """What holds probabilities of a scan back, and what it has not looked at.

    Parameters
    ----------
    scan : Scan
        By a method that claims probabilities; nothing is told of others.
    """
    claimed = int(np.count_nonzero(~np.isnan(scan.numbers("probability"))))
    if not claimed:
        return ()
    counts = held_counts(scan)
    whole = f"{counted(claimed, 'pair')} with a probability"
    return (
        *(
            f"In {counts[code]:,} of {whole}, {told}."
            for code, told in PROBLEMS.items()
            if code in counts
        ),
        *_without_probability(scan, counts.get(NO_PROBABILITY, 0)),
        "Halves of the rows, which may leave less where rows belong together, are judged by "
        "assess and report only.",
    )


def _without_probability(scan: Scan, count: int) -> tuple[str, ...]:
    """Pairs that the first method alone would tell, if there are any."""
    if not count or scan.then is None:
        return ()
    lean, have = ("leans", "has") if count == 1 else ("lean", "have")
    return (
        f"{count:,} more {lean} by {method_words(scan)} alone and {have} no probability: "
        f"{method_words(scan.then)} was asked about {len(scan.then):,} (--then-pairs asks about "
        "more), and what it was not asked about is not told.",
    )


def problems_told(problems: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """What is known to mislead, and in how many pairs it was seen.

    Parameters
    ----------
    problems : sequence of sequence of str
        Codes of each pair that was assessed: :attr:`bqcd.Assessment.problems`.

    Examples
    --------
    >>> problems_told([("derived",), (), ("derived", "edge")])[0]
    'In 2 of 3 pairs that were assessed, each column follows from the other.'
    """
    counts = Counter(code for codes in problems for code in {*codes})
    whole = f"{counted(len(problems), 'pair')} that {'was' if len(problems) == 1 else 'were'}"
    return tuple(
        f"In {counts[code]:,} of {whole} assessed, {told}."
        for code, told in PROBLEMS.items()
        if counts[code]
    )


PROBLEMS: Mapping[str, str] = MappingProxyType(
    {
        "blocks": "rows depend on the rows before them, as in a time series",
        "few rows": "the rows are worth too few independent ones for a direction",
        "no link": "nothing shows a link once rows that depend on each other count less",
        "clock": "the rows are in the order of one column, and the other is a series along it",
        "jumps": "the rows are in the order of a column that may be time, by how the other jumps",
        "sorted rows": "the rows are sorted by a column",
        "copies": "rows are copies of others",
        "derived": "each column follows from the other",
        "few values": "few values favour a direction, and less is claimed",
        "edge": "the values of a column end sharply, and less is claimed",
        "separated": "another column of the table may explain the link",
        "hidden cause": "both columns and others look like effects of one hidden cause",
        "no order": "a column has no order, where claims have not been measured",
        "groups": "a side is a group of columns, where claims have not been measured",
    }
)
"""What to say of a whole table of what is known to mislead, by code, in the order of need."""


def judged(scan: Scan) -> str:
    """What was judged, by whom, and how much of it is dependent."""
    unfinished = "" if scan.complete else " The scan is not finished."
    dependent = int(np.count_nonzero(scan.numbers("q_value") <= DISCOVERED))
    skipped = f"; {counted(len(scan.skipped), 'column')} could not be judged" * bool(scan.skipped)
    second = "" if scan.then is None else f", then {method_words(scan.then)} on {len(scan.then):,}"
    return (
        f"Judged by {method_words(scan)}{second}: {scan.n_judged:,} of "
        f"{counted(len(scan), 'pair')} of {counted(len(scan.names), 'column')} of "
        f"{shown_name(scan.label)} ({_rows_told(scan)}), {dependent:,} dependent at q <= "
        f"{DISCOVERED:g}{skipped}.{unfinished}"
    )


def _rows_told(scan: Scan) -> str:
    judged = ~np.isnan(scan.numbers("confidence"))
    counts = scan.numbers("n_rows")[judged].astype(np.int64)
    told = counted(scan.n_rows, "row")
    if not len(counts) or counts.min() == scan.n_rows:
        return told
    least, most = int(counts.min()), int(counts.max())
    span = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return f"{told}, of which a pair has {span}"


def method_words(scan: Scan) -> str:
    """What judged, with the settings that are not the usual ones."""
    listed = ", ".join(f"{name}={value!r}" for name, value in scan.settings.items())
    return f"{scan.method}({listed})" if listed else scan.method
