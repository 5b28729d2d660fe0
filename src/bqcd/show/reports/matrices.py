"""All answers of a scan as one matrix: columns by columns, a letter for each pair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from bqcd.methods.answers import ANSWERS, BARS
from bqcd.scans.results import Scan
from bqcd.show.levels import (
    CANNOT_TELL,
    NOT_JUDGED,
    STRONG,
    Levels,
    answer_levels,
    columns_with_most_directions,
    enter_levels,
    level_sizes,
)
from bqcd.show.reports.pairs import PairRow

_LETTERS = {NOT_JUDGED: " ", CANNOT_TELL: "0"}
_LETTERS |= {level: str(level) for level in (1, 2, 3)}
_LETTERS |= {-1 - level: "abc"[level - 1] for level in (1, 2, 3)}


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
    names, levels = answer_levels(found)
    if len(names) < 3:
        return None
    place = {name: at for at, name in enumerate(names)}
    known = [row for row in rows if row.status == "done" and {row.x, row.y} <= place.keys()]
    _enter_rows(levels, known, place)
    kept = columns_with_most_directions(levels)
    above = levels[np.ix_(kept, kept)][np.triu_indices(len(kept), 1)]
    return {
        "names": [names[at] for at in kept],
        "cells": "".join(_LETTERS[int(level)] for level in above),
        "bars": [BARS.leaning, BARS.clear, STRONG],
        "total": len(names),
    }


def _enter_rows(levels: Levels, rows: Sequence[PairRow], place: Mapping[str, int]) -> None:
    x = np.array([place[row.x] for row in rows], dtype=np.intp)
    y = np.array([place[row.y] for row in rows], dtype=np.intp)
    signs = [0 if row.cause is None else 1 if row.cause == row.x else -1 for row in rows]
    clear = np.array([row.answer == ANSWERS[0] for row in rows], dtype=bool)
    sizes = level_sizes(clear, np.array([row.probability or 0.0 for row in rows]))
    enter_levels(levels, x, y, np.array(signs, dtype=int) * sizes)
