"""Workers end with the process that started them, whatever they do and however it ended."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from tests.runtime.pool.starters import Starter
from tests.waiting import soon

pytestmark = [
    pytest.mark.xdist_group("kill"),
    pytest.mark.skipif(sys.platform != "linux", reason="signals and /proc"),
]


@pytest.mark.parametrize("does", ["sleeps", "holds", "starts_a_program", "makes_a_copy"])
def test_nothing_outlives_a_starter_that_is_killed(tmp_path, does):
    with Starter(tmp_path, does) as starter:
        assert soon(starter.both_at_work)
        # Starter, server and tracker of multiprocessing, and two workers at least.
        assert len(starter.processes()) >= 5
        starter.kill()
        assert soon(lambda: not starter.processes(), seconds=30.0)


def test_nothing_outlives_a_starter_whose_server_was_killed_before_it(tmp_path):
    with Starter(tmp_path, "sleeps") as starter:
        assert soon(starter.both_at_work)
        # Else it would notice, and start others.
        starter.process.send_signal(signal.SIGSTOP)
        os.kill(starter.server(), signal.SIGKILL)
        starter.kill()
        assert soon(lambda: not starter.processes(), seconds=30.0)


def test_a_copy_of_the_starter_does_not_keep_the_workers(tmp_path):
    with Starter(tmp_path, "while_there_is_a_copy") as starter:
        assert soon(starter.both_at_work)
        assert soon(lambda: len(starter.processes()) == 6)
        starter.kill()
        # The copy, and server and tracker, which are there for it as well.
        assert soon(lambda: len(starter.processes()) == 3, seconds=30.0)


def test_killed_before_its_workers_are_there_it_leaves_nothing(tmp_path):
    with Starter(tmp_path, "sleeps") as starter:
        assert soon(lambda: len(starter.processes()) >= 2)
        starter.kill()
        assert soon(lambda: not starter.processes(), seconds=30.0)
