"""What Tab offers, asked for as the shells ask for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
import typer

from bqcd.benchmark.datasets import ALL_GENERATORS, PAIRSETS
from bqcd.cli import completion
from bqcd.cli.commands import app
from bqcd.methods.table import ALL_METHODS
from bqcd.show.reproduction import TARGETS
from tests.cli.commanding import COMMAND

ROOT = typer.main.get_command(app)

# The script goes through the words of a line as bash does when Tab is pressed.
BASH = """
eval "$(bqcd --show-completion bash)"
COMP_WORDS=(bqcd dec); COMP_CWORD=1; _bqcd_completion bqcd; echo "${COMPREPLY[*]}"
COMP_WORDS=(bqcd decide t.csv x y --method bq); COMP_CWORD=6; _bqcd_completion bqcd
echo "${COMPREPLY[*]}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_commands_and_methods(tmp_path):
    done = subprocess.run(
        ["bash", "--norc", "-c", BASH],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ
        | {
            "HOME": str(tmp_path),
            "PATH": f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}",
            "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
        },
        check=True,
    )
    assert done.stdout.splitlines() == ["decide", "bqcd"], done.stderr


@pytest.mark.parametrize(
    ("offered", "beginning", "names"),
    [
        (completion.method_names, "", list(ALL_METHODS)),
        (completion.method_names, "igci-entropy", ["igci-entropy-u", "igci-entropy-g"]),
        (completion.method_names, "nothing", []),
        (completion.pairset_names, "", list(PAIRSETS)),
        (completion.generator_names, "", list(ALL_GENERATORS)),
        (completion.target_names, "", list(TARGETS)),
        (completion.method_lists, "bqcd,loc", ["bqcd,loci"]),
        (completion.pairset_lists, "LS,LS", ["LS,LS-s"]),
    ],
)
def test_names_that_begin_so_are_offered(offered, beginning, names):
    assert offered(beginning) == names


def test_every_method_can_be_completed_wherever_one_is_asked_for():
    asked = [
        (name, param)
        for name, command in ROOT.commands.items()
        for param in command.params
        if param.name == "method"
    ]
    assert {"decide", "assess", "scan", "orient"} <= {name for name, _ in asked}
    for name, param in asked:
        context = ROOT.commands[name].make_context(name, [], resilient_parsing=True)
        offered = [item.value for item in param.shell_complete(context, "lo")]
        assert offered == ["loci"], name


def test_completion_waits_for_nothing_that_takes_long_to_import():
    code = (
        "import sys; from bqcd.cli import commands, completion; completion.method_names('');"
        "completion.pairset_names(''); completion.generator_names('');"
        "print({'numba', 'scipy', 'pyarrow', 'matplotlib', 'pandas', 'rich'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
