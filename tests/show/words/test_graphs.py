"""What is told of graphs."""

from __future__ import annotations

from typing import get_args

import networkx as nx
import numpy as np

import bqcd
from bqcd.graphs.notes import Code, GraphNote
from bqcd.graphs.orienting.records import Outcome
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


def test_the_summary_of_a_graph_speaks_of_edges_and_not_of_codes() -> None:
    rng = np.random.default_rng(0)
    a, b, noise = rng.normal(size=(3, 400))
    table = {"a": a, "b": b, "c": a**2 + 0.2 * noise}
    told = bqcd.orient(table, nx.Graph([("a", "c"), ("a", "b")])).summary
    assert told == (
        "1 of 2 edges has a direction, judged from the data. 1 is left open, not sure enough."
    )
    codes = {outcome.value for outcome in Outcome} - {"given", "judged", "compelled", "blocked"}
    assert not codes & set(told.replace(",", "").split())
