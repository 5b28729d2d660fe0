"""Help of every command: it fits a terminal, and its examples can be typed as they stand."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from bqcd.cli.commands import app

ROOT = typer.main.get_command(app)


def all_commands(command=ROOT, path=()):
    """Every command with the words that lead to it."""
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from all_commands(below, (*path, name))


COMMANDS = dict(all_commands())
NAMES = [" ".join(path) for path in COMMANDS]
EXAMPLES = [
    (path, line)
    for path, command in COMMANDS.items()
    for line in re.findall(r"^ *`(bqcd .*)`$", command.help or "", flags=re.M)
]


@pytest.mark.parametrize("path", COMMANDS, ids=NAMES)
def test_help_has_examples_and_fits_80_columns(path):
    shown = CliRunner().invoke(app, [*path, "--help"], env={"COLUMNS": "80", "TERM": "dumb"})
    assert shown.exit_code == 0, shown.output
    assert max(map(len, shown.stdout.splitlines())) <= 80
    assert "\x1b" not in shown.stdout
    # No name of an option and no word of its help is cut off.
    assert "…" not in shown.stdout
    flags = [p for p in COMMANDS[path].params if getattr(p, "is_flag", False)]
    assert [flag.name for flag in flags if path and flag.metavar != ""] == []
    lines = [line.strip() for line in shown.stdout.splitlines()]
    at = lines.index("Examples")
    examples = [line for where, line in EXAMPLES if where == path]
    assert examples
    # Each on a line of its own, to be copied.
    assert set(examples) <= set(lines[at:])
    unexplained = [param.name for param in COMMANDS[path].params if not getattr(param, "help", "")]
    assert unexplained == []


ANSWERING = ("decide", "assess", "check", "orient", "causes", "scan")


def test_every_command_that_answers_has_json_and_the_pages_name_them():
    found = [
        path[0]
        for path, command in COMMANDS.items()
        if any("--json" in param.opts for param in command.params)
    ]
    assert sorted(found) == sorted(ANSWERING)
    page = (Path(__file__).parents[2] / "docs/tools.md").read_text(encoding="utf-8")
    [sentence] = re.findall(r"`--json` goes with\s(.*?)\.\s", page)
    assert re.findall(r"`(\w+)`", sentence) == list(ANSWERING)


@pytest.mark.parametrize(("path", "line"), EXAMPLES, ids=[line for _, line in EXAMPLES])
def test_an_example_is_understood(path, line):
    _, *words = shlex.split(line)
    if path and not hasattr(COMMANDS[path], "commands"):
        assert words[: len(path)] == list(path)
    command = ROOT
    while words and words[0] in getattr(command, "commands", {}):
        command = command.commands[words.pop(0)]
    # Raises what the command would refuse.
    assert command.make_context("bqcd", words).args == []


@pytest.fixture
def files(tmp_path, monkeypatch) -> Path:
    """The files that examples are about, in the current folder."""
    draw = np.random.default_rng(0).normal
    cause = draw(size=40)
    columns = {"price": cause, "demand": cause**3 + draw(size=40), "c": draw(size=40)}
    table = pd.DataFrame({**columns, "income": draw(size=40)})
    for name in ("sales", "survey", "cells"):
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    (tmp_path / "skeleton.dot").write_text("graph { price -- demand }")
    monkeypatch.chdir(tmp_path)
    return tmp_path


QUICK = (
    r"(?!.*my\.module)"
    r"bqcd (decide .*--json|orient .*-o|methods|reproduce$|datasets list|scan .*--against)"
)


@pytest.mark.parametrize("line", sorted({one for _, one in EXAMPLES if re.match(QUICK, one)}))
def test_an_example_does_what_it_says(files, line):
    _, *words = shlex.split(line)
    done = CliRunner().invoke(app, words, env={"COLUMNS": "80", "TERM": "dumb"})
    assert done.exit_code == 0, done.output
    assert done.stdout
    for name in re.findall(r"(?:-o|--save) (\S+)", line):
        assert (files / name).stat().st_size
