"""What a card says of time is what was measured, and long pairs are judged on fewer rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bqcd
from bqcd.show.words.methods import drawn_rows

RECORDED = Path(__file__).parents[1] / "benchmarks" / "results" / "growth.txt"
# The longest pair of the benchmarks has 16,382 rows; numbers on all of them are those published.
LONGEST = 20_000
CAPPED = ["anm", "grci", "heci", "loci"]


def recorded() -> dict[str, list[float]]:
    lines = [line.split() for line in RECORDED.read_text(encoding="utf-8").splitlines()[1:]]
    return {name: [float(word) for word in words] for name, *words in lines}


@pytest.mark.skipif(not RECORDED.exists(), reason="the record is no part of what is installed")
def test_the_times_of_a_card_are_those_recorded():
    assert recorded().keys() == bqcd.METHODS.keys()
    for name, (first, *beyond) in recorded().items():
        card = bqcd.METHODS[name]
        # Two digits are told; the two references of IGCI share theirs.
        digits = 0.35 if name.startswith("igci") else 0.05
        assert card.seconds_beyond == pytest.approx(beyond, rel=digits), name
        # Used for planning, and rounded to what a slower machine needs.
        assert 0.4 <= card.seconds / first <= 2.5, name


def test_no_method_takes_much_longer_for_a_million_rows_than_a_quarter_of_a_minute():
    cards = [card for card in bqcd.METHODS.values() if card.seconds <= 1.0]
    assert {card.name: card.seconds_beyond for card in cards if card.seconds_beyond[-1] > 15} == {}


def columns(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    return x, x**2 + 0.3 * rng.normal(size=n)


@pytest.mark.parametrize("name", CAPPED)
def test_rows_of_benchmarks_are_all_taken(name):
    card = bqcd.METHODS[name]
    assert card.build().max_rows >= LONGEST
    x, y = columns(300)
    every, usual = (bqcd.decide(x, y, method=name, **s) for s in ({"max_rows": 0}, {}))
    assert usual.confidence == every.confidence
    assert usual.as_dict()["evidence"] == every.as_dict()["evidence"]
    assert usual.evidence.n_rows == 300


@pytest.mark.parametrize("name", CAPPED)
def test_of_a_longer_pair_the_rows_drawn_are_told(name):
    x, y = columns(600)
    verdict = bqcd.decide(x, y, method=name, max_rows=200, draws=4)
    told = verdict.as_dict()["evidence"]
    assert (told["n_rows"], told["draws"]) == (200, 4)
    assert verdict.confidence == -bqcd.decide(y, x, method=name, max_rows=200, draws=4).confidence
    assert verdict.confidence != bqcd.decide(x, y, method=name).confidence


@pytest.mark.parametrize("name", CAPPED)
def test_cards_tell_of_rows_that_are_drawn(name):
    card = bqcd.METHODS[name]
    most = card.build().max_rows
    assert drawn_rows(card) == f"of more than {most:,} rows that many are drawn at random, 3 times"
    assert drawn_rows(bqcd.METHODS["bqcd"]) == drawn_rows(bqcd.METHODS["emd"]) == ""
