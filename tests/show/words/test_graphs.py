"""What is told of graphs."""

from __future__ import annotations

from typing import get_args

from bqcd.graphs.notes import Code, GraphNote
from bqcd.show.words.graphs import note_words


def test_every_note_on_a_graph_has_a_sentence() -> None:
    facts = {
        "learner": "PC()",
        "nodes": ["a", "b"],
        "columns": ["a"],
        "required": [["a", "b"]],
        "at_most": 3,
        "why": "'b' -> 'a' is required",
    }
    told = {code: note_words(GraphNote(code, facts)) for code in get_args(Code)}
    assert all(words.endswith(".") for words in told.values())
    assert len(set(told.values())) == len(told)
    assert told["edges that are absent"].endswith("does not join: a -> b.")
