"""A Dask cluster on this machine, its own or an existing one: lost workers cost time only."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing import active_children
from pathlib import Path

import pytest

from bqcd.errors import InvalidSettingError, WorkerError
from bqcd.scans.engines import DaskEngine
from bqcd.scans.engines.engine import glimpse
from bqcd.scans.scanning import scan
from tests.scans.engines.scripts import (
    ROOT,
    interrupted,
    none_left,
    script,
    two_scans_of_one_name,
)
from tests.scans.stand_ins import Pause, contents, expected, judged, make_tasks

distributed = pytest.importorskip("distributed", reason="Dask is not installed")

pytestmark = [
    pytest.mark.xdist_group("engines"),
    pytest.mark.skipif(sys.platform != "linux", reason="signals and /proc"),
]


@dataclass
class Cluster:
    """A scheduler and workers without a nanny, each a process of its own."""

    address: str
    processes: list[subprocess.Popen]
    folder: Path

    def hire(self) -> subprocess.Popen:
        how = ("--nthreads", "1", "--no-nanny")
        process = started("dask_worker", self.address, *how, folder=self.folder)
        self.processes.append(process)
        with distributed.Client(self.address, set_as_default=False) as client:
            at_work = sum(one.poll() is None for one in self.processes) - 1
            client.wait_for_workers(at_work, timeout=60)
        return process


def started(command: str, *arguments: str, folder: Path = ROOT) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{command}", *arguments, "--no-dashboard"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        cwd=folder,
    )


@contextmanager
def existing_cluster(folder: Path = ROOT):
    scheduler = started("dask_scheduler", "--host", "127.0.0.1", "--port", "0", folder=folder)
    cluster = Cluster("", [scheduler], folder)
    try:
        for line in scheduler.stderr:
            if "Scheduler at:" in line:
                cluster.address = line.split()[-1]
                break
        cluster.hire()
        yield cluster
    finally:
        for process in cluster.processes:
            process.kill()
            process.wait()
            process.stderr.close()


@pytest.fixture(scope="module")
def cluster():
    with existing_cluster() as cluster:
        yield cluster


def test_a_worker_of_an_existing_cluster_that_is_killed_costs_nothing_but_time(cluster):
    victim = cluster.hire()
    engine, results = DaskEngine(address=cluster.address), []
    with closing(engine.run(judged, make_tasks(60, Pause(0.02)))) as run:
        for rows in run:
            results.append(rows)
            if len(results) == 10:
                victim.send_signal(signal.SIGKILL)
    assert victim.wait() == -signal.SIGKILL
    assert contents(results) == expected(60)


def test_tasks_are_taken_as_they_are_needed_and_given_up_when_closed(cluster):
    taken = []
    tasks = (taken.append(task.tile.number) or task for task in make_tasks(10_000))
    with closing(DaskEngine(address=cluster.address).run(judged, tasks)) as run:
        for count in range(1, 21):
            next(run)
            # As many under way, and as many that have come and were not looked at.
            assert len(taken) <= count + 2 * 8
    with distributed.Client(cluster.address, set_as_default=False) as client:
        assert client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) <= 1


def test_columns_that_are_sent_along_may_be_large(cluster):
    engine = DaskEngine(address=cluster.address)
    results = engine.run(judged, make_tasks(2, values=1_000_000))
    assert contents(results) == expected(2)


def test_what_a_task_raises_is_raised_here(cluster):
    engine = DaskEngine(address=cluster.address)
    with pytest.raises(ConnectionResetError, match="not the line of the worker"):
        list(engine.run(judged, make_tasks(20, Pause(0.0, "raises", on=7))))


def test_a_cluster_in_another_folder_works_on_this_scan_and_not_on_the_one_there(
    tmp_path, monkeypatch
):
    here, there, table, interrupted = two_scans_of_one_name(tmp_path)
    assert interrupted.exists()
    with existing_cluster(there) as cluster:
        monkeypatch.chdir(here)
        found = scan(table, method="igci-u", out="scan", engine=DaskEngine(address=cluster.address))
    assert found.table.equals(scan(table, method="igci-u").table)
    assert found.folder == here / "scan"
    assert interrupted.exists()


def test_workers_are_asked_whether_they_see_the_same_files(cluster, tmp_path):
    engine = DaskEngine(address=cluster.address)
    (tmp_path / "ranks.bin").write_bytes(os.urandom(200_000))
    assert engine.sees(tmp_path)
    assert engine.sees(tmp_path / "ranks.bin")
    assert not engine.sees(tmp_path / "nowhere")
    # The same name, and for every process something else.
    assert glimpse(Path("/proc/self/task"))
    assert not engine.sees(Path("/proc/self/task"))


@pytest.mark.parametrize(
    ("count", "moments"),
    [(60, {10}), pytest.param(300, {7, 60, 120, 180, 240}, marks=pytest.mark.slow)],
    ids=["once", "often"],
)
def test_workers_of_a_cluster_made_here_are_replaced_when_killed(count, moments):
    results = []
    with closing(DaskEngine(workers=2).run(judged, make_tasks(count, Pause(0.02)))) as run:
        for rows in run:
            results.append(rows)
            if len(results) in moments:
                os.kill(active_children()[0].pid, signal.SIGKILL)
    assert contents(results) == expected(count)
    assert active_children() == []


def test_a_cluster_made_here_sees_what_is_here_and_is_not_started_to_say_so(tmp_path):
    assert DaskEngine(workers=2).sees(tmp_path)
    assert active_children() == []


def test_a_cluster_made_here_does_not_watch_itself_and_others_are_left_as_they_are(cluster):
    def woken_by(dask_worker):
        return {name: call.callback_time for name, call in dask_worker.periodic_callbacks.items()}

    with DaskEngine(workers=1)._client() as client:
        ((address, calls),) = client.run(woken_by).items()
        assert "profile" not in calls
        assert min(calls.values()) >= 500
        # One in place of another that was lost is as quiet.
        client.restart_workers([address])
        ((_, again),) = client.run(woken_by).items()
    assert again == calls
    with distributed.Client(cluster.address, set_as_default=False) as client:
        assert all("profile" in calls for calls in client.run(woken_by).values())


def test_ctrl_c_ends_the_run_and_leaves_no_process(tmp_path):
    said, complained = interrupted(tmp_path, "dask")
    assert said == "interrupted"
    assert "KeyboardInterrupt" not in complained, "a worker has answered too"


@pytest.mark.slow
def test_a_script_without_a_guard_and_with_its_own_class_runs_once(tmp_path):
    process = script(tmp_path, 6, 0.0, "dask")
    said, complained = process.communicate()
    assert sorted(said.split()) == list("012345"), complained
    assert none_left(tmp_path)


@pytest.mark.slow
def test_a_task_that_ends_every_worker_is_named():
    engine = DaskEngine(workers=2)
    with pytest.raises(WorkerError, match=r"Too many Dask workers .* at work on tile 7: Attempted"):
        list(engine.run(judged, make_tasks(8, Pause(0.005, "dies", on=7))))
    assert active_children() == []


@pytest.mark.slow
def test_a_scheduler_that_is_lost_ends_the_run_with_a_word():
    tasks = make_tasks(500, Pause(0.02))
    with (
        existing_cluster() as cluster,
        closing(DaskEngine(address=cluster.address).run(judged, tasks)) as run,
    ):
        for _ in range(10):
            next(run)
        cluster.processes[0].kill()
        with pytest.raises(WorkerError, match="The Dask scheduler was lost"):
            list(run)


def test_a_scheduler_that_does_not_answer_is_named():
    dask = pytest.importorskip("dask")
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "500ms"}),
        pytest.raises(WorkerError, match=r"No Dask scheduler answers at tcp://127\.0\.0\.1:9"),
    ):
        list(DaskEngine(address="tcp://127.0.0.1:9").run(judged, make_tasks(1)))


def test_a_number_of_workers_is_a_positive_integer():
    with pytest.raises(InvalidSettingError, match="workers of the Dask engine"):
        DaskEngine(workers=0)
