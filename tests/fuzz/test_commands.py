"""The command line with any arguments: an answer or one line, and an exit code that says which."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from bqcd.cli import main
from bqcd.cli.commands import app
from bqcd.methods.table import METHODS
from tests.fuzz import seeds
from tests.fuzz.cases import Case, check_cases, every_case
from tests.fuzz.mutation import mutated

# What downloads, computes for hours, or serves until stopped is called without its arguments only.
COSTLY = ("datasets fetch", "reproduce", "demo", "bench", "explore")
FAST = [card.name for card in METHODS.values() if card.seconds <= 0.005]
JUNK = (
    "",
    " ",
    "-",
    "--",
    "x",
    "0",
    "-1",
    "nan",
    "1e999",
    "é",
    "\udcff",
    "[bold]",
    "a=b",
    "=",
    "*",
)
FILES = ("t.csv", "t.parquet", "t.arrow", "odd", "../t.csv", "absent.csv", ".", "/dev/null", "-")
NUMBERS = ("0", "1", "2", "-1", "0.5", "1.5", "nan", "inf", "1e999", "", "x")
SETTINGS = (
    *("n_levels=3", "n_levels=0", "n_levels=x", "n_levels=[1]", "n_levels=null", "n_levels=1e400"),
    *("regressor=copula", "regressor=3", 'regressor={"a":1}', "levels=0.5", "jitters=2", "x", "=1"),
    *("a=" + "[" * 100_000, "n_levels=" + "9" * 5_000, "seed=3", "method=bqcd", "n_levels=true"),
)
VALUES = {
    "x": ("a", "b", "0", "1", *JUNK, "9" * 5_000),
    "y": ("b", "c", "2", *JUNK),
    "method": (*FAST, *JUNK),
    "setting": SETTINGS,
    "skeleton_setting": ("test=copula", "alpha=2", *JUNK),
    "skeleton": ("pc", "cam", *JUNK),
    "kind": ("skeleton", "cpdag", *JUNK),
    "engine": ("local", "joblib:", "joblib:absent", *JUNK),
    "workers": ("1", "0", "-1", "x"),
    "seed": ("0", "1", "-1", "9" * 30, "9" * 5_000, "x"),
    "top": ("0", "3", "-1", "9" * 30, "x"),
    "name": (*FAST, "tuebingen", "AN", "cure", *JUNK),
    "regressor": ("copula", *JUNK),
    "graph": ("g.dot", "g.gml", "g.csv", "t.csv", "out.dot", *JUNK),
    "graph_format": ("dot", "csv", "adjacency", *JUNK),
    "convention": ("directed", "row-causes-column", *JUNK),
    "knowledge": ("k.toml", "t.csv", *JUNK),
    "against": ("a", "0", *JUNK),
    "columns": ("a", "b*", "!a", "0", *JUNK),
    "pairs": ("p.csv", "t.csv", *JUNK),
    "out": ("out.csv", "out.png", "out", "out.dot", "out.html", "no/such/out.svg", *JUNK),
    "save": ("out.csv", "out.parquet", "../out.json", "out.xyz", *JUNK),
    "matrix": ("out.csv", "out.npy", "no/such/m.npy", *JUNK),
    "plot": ("out.png", "no/such/p.png", "out.xyz", *JUNK),
}


@cache
def commands() -> dict[str, Any]:
    """Every command by its words."""
    found = {}
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        found[name] = command
        for below, inner in getattr(command, "commands", {}).items():
            found[f"{name} {below}"] = inner
    return found


@every_case("commands")
def test_any_arguments_end_in_an_answer_or_one_line(target, numbers, tmp_path, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("BQCD_DATA", str(tmp_path / "absent"))

    def attempt(case: Case) -> None:
        inside = case.folder / "in" / "side"
        inside.mkdir(parents=True)
        monkeypatch.chdir(inside)
        write_files(case, inside)
        words = arguments(case)
        monkeypatch.setattr(sys, "argv", ["bqcd", *words])
        check_run(words, mutated(seeds.texts(), case.rng))
        monkeypatch.chdir(tmp_path)

    check_cases(target, numbers, tmp_path, attempt)


def write_files(case: Case, folder: Path) -> None:
    """Files that arguments name: mostly valid ones, and one that is damaged."""
    (folder / "t.csv").write_bytes(seeds.texts()[0])
    (folder.parent / "t.csv").write_bytes(seeds.texts()[1])
    (folder / "t.parquet").write_bytes(seeds.parquets()[0])
    (folder / "t.arrow").write_bytes(seeds.arrows()[0])
    (folder / "odd").write_bytes(mutated((*seeds.texts(), *seeds.parquets()), case.rng))
    (folder / "p.csv").write_bytes(mutated((b"a,b\nb,c\n", b"0\t1\n"), case.rng))
    (folder / "k.toml").write_bytes(mutated((b'tiers = [["a"], ["b", "c"]]\n',), case.rng))
    for suffix in ("dot", "gml", "csv"):
        (folder / f"g.{suffix}").write_bytes(mutated(seeds.graphs(suffix), case.rng))


def arguments(case: Case) -> list[str]:
    """Words of a command line, from real commands and options and from junk."""
    name = case.pick((*commands(), *("decide", "scan", "orient", "assess") * 4))
    if name not in commands():
        return [case.pick(JUNK) for _ in range(case.pick((0, 1, 2)))]
    words = name.split()
    if name in COSTLY:
        return [*words, *case.pick(([], ["--help"], ["--absent"], ["--workers", "x"]))]
    parameters = commands()[name].params
    for one in parameters:
        is_option = one.param_type_name == "option"
        if is_option and case.chance(0.85 if len(parameters) > 6 else 0.5):
            continue
        value = value_of(case, one)
        if not is_option:
            words.append(value)
        elif getattr(one, "is_flag", False):
            words.append(one.opts[0])
        else:
            words += [case.pick(one.opts), value]
    if case.chance(0.1):
        words.insert(int(case.rng.integers(len(words) + 1)), case.pick(JUNK))
    return words


def value_of(case: Case, parameter: Any) -> str:
    """Value of an argument or option, most often one that it may have."""
    name = "out" if parameter.name == "folder" else parameter.name
    if name == "table":
        return case.pick(("t.csv",) * 6 + FILES)
    if isinstance(parameter.default, Enum):
        return str(case.pick((*type(parameter.default), *JUNK[:5])))
    return str(case.pick(VALUES.get(name, NUMBERS)))


@contextmanager
def streams(standard_input: bytes) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """Standard streams of a process, whose output can be looked at."""
    out, error = io.BytesIO(), io.BytesIO()
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BytesIO(standard_input), "utf-8")
    sys.stdout, sys.stderr = io.TextIOWrapper(out, "utf-8"), io.TextIOWrapper(error, "utf-8")
    try:
        yield out, error
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.detach()
        sys.stdin, sys.stdout, sys.stderr = before


def check_run(words: list[str], standard_input: bytes) -> None:
    """Run the command in this process, and look at what a shell would see of it."""
    with streams(standard_input) as (out, error):
        with pytest.raises(SystemExit) as ended:
            main()
        sys.stdout.flush()
        sys.stderr.flush()
        answer, complaint = out.getvalue().decode(), error.getvalue().decode()
    shown = [word[:60] for word in words]
    code = ended.value.code or 0
    assert code in (0, 1, 2, 130), f"{shown} ended with {code!r}"
    assert "Traceback" not in complaint + answer, f"{shown}: {complaint[-500:]}"
    lines = [line for line in complaint.splitlines() if "compiling" not in line]
    if code:
        assert len(lines) <= 1, f"{shown} has more to say than one line: {lines}"
        assert all(line.startswith("bqcd: ") for line in lines), f"{shown}: {lines}"
    elif "--json" in words and "--help" not in words:
        assert json.loads(answer) is not None
    assert "\x1b" not in answer, f"{shown} has control characters in its answer"
