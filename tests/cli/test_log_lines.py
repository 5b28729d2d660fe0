"""Progress without a terminal: a line now and then, and none of work that is soon done."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bqcd.cli.log_lines import VARIABLE, LogLines
from tests.cli.commanding import run


class Clock:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch) -> Clock:
    monkeypatch.delenv(VARIABLE, raising=False)
    return Clock()


def test_a_night_fills_no_log_and_its_first_line_comes_after_half_a_minute(clock):
    told: list[tuple[float, str]] = []
    lines = LogLines(clock=clock, say=lambda line: told.append((clock.seconds, line)))
    for second in range(8 * 3600):
        clock.seconds = float(second)
        lines.show("judging pairs", second, 8 * 3600)
    moments = [moment for moment, _ in told]
    assert moments[:4] == [30.0, 90.0, 210.0, 450.0]
    assert len(moments) < 60
    assert max(np.diff(moments)) == 600.0
    assert told[0][1] == "bqcd: judging pairs, 30 of 28,800 (0%), about 8 h to go"


def test_work_that_is_soon_done_says_nothing(clock):
    told: list[str] = []
    lines = LogLines(clock=clock, say=told.append)
    for second in range(30):
        clock.seconds = float(second)
        lines.show("judging pairs", second, 30)
    assert told == []


def test_what_was_done_before_tells_nothing_of_the_pace(clock):
    told: list[str] = []
    lines = LogLines(clock=clock, say=told.append)
    lines.show("judging pairs", 900, 1000)
    clock.seconds = 50.0
    lines.show("judging pairs", 950, 1000)
    assert told == ["bqcd: judging pairs, 950 of 1,000 (95%), about 50 s to go"]


def test_where_the_whole_is_not_known_what_has_come_is_told(clock):
    told: list[str] = []
    lines = LogLines(clock=clock, say=told.append)
    clock.seconds = 31.0
    lines.show("downloading bytes", 4096, 0)
    assert told == ["bqcd: downloading bytes, 4,096"]


@pytest.fixture
def table(tmp_path):
    columns = np.random.default_rng(0).normal(size=(60, 3))
    pd.DataFrame(columns, columns=list("abc")).to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def test_a_scan_tells_its_log_how_far_it_is_unless_quiet(table):
    asked = ("scan", table, "--then", "none")
    done = run(*asked, **{VARIABLE: "0"})
    assert "bqcd: judging pairs, 3 of 3 (100%)\n" in done.stderr
    assert "\r" not in done.stderr
    assert run(*asked, "--quiet", **{VARIABLE: "0"}).stderr == ""
    assert run(*asked, **{VARIABLE: None}).stderr == ""


def test_a_report_tells_its_log_how_far_it_is(table, tmp_path):
    asked = ("report", table, "a", "b", "--replicates", 0, "-o", tmp_path / "r.html")
    done = run(*asked, **{VARIABLE: "0"})
    assert "bqcd: looking at pairs in detail, 1 of 1 (100%)\n" in done.stderr
