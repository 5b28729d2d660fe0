"""The command `bqcd bench`: what it prints, writes and refuses, and how it is read."""

from __future__ import annotations

import csv
import gc
import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from socket import gethostname

import pytest

from bqcd.benchmark import ResultsFolder, read_results
from bqcd.benchmark.datasets import load_pairs, write_pairmeta
from bqcd.benchmark.running.contenders import contenders
from bqcd.benchmark.running.folder import RunSettings
from bqcd.benchmark.running.journal import latest, read_journal, read_segment
from bqcd.cli import main
from bqcd.cli.keyboard import Keyboard
from bqcd.runtime.version import __version__
from tests.benchmark.running.small_sets import small_set
from tests.cli.commanding import COMMAND, PLAIN

pytestmark = [
    pytest.mark.xdist_group("bench"),
    pytest.mark.skipif(sys.platform != "linux", reason="signals, terminals and /proc"),
]

ROOT = Path(__file__).parents[2]
ODD = "tests.benchmark.running.odd_methods:Odd"


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
        monkeypatch.setattr(Keyboard, "listen", lambda self: None)
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
    assert len(read_results(finished / "results.parquet")) == 24


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
    table = read_results(finished).table.to_pylist()
    coin = [row for row in table if row["method"] == "coin"]
    right = sum(row["weight"] * (row["confidence"] * row["truth"] > 0) for row in coin)
    assert float(matrix[0]["pairs"]) == pytest.approx(right / 18.0, rel=1e-12)
    assert [row["method"] for row in scores] == ["coin", ODD]
    assert [row["against"] for row in differences] == ["coin"]
    assert [(row["tasks"], row["first pair"]) for row in failures] == [("2", "pairs/0003")]


def test_a_report_of_a_file_is_that_of_its_folder(call, finished, tmp_path):
    read_results(finished).save(tmp_path / "t.jsonl")
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
        contenders(["coin"]),
        [load_pairs(pairs)],
        repeats=5,
        settings=RunSettings(__version__, 0),
    )
    done = call("report", tmp_path / "copy")
    assert done.returncode == 0
    assert done.stderr == "Unfinished: 18 tasks are still to be run.\n"
    assert done.stdout == call("report", finished).stdout


def test_damage_is_named_by_the_report_and_mended_by_the_next_run(call, finished, pairs, tmp_path):
    out = tmp_path / "copy"
    copytree(finished, out)
    (segment,) = (out / "journal").iterdir()
    lines = segment.read_bytes().split(b"\n")
    for number in (2, 5):
        lines[number - 1] = lines[number - 1].replace(b'"repeat": ', b'"repeat": 1')
    segment.write_bytes(b"\n".join(lines))
    told = f"bqcd: Lines 2, 5 of {segment} are damaged: they do not match their checksums. "
    done = call("report", out)
    missing = "Unfinished: 2 tasks are still to be run."
    assert done.returncode == 0
    assert done.stderr.splitlines() == [f"{told}Such lines count as missing.", missing]
    arguments = ["--methods", f"coin,{ODD}:does=raises:on=/0003", "--datasets", pairs]
    done = call(*arguments, "--repeats", 2, "--out", out)
    (line,) = done.stderr.splitlines()
    assert line == f"{told}Such lines are run again; the file as it was is 000001.damaged."
    done = call("report", out)
    assert (done.returncode, done.stderr) == (0, "")
    # Scores, without the seconds that the methods took.
    shown = [
        call("report", path, "--view", "csv").stdout.split("\n\n")[0] for path in (out, finished)
    ]
    assert shown[0] == shown[1]


@pytest.mark.parametrize("old", ['"layout": 1', '"layout": 3,\n "dig": "a"'])
def test_a_plan_that_is_not_to_be_trusted_is_refused_in_one_line(
    call, finished, pairs, tmp_path, old
):
    copytree(finished, tmp_path / "copy")
    plan = tmp_path / "copy" / "plan.json"
    text = re.sub(r',\s*"digest": "\w+"', "", plan.read_text())
    plan.write_text(text.replace('"layout": 3', old))
    run_it = ["--methods", "coin", "--datasets", pairs, "--out", plan.parent]
    for arguments in (["report", plan.parent], run_it):
        done = call(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        (line,) = done.stderr.splitlines()
        assert line.startswith("bqcd: ")
        assert line.endswith(": take another folder.")
        assert str(plan.parent) in line


def test_failed_tasks_are_tried_again_on_request(call, finished, pairs, tmp_path):
    copytree(finished, tmp_path / "copy")
    before = latest(read_journal(tmp_path / "copy" / "journal"))
    arguments = ["--methods", f"{ODD}:does=raises:on=/0003", "--datasets", pairs, "--repeats", 2]
    arguments += ["--out", tmp_path / "copy", "--retry"]
    done = call(*arguments)
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (tmp_path / "copy" / "journal").iterdir()}
    withdrawn, again = (
        read_segment(tmp_path / "copy" / "journal" / name).outcomes
        for name in sorted(names - {path.name for path in (finished / "journal").iterdir()})
    )
    assert [(key.pair, key.repeat) for key in again] == [("pairs/0003", 0), ("pairs/0003", 1)]
    assert withdrawn.keys() == again.keys() <= before.keys()


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
    assert read_results(tmp_path / "out").table["confidence"].to_pylist() == [0.5] * 6


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
    "no process": (["--workers", "0"], "workers"),
    "half a process": (["--workers", "0.5"], "--workers"),
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
def test_what_cannot_be_run_is_refused_in_one_line(call, finished, pairs, tmp_path, given, words):
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
    holder = f"process {os.getpid()} on {gethostname()}"
    assert done.stderr == f"bqcd: Another benchmark ({holder}) is writing to {finished} now.\n"


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
    for option in (
        "methods",
        "datasets",
        "out",
        "repeats",
        "workers",
        "time-limit",
        "seed",
        "format",
    ):
        assert f"--{option} " in shown
    assert "--retry" in shown
    assert "bqcd bench --methods bqcd,igci-g --datasets AN,LS --out results" in shown
    assert "report" in shown
    assert "--view" in call("report", "--help").stdout


def test_margins_are_told_and_kept_apart(call, pairs, tmp_path):
    asked = ("--methods", "reci,coin", "--datasets", pairs, "--out", tmp_path / "equal")
    done = call(*asked, "--margins", "normal")
    assert done.returncode == 0, done.stderr
    assert "equal margins (normal scores)" in done.stdout
    assert "margins=normal" in call("report", tmp_path / "equal").stdout
    refused = call(*asked)
    assert refused.returncode == 2
    assert "were made with margins normal, not as-is: take another folder" in refused.stderr
