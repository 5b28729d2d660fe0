"""A benchmark as a whole: the same table however, wherever and how often it is run."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bqcd
from bqcd import Verdict, decide_pair, run_benchmark
from bqcd.benchmark import ResultsFolder, contender
from bqcd.benchmark.datasets import PairSet
from bqcd.benchmark.running.tasks import TaskKey
from bqcd.data.margins import with_margins
from bqcd.errors import DamagedResultsWarning, InvalidResultsError, InvalidSettingError
from tests.benchmark.running.odd_methods import Claims, Kept, Odd
from tests.benchmark.running.small_sets import small_set

pytestmark = pytest.mark.xdist_group("crew")

METHODS = ["coin", "bqcd", ("drawn", Odd())]
SETS = [small_set("first", 9, rows=30), small_set("second", 4, rows=20)]


def rows(results, *, but: str = "seconds") -> list[tuple]:
    return list(zip(*results.table.drop_columns([but]).to_pydict().values(), strict=True))


@pytest.fixture
def diary(tmp_path) -> Path:
    """File that names every pair a method of ours was asked about, as often as it was."""
    path = tmp_path / "diary"
    path.touch()
    return path


@pytest.fixture(scope="module")
def clean():
    return run_benchmark(METHODS, SETS, repeats=2)


def test_there_is_one_row_per_method_pair_and_repetition_in_the_order_of_the_arguments(clean):
    assert len(clean) == 3 * (9 + 4) * 2
    table = clean.table
    assert table["pairset"].to_pylist() == ["first"] * 54 + ["second"] * 24
    assert table["method"].to_pylist()[:54] == ["coin"] * 18 + ["bqcd"] * 18 + ["drawn"] * 18
    assert table["repeat"].to_pylist()[:18] == [0] * 9 + [1] * 9
    assert table["pair"].to_pylist()[:9] == [f"first/{number}" for number in range(1, 10)]
    assert set(table["status"].to_pylist()) == {"done"}


def test_a_row_is_what_the_method_says_with_the_seed_of_its_key(clean):
    pairs = {item.pair.key: item for pairset in SETS for item in pairset}
    for row in clean.table.to_pylist():
        key = TaskKey(*(row[name] for name in TaskKey._fields))
        method = Odd() if row["method"] == "drawn" else contender(row["method"]).method
        item = pairs[row["pair"]]
        verdict = decide_pair(item.pair, method=method, seed=key.seed(0))
        assert row["confidence"] == verdict.confidence
        assert (row["truth"], row["weight"]) == (item.truth.sign, item.weight)
        assert row["seconds"] > 0.0


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_the_table_is_the_same_for_any_number_of_processes(clean, jobs):
    assert rows(run_benchmark(METHODS, SETS, repeats=2, workers=jobs)) == rows(clean)


def test_the_order_of_methods_and_benchmarks_changes_the_order_of_rows_only(clean):
    turned = run_benchmark(METHODS[::-1], SETS[::-1], repeats=2, workers=2)
    assert rows(turned) != rows(clean)
    assert sorted(rows(turned)) == sorted(rows(clean))


def test_a_method_gets_the_same_rows_alone_as_in_company(clean):
    alone = run_benchmark(["coin"], [SETS[1]])
    together = [row for row in rows(clean) if (row[0], row[2], row[4]) == ("second", "coin", 0)]
    assert rows(alone) == together


def test_another_seed_gives_other_draws_on_the_same_pairs():
    one, other = (run_benchmark([("drawn", Odd())], [SETS[0]], seed=seed) for seed in (0, 1))
    confidences = [np.array(results.table["confidence"]) for results in (one, other)]
    assert (confidences[0] != confidences[1]).all()


def test_repetitions_are_drawn_anew_and_look_independent():
    results = run_benchmark([("drawn", Odd())], [small_set(count=50)], repeats=8)
    drawn = np.array(results.table["confidence"]).reshape(8, 50)
    assert len(np.unique(drawn)) == 400
    # 400 standard normal draws: mean 0 and correlations 0, within 4 standard deviations.
    assert abs(drawn.mean()) < 4.0 / np.sqrt(400)
    correlations = np.corrcoef(drawn)[np.triu_indices(8, 1)]
    assert np.abs(correlations).max() < 4.0 / np.sqrt(50)


def test_more_repetitions_add_rows_and_keep_the_old_ones(tmp_path, diary):
    method = [("kept", Kept(str(diary)))]
    first = run_benchmark(method, [SETS[0]], out=tmp_path / "out")
    more = run_benchmark(method, [SETS[0]], out=tmp_path / "out", repeats=3, workers=2)
    assert more.table.slice(0, 9).equals(first.table)
    assert len(more) == 27
    asked = diary.read_text().split()
    assert sorted(asked) == sorted([item.pair.key for item in SETS[0]] * 3)
    assert rows(more) == rows(run_benchmark(method, [SETS[0]], repeats=3))


def test_fewer_repetitions_later_run_nothing_and_drop_nothing(tmp_path):
    out = tmp_path / "out"
    three = run_benchmark(["coin"], [SETS[0]], out=out, repeats=3)
    one = run_benchmark(["coin"], [SETS[0]], out=out, repeats=1)
    assert one.table.equals(three.table)


def test_methods_and_benchmarks_can_be_added_to_a_folder(tmp_path, diary, clean):
    out = tmp_path / "out"
    kept = ("kept", Kept(str(diary)))
    run_benchmark([kept], [SETS[1]], out=out, repeats=2)
    run_benchmark(["coin", kept], [SETS[1]], out=out, repeats=2)
    everything = run_benchmark([*METHODS, kept], SETS, out=out, repeats=2, workers=2)
    asked = diary.read_text().split()
    assert sorted(asked) == sorted([item.pair.key for pairs in SETS for item in pairs] * 2)
    others = [row for row in rows(everything) if row[2] != "kept"]
    assert sorted(others) == sorted(rows(clean))


def test_a_finished_benchmark_is_read_and_not_run(tmp_path, monkeypatch):
    out = tmp_path / "out"
    first = run_benchmark(["coin"], [SETS[0]], out=out)
    monkeypatch.setattr("bqcd.benchmark.running.runner.Batches", None)
    again = run_benchmark(["coin"], [SETS[0]], out=out, file_format="jsonl")
    assert again.table.equals(first.table)
    for name in ("results.parquet", "results.jsonl"):
        assert bqcd.read_results(out / name).table.equals(first.table)
    assert bqcd.read_results(out).table.equals(first.table)


def test_a_run_that_broke_off_goes_on_where_it_was(tmp_path, diary):
    class Enough(Exception):
        pass

    def stop(progress):
        if progress[0].ended >= 3:
            raise Enough

    method = [("kept", Kept(str(diary)))]
    out = tmp_path / "out"
    with pytest.raises(Enough):
        run_benchmark(method, [SETS[0]], out=out, progress=stop)
    finished = ResultsFolder(out).results()
    assert 3 <= len(finished) < 9
    assert bqcd.read_results(out / "results.parquet").table.equals(finished.table)
    asked = len(diary.read_text().split())
    results = run_benchmark(method, [SETS[0]], out=out)
    begun_later = diary.read_text().split()[asked:]
    assert not set(begun_later) & set(finished.table["pair"].to_pylist())
    assert rows(results) == rows(run_benchmark(method, [SETS[0]]))


def test_a_torn_line_and_a_damaged_line_cost_one_task_each(tmp_path, diary):
    method = [("kept", Kept(str(diary)))]
    out = tmp_path / "out"
    whole = run_benchmark(method, [SETS[0]], out=out)
    (segment,) = (out / "journal").iterdir()
    content = segment.read_bytes()
    segment.write_bytes(content[:-20])
    diary.write_text("")
    assert rows(run_benchmark(method, [SETS[0]], out=out)) == rows(whole)
    assert diary.read_text().split() == ["first/9"]
    damaged = content.replace(b'"first/2"', b'first/2"')
    segment.write_bytes(damaged)
    diary.write_text("")
    with pytest.warns(DamagedResultsWarning, match=r"Line 2 of .*000001\.jsonl is damaged"):
        assert rows(run_benchmark(method, [SETS[0]], out=out)) == rows(whole)
    assert diary.read_text().split() == ["first/2"]
    assert segment.with_suffix(".damaged").read_bytes() == damaged
    # Mended: nobody is warned again.
    assert rows(run_benchmark(method, [SETS[0]], out=out)) == rows(whole)


def test_failed_tasks_are_run_again_only_on_request(tmp_path, diary):
    obstacle = tmp_path / "obstacle"
    obstacle.touch()
    method = [("kept", Kept(str(diary), str(obstacle), "/3"))]
    out = tmp_path / "out"
    failed = run_benchmark(method, [SETS[0]], out=out)
    assert failed.table["status"].to_pylist().count("failed") == 1
    obstacle.unlink()
    diary.write_text("")
    assert run_benchmark(method, [SETS[0]], out=out).table.equals(failed.table)
    assert diary.read_text() == ""
    mended = run_benchmark(method, [SETS[0]], out=out, retry=True)
    assert diary.read_text().split() == ["first/3"]
    assert set(mended.table["status"].to_pylist()) == {"done"}
    assert rows(mended) == rows(run_benchmark(method, [SETS[0]]))
    assert bqcd.read_results(out).table.equals(mended.table)


def test_results_of_another_seed_data_or_version_are_not_mixed(tmp_path, monkeypatch):
    out = tmp_path / "out"
    run_benchmark(["coin"], [SETS[0]], out=out)
    with pytest.raises(InvalidResultsError, match="made with seed 0, not 5"):
        run_benchmark(["coin"], [SETS[0]], out=out, seed=5)
    with pytest.raises(InvalidResultsError, match="other data called 'first'"):
        run_benchmark(["coin"], [small_set("first")], out=out)
    monkeypatch.setattr("bqcd.benchmark.running.runner.__version__", "99.0")
    with pytest.raises(InvalidResultsError, match=r"not 99\.0"):
        run_benchmark(["coin"], [SETS[0]], out=out)


def test_progress_counts_every_task_once(tmp_path):
    seen = []

    def report(progress):
        seen.append([(one.name, one.total, one.ended, one.failed) for one in progress])

    methods = [("well", Odd()), ("odd", Odd("exits_at_once", "/3"))]
    run_benchmark(methods, SETS, out=tmp_path / "out", progress=report)
    assert seen[0] == [("well", 13, 0, 0), ("odd", 13, 0, 0)]
    assert seen[-1] == [("well", 13, 13, 0), ("odd", 13, 13, 2)]
    ended = [[one[2] for one in state] for state in seen]
    assert ended == sorted(ended)
    seen.clear()
    run_benchmark(methods, SETS, out=tmp_path / "out", repeats=2, progress=report)
    assert seen[0] == [("well", 26, 13, 0), ("odd", 26, 13, 0)]
    assert seen[-1] == [("well", 26, 26, 0), ("odd", 26, 26, 2)]


def test_without_a_folder_nothing_is_left_on_disk(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    run_benchmark(["coin"], [SETS[1]])
    assert list(tmp_path.glob("bqcd-*")) == []


def test_a_relative_folder_is_where_the_caller_is_now(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = run_benchmark(["coin"], [SETS[1]], out="here")
    assert bqcd.read_results(tmp_path / "here" / "results.parquet").table.equals(results.table)


def test_whole_numbers_may_come_from_numpy(tmp_path):
    results = run_benchmark(
        ["coin"], [SETS[1]], repeats=np.int64(2), workers=np.int8(2), seed=np.int64(3), out=tmp_path
    )
    assert rows(results) == rows(run_benchmark(["coin"], [SETS[1]], repeats=2, seed=3))


REFUSED = {
    "no repetition": ({"repeats": 0}, "repeats of run_benchmark must be an integer from 1 to"),
    "half a repetition": ({"repeats": 1.5}, "repeats"),
    "no process": ({"workers": 0}, "workers of run_benchmark must be an integer from 1 to"),
    "no time": ({"time_limit": 0.0}, "time_limit of run_benchmark must be a number > 0"),
    "endless time": ({"time_limit": float("inf")}, "time_limit"),
    "a negative seed": ({"seed": -1}, "seed"),
    "an unknown format": ({"file_format": "xlsx"}, "file_format .* 'parquet', 'csv', 'jsonl'"),
    "a word for a flag": ({"retry": "yes"}, "retry"),
    "no benchmark": ({"pairsets": []}, "different names"),
    "a benchmark twice": ({"pairsets": [SETS[0], SETS[0]]}, "different names"),
    "an empty benchmark": ({"pairsets": [SETS[0].head(0)]}, "at least one"),
    "no method": ({"methods": []}, "at least one method"),
}


@pytest.mark.parametrize(("given", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_run_is_refused_before_anything_is_written(tmp_path, given, words):
    arguments = {"methods": ["coin"], "pairsets": [SETS[1]]} | given
    with pytest.raises(InvalidSettingError, match=words):
        run_benchmark(**arguments, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


SCRIPT = """
import sys
from dataclasses import dataclass
from bqcd import BQCD, Verdict, run_benchmark
from tests.benchmark.running.small_sets import small_set

print("the script runs", flush=True)
FACTOR = 2.0

@dataclass(frozen=True)
class Mine:
    shift: float = 1.0

    def decide(self, pair, rng):
        return Verdict(helper(self.shift), pair)

def helper(value):
    return FACTOR * value

def local():
    class Inner:
        def decide(self, pair, rng):
            return Verdict(7.0, pair)
    return Inner()

methods = [("mine", Mine(3.0)), ("inner", local()), "coin"]
results = run_benchmark(methods, [small_set()], workers=2)
statuses = results.table["status"].to_pylist()
print(results.table["confidence"].to_pylist()[:12], statuses.count("done"))
"""


def test_a_script_needs_no_guard_and_may_define_its_own_methods(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
        check=False,
        timeout=120,
    )
    assert done.stderr == ""
    first, second = done.stdout.splitlines()
    assert first == "the script runs"
    assert second == f"{[6.0] * 6 + [7.0] * 6} 18"


def test_a_method_that_cannot_be_sent_is_refused(tmp_path):
    class Bound:
        def __init__(self):
            self.file = (tmp_path / "open").open("w")

        def decide(self, pair, rng):
            return Verdict(1.0, pair)

    bound = Bound()
    with pytest.raises(InvalidSettingError, match="must be an object that can be pickled"):
        run_benchmark([("bound", bound)], [SETS[1]])
    bound.file.close()


def test_a_method_may_hold_what_a_function_defines():
    class Shift:
        size = 4.0

    class Shifted:
        def __init__(self):
            self.shift = Shift()

        def decide(self, pair, rng):
            return Verdict(self.shift.size, pair)

    results = run_benchmark([("shifted", Shifted())], [SETS[1]])
    assert results.table["confidence"].to_pylist() == [4.0] * 4


def test_the_front_door_leads_here():
    import bqcd.benchmark
    import bqcd.benchmark.datasets

    assert bqcd.run_benchmark is bqcd.benchmark.run_benchmark
    assert bqcd.Results is bqcd.benchmark.Results
    assert bqcd.PairSet is bqcd.benchmark.datasets.PairSet
    assert set(bqcd.__all__) <= set(dir(bqcd))
    with pytest.raises(AttributeError, match="module 'bqcd' has no attribute 'run_benchmarks'"):
        _ = bqcd.run_benchmarks


# -- margins -----------------------------------------------------------------------------


def bent_set(pairset: PairSet) -> PairSet:
    """The same pairs after increasing maps of their columns."""
    items = [
        replace(item, pair=replace(item.pair, x=np.exp(item.pair.x), y=item.pair.y**3))
        for item in pairset
    ]
    return replace(pairset, items=tuple(items))


@pytest.mark.parametrize("margins", ["normal", "uniform"])
def test_increasing_maps_of_columns_change_nothing_with_equal_margins(margins):
    pairset = small_set("first", 9, rows=60)
    asked = ["cdci", "reci", "bqcd"]
    as_is, bent = (run_benchmark(asked, [one]) for one in (pairset, bent_set(pairset)))
    assert rows(as_is) != rows(bent)
    as_is, bent = (
        run_benchmark(asked, [one], margins=margins) for one in (pairset, bent_set(pairset))
    )
    assert rows(as_is) == rows(bent)
    assert as_is.margins == margins


def test_with_equal_margins_a_row_is_what_the_method_says_of_the_mapped_pair():
    pairset = small_set("first", 4, rows=60)
    found = run_benchmark(["bqcd", "reci"], [pairset], margins="normal")
    pairs = {item.pair.key: item for item in pairset}
    for row in found.table.to_pylist():
        key, item = TaskKey(*(row[name] for name in TaskKey._fields)), pairs[row["pair"]]
        mapped = with_margins(item.pair, "normal")
        verdict = decide_pair(mapped, method=row["method"], seed=key.seed(0))
        assert row["confidence"] == verdict.confidence
        assert (row["truth"], row["weight"]) == (item.truth.sign, item.weight)
        assert row["margins"] == "normal"


def test_a_folder_of_other_margins_is_refused_and_left_as_it_is(tmp_path):
    pairset = small_set("first", 3, rows=20)
    run_benchmark(["coin"], [pairset], margins="uniform", out=tmp_path)
    before = (tmp_path / "plan.json").read_bytes()
    for other in ("as-is", "normal"):
        with pytest.raises(InvalidResultsError, match=f"with margins uniform, not {other}"):
            run_benchmark(["coin"], [pairset], margins=other, out=tmp_path)
    assert (tmp_path / "plan.json").read_bytes() == before
    assert run_benchmark(["coin"], [pairset], margins="uniform", out=tmp_path).margins == "uniform"


def test_margins_that_do_not_exist_are_refused():
    with pytest.raises(InvalidSettingError, match="margins of run_benchmark"):
        run_benchmark(["coin"], [small_set()], margins="equal")


# -- probabilities -----------------------------------------------------------------------


def test_claimed_probabilities_are_kept_and_others_are_null(tmp_path):
    pairset = small_set("first", 3, rows=20)
    asked = [("claims", Claims()), "coin"]
    found = run_benchmark(asked, [pairset], out=tmp_path).table.to_pylist()
    assert [row["probability"] for row in found] == [0.8] * 3 + [None] * 3
    assert [row["probability"] for row in ResultsFolder(tmp_path).results().table.to_pylist()] == [
        row["probability"] for row in found
    ]


@pytest.mark.parametrize("claimed", [1.5, -0.1, float("nan")])
def test_a_claim_that_is_no_probability_is_a_failure(claimed):
    found = run_benchmark([("claims", Claims(claimed))], [small_set(count=1)])
    (row,) = found.table.to_pylist()
    assert (row["status"], row["confidence"], row["probability"]) == ("failed", None, None)
