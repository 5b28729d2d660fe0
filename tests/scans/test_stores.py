"""Columns on disk: ranks as scipy has them, in little room, whole or not at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from bqcd.data.pair import MIN_ROWS, Pair
from bqcd.errors import (
    InvalidPairError,
    InvalidResultsError,
    InvalidSettingError,
    InvalidTableError,
)
from bqcd.scans import sources
from bqcd.scans.sources import open_source
from bqcd.scans.stores import ColumnStore, dense_ranks, store_columns

N = 40
RNG = np.random.default_rng(3)


def expected_ranks(values: np.ndarray) -> np.ndarray:
    present = ~np.isnan(values)
    ranks = np.full(len(values), -1)
    ranks[present] = rankdata(values[present], method="dense") - 1
    return ranks


SCAN, OTHER = "ab12" * 16, "cd34" * 16


def stored(table, folder, *, kind="ranks", missing="drop", scan=SCAN, **kwargs) -> ColumnStore:
    source = open_source(table)
    return store_columns(
        source, range(len(source.names)), folder, kind=kind, missing=missing, scan=scan, **kwargs
    )


def opened(folder) -> ColumnStore:
    return ColumnStore.open(folder, scan=SCAN)


# -- ranks --

AWKWARD = {
    "normal": RNG.normal(size=2000),
    "rounded": RNG.normal(size=2000).round(1),
    "two values": RNG.integers(0, 2, 2000).astype(float),
    "heavy tails": RNG.standard_cauchy(2000) ** 5,
    "huge and tiny": np.concatenate([RNG.normal(size=20) * 10.0**e for e in (-300, 0, 300)]),
    "next to each other": 1.0 + np.arange(50) * np.finfo(float).eps,
    "zeros of both signs": np.array([0.0, -0.0, 1.0, -1.0, 0.0]),
    "increasing": np.arange(100.0),
    "single": np.array([4.0]),
    "infinite": np.array([np.inf, 1.0, -np.inf, np.inf]),
}


@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("share_missing", [0.0, 0.3, 1.0])
def test_dense_ranks_are_those_of_scipy(name, share_missing):
    values = AWKWARD[name].copy()
    values[RNG.random(len(values)) < share_missing] = np.nan
    ranks = dense_ranks(values)
    assert ranks.dtype == np.int32
    np.testing.assert_array_equal(ranks, expected_ranks(values))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(allow_infinity=False) | st.integers(-3, 3).map(float), min_size=1))
def test_dense_ranks_of_any_column_are_those_of_scipy(values):
    np.testing.assert_array_equal(dense_ranks(np.array(values)), expected_ranks(np.array(values)))


# -- what is stored --


def good_table() -> dict[str, np.ndarray]:
    table = {f"c{k}": RNG.normal(size=N).round(k) for k in range(4)}
    table["c2"][[3, 9]] = np.nan
    return table


@pytest.mark.parametrize("kind", ["ranks", "values"])
def test_columns_are_stored_one_after_the_other_and_found_again(tmp_path, kind):
    table = good_table()
    store = stored(table, tmp_path / "new" / "folder", kind=kind)
    again = opened(tmp_path / "new" / "folder")
    assert again == store
    assert sorted(path.name for path in store.folder.iterdir()) == ["columns.data", "columns.json"]
    assert again.usable == (0, 1, 2, 3)
    assert again.names == tuple(table)
    assert again.scan == SCAN
    wanted = [expected_ranks(v) if kind == "ranks" else v for v in table.values()]
    for places in ((0, 1, 2, 3), (2, 3), (3, 0), (1,), np.array([2, 0])):
        block = again.block(places).columns()
        np.testing.assert_array_equal(block, [wanted[place] for place in places])
    dtype = "<i4" if kind == "ranks" else "<f8"
    flat = np.fromfile(store.folder / "columns.data", dtype, offset=len(SCAN))
    np.testing.assert_array_equal(flat, np.concatenate(wanted))


def test_the_facts_of_a_column_count_values_and_distinct_values(tmp_path):
    table = good_table()
    for facts in stored(table, tmp_path).facts:
        column = table[facts.name]
        present = column[~np.isnan(column)]
        assert facts.n_present == len(present)
        assert facts.n_distinct == len(np.unique(present))
        assert facts.problem == ""


def test_integers_beyond_doubles_are_ranked_as_the_doubles_a_pair_holds(tmp_path):
    column = 2**60 + np.arange(N, dtype=np.int64) * 50
    store = stored({"a": column, "b": np.arange(N)}, tmp_path)
    held = Pair.from_arrays(column, np.arange(N)).x
    np.testing.assert_array_equal(store.block([0]).columns()[0], expected_ranks(held))
    assert store.facts[0].n_distinct < N


def test_only_chosen_columns_are_stored_with_their_positions(tmp_path):
    source = open_source(good_table())
    store = store_columns(source, [3, 1], tmp_path, kind="values", missing="raise", scan=SCAN)
    assert [(facts.name, facts.position) for facts in store.facts] == [("c3", 3), ("c1", 1)]
    np.testing.assert_array_equal(store.block([0]).columns()[0], good_column("c3", source))


def good_column(name: str, source) -> np.ndarray:
    return source.column(source.names.index(name))


BAD = {
    "text": (["u", "v"] * 20, "must hold numbers, but row 1 is 'u'"),
    "constant": ([2.5] * N, "must vary, but it is constant: all 40 rows are 2.5."),
    "constant but missing": ([1.0, None] * 20, "all 20 rows that are not missing are 1.0."),
    "all missing": ([None] * N, "has 0 rows that are not missing, but at least 10 are needed."),
    "few": ([*range(9), *[None] * 31], "has 9 rows that are not missing, but at least 10"),
    "infinite": (
        [np.inf, -np.inf, *range(38)],
        "it has 2 infinite values, the first in row 1 (inf)",
    ),
    "infinite and missing": (
        [None, -np.inf, *range(38)],
        "1 infinite value, the first in row 2 (-i",
    ),
}


@pytest.mark.parametrize("missing", ["raise", "drop"])
def test_columns_that_cannot_be_judged_are_listed_and_not_stored(tmp_path, missing):
    table: dict[str, object] = {}
    for name, (values, _) in BAD.items():
        table |= {name: values, f"good beside {name}": RNG.normal(size=N)}
    store = opened(stored(table, tmp_path, missing=missing).folder)
    assert store.usable == tuple(range(len(BAD)))
    assert store.names == (*(f"good beside {name}" for name in BAD), *BAD)
    for facts in store.facts[len(BAD) :]:
        assert f"Column {facts.name!r}" in facts.problem
        assert BAD[facts.name][1] in facts.problem
        assert list(table)[facts.position] == facts.name
    np.testing.assert_array_equal(
        store.block(store.usable).columns()[-1], expected_ranks(table[store.names[len(BAD) - 1]])
    )


def test_a_table_of_columns_that_cannot_be_judged_gives_an_empty_store(tmp_path):
    store = stored({name: values for name, (values, _) in BAD.items()}, tmp_path)
    assert opened(tmp_path).usable == store.usable == ()
    with pytest.raises(InvalidSettingError, match="places of a block"):
        store.block([0])


def test_fewer_rows_are_enough_if_so_asked(tmp_path):
    table = {"a": range(5), "b": [1, 2, None, 4, 5]}
    assert stored(table, tmp_path).usable == ()
    assert stored(table, tmp_path, min_rows=4).usable == (0, 1)
    assert stored(table, tmp_path).facts[0].problem.endswith(f"at least {MIN_ROWS} are needed.")


@pytest.mark.parametrize("kind", ["ranks", "values"])
def test_missing_values_are_refused_in_the_words_of_a_pair(tmp_path, kind):
    table = good_table()
    with pytest.raises(InvalidPairError) as caught:
        stored(table, tmp_path, kind=kind, missing="raise")
    with pytest.raises(InvalidPairError) as of_pair:
        Pair.from_table(table, "c2", "c1")
    assert str(caught.value).startswith(str(of_pair.value).removesuffix("."))
    assert list(tmp_path.iterdir()) == []


def test_progress_is_told_column_by_column(tmp_path):
    told = []
    stored(good_table() | {"w": ["u"] * N}, tmp_path, progress=lambda *done: told.append(done))
    assert told == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]


@pytest.mark.parametrize(
    ("name", "value"), [("kind", "rank"), ("missing", "skip"), ("min_rows", 1), ("min_rows", 2.5)]
)
def test_settings_out_of_range_are_refused(tmp_path, name, value):
    with pytest.raises(InvalidSettingError, match=f"{name} of a store of columns"):
        stored(good_table(), tmp_path, **{name: value})


@pytest.mark.parametrize("places", [[], [4], [-1], [0, 99]])
def test_a_block_of_places_that_are_not_stored_is_refused(tmp_path, places):
    with pytest.raises(InvalidSettingError, match="from 0 to 3, got"):
        stored(good_table(), tmp_path).block(places)


# -- whole or not at all --


def test_a_store_that_fails_half_way_leaves_nothing_to_open(tmp_path, monkeypatch):
    stored(good_table(), tmp_path)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InvalidResultsError, match=r"cannot be written to .*No space left"):
        stored(good_table(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["columns.json"]
    with pytest.raises(InvalidResultsError, match="cannot be read: No such file"):
        opened(tmp_path)


def test_a_new_store_takes_the_place_of_the_old_one(tmp_path):
    stored(good_table(), tmp_path, kind="values")
    store = stored({"z": np.arange(12.0), "w": np.arange(12.0) % 5}, tmp_path)
    assert opened(tmp_path) == store
    assert len(list(tmp_path.iterdir())) == 2


def test_a_damaged_store_is_refused(tmp_path):
    store = stored(good_table(), tmp_path)
    index, data = tmp_path / "columns.json", tmp_path / "columns.data"
    held = index.read_text()
    assert json.loads(held)["columns"][0] == asdict(store.facts[0])
    for broken in ("", "{", "[]", "{}", held.replace('"ranks"', '"values"'), held[:-9] + held[-8:]):
        index.write_text(broken)
        with pytest.raises(InvalidResultsError, match="cannot be read"):
            opened(tmp_path)
    index.write_text(held)
    whole = data.read_bytes()
    data.write_bytes(whole[:-4])
    with pytest.raises(InvalidResultsError, match=r"must have 704 bytes, got 700\.$"):
        opened(tmp_path)
    for at in (0, 63, 64, 300, 703):
        data.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        with pytest.raises(InvalidResultsError, match=r"columns\.data are damaged, or belong to"):
            opened(tmp_path)
    data.unlink()
    with pytest.raises(InvalidResultsError, match="No such file"):
        opened(tmp_path)


def test_a_store_of_another_scan_is_refused_whatever_its_size(tmp_path):
    stored(good_table(), tmp_path)
    with pytest.raises(InvalidResultsError, match="belong to another scan"):
        ColumnStore.open(tmp_path, scan=OTHER)
    with pytest.raises(InvalidResultsError, match="belong to another scan"):
        ColumnStore.index(tmp_path, scan=OTHER)


def test_a_worker_is_not_given_columns_of_another_scan_or_damaged_ones(tmp_path):
    block = stored(good_table(), tmp_path / "a").block([0, 1])
    other = stored(good_table(), tmp_path / "b", scan=OTHER)
    changed = good_table()
    changed["c0"] = changed["c0"][::-1]
    same_name = stored(changed, tmp_path / "c")
    for path in (other.folder, same_name.folder):
        (tmp_path / "a" / "columns.data").write_bytes((path / "columns.data").read_bytes())
        with pytest.raises(InvalidResultsError, match=r"columns\.data are damaged, or belong to"):
            block.columns()
    (tmp_path / "a" / "columns.data").write_bytes(b"short")
    with pytest.raises(InvalidResultsError, match=r"columns\.data are damaged, or belong to"):
        block.columns()


# -- a table that is changed while it is read --


def rewritten(path, seed: int) -> None:
    """Numbers of another table of the same size in the same file, as old as before."""
    before = path.stat()
    values = np.random.default_rng(seed).normal(size=(3, N))
    table = pa.table(dict(zip("abc", values, strict=True)))
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="none", use_dictionary=False)
    path.write_bytes(sink.getvalue().to_pybytes())
    if seed:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.fixture
def parquet(tmp_path):
    path = tmp_path / "table.parquet"
    path.touch()
    rewritten(path, 0)
    return path


def after_the_first_column(does):
    return lambda done, total: does() if done == 1 else None


@pytest.mark.parametrize("moment", ["open", "fingerprint", "first column"])
@pytest.mark.parametrize("back", [False, True], ids=["for good", "and back"])
def test_a_file_changed_while_it_is_read_is_named_and_nothing_is_stored(
    tmp_path, parquet, moment, back
):
    def change():
        rewritten(parquet, 1)
        if back:
            rewritten(parquet, 0)

    source = open_source(parquet)
    if moment == "open":
        change()
    source.fingerprint()
    if moment == "fingerprint":
        change()
    report = after_the_first_column(change if moment == "first column" else lambda: None)
    how = {"kind": "ranks", "missing": "raise", "scan": SCAN}
    with pytest.raises(InvalidTableError, match=r"table\.parquet' was changed while it was read"):
        store_columns(source, range(3), tmp_path / "store", **how, progress=report)
    assert list((tmp_path / "store").iterdir()) == []


def test_the_content_counts_where_the_system_does_not_tell_of_changes(
    tmp_path, parquet, monkeypatch
):
    monkeypatch.setattr(sources, "_state", lambda path: ())
    source = open_source(parquet)
    source.fingerprint()
    report = after_the_first_column(lambda: rewritten(parquet, 1))
    how = {"kind": "ranks", "missing": "raise", "scan": SCAN}
    with pytest.raises(InvalidTableError, match="was changed while it was read"):
        store_columns(source, range(3), tmp_path / "store", **how, progress=report)


def test_a_table_in_memory_that_is_changed_while_it_is_read_is_refused(tmp_path):
    table = {name: column.copy() for name, column in good_table().items()}

    def change():
        table["c3"][0] += 1.0

    with pytest.raises(InvalidTableError, match="'dict' was changed while it was read"):
        stored(table, tmp_path, progress=after_the_first_column(change))


def test_a_file_that_is_cut_off_while_it_is_read_was_changed_and_not_damaged(tmp_path, parquet):
    source = open_source(parquet)
    source.fingerprint()
    report = after_the_first_column(lambda: parquet.write_bytes(b"PAR1"))
    how = {"kind": "ranks", "missing": "raise", "scan": SCAN}
    with pytest.raises(InvalidTableError, match="was changed while it was read"):
        store_columns(source, range(3), tmp_path / "store", **how, progress=report)


# -- room --

MEASURED = """
import resource, sys
from bqcd.scans.sources import open_source
from bqcd.scans.stores import store_columns

source = open_source(sys.argv[1])
how = {"kind": "ranks", "missing": "raise", "scan": "ab12"}
store_columns(source, [0], sys.argv[2] + "/one", **how)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
places = range(len(source.names))
store = store_columns(source, places, sys.argv[2] + "/all", **how)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, len(store.usable))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts resident memory as Linux does")
@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_many_columns_take_no_more_room_than_one(tmp_path, suffix):
    rows, columns = 200_000, 30
    values = RNG.normal(size=rows)
    table = pa.table({f"c{k}": values + k for k in range(columns)})
    path = tmp_path / f"t.{suffix}"
    if suffix == "parquet":
        pq.write_table(table, path, row_group_size=30_000, compression="none", use_dictionary=False)
    else:
        with pa.ipc.new_file(path, table.schema) as sink:
            sink.write_table(table, max_chunksize=30_000)
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(path), str(tmp_path)],
        capture_output=True,
        text=True,
        env=os.environ | {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    growth_kb, n_usable = map(int, done.stdout.split())
    assert n_usable == columns
    assert path.stat().st_size > 45e6
    assert growth_kb * 1024 < 10e6
