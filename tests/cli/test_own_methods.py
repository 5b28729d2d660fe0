"""A method of one's own in every command that takes a method, and what `check` says of it."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from bqcd.methods.check import PROMISES
from tests.cli.commanding import run
from tests.cli.test_help import COMMANDS

SOURCE = '''
from dataclasses import dataclass

import numpy as np

from bqcd import Verdict


@dataclass(frozen=True, kw_only=True)
class Bend:
    """The column that the square of the other follows."""

    power: int = 2

    def decide(self, pair, rng):
        return Verdict(self._gain(pair.x, pair.y) - self._gain(pair.y, pair.x), pair)

    def _gain(self, given, target):
        given, target = np.sort(given) ** self.power, target[np.argsort(given, kind="stable")]
        total = sum(sorted((given - given.mean()) * (target - target.mean())))
        return abs(float(total)) / len(given)


class Stubborn(Bend):
    def decide(self, pair, rng):
        return Verdict(1.0, pair)


class Broken(Bend):
    def decide(self, pair, rng):
        return 1.0
'''


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "own_methods_here.py").write_text(SOURCE)
    rng = np.random.default_rng(0)
    a = rng.normal(size=60)
    columns = {"a": a, "b": a**2 + 0.2 * rng.normal(size=60), "c": rng.normal(size=60)}
    pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "g.dot").write_text("graph { a -- b }")
    monkeypatch.chdir(tmp_path)
    return tmp_path


MINE = ("--method", "own_methods_here:Bend", "--set", "power=4")
ASKED = {
    "decide": ("t.csv", "a", "b", *MINE),
    "assess": ("t.csv", "a", "b", *MINE, "--replicates", 10),
    "scan": ("t.csv", *MINE, "-j", 2),
    "report": ("t.csv", *MINE, "-o", "r.html", "--replicates", 0),
    "orient": ("t.csv", "--graph", "g.dot", *MINE),
}
OTHERWISE = {"bench", "methods", "check"}


@pytest.mark.parametrize("command", ASKED)
def test_a_method_of_the_current_folder_judges_in(here, command):
    done = run(command, *ASKED[command])
    assert done.returncode == 0, done.stderr
    shown = (here / "r.html").read_text() if command == "report" else done.stdout
    assert "Bend" in shown or command == "orient"


def test_it_can_be_the_second_method_of_a_scan(here):
    done = run("scan", "t.csv", "--then", "own_methods_here:Bend")
    assert done.returncode == 0, done.stderr
    assert "then Bend(power=2) on" in " ".join(done.stdout.split())


def test_every_command_with_an_option_for_a_method_is_tried_here():
    takers = {
        path[0]
        for path, command in COMMANDS.items()
        for param in command.params
        if path and {"--method", "--methods", "--then"} & set(param.opts)
    }
    assert takers == set(ASKED) | {"bench"}


def test_settings_that_it_does_not_have_are_told_in_one_line(here):
    done = run("decide", "t.csv", "a", "b", *MINE[:2], "--set", "depth=1")
    assert done.returncode == 2
    assert done.stderr.startswith("bqcd: own_methods_here:Bend cannot be built: TypeError")
    assert done.stderr.count("\n") == 1


def test_its_docstring_and_settings_are_told(here):
    told = run("methods", "own_methods_here:Bend").stdout
    assert "The column that the square of the other follows." in told
    assert "power=2" in told


def test_check_tells_which_promises_are_broken_with_numbers(here):
    done = run("check", "own_methods_here:Stubborn")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert len(lines) == len(PROMISES) + 1
    broken = [line for line in lines if line.startswith("broken")]
    assert any("flip the sign" in line and "is 1.0 and then 1.0" in line for line in broken)
    assert lines[-1] == f"own_methods_here:Stubborn keeps {8 - len(broken)} of 8 promises."


def test_check_leaves_open_what_cannot_be_tried(here):
    done = run("check", "own_methods_here:Broken", "--json")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert told["kept"] == 0
    assert told["promises"][0]["state"] == "broken"
    assert {one["state"] for one in told["promises"]} == {"broken", "open"}


def test_check_is_content_with_the_methods_that_ship_along():
    done = run("check", "bqcd")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "bqcd keeps 8 of 8 promises.")


def test_check_of_nothing_is_refused_in_one_line(here):
    done = run("check", "own_methods_here:Nothing")
    assert done.returncode == 2
    assert done.stderr.startswith("bqcd: No method can be imported from")
