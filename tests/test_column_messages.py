"""One rule and one message for a column that cannot be used, at every door of the house."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bqcd
from bqcd.cli.commands import app
from bqcd.errors import BqcdError
from bqcd.graphs import PartialGraph, write_graph
from bqcd.graphs.orienting.table import complete_columns
from bqcd.graphs.skeletons import CAM, GES, PC
from bqcd.methods.decide import observed_pair

Table = dict[str, list[object]]

N = 30
GOOD = [float(value) for value in np.random.default_rng(0).normal(size=N)]


def with_value(value: object) -> list[object]:
    """A column with one value that is wrong, in row 4."""
    return [*range(3), value, *range(4, N)]


# The second column, and what is said of it: column, rule, value and row.
BAD = {
    "missing": (with_value(None), "Column 'b' has 1 missing value, the first in row 4; "),
    "infinite": (
        with_value(-np.inf),
        "Column 'b' must be finite, but it has 1 infinite value, the first in row 4 (-inf).",
    ),
    "text": (
        with_value("low"),
        "Column 'b' must hold numbers, but row 4 is 'low' (str); if such words have an order, "
        "declare it (order of bqcd.read_table, --order).",
    ),
    "constant": ([2.5] * N, "Column 'b' must vary, but it is constant: all 30 rows are 2.5."),
}


def skipped(table: Table) -> str:
    """What a scan says of the columns it leaves out."""
    return " ".join(facts.problem for facts in bqcd.scan(table).skipped)


def fitted(table: Table) -> object:
    return bqcd.DirectionEstimator().fit(pd.DataFrame(table))


def weighted(table: Table) -> object:
    weights = [1.0 + row % 2 for row in range(len(table["a"]))]
    return observed_pair("a", "b", table=table, weights=weights)


def of_edge(table: Table, **settings: object) -> object:
    return bqcd.orient(table, nx.Graph([("a", "b")]), **settings)


DOORS: dict[str, Callable[[Table], object]] = {
    "Pair": lambda table: bqcd.Pair.from_table(table, "a", "b"),
    "decide": lambda table: bqcd.decide("a", "b", table=table),
    "decide, frame": lambda table: bqcd.decide("a", "b", table=pd.DataFrame(table)),
    "assess": lambda table: bqcd.assess("a", "b", table=table, method="bqcd"),
    "weights": weighted,
    "estimator": fitted,
    "scan": skipped,
    "orient": of_edge,
    "orient, given what is known": lambda table: of_edge(table, given_known=True),
    "complete columns": complete_columns,
    "CAM": lambda table: CAM().learn(table),
    "PC": lambda table: PC().search(table),
    "GES": lambda table: GES().search(table),
}


def told(door: Callable[[Table], object], table: Table) -> str:
    """What is said of a table that cannot be used, as an error or in the answer."""
    try:
        answer = door(table)
    except BqcdError as error:
        return str(error)
    return str(answer)


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("door", DOORS)
def test_a_column_that_cannot_be_used_is_told_alike_at_every_door(door, kind):
    column, message = BAD[kind]
    assert message in told(DOORS[door], {"a": GOOD, "b": column})


@pytest.mark.parametrize("door", DOORS)
def test_too_few_rows_are_told_alike_at_every_door(door):
    message = told(DOORS[door], {"a": GOOD[:7], "b": list(range(7))})
    columns = "Columns? ('a' and 'b' have|'a' has) 7 rows"
    assert re.search(f"^{columns}, but at least (10|20) are needed", message)


COMMANDS = {
    "decide": ["decide", "TABLE", "a", "b"],
    "assess": ["assess", "TABLE", "a", "b"],
    "scan": ["scan", "TABLE"],
    "orient": ["orient", "TABLE", "--graph", "GRAPH"],
    "orient, CAM": ["orient", "TABLE", "--skeleton", "cam"],
}


def printed(command: str, table: Table, folder: Path) -> str:
    """All that a command prints of a table in a file, in one line."""
    places = {"TABLE": folder / "table.csv", "GRAPH": folder / "graph.json"}
    with places["TABLE"].open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([table.keys(), *zip(*table.values(), strict=True)])
    write_graph(PartialGraph(undirected=["ab"]), places["GRAPH"])
    arguments = [str(places.get(word, word)) for word in COMMANDS[command]]
    answer = CliRunner().invoke(app, arguments, env={"COLUMNS": "400", "NO_COLOR": "1"})
    return answer.output.replace("\n", " ")


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_column_of_a_file_is_told_as_one_of_a_table_is(command, kind, tmp_path):
    column, message = BAD[kind]
    assert message in printed(command, {"a": GOOD, "b": column}, tmp_path)


@pytest.mark.parametrize("command", COMMANDS)
def test_too_few_rows_of_a_file_are_told_alike(command, tmp_path):
    message = printed(command, {"a": GOOD[:7], "b": list(range(7))}, tmp_path)
    assert re.search("'(a|b)' (has|have) 7 rows, but at least 10 are needed", message)


@pytest.mark.parametrize("units", [None, np.nan, pd.NA])
def test_rows_of_weights_and_units_are_counted_alike(units):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, N))
    message = "has 1 missing value, the first in row 4; "
    with pytest.raises(BqcdError, match=f"'weights' {message}"):
        bqcd.assess(x, y, weights=with_value(np.nan), method="bqcd")
    with pytest.raises(BqcdError, match=f"'units' {message}"):
        bqcd.assess(x, y, units=with_value(units), method="bqcd")
