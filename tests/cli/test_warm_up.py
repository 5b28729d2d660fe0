"""Compiling ahead, and what is told of compiling."""

from __future__ import annotations

import threading

import pytest
from numba.core import event
from typer.testing import CliRunner

import bqcd
from bqcd.cli.commands import app
from bqcd.cli.console import patience
from bqcd.methods.table import METHODS
from bqcd.runtime.kernel import counted_compilations
from bqcd.scans import warming
from bqcd.scans.warming import Step, warm_up_steps


def told_while_compiling(capsys, seconds: int = 10) -> str:
    """What is said by a command that compiles for long."""
    with patience(seconds), event.trigger_event("numba:compile"):
        timers = [one for one in threading.enumerate() if isinstance(one, threading.Timer)]
        for timer in timers:
            timer.function(*timer.args, **timer.kwargs)
    return capsys.readouterr().err


def test_compiling_is_told_once_per_installation_with_the_seconds(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("BQCD_KERNELS", str(tmp_path))
    assert told_while_compiling(capsys, 12) == (
        "bqcd: compiling its numerical kernels, once after installation; about 12 seconds ...\n"
    )
    assert told_while_compiling(capsys) == ""
    monkeypatch.setattr("bqcd.runtime.version.__version__", "99.0")
    assert "once after installation" in told_while_compiling(capsys)


def test_where_nothing_can_be_kept_it_says_so(tmp_path, capsys, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("BQCD_KERNELS", str(tmp_path / "file" / "folder"))
    assert "each time, as it cannot be kept" in told_while_compiling(capsys)


def test_after_warming_up_nothing_is_compiled():
    steps = {step.name: step for step in warm_up_steps()}
    for name in ("decide", "decide with ties", "assess"):
        steps[name].run()
    x, y, _ = warming._example(250)
    with counted_compilations() as kernels:
        bqcd.decide(x, y)
        bqcd.decide(x.round(1), y)
        bqcd.assess(x, y, replicates=20, method="bqcd")
    assert kernels == []


def test_all_methods_and_regressors_are_among_everything():
    names = {step.name for step in warm_up_steps(everything=True)}
    assert {f"method {name}" for name in METHODS if name != "bqcd"} <= names
    assert {"regressor forest", "regressor network"} <= names
    assert not {name for name in names if name.startswith("method")} & {
        step.name for step in warm_up_steps()
    }


@pytest.mark.parametrize(("compiles", "says"), [(2, "2 kernels compiled"), (0, "compiled before")])
def test_the_command_tells_how_many_how_long_and_where(tmp_path, monkeypatch, compiles, says):
    monkeypatch.setenv("BQCD_KERNELS", str(tmp_path))
    asked = []

    def steps(*, everything: bool) -> list[Step]:
        asked.append(everything)
        return [Step("one", lambda: asked.append("run"))]

    class Counted:
        def __enter__(self) -> list[str]:
            return ["kernel"] * compiles

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr("bqcd.scans.warming.warm_up_steps", steps)
    monkeypatch.setattr("bqcd.runtime.kernel.counted_compilations", Counted)
    shown = CliRunner().invoke(app, ["warm-up", "--all"])
    assert shown.exit_code == 0, shown.output
    assert asked == [True, "run"]
    assert says in shown.stdout
    assert "0 seconds" in shown.stdout
    assert str(tmp_path) in shown.stdout.replace("\n", "")
