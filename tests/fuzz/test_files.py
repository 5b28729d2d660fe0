"""Damaged files of every kind that is read: an answer or an error on purpose, never another."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa

import bqcd
from bqcd.data.pair import Pair
from bqcd.data.reading import read_table
from bqcd.errors import BqcdError
from bqcd.graphs import read_graph, read_knowledge, write_graph
from bqcd.graphs.formats import CONVENTIONS, FORMATS
from tests.fuzz import seeds
from tests.fuzz.cases import Case, check_cases, every_case
from tests.fuzz.mutation import NAMES, mutated

TABLES = {
    "text": (seeds.texts, (".csv", ".tsv", ".txt", ".dat", "", ".odd")),
    "gzip": (seeds.packed_texts, (".csv.gz", ".gz", "")),
    "parquet": (seeds.parquets, (".parquet", ".pq", "")),
    "arrow": (seeds.arrows, (".arrow", ".feather", ".ipc", "")),
    "packed": (seeds.otherwise_packed_texts, (".bz2", ".xz", ".csv.zst", ".zip", "")),
    "json": (seeds.jsons, (".json", ".jsonl", "")),
    "excel": (seeds.workbooks, (".xlsx", "")),
    "statistics": (seeds.statistics_files, (".dta", ".sav", ".zsav", ".xpt", "")),
    "database": (seeds.databases, (".sqlite", ".duckdb", ".db", "")),
}
COLUMNS = (0, 1, 2, -1, 99, "0", "1", "a", "b", "c", "", "*", "\0", "9" * 5000, True, None, 1.0)


@every_case(*TABLES)
def test_damaged_tables_are_read_or_refused(target, numbers, tmp_path):
    check_cases(target, numbers, tmp_path, read_one_table)


def read_one_table(case: Case) -> None:
    samples, suffixes = TABLES[case.target]
    path = case.file(case.pick(suffixes), mutated(samples(), case.rng))
    # Columns that are not there, or odd ones; the whole table may still be well.
    with suppress(BqcdError):
        check_some_columns(case, path)
    table = read_table(path)
    assert table.num_rows > 0
    check_same_columns(path, table, case)
    Pair.from_table(table, 0, min(1, table.num_columns - 1), missing="drop")


def check_some_columns(case: Case, path: Path) -> None:
    asked = [case.pick(COLUMNS) for _ in range(case.pick((1, 2, 2, 3)))]
    assert read_table(path, asked).num_columns == len(asked)


def check_same_columns(path: Path, table: pa.Table, case: Case) -> None:
    """What is read of some columns is what is read of them among all."""
    chosen = case.rng.permutation(table.num_columns)[:2].tolist()
    if any(at in table.column_names for at in map(str, chosen)):
        return
    some = read_table(path, chosen)
    assert [told(column) for column in some.columns] == [told(table.column(at)) for at in chosen]


def told(column: Any) -> tuple[object, ...]:
    """Type and values of a column, as text so that NaN is equal to itself."""
    try:
        return column.type, repr(column.to_pylist())
    except (OverflowError, ValueError):
        return column.type, "dates that Python does not have"


GRAPHS = {f"graph-{name}": name for name in FORMATS}


@every_case(*GRAPHS)
def test_damaged_graphs_are_read_or_refused(target, numbers, tmp_path):
    check_cases(target, numbers, tmp_path, read_one_graph)


def read_one_graph(case: Case) -> None:
    """Read a graph; what is written of it must be read as the same graph."""
    name = GRAPHS[case.target]
    path = case.file(".graph", mutated(seeds.graphs(name), case.rng))
    convention = case.pick((None, *FORMATS[name].conventions))
    read = read_graph(path, format=name, convention=convention)
    other = case.pick((name, *FORMATS))
    copy = case.folder / "copy"
    write_graph(read.graph, copy, format=other, labels=read.labels)
    points = other == "adjacency" and read.graph.directed
    again = read_graph(copy, format=other, convention=CONVENTIONS[0] if points else None)
    assert again.graph == read.graph, f"{read.graph!r} came back from {other} as {again.graph!r}"


@every_case("knowledge")
def test_damaged_knowledge_is_read_or_refused(target, numbers, tmp_path):
    check_cases(target, numbers, tmp_path, read_one_knowledge)


def read_one_knowledge(case: Case) -> None:
    known = read_knowledge(case.file(".toml", mutated(seeds.KNOWLEDGE, case.rng)))
    nodes = sorted(known.nodes)
    for first, second in pairwise(nodes):
        way, back = known.direction(first, second), known.direction(second, first)
        assert way == back


READERS: tuple[Callable[[Any], object], ...] = (
    read_table,
    read_graph,
    read_knowledge,
    bqcd.scan,
    lambda path: read_table(path, [0, 1]),
    lambda path: bqcd.scan({"a": range(12), "b": range(12)}, pairs=path),
    lambda path: read_graph(path, format="csv"),
)


@every_case("paths")
def test_odd_names_of_files_are_opened_or_refused(target, numbers, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_cases(target, numbers, tmp_path, open_one_path)


def open_one_path(case: Case) -> None:
    """Read a file of an odd name, which is there if there can be one."""
    name = case.pick([name for name in NAMES if name != "-"]) + case.pick(("", ".csv", ".pq"))
    with suppress(OSError, ValueError):
        if "/" not in name:
            (case.folder / name).write_bytes(case.pick((*seeds.texts(), *seeds.parquets())))
    path = str(case.folder / name) if case.chance(0.7) else name
    case.pick(READERS)(Path(path) if case.chance(0.3) else path)
