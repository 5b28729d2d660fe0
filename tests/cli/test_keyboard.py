"""Ctrl-C is heard early, outlives whoever would swallow it, and leaves nothing to read."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.commanding import COMMAND
from tests.cli.test_bench import ROOT, environment, written_pairs

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals")

LOADED = """
import sys
before = set(sys.modules)
import bqcd.cli
print(*{name.partition(".")[0] for name in set(sys.modules) - before})
"""


def test_only_the_standard_library_is_loaded_before_the_command_listens():
    done = subprocess.run(
        [sys.executable, "-c", LOADED],
        capture_output=True,
        text=True,
        env=environment(),
        check=True,
    )
    names = set(done.stdout.split())
    assert names - set(sys.stdlib_module_names) == {"bqcd"}
    assert not names & {"asyncio", "dataclasses", "logging", "re", "typing"}


PRESSED = "os.kill(os.getpid(), signal.SIGINT)"
MODULES = {
    "a library makes an error of it": f"""
import os, signal
try:
    {PRESSED}
except BaseException:
    raise ImportError("half of me is missing") from None
from bqcd.methods.chance import Coin as method
""",
    "a library swallows it": f"""
import os, signal
try:
    {PRESSED}
except BaseException:
    pass
from bqcd.methods.chance import Coin as method
""",
    "it comes while Python tidies up": f"""
import os, signal
from bqcd.methods.chance import Coin

class Litter:
    def __del__(self):
        {PRESSED}

def method():
    Litter()
    return Coin()
""",
}


@pytest.mark.parametrize("source", MODULES.values(), ids=MODULES)
def test_ctrl_c_ends_the_command_quietly_even_if(tmp_path, source):
    (tmp_path / "keyboards.py").write_text(source)
    pairs = written_pairs(tmp_path / "pairs", 2)
    command = [COMMAND, "bench", "--methods", "keyboards:method", "--datasets", pairs]
    done = subprocess.run(
        [*command, "--out", tmp_path / "out"],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment(PYTHONPATH=f"{ROOT}:{tmp_path}"),
        check=False,
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr in ("", "bqcd: stopped with 2 tasks to go; the same command goes on.\n")


ENDED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.{kept})
class Ender:
    def find_spec(self, name, path=None, target=None):
        if name == "bqcd.methods.decide":
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGTERM)
sys.argv = ["bqcd", "demo"]
from bqcd.cli import main
sys.meta_path.insert(0, Ender())
main()
"""


@pytest.mark.parametrize("kept", ["default_int_handler", "SIG_IGN"])
def test_a_kill_that_can_be_caught_ends_it_as_ctrl_c_does_also_in_the_background(tmp_path, kept):
    done = subprocess.run(
        [sys.executable, "-c", ENDED.format(kept=kept)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
        env=environment(),
        check=False,
    )
    assert (done.returncode, done.stderr) == (143, "")
