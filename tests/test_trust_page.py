"""The page of measured figures is what its command makes of the recorded numbers."""

from __future__ import annotations

import doctest
import importlib
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "benchmarks"

pytestmark = pytest.mark.skipif(
    not SCRIPTS.is_dir(), reason="benchmarks are not part of the source distribution"
)


@pytest.fixture
def command(monkeypatch):
    """The module of the command, and a function that calls it with arguments."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    module = importlib.import_module("assess_page")

    def run(*arguments: object) -> None:
        monkeypatch.setattr(sys, "argv", ["assess_page.py", *map(str, arguments)])
        module.main()

    return module, run


def test_page_and_pictures_are_those_of_the_recorded_numbers(command, tmp_path):
    _, run = command
    run("--render", "--out", tmp_path / "trust.md")
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.*"))
    pictures = sorted(path.relative_to(ROOT / "docs") for path in ROOT.glob("docs/figures/trust-*"))
    assert made == sorted([*pictures, Path("trust.md")])
    for name in made:
        assert (tmp_path / name).read_bytes() == (ROOT / "docs" / name).read_bytes(), name
        assert (tmp_path / name).stat().st_size < 80_000


def test_every_table_was_recorded_in_full(command):
    module, _ = command
    for part in module.PARTS.values():
        table = part.read(module.RESULTS)
        assert table is not None, part.name
        assert table.plan == json.loads(json.dumps(asdict(part.full))), part.name


@pytest.mark.data
def test_recorded_assessments_are_those_of_this_code(command, data_home):
    module, _ = command
    recorded = module.BENCHMARKS.read(module.RESULTS)
    wanted = {row.pair: row for row in recorded.rows}
    plan = replace(module.BENCHMARKS.full, benchmarks=("tuebingen", "SIM"), pairs=4)
    for row in module.BENCHMARKS.rows(plan):
        known = wanted[row.pair]
        for name in ("confidence", "stability", "p_bound", "probability"):
            assert getattr(row, name) == pytest.approx(getattr(known, name), rel=1e-4), row.pair


def test_quick_run_of_one_part_ends_in_a_page(command, tmp_path, capsys):
    module, run = command
    arguments = ("--quick", "--parts", "power", "--results", tmp_path, "--out", tmp_path / "a.md")
    run(*arguments)
    first = (tmp_path / "assess_power.json").read_text(encoding="utf-8").splitlines()
    run(*arguments)
    again = (tmp_path / "assess_power.json").read_text(encoding="utf-8").splitlines()
    assert [line for line in first if "seconds" not in line] == [
        line for line in again if "seconds" not in line
    ]
    rows = module.POWER.read(tmp_path).rows
    assert [row.scenario for row in rows] == ["AN", "AN-s", "LS", "LS-s", "MN-U", "SIM"]
    assert all(0 <= row.wrong_05 <= row.significant_05 <= row.pairs == 4 for row in rows)
    page = (tmp_path / "a.md").read_text(encoding="utf-8")
    assert page.count("| AN-s | 200 | 4 |") == 1
    assert "## Time" not in page
    assert "power: 6 rows" in capsys.readouterr().out


def test_quick_run_does_not_replace_the_recorded_numbers(command, tmp_path, capsys):
    _, run = command
    with pytest.raises(SystemExit):
        run("--quick", "--out", tmp_path / "trust.md")
    assert "--quick needs --results" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["assess_abstention", "assess_markdown"])
def test_examples_of_the_scripts_hold(command, name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0
    assert found.failed == 0
