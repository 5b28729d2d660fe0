"""Answers of a scan: bars, a second method, and what is asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import pytest

import bqcd
from bqcd.errors import InvalidSettingError
from bqcd.methods.table import METHODS
from bqcd.methods.verdict import Verdict
from bqcd.scans import answering
from bqcd.scans.reading import read_scan
from bqcd.scans.scanning import scan
from tests.scans.test_results import FACTS, pairs_of, scan_of

# Confidences of a method that claims probabilities: (1 + |confidence|) / 2.
CLAIMS = (
    ("a", "b", 0.7, 0.9, 1e-9),
    ("a", "c", -0.62, 0.9, 1e-9),
    ("b", "c", 0.4, 0.9, 1e-9),
    ("a", "d", -0.2, 0.9, 1e-9),
    ("c", "d", 0.9, 0.1, 0.8),
)


@pytest.fixture
def claiming(monkeypatch) -> str:
    """Name of a method that claims probabilities."""
    card = replace(METHODS["coin"], probabilistic=True)
    monkeypatch.setattr(answering, "METHODS", MappingProxyType({**METHODS, "coin": card}))
    return "coin"


@dataclass(frozen=True)
class Limited:
    """Evidence of a method that knows what is common where no direction exists."""

    chance_bound: float

    def as_dict(self, pair: bqcd.Pair) -> dict[str, object]:
        return {}


@dataclass(frozen=True)
class OwnLimit:
    """Says x -> y of every pair, with the same confidence."""

    limit: float

    def decide(self, pair: bqcd.Pair, rng: np.random.Generator) -> Verdict:
        return Verdict(0.2, pair, Limited(self.limit))


def told(found: bqcd.Scan) -> list[tuple[object, ...]]:
    rows = found.table.select(["answer", "direction", "probability"]).to_pylist()
    return [tuple(row.values()) for row in rows]


def test_probabilities_of_the_method_are_those_of_the_direction_and_make_the_answer(claiming):
    assert told(scan_of(CLAIMS, method=claiming)) == [
        ("clear", "->", pytest.approx(0.85)),
        ("clear", "<-", pytest.approx(0.81)),
        ("leaning", "->", pytest.approx(0.7)),
        ("cannot tell", "--", pytest.approx(0.6)),
        ("cannot tell", "--", pytest.approx(0.95)),
    ]


def test_what_is_asked_for_raises_the_bars(claiming):
    asked = scan_of(CLAIMS, method=claiming, abstain=0.83)
    assert [row[0] for row in told(asked)] == ["clear", *["cannot tell"] * 4]
    assert asked.summary().startswith("1 of 5 pairs has a clear direction, 0 lean, 4 cannot be")
    lowered = scan_of(CLAIMS, method=claiming, abstain=0.55)
    assert told(lowered) == told(scan_of(CLAIMS, method=claiming))
    assert asked.as_dict()["abstain"] == 0.83


def test_the_answer_is_that_of_a_second_method_with_probabilities_where_it_was_asked(claiming):
    second = scan_of(CLAIMS[:3], method=claiming)
    turned = [(x, y, -confidence, *rest) for x, y, confidence, *rest in CLAIMS]
    found = scan_of(turned, then=second)
    assert told(found) == [
        ("clear", "->", pytest.approx(0.85)),
        ("clear", "<-", pytest.approx(0.81)),
        ("leaning", "->", pytest.approx(0.7)),
        ("cannot tell", "--", None),
        ("cannot tell", "--", None),
    ]
    assert found.table["then_confidence"].to_pylist() == [0.7, -0.62, 0.4, None, None]
    assert named_first(found.top(2, by="probability")) == "ab"
    assert "then coin on 3" in found.summary()
    # A pair that the second method was not asked about has no probability to reach a bar with.
    asked = scan_of(turned, then=second, abstain=0.6)
    assert [row[0] for row in told(asked)] == ["clear", "clear", "leaning", *["cannot tell"] * 2]


def test_what_a_method_of_probabilities_was_not_asked_about_is_not_told(claiming):
    """Pairs beyond its budget would lean, and it leaves few of those that exceed the limit more."""
    turned = [(x, y, -confidence, *rest) for x, y, confidence, *rest in CLAIMS]
    found = scan_of(turned, then=scan_of(CLAIMS[:3], method=claiming))
    # The last pair may be independent, and is told by neither.
    assert found.table["limit"].to_pylist() == [*[None] * 3, "no probability", None]
    assert "1 more leans by bqcd alone and has no probability: coin was asked about 3" in (
        found.summary()
    )
    assert "where the second, which claims" in str(found.top(5))
    assert [row[0] for row in told(scan_of(turned))][3] == "leaning"
    # Of two methods that claim none, the first one's word stands where the second was not asked.
    plain = scan_of(turned, then=scan_of(CLAIMS[:3], method="anm"))
    assert told(plain)[3][0] == "leaning"
    assert "no probability" not in plain.summary()


def named_first(table) -> str:
    return table["x"][0].as_py() + table["y"][0].as_py()


def test_the_note_below_pairs_names_the_bars_in_force(claiming):
    usual, raised = (scan_of(CLAIMS, method=claiming, abstain=least) for least in (None, 0.9))
    assert "where its probability is below 65%, or where q" in str(usual.top(4))
    assert "where its probability is below 90%, or where q" in str(raised.top(4))
    sizes = str(scan_of().top(3))
    assert "where the confidence is within chance, or where q" in sizes
    assert "probability" not in sizes


def test_two_methods_without_probabilities_must_agree():
    second = scan_of([("a", "b", 0.1, 0.9, 1e-9), ("a", "c", 0.1, 0.9, 1e-9)], method="anm")
    found = scan_of(CLAIMS[:3], then=second)
    assert [row[:2] for row in told(found)] == [
        ("leaning", "->"),
        ("cannot tell", "--"),
        ("leaning", "->"),
    ]


def table() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    a, noise = rng.normal(size=(2, 150))
    b = a**2 + 0.3 * rng.normal(size=150)
    return {"noise": noise, "a": a, "c": b + 0.5 * rng.normal(size=150), "b": b}


def test_a_second_method_judges_the_dependent_pairs_of_largest_confidence(tmp_path):
    held = table()
    found = scan(held, then="cdci", then_pairs=2, out=tmp_path / "scan")
    dependent = found.top(9, max_q=0.05).to_pylist()
    assert len(dependent) == 3
    first = {(row["x"], row["y"]) for row in dependent[:2]}
    judged = {
        (row["x"], row["y"]): row["then_confidence"]
        for row in found.table.to_pylist()
        if row["then_confidence"] is not None
    }
    assert set(judged) == first
    for (x, y), confidence in judged.items():
        assert confidence == bqcd.decide(held[x], held[y], method="cdci").confidence
    alone = scan(held)
    assert found.table["confidence"].equals(alone.table["confidence"])
    read = read_scan(tmp_path / "scan")
    assert read.table.equals(found.table)
    assert read.then.method == "cdci"
    again = scan(held, then="cdci", then_pairs=2, out=tmp_path / "scan")
    assert again.table.equals(found.table)
    fresh = scan(held, then="cdci", then_pairs=1, out=tmp_path / "scan", fresh=True)
    assert len(fresh.then) == 1
    assert read_scan(tmp_path / "scan").table.equals(fresh.table)


def test_a_least_probability_needs_a_method_that_claims_any(claiming):
    with pytest.raises(InvalidSettingError, match="abstain of scan needs a method that claims"):
        scan(table(), abstain=0.8)
    with pytest.raises(InvalidSettingError, match=r"abstain of scan needs .* then='anm'"):
        scan(table(), then="anm", abstain=0.8)
    with pytest.raises(InvalidSettingError, match=r"abstain of scan must be .* got 0.5"):
        scan(table(), then=claiming, abstain=0.5)
    found = scan(table(), then=claiming, then_pairs=1, abstain=0.8)
    assert found.abstain == 0.8


def test_the_table_of_a_scan_is_taken_for_one_again(claiming):
    whole = scan_of(CLAIMS, method=claiming)
    again = bqcd.Scan(whole.table, FACTS, method=claiming, n_rows=100, label="cells.csv")
    assert again.table.equals(whole.table)
    assert again.where(answer="leaning").table["y"].to_pylist() == ["c"]
    assert pairs_of(CLAIMS).num_rows == again.count("clear") + again.count("leaning") + 2


@pytest.mark.parametrize("method", ["bqcd", "igci-g"])
def test_a_scan_holds_coarse_columns_to_the_limit_of_decide_to_the_bit(method):
    rng = np.random.default_rng(20)
    hidden = rng.normal(size=600)
    fine = {name: hidden + 0.5 * rng.normal(size=600) for name in "abcdef"}
    table = fine | {
        "b": np.sign(fine["b"]),
        "c": np.maximum(fine["c"], 0.3),
        "d": fine["d"].round(),
        "e": np.where(rng.random(600) < 0.1, np.nan, fine["e"].round(1)),
    }
    found = scan(table, method=method, missing="drop")
    told = zip(found.pairs.to_pylist(), found.table.to_pylist(), strict=True)
    for kept, row in told:
        one = bqcd.decide(row["x"], row["y"], table=table, method=method, missing="drop")
        assert (kept["confidence"], kept["bound"]) == (one.confidence, one.limit)
        assert (row["answer"], row["direction"]) == (one.answer, one.direction.value)
    assert {row["answer"] for row in found.table.to_pylist()} <= {"leaning", "cannot tell"}


def test_a_method_of_ones_own_is_held_to_its_own_limit_in_a_scan():
    table = {name: np.random.default_rng(at).normal(size=50) for at, name in enumerate("ab")}
    table["c"] = table["a"] + 0.1 * table["b"]
    found = {limit: scan(table, method=OwnLimit(limit)) for limit in (0.1, 0.3)}
    assert found[0.1].count("leaning") > 0
    assert found[0.3].count("leaning") == 0
