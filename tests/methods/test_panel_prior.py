"""The prior of the panel: what is argued for is what is drawn, and worlds that share nothing."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks" / "panel"
MODULES = ("worlds", "causes", "mechanisms", "noises", "families", "measurement", "prior")


@pytest.fixture
def panel(monkeypatch) -> dict:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    for name in MODULES:
        sys.modules.pop(name, None)
    return {name: importlib.import_module(name) for name in MODULES}


def kinds_drawn(panel: dict, draw: int, half: int, count: int = 300) -> dict[str, set[str]]:
    rng = np.random.default_rng((draw, half))
    with panel["worlds"].inhabited(panel["worlds"].World(draw, half)):
        causes = [panel["causes"].drawn_cause(30, rng)[0] for _ in range(count)]
        noises = [panel["noises"].drawn_noise(30, rng, cause="normal")[0] for _ in range(count)]
        x = rng.normal(size=60)
        rising = panel["mechanisms"].RISING
        mechanisms = [
            panel["mechanisms"].drawn_mechanism(x, rng, kinds=kinds)[0]
            for kinds in ((), rising)
            for _ in range(count)
        ]
    return {"causes": set(causes), "noises": set(noises), "mechanisms": set(mechanisms)}


@pytest.mark.parametrize("draw", [0, 4])
def test_worlds_share_no_cause_mechanism_or_noise(panel, draw):
    one, other = (kinds_drawn(panel, draw, half) for half in (0, 1))
    for what in ("causes", "noises", "mechanisms"):
        assert not one[what] & other[what]
    assert one["causes"] | other["causes"] == set(panel["causes"].CAUSES)
    assert one["mechanisms"] | other["mechanisms"] == set(panel["mechanisms"].MECHANISMS)


def test_a_world_has_half_of_the_names(panel):
    families, half_of = list(panel["families"].FAMILIES), panel["worlds"].half_of
    halves = [half_of(name, families, 0) for name in families]
    assert sorted(map(halves.count, (0, 1))) == [len(families) // 2, (len(families) + 1) // 2]
    assert half_of(families[0], families[::-1], 0) == halves[0]


def test_each_draw_has_halves_of_its_own(panel):
    families, half_of = list(panel["families"].FAMILIES), panel["worlds"].half_of
    first = [{name for name in families if half_of(name, families, draw) == 0} for draw in range(5)]
    told = {frozenset(half) for half in first} | {frozenset(set(families) - half) for half in first}
    assert len(told) == 10


def test_outside_of_the_worlds_every_kind_is_drawn_as_before(panel):
    pair = panel["prior"].simulated("additive", 3)
    with panel["worlds"].inhabited(panel["worlds"].World(0, 1)):
        inside = panel["prior"].simulated("additive", 3)
    again = panel["prior"].simulated("additive", 3)
    assert np.array_equal(again.x, pair.x)
    assert np.array_equal(again.y, pair.y)
    assert not np.array_equal(inside.y, pair.y)


def test_no_world_is_left_inhabited_by_an_error(panel):
    worlds, kinds = panel["worlds"], ["a", "b"]

    def fail_inside() -> None:
        with worlds.inhabited(worlds.World(0, 0)):
            assert worlds.existing(kinds, kinds) != kinds
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_inside()
    assert worlds.existing(kinds, kinds) == kinds


def test_a_choice_of_kinds_that_do_not_exist_here_falls_back_on_those_that_do(panel):
    worlds, kinds = panel["worlds"], ["a", "b", "c", "d"]
    here = [kind for kind in kinds if worlds.half_of(kind, kinds, 0) == 0]
    there = [kind for kind in kinds if worlds.half_of(kind, kinds, 0) == 1]
    with worlds.inhabited(worlds.World(0, 0)):
        assert worlds.existing(there, kinds) == here
        assert worlds.existing(here[:1], kinds) == here[:1]


def test_the_page_says_what_was_recorded():
    root = BENCHMARKS.parents[1]
    record = (root / "benchmarks" / "results" / "panel_foreign.md").read_text(encoding="utf-8")
    line = next(line for line in record.splitlines() if ", as shipped |" in line)
    right, _, claimed = (cell.strip() for cell in line.split("|")[2:5])
    page = (root / "docs" / "panel.md").read_text(encoding="utf-8")
    assert f"right on {right} of the pairs and claims {claimed} (" in page


def names_told(section: str) -> set[str]:
    """First cells of the tables of a section of PRIOR.md."""
    text = (BENCHMARKS / "PRIOR.md").read_text(encoding="utf-8")
    lines = text.split(f"\n## {section}", 1)[1].split("\n## ", 1)[0].splitlines()
    cells = [line.split("|")[1].strip() for line in lines if line.startswith("| ")]
    return {name for cell in cells for name in cell.split(", ")} - {"kind", "family"}


def test_every_kind_is_argued_for_and_no_other(panel):
    families = panel["families"]
    assert names_told("Causes") == set(panel["causes"].CAUSES)
    assert names_told("Mechanisms") == set(panel["mechanisms"].MECHANISMS)
    assert names_told("Families") == {*families.FAMILIES, *families.COMMON, *families.APART}
