"""Few rows: what the documents say of small_n is recorded, and the record can be remade."""

from __future__ import annotations

import re
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import bqcd
from bqcd.benchmark.datasets import load_pairs
from bqcd.benchmark.metrics import accuracy

ROOT = Path(__file__).parents[1]
RECORDED = ROOT / "benchmarks" / "results" / "small_n.md"
pytestmark = pytest.mark.skipif(
    not RECORDED.exists(), reason="the record is no part of what is installed"
)
ROW = re.compile(r"^\| (\d+) \| (.*) \|$", re.MULTILINE)


@pytest.fixture
def study(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import small_n

    yield small_n
    sys.modules.pop("small_n")


def recorded() -> list[dict[int, list[str]]]:
    """Cells by rows, of each of the four tables."""
    _, *parts = RECORDED.read_text(encoding="utf-8").split("\n## ")
    tables = [{int(n): cells.split(" | ") for n, cells in ROW.findall(part)} for part in parts]
    return [table for table in tables if table]


def test_three_levels_beat_the_median_in_every_line_of_the_record(study):
    assert len(recorded()) == 4
    for table in recorded():
        assert tuple(table) == study.SIZES
        for _, _, _, gap, _ in table.values():
            low, high = map(float, re.findall(r"[-+][\d.]+(?=[,\]])", gap))
            assert 0.0 < low < high


def test_seven_levels_are_nowhere_clearly_better_than_three():
    for table in recorded():
        for *_, gap in table.values():
            low, _ = map(float, re.findall(r"[-+][\d.]+(?=[,\]])", gap))
            assert low <= 0.0


def test_the_table_of_the_mathematics_is_the_record():
    own, _, published, _ = recorded()
    text = (ROOT / "docs" / "mathematics.md").read_text(encoding="utf-8")
    told = {int(n): cells.split(" | ") for n, cells in ROW.findall(text)}
    assert set(told) == {50, 100, 150, 200, 400}
    for n, cells in told.items():
        expected = [
            cell
            for table in (own, published)
            for cell in (table[n][0].split()[0], table[n][1].split()[0], table[n][3])
        ]
        assert cells == expected


def test_pairs_of_the_study_are_of_many_families_and_the_same_every_time(study):
    assert min(len(study.CAUSES), len(study.MECHANISMS)) >= 8
    assert len(study.NOISES) >= 5
    first, again = (list(islice(study.own_pairs(0, 1), 40)) for _ in range(2))
    for (families, x, y), (_, same_x, same_y) in zip(first, again, strict=True):
        assert len(families) == 2
        assert np.array_equal(x, same_x)
        assert np.array_equal(y, same_y)
        assert np.isfinite(y).all()
        assert len(np.unique(study.rounded(x[:100]))) < 60 < len(np.unique(x[:100]))
    for (_, x, _), (_, other, _) in zip(first, islice(study.own_pairs(1, 1), 40), strict=True):
        assert not np.array_equal(x, other)


def test_a_line_of_the_study_compares_the_same_pairs_at_every_number_of_levels(study, monkeypatch):
    monkeypatch.setattr(study, "SIZES", (50,))
    monkeypatch.setattr(study, "PUBLISHED_PAIRS", 2)
    monkeypatch.setattr(study, "CAUSES", {"uniform": study.CAUSES["uniform"]})
    monkeypatch.setattr(study, "NOISES", {"normal": study.NOISES["normal"]})
    cells = study.by_cell(study.answers(0, 1))
    for levels in cells.values():
        assert len({len(right) for right in levels.values()}) == 1
    assert {m: len(v) for m, v in cells["own", "all", False, 50].items()} == {1: 30, 3: 30, 7: 30}
    assert study.gap(np.array([1.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])).startswith("+33.3 [")
    lines = list(study.tables(cells))
    assert sum(line.startswith("| 50 |") for line in lines) == 4


@pytest.mark.data
def test_real_pairs_of_few_rows_do_not_settle_it(data_home):
    pairs = list(load_pairs("tuebingen", data_home=data_home))
    few = [item for item in pairs if len(item.pair) < 200]
    truth = np.array([item.truth.sign for item in pairs])
    weight = np.array([item.weight for item in pairs])
    short = np.array([len(item.pair) < 200 for item in pairs])
    found = {
        n: np.array([bqcd.decide_pair(item.pair, small_n=n).confidence for item in pairs])
        for n in (0, 200)
    }
    right = {n: np.sign(found[n]) == truth for n in found}
    assert len(few) == 22
    assert right[0][short].sum() == right[200][short].sum() == 13
    assert (right[0] & ~right[200]).sum() == (right[200] & ~right[0]).sum() == 3
    told = {n: accuracy(truth, found[n], weight=weight) for n in found}
    assert told == {0: pytest.approx(0.70, abs=0.005), 200: pytest.approx(0.74, abs=0.005)}
