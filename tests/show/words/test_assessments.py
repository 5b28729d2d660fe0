"""Notes and doubts have words, all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

import bqcd
from bqcd.assessments.dependence import Dependence
from bqcd.assessments.notes import Code, Note
from bqcd.assessments.units import Kind
from bqcd.benchmark.datasets import load_table
from bqcd.show.words.assessments import NOTES, link, note_words

FACTS = {
    "few rows": {"n_rows": 133},
    "rows together": {
        "kind": "given", "name": "who", "count": 20, "n_rows": 1000, "effective_rows": 31.4,
    },
    "ties": {"column": "age", "share": 0.62},
    "order of ties": {"orders": 4, "error": 0.0002},
    "sorted rows": {},
    "serial dependence": {"effective_rows": 47.0},
    "units": {"column": "who"},
}  # fmt: skip


def test_every_code_has_words() -> None:
    assert set(NOTES) == set(get_args(Code)) == set(FACTS)


@pytest.mark.parametrize("code", FACTS)
def test_a_note_is_a_sentence_with_its_facts(code) -> None:
    said = note_words(Note(code, FACTS[code]))
    assert said.endswith(".")
    for value in FACTS[code].values():
        shown = f"{value:.0%}" if code == "ties" and value == 0.62 else value
        if code == "order of ties":
            shown = f"{shown:.1g}" if isinstance(shown, float) else "orders"
        if isinstance(shown, float):
            shown = f"{shown:,.0f}"
        if isinstance(shown, int):
            shown = f"{shown:,}"
        assert shown == "given" or str(shown) in said


@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_kind_of_rows_together_is_told_in_words_of_its_own(kind) -> None:
    def said(kind: str) -> str:
        return note_words(Note("rows together", {**FACTS["rows together"], "kind": kind}))

    others = [other for other in get_args(Kind) if other != kind]
    assert said(kind) not in map(said, others)
    assert said(kind).endswith("1,000 rows are worth about 31 for the confidence.")


def test_what_rows_are_worth_for_a_link_is_told_apart_from_the_confidence():
    said = link(Dependence(spearman=0.9, strength=0.93, p_value=1.0, rows=6.2))
    assert "(strength 0.93, p = 1; for the link, the rows are worth 6 independent ones)" in said


def test_a_limit_that_changes_no_digit_is_not_told_as_one():
    found = bqcd.assess("milliseconds", "acceleration", table=load_table("mcycle"), replicates=10)
    chances = (0.9412, 0.9411), (0.9412, 0.8)
    same, less = (
        replace(found, claimed=claimed, probability=left).explain() for claimed, left in chances
    )
    assert "probability 0.94; of 34 real pairs as clear, 31 were right." in same
    assert "probability 0.94; what is known of these data leaves 0.80." in less
