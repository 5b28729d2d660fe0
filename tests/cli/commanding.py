"""The command `bqcd`, run in a process of its own."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from select import select
from subprocess import CompletedProcess

COMMAND = Path(sysconfig.get_path("scripts"), "bqcd")
# Wide enough that no sentence is wrapped, plain enough that no colour is printed.
PLAIN = {"COLUMNS": "240", "NO_COLOR": "1", "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}

LOADED = (
    *("bqcd.benchmark.datasets", "bqcd.cli.orient", "bqcd.cli.scan", "bqcd.graphs"),
    *("bqcd.scans.scanning", "bqcd.show.plots", "bqcd.show.sheets", "bqcd.show.terminal"),
    *("matplotlib.backends.backend_agg", "matplotlib.figure", "networkx", "pandas", "pydantic"),
    *("pyarrow.csv", "pyarrow.parquet", "rich.console", "rich.panel", "rich.table"),
)
# Has libraries loaded and kernels ready, and becomes the command in a copy of itself each time it
# is asked: a second less than to start anew. It never reads or draws, which would start threads.
WAITING = """
import gc, json, os, sys
from contextlib import suppress
from importlib import import_module
import numpy as np
import bqcd.cli.commands
from bqcd.cli import main

for name in sys.argv[3:]:
    with suppress(ImportError):
        import_module(name)
x, y = np.random.default_rng(0).normal(size=(2, 300))
bqcd.decide(x, y)
bqcd.decide(x.round(1), y)
asked, answers = os.fdopen(int(sys.argv[1])), os.fdopen(int(sys.argv[2]), "w", buffering=1)
# A copy that ends need not look at all that was loaded.
gc.freeze()
for line in asked:
    if not (child := os.fork()):
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=answers)
else:
    sys.exit()
sys.argv, environment, folder, output, errors = json.loads(line)
os.chdir(folder)
asked.close(), answers.close()
for at, path in enumerate((output, errors), 1):
    os.dup2(os.open(path, os.O_WRONLY | os.O_APPEND), at)
os.environ.clear()
os.environ.update(environment)
sys.exit(main())
"""


class Waiting:
    """A process that has been loaded and waits to become the command."""

    def __init__(self) -> None:
        asked, answers = os.pipe(), os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-c", WAITING, str(asked[0]), str(answers[1]), *LOADED],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=(asked[0], answers[1]),
            env=os.environ | PLAIN,
        )
        os.close(asked[0])
        os.close(answers[1])
        self._asked, self._answers = os.fdopen(asked[1], "w"), os.fdopen(answers[0])
        atexit.register(self._asked.close)

    def run(self, command: list[str], environment: Mapping[str, str]) -> CompletedProcess[str]:
        with tempfile.TemporaryDirectory() as folder:
            output, errors = Path(folder, "output"), Path(folder, "errors")
            output.touch()
            errors.touch()
            asked = [command, dict(environment), os.getcwd(), str(output), str(errors)]
            print(json.dumps(asked), file=self._asked, flush=True)
            assert select([self._answers], [], [], 300)[0], f"{command} does not end"
            code = int(self._answers.readline())
            told = (path.read_bytes().decode() for path in (output, errors))
            return CompletedProcess(command, code, *told)


waiting = cache(Waiting)


def run(*arguments: object, cold: bool = False, **more: str | None) -> CompletedProcess[str]:
    """What a command prints, and how it ends; None takes a variable from its environment.

    Unless it has to be cold, it comes from a process that is loaded already.
    """
    command = [str(COMMAND), *map(str, arguments)]
    wanted = {"FORCE_COLOR": None} | PLAIN | more
    environment = {name: value for name, value in os.environ.items() if name not in wanted}
    environment |= {name: value for name, value in wanted.items() if value is not None}
    if not cold and sys.platform == "linux":
        return waiting().run(command, environment)
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        env=environment,
        check=False,
    )
