"""One rule for missing values in every command, and rows that were dropped are told."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

from bqcd.cli.commands import app
from bqcd.graphs import PartialGraph, write_graph

N = 60
COMMANDS = {
    "decide": ["decide", "TABLE", "a", "b", "--method=bqcd"],
    "assess": ["assess", "TABLE", "a", "b", "--method=bqcd", "--replicates=10"],
    "scan": ["scan", "TABLE", "--method=bqcd", "--then=none"],
    "orient": ["orient", "TABLE", "--graph", "GRAPH", "--method=bqcd"],
    "report": ["report", "TABLE", "a", "b", "-o", "PAGE", "--method=bqcd", "--replicates=0"],
}
TOLD = {
    "decide": "57 (3 dropped)",
    "assess": "57 (3 dropped)",
    "scan": "of which a pair has 57",
    "orient": "Rows with missing values left out of a pair: 3 at most.",
    "report": "3 more left out for missing values",
}


@pytest.fixture
def places(tmp_path):
    rng = np.random.default_rng(0)
    a = rng.normal(size=N)
    b = a**2 + 0.3 * rng.normal(size=N)
    gaps = [("n/a" if at in (3, 4, 9) else str(value)) for at, value in enumerate(b)]
    words = [f"{x},{y}" for x, y in zip(a, gaps, strict=True)]
    (tmp_path / "t.csv").write_text("a,b\n" + "\n".join(words))
    write_graph(PartialGraph(undirected=["ab"]), tmp_path / "g.json")
    return {"TABLE": tmp_path / "t.csv", "GRAPH": tmp_path / "g.json", "PAGE": tmp_path / "p.html"}


@pytest.mark.parametrize("command", COMMANDS)
def test_missing_values_stop_a_command_unless_their_rows_are_to_be_dropped(command, places):
    arguments = [str(places.get(word, word)) for word in COMMANDS[command]]
    how = {"COLUMNS": "400", "NO_COLOR": "1"}
    stopped = CliRunner().invoke(app, arguments, env=how)
    assert stopped.exit_code == 2
    assert "Column 'b' has 3 missing values, the first in row 4" in stopped.output
    done = CliRunner().invoke(app, [*arguments, "--missing=drop"], env=how)
    assert done.exit_code == 0, done.output
    assert done.output.count(TOLD[command]) == 1, done.output
