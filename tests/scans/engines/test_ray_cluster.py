"""A Ray cluster on this machine: lost workers cost time only."""

from __future__ import annotations

import os
import sys

import pytest

from bqcd.errors import InvalidSettingError, WorkerError
from bqcd.scans.engines import RayEngine
from bqcd.scans.scanning import scan
from tests.scans.engines.scripts import interrupted, two_scans_of_one_name
from tests.scans.stand_ins import Pause, contents, expected, judged, make_tasks

ray = pytest.importorskip("ray", reason="Ray is not installed")

pytestmark = [
    pytest.mark.xdist_group("engines"),
    pytest.mark.skipif(sys.platform != "linux", reason="signals and /proc"),
    # Its session takes longer to start than all other engines together.
    pytest.mark.slow,
    # Ray's own: files and sockets of its session that it leaves to the interpreter.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def session():
    """A Ray session of the caller, which an engine uses and leaves open."""
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def test_a_worker_that_is_killed_costs_nothing_but_time(session, tmp_path):
    method = Pause(0.0, "dies twice", on=7, diary=str(tmp_path / "diary"))
    assert contents(RayEngine().run(judged, make_tasks(20, method))) == expected(20)
    assert ray.is_initialized()


def test_a_task_that_ends_every_worker_is_named(session):
    with pytest.raises(WorkerError, match="Ray workers were lost while at work on tile 7"):
        list(RayEngine().run(judged, make_tasks(8, Pause(0.0, "dies", on=7))))


def test_what_a_task_raises_is_raised_here(session):
    with pytest.raises(ConnectionResetError, match="not the line of the worker"):
        list(RayEngine().run(judged, make_tasks(10, Pause(0.0, "raises", on=7))))


def test_workers_are_asked_whether_they_see_the_same_files(session, tmp_path):
    (tmp_path / "ranks.bin").write_bytes(b"123")
    assert RayEngine().sees(tmp_path / "ranks.bin")
    assert not RayEngine().sees(tmp_path / "nowhere")


def test_a_cluster_in_another_folder_works_on_this_scan_and_not_on_the_one_there(
    tmp_path, monkeypatch
):
    here, there, table, begun = two_scans_of_one_name(tmp_path)
    assert begun.exists()
    ray.shutdown()
    monkeypatch.chdir(there)
    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        monkeypatch.chdir(here)
        assert ray.get(ray.remote(lambda: os.getcwd()).remote()) == str(there)
        found = scan(table, method="igci-u", out="scan", engine=RayEngine())
    finally:
        ray.shutdown()
    assert found.table.equals(scan(table, method="igci-u").table)
    assert found.folder == here / "scan"


def test_ctrl_c_ends_the_run_and_leaves_no_process(tmp_path):
    said, _ = interrupted(tmp_path, "ray")
    assert said == "interrupted"


def test_a_number_of_workers_is_a_positive_integer():
    with pytest.raises(InvalidSettingError, match="workers of the Ray engine"):
        RayEngine(workers=0)
