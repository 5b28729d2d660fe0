"""Every awkward file is read as intended, and alike by whoever reads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from typer.testing import CliRunner

import bqcd
from bqcd.cli.commands import app
from bqcd.data.files.reading import UnreadTable
from bqcd.data.files.switches import Reading
from bqcd.data.tables import open_table
from bqcd.data.vector import as_column
from bqcd.errors import InvalidPairError
from bqcd.scans.sources import open_source
from tests.data.files.awkward import FILES as FIRST
from tests.data.files.awkward import Awkward
from tests.data.files.awkward_office import OFFICE

FILES = (*FIRST, *OFFICE)

BY_NAME = {one.name: one for one in FILES}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Every file, written once."""
    path = tmp_path_factory.mktemp("awkward")
    for one in FILES:
        one.write(path / one.name)
    return path


def seen(column: Any) -> list[Any]:
    """Column as people read it: numbers, labels, or words; None where it is missing."""
    try:
        found = as_column(column, "column")
    except InvalidPairError:
        return column.to_pylist()
    show = (lambda value: value) if found.scale is None else found.scale.label
    return [None if np.isnan(value) else show(value) for value in found.values.tolist()]


def unread(folder: Path, one: Awkward) -> UnreadTable:
    return UnreadTable(folder / one.name, Reading(**one.said))


def test_there_are_enough_and_no_two_of_a_name():
    assert len(FILES) >= 60
    assert len(BY_NAME) == len(FILES)


@pytest.mark.parametrize("name", BY_NAME)
def test_a_file_is_read_as_intended(folder, name):
    one = BY_NAME[name]
    table = bqcd.read_table(folder / name, **one.said)
    assert {n: seen(table[n]) for n in table.column_names} == dict(one.expected)


@pytest.mark.parametrize("name", BY_NAME)
def test_a_file_is_read_alike_by_every_entry(folder, name):
    one = BY_NAME[name]
    whole = bqcd.read_table(folder / name, **one.said)
    names, columns_at = open_table(unread(folder, one))
    assert list(names) == whole.column_names
    assert [seen(column) for column in columns_at(*range(len(names)))] == [
        seen(column) for column in whole.columns
    ]
    some = bqcd.read_table(folder / name, [names[-1], 0], **one.said)
    assert [seen(column) for column in some.columns] == [seen(whole[names[-1]]), seen(whole[0])]
    source = open_source(unread(folder, one))
    assert source.names == tuple(names)
    for at, column in enumerate(whole.columns):
        try:
            expected = as_column(column, names[at])
        except InvalidPairError:
            with pytest.raises(InvalidPairError):
                source.column(at)
            continue
        found = source.ordered(at)
        np.testing.assert_array_equal(found.values, expected.values)
        assert found.scale == expected.scale


def options(one: Awkward) -> list[str]:
    """What is said of a file, on the command line."""
    words = []
    for name, value in one.said.items():
        if name == "header":
            words.append("--header" if value else "--no-header")
        elif name == "order":
            words += [f"--order={column}={','.join(ls)}" for column, ls in value.items()]
        else:
            several = value if isinstance(value, list) else [value]
            words += [f"--{name}={one}" for one in several]
    return words


def told(arguments: list[str]) -> dict[str, Any]:
    answer = CliRunner().invoke(app, arguments)
    assert answer.exit_code == 0, answer.output
    return json.loads(answer.output)


ASKED = ("german.csv", "latin.csv", "savetxt.txt", "said na.csv", "grades.csv", "moments.csv",
         "t.csv.zst", "t.zip", "records.json", "hive", "t.feather", "t.npy", "sheets.xlsx",
         "t.dta", "t.sav", "query.sqlite3", "tables.duckdb", "sep line.csv", "euros.csv",
         "german dates.csv", "ja.csv", "nested.json", "merged groups.xlsx")  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_every_function_and_command_says_the_same_of_a_file(folder, name):
    one, path = BY_NAME[name], str(folder / name)
    x, y = list(one.expected)[:2]
    table = bqcd.read_table(path, **one.said)
    first = bqcd.decide(x, y, table=table, missing="drop")
    handle = unread(folder, one)
    how: dict[str, Any] = {"missing": "drop", "method": "bqcd"}
    found = {
        "decide": bqcd.decide(x, y, table=handle, **how).confidence,
        "assess": bqcd.assess(x, y, table=handle, replicates=10, **how).confidence,
        "scan": bqcd.scan(handle, pairs=[(x, y)], **how).table["confidence"][0].as_py(),
        "orient": bqcd.orient(handle, nx.Graph([(x, y)]), force=True, **how)
        .record(x, y).judgement.confidence,
        "report": bqcd.report(handle, [(x, y)], replicates=0, **how).pairs[0].confidence,
        "bqcd decide": told(
            ["decide", path, x, y, "--json", "--missing=drop", *options(one)]
        )["confidence"],
        "bqcd scan": told(
            ["scan", path, f"--against={x}", "--json", "-q", "--missing=drop", "--then=none",
             *options(one)]
        )["top"],
    }  # fmt: skip
    rows = [row for row in found.pop("bqcd scan") if {row["x"], row["y"]} == {x, y}]
    found["bqcd scan"] = rows[0]["confidence"] * (1 if rows[0]["x"] == x else -1)
    # An edge has its nodes in the order of their names.
    found["orient"] *= 1.0 if x < y else -1.0
    assert found == pytest.approx(dict.fromkeys(found, first.confidence), rel=1e-12)
    if not one.said:
        assert bqcd.decide(x, y, table=path, **how).confidence == first.confidence
