"""Answers computed once, and costly methods on fewer pairs."""

from __future__ import annotations

import pytest

from bqcd.benchmark.datasets import simulate_pairs
from bqcd.methods.table import METHODS
from bqcd.show.reproduction import paper, workshop
from bqcd.show.reproduction.workshop import Workshop, spread

pytest.importorskip("cloudpickle")


def test_pairs_are_spread_from_the_first_to_the_last():
    pairs = simulate_pairs("AN", n_pairs=11, n_rows=20, seed=1)
    assert spread(pairs, 3).items == (pairs.items[0], pairs.items[5], pairs.items[10])
    assert spread(pairs, 11) is pairs


def test_costly_methods_are_run_on_fewer_pairs_and_cheap_ones_on_all(tmp_path, monkeypatch):
    small = {name: simulate_pairs(name, n_pairs=6, n_rows=30, seed=1) for name in paper.SIMULATED}
    monkeypatch.setattr(workshop, "load_pairs", small.__getitem__)
    monkeypatch.setattr(workshop, "_COSTLY", METHODS["igci-u"].seconds)
    found = Workshop(tmp_path, quick=False, workers=1, pairs=3).on_simulated(["igci-u", "reci"])
    assert {len(found["igci-u", name].truth) for name in paper.SIMULATED} == {6}
    assert {len(found["reci", name].truth) for name in paper.SIMULATED} == {3}


def test_a_quick_run_leaves_costly_methods_out(tmp_path):
    quick = Workshop(tmp_path, quick=True, workers=1)
    costly = [name for name, card in METHODS.items() if card.seconds > 0.1]
    assert quick.left_out(list(METHODS)) == costly
    assert "panel" not in costly
    assert Workshop(tmp_path, quick=False, workers=1).left_out(list(METHODS)) == []
