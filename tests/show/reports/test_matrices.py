"""The matrix of answers: every pair once, in either half the other way round."""

from __future__ import annotations

import numpy as np
import pytest

import bqcd
from bqcd.show.levels import answer_levels, columns_with_most_directions
from bqcd.show.reports import PairRow
from bqcd.show.reports.matrices import matrix_part
from tests.show.reports.tables import columns

TURNED = {-1: -1, 0: 0, 1: -2, 2: -3, 3: -4, -2: 1, -3: 2, -4: 3}


@pytest.fixture(scope="module")
def found() -> bqcd.Scan:
    return bqcd.scan(columns(), then="panel")


def test_levels_say_what_the_table_says(found):
    names, levels = answer_levels(found)
    for row in found.table.to_pylist():
        level = levels[names.index(row["x"]), names.index(row["y"])]
        size = {"cannot tell": 0, "leaning": 1, "clear": 2}[row["answer"]]
        size += row["answer"] == "clear" and row["probability"] >= 0.9
        assert level == {"->": size, "<-": -1 - size, "--": 0}[row["direction"]]
    assert np.array_equal(np.vectorize(TURNED.get)(levels), levels.T)
    assert set(np.diag(levels)) == {-1}


def test_the_letters_are_those_of_the_upper_half_and_assessed_rows_go_before(found):
    part = matrix_part(found)
    n = len(part["names"])
    assert len(part["cells"]) == n * (n - 1) // 2
    x, y = part["names"][:2]
    known = {"number": 0, "x": y, "y": x, "confidence": 0.9, "answer": "clear"}
    for sure, letter in ((0.95, "c"), (0.85, "b")):
        cells = matrix_part(found, [PairRow(**known, probability=sure)])["cells"]
        assert cells == letter + part["cells"][1:]


def test_of_too_many_columns_those_with_the_most_directions_are_kept(found):
    _, levels = answer_levels(found)
    told = ((levels > 0) | (levels < -1)).sum(axis=0)
    kept = columns_with_most_directions(levels, 2)
    assert len(kept) == 2
    assert min(told[kept]) >= max(np.delete(told, kept))
    assert list(columns_with_most_directions(levels)) == list(range(len(levels)))


def test_a_pair_alone_has_no_matrix():
    two = dict(list(columns().items())[:2])
    assert matrix_part(bqcd.scan(two)) is None
