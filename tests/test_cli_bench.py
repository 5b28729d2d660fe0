"""The command `bqcd bench`: run, killed at any moment, started again, and read."""

from __future__ import annotations

import csv
import gc
import io
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

from bqcd.benchmark import Results, ResultsFolder, run_benchmark
from bqcd.benchmark.contenders import contenders
from bqcd.benchmark.journal import read_outcomes, read_segment
from bqcd.cli import main
from bqcd.datasets import load_pairs, write_pairmeta
from bqcd.version import __version__
from tests.benchmark.odd_methods import processes_of
from tests.benchmark.small_sets import small_set
from tests.test_cli import COMMAND, PLAIN

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and terminals")

ROOT = Path(__file__).parents[1]
ODD = "tests.benchmark.odd_methods:Odd"


def environment(**more: str) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if name != "FORCE_COLOR"}
    return plain | PLAIN | {"PYTHONPATH": str(ROOT)} | more


def run(*arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, "bench", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        env=environment(**more),
        check=False,
    )


@pytest.fixture
def call(monkeypatch, capsys) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The command without the two seconds that a process of its own takes to start."""

    def called(*arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
        monkeypatch.setattr(sys, "argv", ["bqcd", "bench", *map(str, arguments)])
        monkeypatch.setattr(sys, "path", [*sys.path])
        for name, value in (PLAIN | more).items():
            monkeypatch.setenv(name, value)
        patience = gc.get_threshold()
        try:
            with pytest.raises(SystemExit) as left:
                main()
        finally:
            gc.set_threshold(*patience)
        code = left.value.code
        assert code is None or isinstance(code, int)
        return subprocess.CompletedProcess(arguments, code or 0, *capsys.readouterr())

    return called


def written_pairs(folder: Path, count: int) -> Path:
    return write_pairmeta(small_set(folder.name, count, rows=10), folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("bench")


@pytest.fixture(scope="module")
def pairs(folder) -> Path:
    return written_pairs(folder / "pairs", 6)


class Bench:
    """Runs of one command in a folder, in a session of their own, with a diary."""

    def __init__(self, folder: Path, method: str, pairs: Path, *, jobs: int = 2) -> None:
        self.out, self.diary = folder / "out", folder / "diary"
        self.diary.touch()
        self.mark = f"bqcd-test-{os.getpid()}-{time.monotonic_ns()}"
        self.command = [COMMAND, "bench", "--methods", method, "--datasets", pairs]
        self.command += ["--out", self.out, "--jobs", str(jobs), "--format", "csv"]

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=environment(ODD_DIARY=str(self.diary), ODD_MARK=self.mark),
        )

    def asked(self) -> list[str]:
        return self.diary.read_text().split()

    def finished(self) -> set[str]:
        return {key.pair for key in read_outcomes(self.out / "journal")}

    def processes(self) -> set[int]:
        return processes_of(self.mark)


def soon(condition: Callable[[], bool], seconds: float = 30.0) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def kill(runner: subprocess.Popen[str], bench: Bench, *, how: str) -> None:
    """Kill -9 the runner, its process group, or one after the other all that belongs to it."""
    if how == "group":
        os.killpg(runner.pid, signal.SIGKILL)
    else:
        others = bench.processes() if how == "all" else set()
        runner.kill()
        for process in others - {runner.pid}:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
    runner.communicate()


def test_killed_ten_times_at_random_the_table_is_that_of_one_clean_run(tmp_path):
    method, pairs = f"{ODD}:milliseconds=15", written_pairs(tmp_path / "pairs", 200)
    bench = Bench(tmp_path, method, pairs)
    rng = np.random.default_rng(2020)
    finished: set[str] = set()
    for number in range(10):
        before = len(bench.asked())
        runner = bench.start()
        if number % 4 == 0:
            # Any moment, often before the first task has begun.
            time.sleep(rng.uniform(0.0, 1.2))
        else:
            assert soon(lambda before=before: len(bench.asked()) > before)
            time.sleep(rng.uniform(0.0, 0.12))
        assert runner.poll() is None
        kill(runner, bench, how=("runner", "group", "all")[number % 3])
        assert soon(lambda: not bench.processes(), 10.0), "a process outlived its runner"
        assert not finished & set(bench.asked()[before:]), "a finished task was run again"
        finished = bench.finished()
    assert 20 < len(finished) < 200
    before = len(bench.asked())
    last = bench.start()
    printed, errors = last.communicate(timeout=60)
    assert (last.returncode, errors) == (0, "")
    assert "200 rows in" in printed
    asked = bench.asked()
    assert sorted(asked[before:]) == sorted({item.pair.key for item in load_pairs(pairs)} - finished)
    # Begun twice is only what each of two workers had in hand at a kill.
    assert set(asked) == {item.pair.key for item in load_pairs(pairs)}
    assert len(asked) - 200 <= 2 * 10
    clean = run_benchmark([method], [load_pairs(pairs)], jobs=2).table
    for table in (Results.load(bench.out).table, Results.load(bench.out / "results.csv").table):
        assert table.drop_columns(["seconds"]).equals(clean.drop_columns(["seconds"]))
    assert set(clean["status"].to_pylist()) == {"done"}


def test_nothing_outlives_a_killed_runner_even_if_it_holds_the_interpreter(tmp_path):
    hanging = ("holds_the_interpreter", "hangs_in_a_program")
    methods = ",".join(f"{ODD}:does={does}:on=/0001" for does in hanging)
    bench = Bench(tmp_path, methods, written_pairs(tmp_path / "pairs", 1))
    runner = bench.start()
    assert soon(lambda: len(bench.asked()) == 2)
    # Runner, fork server, tracker of resources, two workers, and the program one has started.
    assert soon(lambda: len(bench.processes()) >= 6)
    kill(runner, bench, how="runner")
    assert soon(lambda: not bench.processes(), 10.0)


def test_stopped_by_the_keyboard_it_says_so_and_goes_on_later(tmp_path):
    pairs = written_pairs(tmp_path / "pairs", 60)
    bench = Bench(tmp_path, f"{ODD}:milliseconds=20", pairs)
    runner = bench.start()
    assert soon(lambda: len(bench.asked()) > 5)
    os.killpg(runner.pid, signal.SIGINT)
    printed, errors = runner.communicate(timeout=30)
    assert runner.returncode == 130
    assert printed == ""
    (line,) = errors.splitlines()
    told = re.fullmatch(
        r"bqcd: stopped with (\d+) tasks to go; the same command goes on\.", line
    )
    assert told, line
    assert not bench.processes()
    stopped = Results.load(bench.out / "results.csv")
    assert len(stopped) == 60 - int(told[1]) > 0
    assert set(stopped.table["status"].to_pylist()) == {"done"}
    again = bench.start()
    assert again.communicate(timeout=30)[1] == ""
    assert again.returncode == 0
    assert len(Results.load(bench.out / "results.csv")) == 60
    assert len(bench.asked()) <= 60 + 2


def test_stopped_before_it_began_it_says_nothing(tmp_path, pairs):
    bench = Bench(tmp_path, "coin", pairs)
    runner = bench.start()
    time.sleep(0.05)
    os.killpg(runner.pid, signal.SIGINT)
    _, errors = runner.communicate(timeout=30)
    assert runner.returncode in (130, -signal.SIGINT)
    assert not bench.out.exists()
    assert "no results" not in errors


@pytest.fixture(scope="module")
def finished(folder, pairs) -> Path:
    """Folder of a benchmark in which one method fails once."""
    methods = f"coin,{ODD}:does=raises:on=/0003"
    done = run("--methods", methods, "--datasets", pairs, "--out", folder / "out", "--repeats", 2)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "Accuracy of forced decisions" in done.stdout
    assert f"24 rows in {folder / 'out'}; `bqcd bench report {folder / 'out'}`" in done.stdout
    return folder / "out"


def test_without_a_terminal_there_are_tables_and_no_bars(finished):
    assert len(Results.load(finished / "results.parquet")) == 24


SHEETS = ["Accuracy of forced decisions", "Scores", "Differences", "Failures"]


def test_the_report_for_the_terminal_has_every_sheet(finished):
    done = run("report", finished)
    assert (done.returncode, done.stderr) == (0, "")
    positions = [done.stdout.index(f"\n{title}\n") for title in SHEETS[1:]]
    assert positions == sorted(positions)
    assert done.stdout.startswith(SHEETS[0])
    assert 'ValueError: the data, "quoted" are not to my taste; 100 % \N{SNOWMAN}' in done.stdout


def test_the_report_fits_a_narrow_terminal(call, finished):
    done = call("report", finished, COLUMNS="80")
    assert max(len(line.rstrip()) for line in done.stdout.splitlines()) <= 80
    assert "…" not in done.stdout


def test_the_report_in_markdown_has_a_table_per_sheet(call, finished):
    done = call("report", finished, "--view", "markdown")
    assert [line[2:-2] for line in done.stdout.splitlines() if line.startswith("**")] == SHEETS
    assert done.stdout.count("\n|---|") == 4


def test_the_report_in_latex_has_a_table_per_sheet(call, finished):
    done = call("report", finished, "--view", "latex")
    assert re.findall(r"\\caption\{(.*)\}", done.stdout) == SHEETS
    assert done.stdout.count(r"\end{table}") == 4
    assert r"100 \% " in done.stdout


def test_the_report_in_comma_separated_values_has_every_digit(call, finished):
    done = call("report", finished, "--view", "csv")
    blocks = [list(csv.DictReader(io.StringIO(block))) for block in done.stdout.split("\n\n")]
    matrix, scores, differences, failures = blocks[:4]
    table = Results.load(finished).table.to_pylist()
    coin = [row for row in table if row["method"] == "coin"]
    right = sum(row["weight"] * (row["confidence"] * row["truth"] > 0) for row in coin)
    assert float(matrix[0]["pairs"]) == pytest.approx(right / 18.0, rel=1e-12)
    assert [row["method"] for row in scores] == ["coin", ODD]
    assert [row["against"] for row in differences] == ["coin"]
    assert [(row["tasks"], row["first pair"]) for row in failures] == [("2", "pairs/0003")]


def test_a_report_of_a_file_is_that_of_its_folder(call, finished, tmp_path):
    Results.load(finished).save(tmp_path / "t.jsonl")
    views = [call("report", path, "--view", "csv") for path in (finished, tmp_path / "t.jsonl")]
    assert views[0].stdout == views[1].stdout != ""


def test_a_report_is_written_in_every_format(call, finished, tmp_path):
    done = call("report", finished, "--view", "csv", "--out", tmp_path / "new" / "report")
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (tmp_path / "new" / "report").iterdir()}
    stems = ("accuracy", "scores", "differences", "failures")
    assert names >= {f"{stem}.{suffix}" for stem in stems for suffix in ("md", "tex", "csv")}
    for name in names:
        assert f"Written: {tmp_path / 'new' / 'report' / name}\n" in done.stderr
    assert "Written" not in done.stdout


def test_a_report_of_an_unfinished_benchmark_says_so(call, finished, pairs, tmp_path):
    copytree(finished, tmp_path / "copy")
    ResultsFolder(tmp_path / "copy").agree(
        contenders(["coin"]), [load_pairs(pairs)], repeats=5, seed=0, version=__version__
    )
    done = call("report", tmp_path / "copy")
    assert done.returncode == 0
    assert done.stderr == "Unfinished: 18 tasks are still to be run.\n"
    assert done.stdout == call("report", finished).stdout


def test_failed_tasks_are_tried_again_on_request(call, finished, pairs, tmp_path):
    copytree(finished, tmp_path / "copy")
    before = read_outcomes(tmp_path / "copy" / "journal")
    arguments = ["--methods", f"{ODD}:does=raises:on=/0003", "--datasets", pairs, "--repeats", 2]
    arguments += ["--out", tmp_path / "copy", "--retry"]
    done = call(*arguments)
    assert done.returncode == 0, done.stderr
    (segment,) = {path.name for path in (tmp_path / "copy" / "journal").iterdir()} - {
        path.name for path in (finished / "journal").iterdir()
    }
    again = read_segment(tmp_path / "copy" / "journal" / segment)
    assert [(key.pair, key.repeat) for key in again] == [("pairs/0003", 0), ("pairs/0003", 1)]
    assert before.keys() >= again.keys()


def test_a_method_in_the_current_folder_is_found(tmp_path, pairs):
    (tmp_path / "my_own_method.py").write_text(
        "from bqcd import Verdict\n"
        "class Mine:\n"
        "    def decide(self, pair, rng):\n"
        "        return Verdict(0.5, pair)\n"
    )
    done = subprocess.run(
        [COMMAND, "bench", "--methods", "my_own_method:Mine", "--datasets", pairs, "--out", "out"],
        cwd=tmp_path,
        env=environment(PYTHONPATH=""),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert Results.load(tmp_path / "out").table["confidence"].to_pylist() == [0.5] * 6


def on_terminal(command: list[object], *, width: int, env: dict[str, str]) -> str:
    """What a command shows on a terminal, without its colours and movements."""
    ours, theirs = pty.openpty()
    names = env | {"COLUMNS": str(width), "TERM": "xterm-256color"}
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=names)
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    assert process.wait(30) == 0
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())


def test_on_a_terminal_every_method_has_a_bar_with_the_time_it_still_needs(tmp_path):
    pairs = written_pairs(tmp_path / "pairs", 40)
    odd = 'odd_methods:Odd:milliseconds=30:does=raises:on="5"'
    bench = Bench(tmp_path, f"coin,{odd}", pairs, jobs=1)
    names = environment(PYTHONPATH=f"{ROOT}:{ROOT / 'tests' / 'benchmark'}")
    shown = on_terminal(bench.command, width=80, env=names)
    frames = shown.replace("\r", "\n").splitlines()
    clock = r"\d:\d\d:\d\d"
    for label in ("coin", "odd_methods:Odd"):
        last = [line for line in frames if re.match(rf"{label} ", line)][-1]
        assert re.search(rf"40/40 .* {clock} 0:00:00", last), last
    under_way = [line for line in frames if re.search(rf" ([1-9]|[123]\d)/40 .*{clock} {clock}", line)]
    assert under_way
    assert any("4 failed" in line for line in frames)
    assert "Accuracy of forced decisions" in shown
    assert max(len(line.rstrip()) for line in frames if "/40" in line) <= 80


REFUSED: dict[str, tuple[list[object], str]] = {
    "nothing": ([], "needs --methods, --datasets and --out"),
    "no folder": (["--methods", "coin", "--datasets", "PAIRS"], "--out"),
    "a misspelt method": (["--methods", "bqdc"], "'bqcd'"),
    "a misspelt setting": (["--methods", "bqcd:n_level=3"], "'n_levels'"),
    "a method twice": (["--methods", "coin,coin"], "comes twice"),
    "a method that is not there": (["--methods", "my.own:Method"], "my.own:Method"),
    "a misspelt benchmark": (["--datasets", "tubingen"], "'tuebingen'"),
    "a folder without pairs": (["--datasets", "EMPTY"], "pairmeta.txt"),
    "a folder that is not there": (["--datasets", "./nowhere"], "nowhere"),
    "a benchmark twice": (["--datasets", "PAIRS,PAIRS"], "different names"),
    "no process": (["--jobs", "0"], "jobs"),
    "half a process": (["--jobs", "0.5"], "--jobs"),
    "no repetition": (["--repeats", "0"], "repeats"),
    "no time": (["--time-limit", "0"], "time_limit"),
    "a negative seed": (["--seed", "-1"], "seed"),
    "an unknown format": (["--format", "xlsx"], "xlsx"),
    "another seed": (["--seed", "1", "--out", "FINISHED"], "made with seed 0, not 1"),
    "a file for a folder": (["--out", "FILE"], "is a file"),
    "a folder of other things": (["--out", "PAIRS"], "holds other things"),
    "a folder that cannot be made": (["--out", "FILE/out"], "FILE"),
    "a folder nobody may write to": (["--out", "/proc/bqcd-results"], "/proc/bqcd-results"),
}


@pytest.mark.parametrize(("given", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_run_is_refused_in_one_line(
    call, finished, pairs, tmp_path, given, words
):
    (tmp_path / "FILE").touch()
    (tmp_path / "EMPTY").mkdir()
    names = {"PAIRS": pairs, "FINISHED": finished}
    names |= {name: tmp_path / name for name in ("FILE", "EMPTY")}
    usual: dict[object, object] = {"--methods": "coin", "--datasets": "PAIRS", "--out": "NEW"}
    chosen = usual | dict(zip(given[::2], given[1::2], strict=True))
    if not given or "--out" in words:
        chosen = dict(zip(given[::2], given[1::2], strict=True))
    arguments = [
        re.sub("PAIRS|FINISHED|FILE|EMPTY", lambda found: str(names[found[0]]), str(item))
        for item in (part for both in chosen.items() for part in both)
    ]
    arguments = [str(tmp_path / "new") if item == "NEW" else item for item in arguments]
    done = call(*arguments)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("bqcd: ")
    assert words in line
    assert not (tmp_path / "new").exists()


def test_a_folder_in_use_is_refused_in_one_line(finished, pairs):
    with ResultsFolder(finished).held():
        done = run("--methods", "coin", "--datasets", pairs, "--out", finished)
    assert done.returncode == 2
    assert done.stderr == f"bqcd: Another benchmark is writing to {finished} now.\n"


@pytest.mark.parametrize("name", ["nowhere", "nowhere.csv", "EMPTY"])
def test_a_report_of_nothing_is_refused_in_one_line(call, tmp_path, name):
    (tmp_path / "EMPTY").mkdir()
    done = call("report", tmp_path / name)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert name in line


def test_help_names_every_option_and_an_example(call):
    shown = call("--help").stdout
    for option in ("methods", "datasets", "out", "repeats", "jobs", "time-limit", "seed", "format"):
        assert f"--{option} " in shown
    assert "--retry" in shown
    assert "bqcd bench --methods bqcd,igci-g --datasets AN,tuebingen --out results" in shown
    assert "report" in shown
    assert "--view" in call("report", "--help").stdout
