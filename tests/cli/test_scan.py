"""The command that scans a table, as a person would use it."""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import bqcd
from bqcd.cli import main
from bqcd.cli.keyboard import Keyboard
from bqcd.methods.chance import Coin
from bqcd.scans.progress import ScanProgress
from bqcd.scans.reading import read_scan
from tests.cli.commanding import COMMAND, run
from tests.cli.test_bench import environment
from tests.cli.test_bench_interrupted import on_terminal, soon

# One process, as the one that becomes the command takes a while to load.
pytestmark = pytest.mark.xdist_group("command")

N_ROWS = 150
ODD = "odd\x1b[31m [bold]"


def columns() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(11)
    a, b, other = rng.normal(size=(3, N_ROWS))
    bent = a**2 + 0.3 * rng.normal(size=N_ROWS)
    odd = np.sin(2.0 * bent) + 0.2 * rng.normal(size=N_ROWS)
    return {"a": a, "b": b, "other": other, "bent": bent, ODD: odd}


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("scan") / "cells.parquet"
    flat, words = np.ones(N_ROWS), ["word"] * N_ROWS
    pq.write_table(pa.table(columns() | {"flat": flat, "words": words}), path)
    return path


def table_of(path: Path, rows: int) -> Path:
    """Twenty columns, 190 pairs, in a file."""
    values = np.random.default_rng(12).normal(size=(20, rows))
    pq.write_table(pa.table({f"c{at}": column for at, column in enumerate(values)}), path)
    return path


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    return table_of(tmp_path_factory.mktemp("scan") / "many.parquet", 120)


@pytest.fixture
def called(monkeypatch, capsys):
    """The command in this process: its exit code, and what it prints."""

    def call(*arguments: object) -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "argv", ["bqcd", *map(str, arguments)])
        monkeypatch.setattr(gc, "set_threshold", lambda threshold: None)
        monkeypatch.setattr(Keyboard, "listen", lambda self: None)
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, *capsys.readouterr()

    return call


@pytest.fixture(scope="module")
def printed(table, tmp_path_factory):
    """One run with every kind of file."""
    folder = tmp_path_factory.mktemp("files")
    files = ["--save", folder / "all.csv", "--csv", folder / "all.parquet"]
    files += ["--matrix", folder / "matrix.csv", "--graph", folder / "verdicts.graphml"]
    done = run("scan", table, "--top", 2, *files, cold=True)
    assert done.returncode == 0, done.stderr
    return done, folder


def test_the_foremost_pairs_and_the_columns_left_out_are_shown(printed):
    done, _ = printed
    lines = done.stdout.splitlines()
    assert lines[0] == "2 pairs of 10 by probability"
    assert re.match(r" a +-> +bent +clear +0\.\d\d +0\.\d{4} ", lines[4])
    assert any("'flat' must vary" in line for line in lines)
    assert any("'words' must vary" in line for line in lines)
    text = " ".join(done.stdout.split())
    assert "Judged by bqcd, then panel on " in text
    assert "10 of 10 pairs of 5 columns of cells.parquet (150 rows)" in text
    assert done.stderr == ""


def test_what_is_printed_is_plain_and_fits_a_terminal(table):
    done = run("scan", table, COLUMNS="80")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "odd\\x1b[31m [bold]" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize("width", [80, 60, 120])
def test_the_foremost_pairs_are_one_table_whatever_the_width(table, width):
    lines = run("scan", table, "--top", 3, COLUMNS=str(width)).stdout.splitlines()
    assert max(map(len, lines)) <= width
    heads = [line.split() for line in lines if line.split()[:2] == ["cause", "effect"]]
    assert len(heads) == 1
    # What matters most is there at any width.
    assert heads[0][2:4] in (["answer", "prob."], ["answer", "probability"])
    # Lines of pairs, each with its arrow once.
    assert sum(" -> " in line or " -- " in line for line in lines) == 3


def test_files_hold_all_pairs_with_the_numbers_of_decide(printed):
    _, folder = printed
    rows = pq.read_table(folder / "all.parquet").to_pylist()
    assert len(rows) == 10
    held = columns()
    for row in rows:
        verdict = bqcd.decide(held[row["x"]], held[row["y"]])
        assert row["confidence"] == verdict.confidence
    read = csv.read_csv(folder / "all.csv")
    assert read["confidence"].to_pylist() == [row["confidence"] for row in rows]


def test_matrix_and_graph_are_written(printed):
    done, folder = printed
    lines = (folder / "matrix.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == f",a,b,other,bent,{ODD}"
    graph = nx.read_graphml(folder / "verdicts.graphml")
    labels = nx.get_node_attributes(graph, "name") or {node: node for node in graph}
    assert set(labels.values()) == {"a", "b", "other", "bent", "odd\\x1b[31m [bold]"}
    edges = {(labels[tail], labels[head]) for tail, head in graph.edges}
    assert ("a", "bent") in edges
    assert done.stdout.count("Written: ") == 4


def test_the_second_method_can_be_left_out(table):
    done = run("scan", table, "--then", "none", "--exclude", "odd*", "--top", 2)
    assert done.stdout.splitlines()[0] == "2 pairs of 6 by confidence"
    assert "Judged by bqcd: 6 of 6 pairs" in " ".join(done.stdout.split())


def test_json_is_one_object_with_the_foremost_pairs(table):
    done = run("scan", table, "--json", "--top", 3, "--max-q", 0.01, "--exclude", "odd*")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1
    told = json.loads(done.stdout)
    assert [(row["x"], row["y"], row["direction"]) for row in told["top"]] == [("a", "bent", "->")]
    assert (told["n_pairs"], told["n_rows"], told["complete"]) == (6, N_ROWS, True)
    assert [one["name"] for one in told["skipped"]] == ["flat", "words"]
    assert told["summary"].startswith("1 of 6 pairs has a clear direction, 0 lean")
    assert told["answers"] == {"clear": 1, "leaning": 0, "cannot tell": 5}


def test_it_is_said_if_no_pair_is_left(table, called):
    code, printed, _ = called("scan", table, "-c", "b", "-c", "other", "--max-q", 0.0)
    assert code == 0
    first, *_ = printed.splitlines()
    assert first == "No pair is left by --min-dependence and --max-q."


@pytest.mark.skipif(sys.platform == "win32", reason="head")
def test_whoever_reads_the_answer_may_leave_early(table):
    command = f'set -o pipefail; "{COMMAND}" scan "{table}" | head -n 1'
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, env=environment(), check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_quiet_prints_nothing_and_writes_the_files(table, tmp_path, called):
    path = tmp_path / "pairs.csv"
    assert called("scan", table, "--quiet", "--save", path) == (0, "", "")
    assert len(path.read_text(encoding="utf-8").splitlines()) == 11


def test_one_column_is_judged_against_all_others_with_settings_of_the_method(table, called):
    asked = ("--against", "a", "--dtype", "float", "--set", "n_levels=5")
    told = json.loads(called("scan", table, *asked, "--json")[1])
    assert (told["method"], told["settings"]) == ("bqcd", {"n_levels": 5})
    rows = {row["y"]: row for row in told["top"] if row["x"] == "a"}
    assert {"b", "other", "bent", ODD} <= set(rows)
    held = columns()
    verdict = bqcd.decide(held["a"], held["bent"], n_levels=5)
    assert rows["bent"]["confidence"] == verdict.confidence


def test_a_file_of_pairs_is_judged_on_rows_without_gaps(tmp_path, called):
    held = columns()
    held["a"][:30] = np.nan
    lines = [",".join(("a", "b", "bent"))]
    lines += [f"{a},{b},{c}" for a, b, c in zip(held["a"], held["b"], held["bent"], strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "pairs.csv").write_text("bent,a\nb,bent\n", encoding="utf-8")
    asked = ["scan", tmp_path / "t.csv", "--pairs", tmp_path / "pairs.csv", "--json"]
    told = json.loads(called(*asked, "--missing", "drop")[1])
    rows = {(row["x"], row["y"]): row["n_rows"] for row in told["top"]}
    assert rows == {("bent", "a"): 120, ("b", "bent"): 150}
    assert "(150 rows, of which a pair has 120 to 150)" in told["summary"]
    code, _, errors = called(*asked)
    assert code == 2
    assert "'a' has 30 missing values" in errors


def test_a_folder_is_gone_on_with_and_another_scan_refused_unless_fresh(table, tmp_path, called):
    out = tmp_path / "scan"
    first = called("scan", table, "-o", out, "--top", 1)
    assert (first[0], first[2]) == (0, "")
    assert called("scan", table, "-o", out, "--top", 1) == first
    code, printed, errors = called("scan", table, "-o", out, "--seed", 1)
    assert (code, printed) == (2, "")
    assert "seed is 0, not 1" in errors
    assert "--fresh" in errors
    assert called("scan", table, "-o", out, "--seed", 1, "--fresh", "--quiet") == (0, "", "")


@pytest.fixture
def unlucky(tmp_path, monkeypatch):
    """Has a method fail on pairs of one column, until the file that is returned is gone."""
    decide, troubles = Coin.decide, tmp_path / "troubles"
    troubles.touch()

    def arrange(error: type[Exception]):
        def fails(self, pair, rng):
            if pair.x_name == "a" and troubles.exists():
                raise error("no room for 8 GB")
            return decide(self, pair, rng)

        monkeypatch.setattr(Coin, "decide", fails)
        monkeypatch.chdir(tmp_path)
        return troubles

    return arrange


def test_a_lack_of_memory_is_told_and_the_same_command_goes_on(table, tmp_path, called, unlucky):
    troubles = unlucky(MemoryError)
    asked = ("scan", table, "--method", "coin", "-o", "kept", "--json")
    code, printed, errors = called(*asked)
    assert (code, printed) == (2, "")
    assert len(errors.splitlines()) == 1
    assert "MemoryError: no room for 8 GB; columns 'a' and 'b'" in errors
    assert f"kept in {tmp_path / 'kept'}: run the same scan again" in errors
    troubles.unlink()
    assert json.loads(called(*asked)[1])["n_judged"] == 10


def test_failed_pairs_are_judged_again_with_retry(table, called, unlucky):
    troubles = unlucky(ZeroDivisionError)
    asked = ("scan", table, "--method", "coin", "-o", "kept", "--json")
    assert json.loads(called(*asked)[1])["n_judged"] == 6
    troubles.unlink()
    assert json.loads(called(*asked)[1])["n_judged"] == 6
    assert json.loads(called(*asked, "--retry")[1])["n_judged"] == 10


def test_processes_change_nothing(many, tmp_path):
    paths = [tmp_path / f"{workers}.csv" for workers in (1, 2)]
    for workers, path in enumerate(paths, 1):
        done = run("scan", many, "-j", workers, "--quiet", "--save", path, cold=workers > 1)
        assert done.returncode == 0, done.stderr
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--columns", "gene_*"], "'gene_*'"),
        (["--against", "nobody"], "'nobody'"),
        (["--pairs", "none.csv"], "none.csv"),
        (["--method", "bqdc"], "'bqcd'"),
        (["--set", "seed=1"], "--set seed"),
        (["--set", "workers=1"], "'workers'"),
        (["--set", "levls=3"], "'levels'"),
        (["--engine", "dusk"], "'dask'"),
        (["--address", "tcp://nowhere"], "address"),
        (["--fresh"], "--fresh goes with --out"),
        (["--retry"], "--retry goes with --out"),
        (["--save", "pairs.xlsx"], "'.xlsx'"),
        (["--matrix", "matrix.txt"], "'.txt'"),
        (["--graph", "graph.xyz"], "xyz"),
        (["--save", "nowhere/pairs.csv"], "nowhere"),
        (["--top", "-1"], "--top"),
        (["--max-q", "2"], "--max-q"),
        (["--min-dependence", "nan"], "--min-dependence"),
        (["--workers", "0"], "workers"),
    ],
)
def test_mistakes_are_told_in_one_line(table, arguments, word, called):
    code, printed, errors = called("scan", table, *arguments)
    assert (code, printed) == (2, "")
    assert len(errors.splitlines()) == 1, errors
    assert word in errors


@pytest.mark.parametrize(
    ("arguments", "stage", "words"),
    [
        ([], "pairs", "stopped; nothing is kept without --out FOLDER."),
        (
            ["-o", "kept"],
            "columns",
            "stopped before any pair was judged; the same command goes on.",
        ),
        (
            ["-o", "kept", "--fresh"],
            "pairs",
            "stopped with 1,200 of 5,000 pairs done, which are kept in kept; the same command "
            "without --fresh goes on.",
        ),
    ],
)
def test_the_last_word_says_how_to_go_on(called, monkeypatch, arguments, stage, words):
    def stopped(table, *, progress, **asked):
        progress(ScanProgress(done=1200, total=5000, before=1000, stage=stage))
        raise KeyboardInterrupt

    monkeypatch.setattr("bqcd.scans.scanning.scan", stopped)
    code, printed, errors = called("scan", "t.csv", *arguments)
    assert (code, printed, errors.strip()) == (130, "", f"bqcd: {words}")


def compiled(method: str) -> None:
    """Have the kernels of a scan compiled, or else a command says that it compiles them."""
    columns = np.random.default_rng(0).normal(size=(2, 40))
    bqcd.scan(dict(zip("ab", columns, strict=True)), method=method)


@pytest.mark.skipif(sys.platform != "linux", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_or_ended_it_keeps_what_is_finished_and_says_how_to_go_on(tmp_path, number):
    compiled("anm")
    table, out = table_of(tmp_path / "long.parquet", 1000), tmp_path / "scan"
    # Judging all pairs takes some seconds, a tile of them a fraction of one.
    command = [COMMAND, "scan", table, "--method", "anm", "-o", out, "--save", tmp_path / "a.csv"]
    runner = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=environment(),
    )
    assert soon(lambda: len(list(out.glob("tiles/*.parquet"))) >= 2)
    os.killpg(runner.pid, number)
    printed, errors = runner.communicate(timeout=60)
    assert (runner.returncode, printed) == (128 + number, "")
    told = re.fullmatch(
        r"bqcd: stopped with (\d+) of 190 pairs done, which are kept in (.+); the same command "
        r"goes on\.\n",
        errors,
    )
    assert told, errors
    assert told[2] == str(out)
    half = read_scan(out)
    assert int(told[1]) <= len(half) < 190
    assert not half.complete
    assert not (tmp_path / "a.csv").exists()
    assert run(*command[1:]).returncode == 0
    whole = read_scan(out)
    assert whole.complete
    kept = {(row["x"], row["y"]): row["confidence"] for row in half.pairs.to_pylist()}
    found = {(row["x"], row["y"]): row["confidence"] for row in whole.pairs.to_pylist()}
    assert len(found) == 190
    assert kept.items() <= found.items()


@pytest.mark.skipif(sys.platform != "linux", reason="terminals")
def test_on_a_terminal_a_bar_tells_pairs_pace_and_time(many):
    compiled("emd")
    command = [COMMAND, "scan", many, "--method", "emd", "--top", "1"]
    shown = on_terminal(command, width=80, env=environment())
    frames = shown.replace("\r", "\n").splitlines()
    bars = [line for line in frames if "/190" in line]
    assert re.search(r"judging pairs .* 190/190 +[\d.,]+/s +\d:\d\d:\d\d 0:00:00", bars[-1])
    assert any("reading columns" in line for line in frames)
    assert max(len(line.rstrip()) for line in bars) <= 80
    assert "1 pair of 190 by confidence" in shown
