"""Messages are short whatever names are in them, and still say what is wrong."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bqcd
from bqcd.cli.commands import run
from bqcd.data.reading import read_table
from bqcd.errors import (
    LONGEST_MESSAGE,
    BqcdError,
    InvalidPairError,
    InvalidTableError,
    WorkerError,
    brief,
)
from bqcd.graphs import PartialGraph

LONG = {
    "letters": "n" * 10_000,
    "words": "a name " * 1_500,
    "one kind of quote": "it's " * 2_000,
    "both kinds of quotes": '"it\'s" ' * 1_500,
    "backslashes": "\\" * 10_000,
    "line breaks": "a\n" * 5_000,
}
every_name = pytest.mark.parametrize("name", LONG.values(), ids=LONG)


@every_name
def test_a_long_name_does_not_hide_the_rule_and_the_value(name):
    told = str(InvalidPairError(f"Column {name!r} must be finite, but row 7 of {name!r} is inf."))
    assert len(told) <= LONGEST_MESSAGE
    assert told.startswith("Column ")
    assert "must be finite, but row 7 of " in told
    assert told.endswith(" is inf.")


@given(st.text(max_size=LONGEST_MESSAGE))
def test_a_short_message_stays_as_it_is(text):
    assert brief(text) == text


@given(st.text("a'\"\\ \n.", max_size=60).map(lambda text: text * 40), st.integers(30, 600))
def test_no_message_is_too_long(text, most):
    assert len(brief(text, most)) <= most


def test_a_list_of_hundreds_is_cut_in_its_middle():
    names = [f"name {number}" for number in range(1000)]
    told = str(InvalidTableError(f"Columns must differ, got {names!r}; 3 of them do not."))
    assert len(told) == LONGEST_MESSAGE
    assert told.startswith("Columns must differ, got ['name 0'")
    assert told.endswith("; 3 of them do not.")


def test_a_long_path_without_quotes_is_shortened():
    told = str(InvalidTableError(f"{'/folder' * 300} line 3 must be a number, got 'x'."))
    assert told.endswith(" line 3 must be a number, got 'x'.")
    assert len(told) < 200


def test_the_trace_of_a_worker_stays_whole():
    trace = "Error in a worker process:\n" + "line\n" * 500
    assert str(pickle.loads(pickle.dumps(WorkerError(trace)))) == trace


def test_errors_travel_between_processes():
    error = pickle.loads(pickle.dumps(InvalidPairError(f"Column {'n' * 10_000!r} must vary.")))
    assert type(error) is InvalidPairError
    assert str(error).endswith("' must vary.")


def table_of(name, values=None):
    x = np.arange(30.0) if values is None else values
    return {name: x, "y": np.arange(30.0) % 7, "z": np.arange(30.0) % 11}


def refusal(function, *args, **settings):
    with pytest.raises(BqcdError) as caught:
        function(*args, **settings)
    told = str(caught.value)
    assert len(told) <= LONGEST_MESSAGE
    assert "\n" not in told
    return told


@every_name
def test_every_question_tells_of_long_names_in_few_words(name, tmp_path):
    infinite = table_of(name, np.r_[np.arange(29.0), np.inf])
    for ask in (bqcd.decide, bqcd.assess):
        assert "must be finite" in refusal(ask, name, "y", table=infinite)
        assert "no column" in refusal(ask, name, "y", table=table_of("x"))
    gap = table_of(name, np.r_[np.arange(29.0), np.nan])
    assert "missing value" in refusal(bqcd.scan, gap)
    assert "no column" in refusal(bqcd.scan, table_of("x"), columns=[name])
    assert "no column" in refusal(bqcd.scan, table_of("x"), pairs=[(name, "y")])
    graph = PartialGraph(undirected=[(name, "y")])
    refusal(bqcd.orient, table_of("x"), graph)
    assert "must be finite" in refusal(bqcd.orient, infinite, graph)
    assert "method" in refusal(bqcd.decide, "x", "y", table=table_of("x"), method=name)
    assert "n_levels" in refusal(bqcd.decide, "x", "y", table=table_of("x"), n_levels=name)
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    assert "no column" in refusal(read_table, path, [name])
    assert "There can be no file" in refusal(read_table, name)


@pytest.mark.parametrize("words", ["decide TABLE LONG b", "LONG", "scan LONG", "scan --by LONG"])
def test_the_command_line_is_as_brief(tmp_path, monkeypatch, capsys, words):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * 30)
    places = {"TABLE": str(path), "LONG": "n" * 10_000}
    monkeypatch.setattr("sys.argv", ["bqcd", *(places.get(word, word) for word in words.split())])
    with pytest.raises(SystemExit, match="2"):
        run()
    told = capsys.readouterr().err
    assert told.startswith("bqcd: ")
    assert told.count("\n") == 1
    assert len(told) <= LONGEST_MESSAGE + 10
