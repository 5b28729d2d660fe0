"""The folder of a benchmark: what it agrees to, what it refuses, who may write to it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from itertools import permutations

import pytest

from bqcd.benchmark import ResultsFolder, run_benchmark
from bqcd.benchmark.running.contenders import contenders
from bqcd.benchmark.running.folder import RunSettings
from bqcd.benchmark.running.journal import Outcome, Segment
from bqcd.benchmark.running.tasks import plan
from bqcd.data.margins import MARGINS
from bqcd.errors import InvalidResultsError
from tests.benchmark.running.small_sets import small_set


def agree(path, methods=("coin",), pairsets=None, **given) -> ResultsFolder:
    folder = ResultsFolder(path)
    repeats = given.pop("repeats", 1)
    settings = RunSettings(**({"seed": 0, "version": "1.0"} | given))
    with folder.held():
        asked = (contenders(methods), pairsets or [small_set()])
        folder.agree(*asked, repeats=repeats, settings=settings)
    return folder


def fill(folder: ResultsFolder, methods=("coin",), pairsets=None, *, repeats=1) -> None:
    segment = Segment(folder.journal)
    for task in plan(contenders(methods), pairsets or [small_set()], repeats=repeats, seed=0):
        segment.append(Outcome(task.key, 0.5, 0.001, "done"))
    segment.close()


def test_a_new_folder_holds_nothing_and_lacks_everything(tmp_path):
    folder = agree(tmp_path / "deep" / "new", repeats=3)
    assert len(folder.results()) == 0
    assert folder.missing() == 18
    assert folder.sources() == {"small": "made up for tests"}


def test_truth_and_weight_of_the_rows_are_those_of_the_pairs(tmp_path):
    folder = agree(tmp_path)
    fill(folder)
    table = folder.results().table
    assert table["pair"].to_pylist() == [f"small/{number}" for number in range(1, 7)]
    assert table["truth"].to_pylist() == [1, 1, -1, 1, 1, -1]
    assert table["weight"].to_pylist() == [1.0, 2.0, 1.0, 2.0, 1.0, 2.0]
    assert folder.missing() == 0


def test_what_is_asked_for_later_is_added(tmp_path):
    agree(tmp_path, repeats=2)
    folder = agree(tmp_path, ["bqcd", "coin"], [small_set("other"), small_set()], repeats=1)
    # coin on small keeps its two repetitions; three new combinations have one.
    assert folder.missing() == 6 * (2 + 3)
    fill(folder, ["bqcd", "coin"], [small_set("other"), small_set()], repeats=2)
    rows = folder.results().table
    keys = list(zip(*(rows[name].to_pylist()[::6] for name in ("pairset", "method")), strict=True))
    assert keys == [
        ("small", "coin"),
        ("small", "coin"),
        ("small", "bqcd"),
        ("other", "bqcd"),
        ("other", "coin"),
    ]


def test_outcomes_that_nobody_asked_for_are_not_in_the_table(tmp_path):
    folder = agree(tmp_path)
    fill(folder, ["coin", "bqcd"], repeats=2)
    assert set(folder.results().table["method"].to_pylist()) == {"coin"}
    assert len(folder.results()) == 6


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"seed": 1}, "made with seed 0, not 1: take another folder"),
        ({"version": "2.0"}, r"made with version 1\.0, not 2\.0: take another folder"),
        ({"pairsets": [small_set(seed=1)]}, "other data called 'small'"),
        ({"pairsets": [small_set(count=5)]}, "other data called 'small'"),
    ],
    ids=["seed", "version", "numbers", "pairs"],
)
def test_what_does_not_belong_into_one_table_is_refused_and_changes_nothing(tmp_path, given, words):
    agree(tmp_path)
    before = (tmp_path / "plan.json").read_bytes()
    with pytest.raises(InvalidResultsError, match=words):
        agree(tmp_path, **given)
    assert (tmp_path / "plan.json").read_bytes() == before


@pytest.mark.parametrize("field", ["truth", "weight"])
def test_other_answers_to_the_same_pairs_are_other_data(tmp_path, field):
    pairs = small_set()
    agree(tmp_path, pairsets=[pairs])
    first, *rest = pairs
    other = {"truth": first.truth.flipped(), "weight": 5.0}[field]
    changed = replace(pairs, items=(replace(first, **{field: other}), *rest))
    with pytest.raises(InvalidResultsError, match="other data called 'small'"):
        agree(tmp_path, pairsets=[changed])


def test_a_folder_of_other_things_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    (tmp_path / "journal").mkdir()
    with pytest.raises(InvalidResultsError, match="holds other things"):
        agree(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"thesis.tex", "journal"}


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(InvalidResultsError, match="out is a file"):
        agree(tmp_path / "out")


PART = ".plan.json.0123456789abcdef.part"


@pytest.mark.parametrize("left", [[], ["lock"], ["lock", "journal"], ["lock", "journal", PART]])
def test_a_folder_that_was_just_begun_is_gone_on_with(tmp_path, left):
    for name in left:
        if name == "journal":
            (tmp_path / name).mkdir()
        else:
            (tmp_path / name).write_text("{")
    assert agree(tmp_path).missing() == 6


HOLDING = """
import sys
from bqcd.benchmark import ResultsFolder
with ResultsFolder(sys.argv[1]).held():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_folder_in_use_is_refused_until_its_user_has_gone(tmp_path):
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDING, tmp_path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(InvalidResultsError, match=r"Another benchmark \(process \d+ on "):
            agree(tmp_path)
    finally:
        holder.kill()
        holder.communicate()
    assert agree(tmp_path).missing() == 6


def test_a_folder_without_results_says_so(tmp_path):
    for ask in (ResultsFolder.results, ResultsFolder.missing):
        with pytest.raises(InvalidResultsError, match="no results of a benchmark in"):
            ask(ResultsFolder(tmp_path))


BROKEN = {
    "cut": lambda text: text[:-1],
    "empty": lambda text: "",
    "a list": lambda text: "[]",
    "somebody else's": lambda text: '{"name": "holiday"}',
    "too deep": lambda text: "[" * 100_000,
    "another weight": lambda text: text.replace("2.0", "3.0"),
    "another layout": lambda text: text.replace('"layout": 4', '"layout": 5'),
    "no digest": lambda text: text.replace('"digest"', '"digesu"'),
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_a_damaged_plan_is_named_and_nothing_is_written_beside_it(tmp_path, broken):
    agree(tmp_path)
    text = broken((tmp_path / "plan.json").read_text())
    (tmp_path / "journal").rmdir()
    (tmp_path / "plan.json").write_text(text)
    for ask in (ResultsFolder.results, ResultsFolder.missing, lambda _: agree(tmp_path)):
        with pytest.raises(InvalidResultsError) as caught:
            ask(ResultsFolder(tmp_path))
        assert str(caught.value).startswith(f"{tmp_path / 'plan.json'} is damaged or no plan of")
        assert "\n" not in str(caught.value)
    assert {path.name for path in tmp_path.iterdir()} == {"plan.json", "lock"}


def test_a_folder_of_an_old_layout_is_refused(tmp_path):
    agree(tmp_path)
    folder = ResultsFolder(tmp_path)
    folder.write_record(folder.read_record() | {"layout": 2})
    for ask in (ResultsFolder.results, lambda _: agree(tmp_path)):
        with pytest.raises(InvalidResultsError, match=r"have layout 2, .* 3 and 4 only: take"):
            ask(ResultsFolder(tmp_path))


def test_what_a_killed_run_has_left_is_cleared_away_and_other_files_are_not(tmp_path):
    folder = agree(tmp_path)
    left = [PART, ".results.csv.0123456789abcdef.part", "journal/.000001.jsonl.0123456789.part"]
    for name in left:
        (tmp_path / name).write_text("half")
    (tmp_path / "scratch").mkdir()
    (tmp_path / ".notes.part").write_text("mine")
    with folder.held():
        assert folder.resume() == {}
    names = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")}
    assert names == {"plan.json", "lock", "journal", ".notes.part"}


def test_what_workers_need_is_gone_when_they_are(tmp_path):
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch" / "left").write_text("by a run that was killed")
    with ResultsFolder(tmp_path).scratch() as scratch:
        assert list(scratch.iterdir()) == []
        (scratch / "pairs.bin").write_text("")
        if sys.platform != "win32":
            assert scratch.stat().st_mode & 0o777 == 0o700
    assert not scratch.exists()


def test_what_workers_need_is_gone_after_an_error(tmp_path):
    with pytest.raises(RuntimeError), ResultsFolder(tmp_path).scratch():
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_a_folder_after_a_run_holds_what_it_should(tmp_path):
    run_benchmark(["coin"], [small_set()], out=tmp_path / "out", file_format="csv")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"plan.json", "journal", "lock", "results.csv", "workers.log"}
    assert json.loads((tmp_path / "out" / "plan.json").read_text())["seed"] == 0


def test_a_folder_from_before_there_was_a_choice_of_margins_goes_on_as_it_was(tmp_path):
    folder = agree(tmp_path)
    fill(folder)
    plan = folder.read_record()
    folder.write_record({name: plan[name] for name in plan if name != "margins"} | {"layout": 3})
    found = ResultsFolder(tmp_path).results()
    assert (len(found), found.margins, found.origin.margins) == (6, "as-is", "as-is")
    assert agree(tmp_path).missing() == 0
    with pytest.raises(InvalidResultsError, match="made with margins as-is, not normal"):
        agree(tmp_path, margins="normal")


@pytest.mark.parametrize(("first", "second"), list(permutations(MARGINS, 2)))
def test_results_of_other_margins_are_kept_apart(tmp_path, first, second):
    fill(agree(tmp_path, margins=first))
    with pytest.raises(InvalidResultsError, match=f"with margins {first}, not {second}: take"):
        agree(tmp_path, margins=second)
    results = agree(tmp_path, margins=first).results()
    assert results.margins == results.origin.margins == first
    assert set(results.table["margins"].to_pylist()) == {first}
