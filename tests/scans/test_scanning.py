from __future__ import annotations

import os
import re
import signal
import sys
from concurrent.futures import BrokenExecutor
from itertools import combinations
from multiprocessing import active_children

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

import bqcd
from bqcd.data.pair import Pair
from bqcd.errors import (
    InvalidPairError,
    InvalidResultsError,
    InvalidSettingError,
    InvalidTableError,
    UnknownNameError,
    WorkerError,
)
from bqcd.scans import judging
from bqcd.scans.engines import DaskEngine
from bqcd.scans.scanning import scan
from tests.scans.stand_ins import register_threads

N = 250
BAD = {"constant", "infinite", "word", "nearly empty"}


def mixed_table(n_columns: int = 60) -> pd.DataFrame:
    """Columns that depend on each other, some rounded, some with gaps, some of no use."""
    rng = np.random.default_rng(11)
    hidden = rng.normal(size=(3, N))
    table: dict[str, object] = {}
    for k in range(n_columns - len(BAD)):
        column = np.tanh(rng.normal() * hidden[k % 3]) + rng.uniform(0.2, 1.5) * rng.normal(size=N)
        if k % 9 == 4:
            column = column.round(1)
        if k % 11 == 7:
            column[rng.random(N) < 0.1] = np.nan
        table[f"c{k:02d}"] = column
    table["constant"] = np.full(N, 3.0)
    table["infinite"] = np.where(np.arange(N) == 5, np.inf, hidden[0])
    table["word"] = ["a", "b"] * (N // 2)
    table["nearly empty"] = np.where(np.arange(N) < 5, hidden[1], np.nan)
    table["date"] = pd.date_range("2026-01-01", periods=N)
    order = rng.permutation(n_columns)
    return pd.DataFrame(table).iloc[:, order]


def small_table(n_columns: int = 7) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(4)
    x = rng.normal(size=60)
    return {f"v{k}": x * (k % 3) + rng.normal(size=60) for k in range(n_columns)}


def rows(found) -> list[dict]:
    key = lambda row: (row["x"], row["y"])  # noqa: E731
    return sorted(found.table.to_pylist(), key=key)


@pytest.mark.skipif(sys.platform != "linux", reason="signals")
@pytest.mark.xdist_group("engines")
def test_all_kinds_of_columns_locally_and_on_dask_with_a_killed_worker_are_as_decided() -> None:
    pytest.importorskip("distributed", reason="Dask is not installed")
    # Of fewer columns, none would be both rounded and with gaps.
    table = mixed_table(46)
    local = scan(table, missing="drop")
    killed = []

    def kill_a_worker(progress) -> None:
        if progress.stage == "pairs" and progress.done > 0 and not killed:
            victim = active_children()[0]
            os.kill(victim.pid, signal.SIGKILL)
            killed.append(victim.pid)

    dask = scan(table, missing="drop", engine=DaskEngine(workers=2), progress=kill_a_worker)
    assert killed
    assert dask.table.equals(local.table)
    assert {facts.name for facts in local.columns if facts.problem} == BAD
    usable = [name for name in table.columns if name not in BAD]
    assert [(row["x"], row["y"]) for row in rows(local)] == sorted(combinations(usable, 2))
    for row in rows(local):
        verdict = bqcd.decide(row["x"], row["y"], table=table, missing="drop")
        assert row["confidence"] == verdict.confidence
        dependent = row["q_value"] <= 0.05
        assert row["answer"] == (verdict.answer if dependent else "cannot tell")
        assert row["direction"] == (verdict.direction.value if dependent else "--")
        assert row["n_rows"] == len(verdict.pair)


@pytest.mark.xdist_group("engines")
@pytest.mark.parametrize("engine", ["local", "joblib:threads-for-tests"])
def test_neither_workers_nor_the_engine_change_a_number(engine: str) -> None:
    if engine != "local":
        register_threads()
    table = mixed_table(20)
    alone = scan(table, missing="drop", tie_orders=2)
    assert scan(table, missing="drop", tie_orders=2, engine=engine, workers=2).table.equals(
        alone.table
    )


def test_every_kind_of_table_gives_the_same_rows(tmp_path) -> None:
    table = small_table()
    frame = pd.DataFrame(table)
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_csv(tmp_path / "t.tsv", index=False, sep="\t")
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_feather(tmp_path / "t.feather")
    expected = scan(table).table
    for same in (
        frame,
        pl.DataFrame(table),
        pl.LazyFrame(table),
        pa.table(table),
        *(tmp_path / name for name in ("t.csv", "t.tsv", "t.parquet", "t.feather")),
    ):
        assert scan(same).table.equals(expected)
    array = np.column_stack(list(table.values()))
    np.save(tmp_path / "t.npy", array)
    unnamed = scan(array).table
    assert unnamed.equals(scan(tmp_path / "t.npy").table)
    assert unnamed["confidence"].equals(expected["confidence"])


def test_columns_are_chosen_by_pattern_and_pairs_by_a_list_or_one_column(tmp_path) -> None:
    table = small_table() | {"other": np.arange(60.0) ** 1.5}
    everything = {(row["x"], row["y"]): row["confidence"] for row in rows(scan(table))}
    some = scan(table, columns="v[0-2]")
    assert {(row["x"], row["y"]) for row in rows(some)} == set(combinations(("v0", "v1", "v2"), 2))
    against = scan(table, against="v3")
    assert {row["x"] for row in rows(against)} == {"v3"}
    assert len(rows(against)) == 7
    for row in rows(against):
        if (row["y"], "v3") in everything:
            assert row["confidence"] == -everything[row["y"], "v3"]
    (tmp_path / "pairs.csv").write_text("x,y\nv1,v0\nv5,v2\n")
    listed = scan(table, pairs=tmp_path / "pairs.csv").table
    assert listed["x"].to_pylist() == ["v1", "v5"]
    assert listed["confidence"].to_pylist() == [-everything["v0", "v1"], -everything["v2", "v5"]]


def test_a_listed_pair_of_a_useless_column_has_a_row_that_says_why() -> None:
    table = small_table() | {"flat": np.ones(60)}
    found = scan(table, pairs=[("v0", "v1"), ("flat", "v1")]).table.to_pylist()
    assert [row["status"] for row in found] == ["done", "failed"]
    assert found[1]["message"].startswith("Column 'flat' must vary")
    assert found[1]["confidence"] is None


def test_missing_values_are_refused_unless_they_may_be_dropped() -> None:
    table = small_table()
    table["v2"][7] = np.nan
    with pytest.raises(InvalidPairError, match="'v2' has 1 missing value, the first in row 8"):
        scan(table)
    counts = {(r["x"], r["y"]): r["n_rows"] for r in rows(scan(table, missing="drop"))}
    assert counts["v0", "v1"] == 60
    assert counts["v0", "v2"] == 59


class Interrupting:
    """Stops the scan with Ctrl-C after some pairs."""

    def __init__(self, after: int) -> None:
        self.after = after

    def __call__(self, progress) -> None:
        if progress.stage == "pairs" and progress.done - progress.before >= self.after:
            raise KeyboardInterrupt


def test_an_interrupted_scan_goes_on_where_it_was(tmp_path) -> None:
    table = mixed_table(45)
    settings = {"missing": "drop", "tie_orders": 2, "method": "bqcd"}
    whole = scan(table, **settings)
    with pytest.raises(KeyboardInterrupt):
        scan(table, out=tmp_path / "scan", progress=Interrupting(1), **settings)
    finished = ds.dataset(tmp_path / "scan" / "tiles").count_rows()
    assert 0 < finished < len(whole.table)
    told = []
    resumed = scan(table, out=tmp_path / "scan", progress=told.append, **settings)
    assert resumed.table.equals(whole.table)
    assert told[-1].done == told[-1].total == len(whole.table)
    assert {one.before for one in told if one.stage == "pairs"} == {finished}
    again = scan(table, out=tmp_path / "scan", progress=told.append, workers=2, **settings)
    assert again.table.equals(whole.table)


@pytest.mark.parametrize(
    ("change", "entry"),
    [
        ({"seed": 1}, "seed is 0, not 1"),
        ({"method": "igci-u"}, 'method is "bqcd", not "igci-u"'),
        ({"n_levels": 7}, "settings.n_levels is 3, not 7"),
        ({"missing": "drop"}, 'missing is "raise", not "drop"'),
        ({"exclude": "v0"}, "length of columns is 7, not 6"),
        ({"against": "v0"}, 'pairs is "all"'),
    ],
)
def test_another_scan_in_the_same_folder_is_refused_and_says_what_differs(
    tmp_path, change, entry
) -> None:
    table = small_table()
    scan(table, out=tmp_path / "scan")
    with pytest.raises(InvalidResultsError) as refusal:
        scan(table, out=tmp_path / "scan", **change)
    assert entry in str(refusal.value)
    assert "--fresh" in str(refusal.value)
    fresh = scan(table, out=tmp_path / "scan", fresh=True, **change)
    assert fresh.table.equals(scan(table, **change).table)


def test_changed_data_in_the_same_folder_are_refused(tmp_path) -> None:
    table = small_table()
    scan(table, out=tmp_path / "scan")
    table["v3"] = table["v3"].copy()
    table["v3"][0] += 1.0
    with pytest.raises(InvalidResultsError, match=r"input\.fingerprint"):
        scan(table, out=tmp_path / "scan")


def test_any_method_can_scan_and_a_broken_one_costs_its_pairs_only() -> None:
    table = small_table(4)
    found = scan(table, method="anm").table.to_pylist()
    for row in found:
        expected = bqcd.decide(row["x"], row["y"], table=table, method="anm")
        assert row["confidence"] == expected.confidence
    broken = scan(table, method=_Broken()).table.to_pylist()
    assert {row["status"] for row in broken} == {"failed"}
    assert broken[0]["message"] == "RuntimeError: out of order"


class Guessing:
    """A quick method of the user: nobody knows how quick it is, so that its tiles are small."""

    def decide(self, pair: Pair, rng: np.random.Generator) -> bqcd.Verdict:
        return bqcd.Verdict(float(np.mean(pair.x**3) - np.mean(pair.y**3)), pair)


class Unlucky(Guessing):
    """The same, where what the machine lacks is written down in a file."""

    def __init__(self, troubles, error: Exception, *columns: str) -> None:
        self.troubles, self.error, self.columns = troubles, error, columns

    def decide(self, pair: Pair, rng: np.random.Generator) -> bqcd.Verdict:
        if pair.x_name in self.columns and self.troubles.exists():
            raise self.error
        return super().decide(pair, rng)


def out_of_room() -> Exception:
    """What a library makes of a lack of memory."""
    wrapped = RuntimeError("no fit")
    wrapped.__cause__ = MemoryError("no room for 8 GB")
    return wrapped


@pytest.fixture
def troubles(tmp_path):
    path = tmp_path / "troubles"
    path.touch()
    return path


PASSING = [
    MemoryError("no room for 8 GB"),
    OSError(5, "Input/output error"),
    ConnectionResetError("the licence server is gone"),
    ModuleNotFoundError("No module named 'torch'"),
    BrokenExecutor("a process was killed"),
    out_of_room(),
]


@pytest.mark.parametrize("error", PASSING, ids=lambda error: type(error).__name__)
def test_what_passes_ends_the_tile_and_is_judged_when_the_scan_goes_on(
    tmp_path, troubles, error
) -> None:
    table, out = small_table(), tmp_path / "scan"
    method = Unlucky(troubles, error, "v2")
    with pytest.raises(WorkerError) as told:
        scan(table, method=method, out=out)
    assert re.match(r"Tile \d+ of the scan ended without an answer, as 2 more did", str(told.value))
    assert f"({type(error).__name__}: {error}; columns 'v2' and 'v3')" in str(told.value)
    assert str(told.value).endswith(f"is kept in {out}: run the same scan again to go on.")
    half = bqcd.read_scan(out)
    assert not half.complete
    assert set(half.pairs["status"].to_pylist()) == {"done"}
    troubles.unlink()
    found = scan(table, method=method, out=out)
    assert found.table.equals(scan(table, method=Guessing()).table)


def test_all_other_tiles_are_finished_first_unless_none_in_a_row_is(tmp_path, troubles) -> None:
    table = small_table(10)
    few = Unlucky(troubles, MemoryError("no room"), "v4")
    with pytest.raises(WorkerError, match=r"Tile 5 of the scan .* as 2 more did"):
        scan(table, method=few, out=tmp_path / "few")
    finished = {path.stem for path in (tmp_path / "few" / "tiles").iterdir()}
    assert finished == {f"{number:06d}" for number in set(range(15)) - {5, 8, 12}}
    everywhere = Unlucky(troubles, MemoryError("no room"), *table)
    with pytest.raises(WorkerError, match=r"Tile 0 .* as 2 more did"):
        scan(table, method=everywhere, out=tmp_path / "all")
    assert list((tmp_path / "all" / "tiles").iterdir()) == []
    with pytest.raises(WorkerError, match="Nothing is kept without a folder"):
        scan(table, method=everywhere)


@pytest.mark.xdist_group("engines")
def test_what_passes_in_a_worker_process_is_told_in_the_same_words(tmp_path, troubles) -> None:
    method = Unlucky(troubles, MemoryError("no room"), "v2")
    with pytest.raises(WorkerError, match=r"MemoryError: no room; columns 'v2' and 'v3'"):
        scan(small_table(4), method=method, workers=2, out=tmp_path / "scan")


def test_memory_that_is_short_for_many_pairs_at_once_ends_the_tile_too(tmp_path, monkeypatch):
    def short(*_):
        raise MemoryError("no room for 8 GB")

    table = small_table()
    with monkeypatch.context() as patch:
        patch.setattr(judging, "untied_dependence", short)
        with pytest.raises(WorkerError, match="MemoryError: no room for 8 GB"):
            scan(table, out=tmp_path / "scan")
    assert scan(table, out=tmp_path / "scan").table.equals(scan(table).table)


def test_pairs_that_failed_are_judged_again_if_so_asked(tmp_path, troubles) -> None:
    table, out = small_table() | {"flat": np.ones(60)}, tmp_path / "scan"
    pairs = [("v0", "v1"), ("v2", "v3"), ("v4", "flat"), *[("v5", "v6")] * 6]
    method = Unlucky(troubles, ZeroDivisionError("no"), "v2")
    first = scan(table, pairs=pairs, method=method, out=out).table
    assert first["status"].to_pylist().count("failed") == 2
    untouched = out / "tiles" / "000001.parquet"
    before = untouched.stat().st_mtime_ns
    troubles.unlink()
    assert scan(table, pairs=pairs, method=method, out=out).table.equals(first)
    again = scan(table, pairs=pairs, method=method, out=out, retry=True).table
    assert again.equals(scan(table, pairs=pairs, method=method).table)
    assert again["status"].to_pylist().count("failed") == 1
    assert untouched.stat().st_mtime_ns == before
    assert bqcd.read_scan(out).table.equals(again)


def test_nothing_is_done_where_no_pair_failed_but_for_its_columns(tmp_path) -> None:
    table, out = small_table() | {"flat": np.ones(60)}, tmp_path / "scan"
    pairs = [("v0", "v1"), ("v4", "flat")]
    first = scan(table, pairs=pairs, out=out).table
    told = []
    assert scan(table, pairs=pairs, out=out, retry=True, progress=told.append).table.equals(first)
    assert told == []
    with pytest.raises(InvalidSettingError, match="retry of scan"):
        scan(table, out=out, retry="yes")


def test_what_failed_before_is_kept_until_it_is_judged_again(tmp_path, troubles) -> None:
    table, out = small_table(), tmp_path / "scan"
    error = ZeroDivisionError("no")
    method = Unlucky(troubles, error, "v2")
    first = scan(table, method=method, out=out).table
    method.error = MemoryError("no room")
    with pytest.raises(WorkerError, match="no room"):
        scan(table, method=method, out=out, retry=True)
    assert bqcd.read_scan(out).table.equals(first)


def test_a_folder_can_be_taken_again_when_the_table_could_not_be_stored(tmp_path) -> None:
    table, out = small_table(), tmp_path / "scan"
    table["v2"][7] = np.nan
    with pytest.raises(InvalidPairError, match="'v2' has 1 missing value"):
        scan(table, out=out)
    assert not (out / "manifest.json").exists()
    assert scan(table, out=out, missing="drop").complete


def test_a_file_rewritten_during_a_scan_is_named_and_leaves_nothing(tmp_path) -> None:
    path, out = tmp_path / "t.parquet", tmp_path / "scan"
    pd.DataFrame(small_table()).to_parquet(path)
    other = pd.DataFrame({name: column[::-1] for name, column in small_table().items()})

    def rewrite(progress) -> None:
        if (progress.stage, progress.done) == ("columns", 3):
            other.to_parquet(path)

    with pytest.raises(InvalidTableError, match=r"t\.parquet' was changed while it was read"):
        scan(path, out=out, progress=rewrite)
    assert [one.name for one in out.rglob("*") if one.is_file()] == ["lock"]
    assert scan(path, out=out).table.equals(scan(other).table)


@pytest.mark.parametrize("name", ["*", "^a$", "^.*$"])
def test_names_of_a_lazy_frame_are_no_patterns(name) -> None:
    table = dict(zip(("a", name, "b"), small_table().values(), strict=False))
    found = scan(pl.LazyFrame(table))
    assert found.table.equals(scan(table).table)
    assert {row["x"] for row in rows(scan(pl.LazyFrame(table), against=name))} == {name}


class _Broken:
    def decide(self, pair: Pair, rng: np.random.Generator) -> bqcd.Verdict:
        raise RuntimeError("out of order")


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        ({"columns": "w*"}, InvalidTableError, r"No column matches 'w\*'"),
        ({"method": "bqdc"}, UnknownNameError, "No method is called 'bqdc'"),
        ({"engine": "lokal"}, InvalidSettingError, "There is no engine 'lokal'"),
        ({"pairs": [("v0", "v0")]}, InvalidTableError, "both are 'v0'"),
        ({"pairs": [("v0", "v1")], "against": "v1"}, InvalidSettingError, "either pairs or"),
        ({"columns": "v0", "against": "v0"}, InvalidTableError, "no column to judge 'v0' against"),
        ({"against": "v*"}, InvalidTableError, r"one column, but 'v\*' stands for 7"),
        ({"missing": "keep"}, InvalidSettingError, "missing of scan"),
        ({"seed": -1}, InvalidSettingError, "seed of scan"),
        ({"workers": 0}, InvalidSettingError, "workers"),
    ],
)
def test_what_cannot_be_scanned_is_refused_before_any_work(asked, error, message, tmp_path) -> None:
    with pytest.raises(error, match=message):
        scan(small_table(), out=tmp_path / "scan", **asked)
    assert not (tmp_path / "scan").exists()


def test_a_table_with_one_useful_column_has_no_pairs_and_says_so() -> None:
    found = scan({"a": np.arange(20.0), "b": np.ones(20)})
    assert len(found.table) == 0
    assert [facts.name for facts in found.columns if facts.problem] == ["b"]
    assert found.summary().startswith("No pair was judged.")
