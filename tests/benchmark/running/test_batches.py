"""Methods that raise, hang or take their process down cost their own row and nothing else."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from bqcd.benchmark import read_results, run_benchmark
from bqcd.benchmark.running.batches import Batches
from bqcd.benchmark.running.contenders import contenders
from bqcd.benchmark.running.journal import Outcome, Segment
from bqcd.benchmark.running.tasks import plan
from bqcd.benchmark.running.worker import JUDGING, Desk
from bqcd.errors import WorkerError
from bqcd.runtime.pool import Loss, Order
from bqcd.runtime.pool import workers as pool_workers
from tests.benchmark.running.odd_methods import Odd
from tests.benchmark.running.small_sets import small_set

pytestmark = [
    pytest.mark.xdist_group("crew"),
    pytest.mark.skipif(sys.platform != "linux", reason="signals, forks and /proc"),
]

ENDINGS = {
    "raises": 'ValueError: the data, "quoted" are not to my taste; 100 % \N{SNOWMAN}',
    "raises_speechless": "Speechless: an error that cannot be printed",
    "raises_at_length": "ValueError: " + "x" * 485 + "...",
    "raises_gibberish": "OSError: \ufffd[31mred\ufffd[0m \ufffd \ufffd",
    "exits": "SystemExit: 3",
    "interrupts": "KeyboardInterrupt",
    "exits_at_once": "the method ended its process with exit code 7",
    "crashes": "the method ended its process with signal 11 (SIGSEGV)",
    "returns_nan": "InvalidVerdictError: confidence of a Verdict must be a finite number, "
    "got nan on Pair('x', 'y', 12 rows).",
    "returns_a_number": "InvalidVerdictError: The method returns_a_number must return a Verdict, "
    "got 1.0.",
}
ANSWERS = {"prints": 0.25, "copies_itself": 0.5, "moves_away": 0.75, "uses_processes": 8.0}
HANGING = ("hangs", "holds_the_interpreter", "hangs_in_a_program")
LIMIT = 0.5


def rows_of(method: str, results) -> list[dict]:
    return [row for row in results.table.to_pylist() if row["method"] == method]


def without_seconds(rows: list[dict]) -> list[dict]:
    return [{name: row[name] for name in row if name != "seconds"} for row in rows]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("odd") / "results"


@pytest.fixture(scope="module")
def odd(folder):
    """All that end by themselves, in turn with a method that behaves, in one folder."""
    methods = [(name, Odd(name, "/3")) for name in [*ENDINGS, *ANSWERS]]
    return run_benchmark([*methods, ("well", Odd())], [small_set()], workers=2, out=folder)


@pytest.fixture(scope="module")
def hung():
    methods = [(name, Odd(name, "/3")) for name in HANGING]
    return run_benchmark([*methods, ("well", Odd())], [small_set()], workers=2, time_limit=LIMIT)


@pytest.fixture(scope="module")
def well():
    return run_benchmark([("well", Odd())], [small_set()])


@pytest.mark.parametrize(("name", "message"), ENDINGS.items())
def test_a_method_that_ends_badly_costs_its_own_row(odd, name, message):
    rows = rows_of(name, odd)
    assert [row["status"] for row in rows] == ["done", "done", "failed", "done", "done", "done"]
    assert rows[2]["confidence"] is None
    assert rows[2]["message"] == message
    assert all(row["message"] == "" for row in rows if row["status"] == "done")


@pytest.mark.parametrize(("name", "confidence"), ANSWERS.items())
def test_a_method_that_only_behaves_oddly_is_listened_to(odd, name, confidence):
    rows = rows_of(name, odd)
    assert [row["status"] for row in rows] == ["done"] * 6
    assert rows[2]["confidence"] == confidence


def test_others_are_not_affected(odd, hung, well):
    expected = without_seconds(rows_of("well", well))
    assert without_seconds(rows_of("well", odd)) == expected
    assert without_seconds(rows_of("well", hung)) == expected


def test_what_methods_print_goes_to_the_log(odd, folder, capfd):
    log = (folder / "workers.log").read_text()
    assert "a line on standard output\n" in log
    assert "a line on standard error\n" in log
    assert capfd.readouterr() == ("", "")


def test_the_log_tells_where_a_method_crashed(odd, folder):
    log = (folder / "workers.log").read_text()
    assert "Segmentation fault" in log
    assert "odd_methods.py" in log
    assert "in crashes" in log


@pytest.mark.parametrize("name", HANGING)
def test_a_method_that_hangs_is_stopped_at_the_limit(hung, name):
    rows = rows_of(name, hung)
    assert [row["status"] for row in rows] == ["done", "done", "timeout", "done", "done", "done"]
    assert rows[2]["message"] == "took longer than the limit of 0.5 s"
    assert rows[2]["confidence"] is None
    assert LIMIT < rows[2]["seconds"] < LIMIT + 2.0


def test_programs_a_hanging_method_has_started_are_ended_with_it(hung):
    commands = (content(path) for path in Path("/proc").glob("[0-9]*/cmdline"))
    assert not [one for one in commands if f"runner-{os.getpid()}\0" in one]


def content(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def test_an_answer_that_comes_just_after_the_limit_is_a_timeout():
    methods = [("slow", Odd(milliseconds=60.0))]
    results = run_benchmark(methods, [small_set(count=2)], time_limit=0.05)
    for row in results.table.to_pylist():
        assert (row["status"], row["confidence"]) == ("timeout", None)
        assert row["message"] == "took longer than the limit of 0.05 s"


def test_a_method_that_hangs_with_its_line_closed_is_stopped_without_a_limit(monkeypatch):
    monkeypatch.setattr(pool_workers, "_FAREWELL_SECONDS", 0.3)
    results = run_benchmark([("cut", Odd("hangs_cut_off", "/3"))], [small_set()])
    statuses = [row["status"] for row in results.table.to_pylist()]
    assert statuses == ["done", "done", "failed", "done", "done", "done"]


@pytest.mark.parametrize("does", ["hangs", "crashes", "raises", "exits_at_once"])
def test_what_happens_while_a_method_is_prepared_costs_no_row(does, monkeypatch, well, tmp_path):
    monkeypatch.setattr("bqcd.benchmark.running.runner.Desk", partial(Desk, warm_up_seconds=0.6))
    odd = Odd(does, "warm-up", warm_ups=str(tmp_path / "warm-ups"))
    results = run_benchmark(
        [("well", Odd()), ("odd", odd)], [small_set()], time_limit=0.5, workers=2
    )
    assert results.table["status"].to_pylist() == ["done"] * 12
    assert without_seconds(rows_of("well", results)) == without_seconds(rows_of("well", well))
    # Once in each of two workers, and not before every task.
    assert 1 <= len((tmp_path / "warm-ups").read_text().splitlines()) <= 2


def lost(tasks, path: Path, **how: object) -> Loss:
    """A worker that was lost at work on some tasks."""
    usual = {"place": None, "stage": JUDGING, "seconds": 1.1, "late": False} | how
    return Loss(order=Order("a batch", tasks), news=path, ending="exit code 5", **usual)


@pytest.fixture
def batches(tmp_path):
    """Tasks, where they are told to have ended, and what shares them out."""
    tasks = list(enumerate(plan(contenders(["coin"]), [small_set()], repeats=1, seed=0)))
    ended: list[tuple[int, str]] = []
    desk = Desk(b"", tmp_path, tmp_path, tmp_path / "log", 1.0)
    return tasks, ended, Batches(desk, tasks, 1, ended.extend), desk


def test_a_task_begun_after_another_was_found_late_is_not_late(batches, tmp_path):
    tasks, ended, shared, _ = batches
    segment = Segment(tmp_path)
    segment.append(Outcome(tasks[0][1].key, None, 1.1, "timeout", "late"))
    (order,) = shared.after(lost(tasks[:3], segment.path, late=True))
    assert ended == [(0, "timeout")]
    assert order.task == tasks[1:3]
    segment.close()


def test_a_worker_lost_between_two_tasks_is_blamed_on_none_until_the_third_time(batches, tmp_path):
    tasks, ended, shared, desk = batches
    segment = Segment(tmp_path)
    loss = lost(tasks[:3], segment.path)
    assert shared.after(loss) == shared.after(loss) == [loss.order]
    with pytest.raises(WorkerError, match=r"3 worker processes ended .* a batch, .* exit code 5"):
        shared.after(loss)
    assert (ended, desk.cold) == ([], set())
    segment.close()


def test_a_disk_that_is_full_stops_the_benchmark_and_blames_no_method(tmp_path):
    methods = [("odd", Odd("fills_the_disk", "/3"))]
    with pytest.raises(OSError, match="File too large") as caught:
        run_benchmark(methods, [small_set()], out=tmp_path / "out")
    assert caught.value.filename == str(tmp_path / "out" / "journal" / "000001.jsonl")
    assert read_results(tmp_path / "out").table["status"].to_pylist() == ["done", "done"]


def test_a_worker_that_cannot_start_says_why(monkeypatch):
    class Gone:
        def __reduce__(self) -> tuple[object, ...]:
            return __import__, ("bqcd_module_that_is_gone",)

    pickled = "bqcd.benchmark.running.runner.sendable"
    monkeypatch.setattr(pickled, lambda field: pickle.dumps(Gone()))
    with pytest.raises(WorkerError, match="ModuleNotFoundError: No module named 'bqcd_module_tha"):
        run_benchmark(["coin"], [small_set()])


def test_no_worker_is_left_when_a_run_ends_or_breaks_off():
    def stop(progress: Sequence[object]) -> None:
        if sum(one.ended for one in progress):
            assert len(workers()) == 2
            raise RuntimeError("enough")

    run_benchmark(["coin"], [small_set()], workers=2)
    assert not workers()
    with pytest.raises(RuntimeError, match="enough"):
        run_benchmark([("slow", Odd(milliseconds=20.0))], [small_set()], workers=2, progress=stop)
    assert not workers()


def workers() -> list[str]:
    """Living grandchildren of this process: workers are copies of a server it has started."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        state, parent, *_ = content(path).rpartition(")")[2].split() or ("Z", "0")
        if state != "Z":
            parents[path.parent.name] = parent
    return [one for one, parent in parents.items() if parents.get(parent) == str(os.getpid())]


def test_numerical_libraries_stay_on_one_thread_and_the_environment_is_restored(monkeypatch):
    for name in Threads.names:
        monkeypatch.setenv(name, "2")
    before = dict(os.environ)
    results = run_benchmark([("threads", Threads())], [small_set(count=1)])
    assert results.table["confidence"].to_pylist() == [1.0]
    assert dict(os.environ) == before


class Threads:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")

    def decide(self, pair, rng):
        from bqcd import Verdict

        return Verdict(float(all(os.environ.get(name) == "1" for name in self.names)), pair)
