from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import bqcd
from benchmarks.third_columns import CASES, simpson
from bqcd.assessments.survival import Outcome
from bqcd.show.words.assessments import LIMITS, row_note
from bqcd.show.words.scans import PROBLEMS, problems_told
from bqcd.show.words.third_columns import separators_told, survival_words
from tests.test_one_answer import printed, words_of

# Quick, and its answers are known.
assess = partial(bqcd.assess, method="bqcd")


@pytest.fixture(scope="module")
def found() -> bqcd.Assessment:
    table = simpson(np.random.default_rng(0), 400)
    return assess("x", "y", table=table, replicates=20)


def test_the_second_line_reaches_every_output(found):
    line = found.aside
    assert line.startswith(
        "Within groups of 'z' the link has the opposite sign (rank correlation -"
    )
    assert line in found.explain()
    assert line in printed(found)
    assert line in words_of(found._repr_html_())
    assert line in words_of(found.to_html())
    assert found.as_dict()["aside"] == line
    assert row_note(found) == "within groups of 'z': opposite sign"


def test_a_report_of_several_pairs_tells_it_in_the_row_and_on_the_front_page():
    table = simpson(np.random.default_rng(0), 400)
    report = bqcd.report(table | {"w": np.random.default_rng(1).normal(size=400)}, replicates=20)
    [row] = [row for row in report.pairs if {row.x, row.y} == {"x", "y"}]
    assert row.message == "within groups of 'z': opposite sign"
    assert "the link has the opposite sign" in report.details[row.number].sentence
    assert row.answer == "cannot tell"
    told = [note for note in report.notes if "another column of the table may explain" in note]
    assert told == [
        "In 1 of 3 pairs that were assessed, another column of the table may explain the link."
    ]


def test_without_other_columns_there_is_no_second_line():
    rng = np.random.default_rng(2)
    x = rng.normal(size=200)
    found = assess(x, x**2 + rng.normal(size=200), replicates=20)
    assert found.aside == ""
    assert found.as_dict()["aside"] is None


@pytest.mark.parametrize("outcome", Outcome.__args__)
def test_every_outcome_has_a_sentence_with_the_name(outcome):
    from dataclasses import replace

    table = CASES["a cause of the cause"](np.random.default_rng(3), 300)
    found = assess("x", "y", table=table, given="z", replicates=20)
    told = survival_words(replace(found.survival, outcome=outcome), found)
    assert "'z'" in told
    assert told.endswith(".")
    assert ("effect of both" in told) == (outcome in ("reverses", "turns", "appears"))


def test_names_are_joined():
    assert separators_told(["a"]) == "'a'"
    assert separators_told(["a", "b", "c"]) == "'a', 'b' and 'c'"


def test_problems_are_counted_over_pairs():
    told = problems_told([("blocks", "few values"), ("blocks",), ()])
    assert told == (
        "In 2 of 3 pairs that were assessed, rows depend on the rows before them, as in a time "
        "series.",
        "In 1 of 3 pairs that were assessed, few values favour a direction, and less is claimed.",
    )
    assert problems_told([]) == ()


def test_every_limit_is_told_of_a_whole_table_as_well():
    assert set(LIMITS) - {"no link"} <= set(PROBLEMS)
