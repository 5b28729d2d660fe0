"""Commands that are listed without being loaded."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
import typer

from bqcd.cli.commands import COMMANDS, app

ROOT = typer.main.get_command(app)
HEAVY = {"numpy", "numba", "pyarrow", "scipy", "pandas", "matplotlib", "llvmlite", "narwhals"}
# Runs the command, then tells which modules it has loaded.
LOADED = """
import atexit, json, os, sys
atexit.register(lambda: os.write(2, json.dumps(sorted(sys.modules)).encode()))
sys.argv = ["bqcd", *sys.argv[1:]]
from bqcd.cli import main
main()
"""
TAB = {"_BQCD_COMPLETE": "complete_bash"}


def modules_of(*arguments: str, **environment: str) -> tuple[str, set[str]]:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        check=False,
    )
    return done.stdout, set(json.loads(done.stderr))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_the_help_of_a_command_begins_with(name):
    help = ROOT.commands[name].help
    assert COMMANDS[name].summary == " ".join(help.partition("\n\n")[0].split())


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["decide", "--help"]])
def test_help_loads_nothing_that_computes(arguments):
    shown, modules = modules_of(*arguments)
    assert shown
    assert not modules & HEAVY


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("bqcd dec", "decide"),
        ("bqcd decide t.csv x y --method lo", "loci"),
        ("bqcd datasets info tuebingen-a", "tuebingen-all"),
    ],
)
def test_completion_loads_nothing_that_computes_and_nothing_to_print_with(line, offered):
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    shown, modules = modules_of(**TAB, **words)
    assert shown.split() == [offered]
    assert not modules & (HEAVY | {"rich"})


def test_one_command_loads_no_other():
    _, modules = modules_of("decide", "--help")
    loaded = {place.module for place in COMMANDS.values()} & modules
    assert loaded == {"bqcd.cli.answers"}


def test_a_verdict_loads_neither_assessments_nor_what_speaks_http(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("x,y\n" + "".join(f"{k},{k * k % 97}\n" for k in range(60)))
    shown, modules = modules_of("decide", str(table), "x", "y")
    assert "answer" in shown
    assert not {name for name in modules if name.startswith("bqcd.assessments")}
    assert not modules & {"http", "ssl", "pandas", "matplotlib", "bqcd.scans"}


def test_an_unknown_command_is_answered_with_the_nearest():
    _, modules = modules_of("--help")
    assert "bqcd.cli.scan" not in modules
    with pytest.raises(typer.BadParameter.__mro__[1], match=r"No such command 'decid'.*decide"):
        ROOT.resolve_command(ROOT.make_context("bqcd", ["decid"]), ["decid"])
