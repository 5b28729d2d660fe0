"""All answers of a scan as one matrix: columns by columns, a letter for each pair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from bqcd.methods.answers import ANSWERS, BARS
from bqcd.scans.pair_tables import is_word, places_of
from bqcd.scans.results import Scan
from bqcd.show.reports.pairs import PairRow

MOST_COLUMNS = 200
"""Columns of the largest matrix: those with the most directions, if there are more."""

STRONG = 0.9
"""Probability from which on a clear direction is drawn in the darkest shade."""

NOT_JUDGED, CANNOT_TELL = -1, 0
Levels = NDArray[np.int8]


def matrix_part(found: Scan, rows: Iterable[PairRow] = ()) -> dict[str, object] | None:
    """Answers of a scan by the places of the two columns; None if there are too few columns.

    ``cells`` has one letter for each pair of the columns, row by row of the upper half: a space
    where it was not judged, "0" where it cannot be told, "1" to "3" where the first column is the
    cause, leaning to strong, and "a" to "c" where it is the second.

    Parameters
    ----------
    found : Scan
        What was found.
    rows : iterable of PairRow
        What is known better of some of the pairs, as they were assessed.
    """
    names, levels = answer_levels(found, rows)
    if len(names) < 3:
        return None
    told = np.count_nonzero(levels > CANNOT_TELL, axis=0) + np.count_nonzero(levels < -1, axis=0)
    kept = np.sort(np.argsort(-told, kind="stable")[:MOST_COLUMNS])
    above = levels[np.ix_(kept, kept)][np.triu_indices(len(kept), 1)]
    return {
        "names": [names[at] for at in kept],
        "cells": "".join(_LETTERS[int(level)] for level in above),
        "bars": [BARS.leaning, BARS.clear, STRONG],
        "total": len(names),
    }


# Levels as in `answer_levels`; those of effects begin below the two special ones.
_LETTERS = {NOT_JUDGED: " ", CANNOT_TELL: "0"}
_LETTERS |= {level: str(level) for level in (1, 2, 3)}
_LETTERS |= {-1 - level: "abc"[level - 1] for level in (1, 2, 3)}


def answer_levels(found: Scan, rows: Iterable[PairRow] = ()) -> tuple[tuple[str, ...], Levels]:
    """Names of the judged columns, and what is known of each pair of them.

    Entry [i, j] is 1, 2 or 3 where column i is the cause: leaning, clear, or strong; -2, -3 or -4
    where it is the effect; 0 where that cannot be told, -1 where the pair was not judged.

    Parameters
    ----------
    found : Scan
        What was found.
    rows : iterable of PairRow
        What is known better of some of the pairs.
    """
    names = found.names
    levels = np.full((len(names), len(names)), NOT_JUDGED, dtype=np.int8)
    table, direction = found.table, found.table["direction"]
    judged = ~np.isnan(found.numbers("confidence"))
    x, y = (places_of(table[side], names)[judged] for side in ("x", "y"))
    sign = is_word(direction, "->").astype(int) - is_word(direction, "<-").astype(int)
    size = _sizes(is_word(table["answer"], ANSWERS[0]), found.numbers("probability"))
    _enter(levels, x, y, (sign * size)[judged])
    place = {name: at for at, name in enumerate(names)}
    known = [row for row in rows if row.status == "done" and {row.x, row.y} <= place.keys()]
    _enter(levels, *_of_rows(known, place))
    return names, levels


def _sizes(clear: NDArray[np.bool_], probability: NDArray[np.float64]) -> NDArray[np.int_]:
    return 1 + clear.astype(int) + (clear & (probability >= STRONG)).astype(int)


def _of_rows(
    rows: Sequence[PairRow], place: dict[str, int]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int_]]:
    x, y = (np.array([place[getattr(row, side)] for row in rows], dtype=np.intp) for side in "xy")
    signs = np.array([0 if row.cause is None else 1 if row.cause == row.x else -1 for row in rows])
    clear = np.array([row.answer == ANSWERS[0] for row in rows], dtype=bool)
    sizes = _sizes(clear, np.array([row.probability or 0.0 for row in rows]))
    return x, y, signs.astype(int) * sizes


def _enter(
    levels: Levels, x: NDArray[np.intp], y: NDArray[np.intp], signed: NDArray[np.int_]
) -> None:
    levels[x, y] = np.where(signed < 0, signed - 1, signed)
    levels[y, x] = np.where(signed > 0, -signed - 1, -signed)
