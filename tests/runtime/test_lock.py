"""A lock is held by one at a time, says by whom, and ends with its process."""

from __future__ import annotations

import os
import subprocess
import sys
from socket import gethostname

import pytest

from bqcd.runtime.lock import exclusive
from tests.waiting import soon

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks and signals")

HOLDING = """
import os, sys
from pathlib import Path
from bqcd.runtime.lock import exclusive
with exclusive(Path(sys.argv[1])) as other:
    if len(sys.argv) > 2 and os.fork() == 0:
        sys.stdin.read()
        os._exit(0)
    print("held" if other is None else other, flush=True)
    sys.stdin.read()
"""


def holder(path, *more) -> subprocess.Popen:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDING, path, *more],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "held\n"
    return process


def is_free(path) -> bool:
    with exclusive(path) as other:
        return other is None


@pytest.mark.parametrize("forked", [[], ["with a copy that lives on"]], ids=["alone", "forked"])
def test_a_lock_names_its_holder_and_ends_with_it(tmp_path, forked):
    path = tmp_path / "lock"
    process = holder(path, *forked)
    try:
        with exclusive(path) as other:
            assert other == f"process {process.pid} on {gethostname()}"
    finally:
        process.kill()
        process.wait()
    # The system may take a moment to close what the killed process had open.
    assert soon(lambda: is_free(path))
    process.stdin.close()
    process.stdout.close()


def test_a_lock_is_refused_elsewhere_in_the_same_process_and_free_afterwards(tmp_path):
    path = tmp_path / "lock"
    with exclusive(path) as first:
        assert first is None
        for _ in range(2):
            with exclusive(path) as second:
                assert second == f"process {os.getpid()} on {gethostname()}"
    with exclusive(path) as third:
        assert third is None


def test_an_error_in_the_block_ends_the_lock(tmp_path):
    with pytest.raises(KeyboardInterrupt), exclusive(tmp_path / "lock"):
        raise KeyboardInterrupt
    with exclusive(tmp_path / "lock") as other:
        assert other is None


def test_a_holder_that_has_not_signed_is_unknown(tmp_path):
    path = tmp_path / "lock"
    with exclusive(path):
        path.write_text("")
        with exclusive(path) as other:
            assert other == "process unknown"
