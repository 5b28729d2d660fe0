"""Assessment and scan say the same of a pair."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import bqcd
from benchmarks.problem_pairs import curve, grades
from tests.test_eight_cases import linear, places


def columns(kind: str, n: int = 400, seed: int = 5) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    x, noise = rng.normal(size=(2, n))
    y = curve(x, noise)
    order = np.argsort(x)
    return {
        "curve": {"x": x, "y": y},
        "sorted rows": {"x": x[order], "y": y[order]},
        "time": {"x": np.arange(float(n)), "y": noise.cumsum()},
        "derived": {"x": x, "y": np.exp(x).round(2)},
        "no link": {"x": x, "y": noise},
        "grades": {"x": grades(x, 8), "y": 0.7 * x + 0.7 * noise},
        "grades with a direction": {"x": grades(x, 8), "y": y},
        "rounded": {"x": x.round(), "y": y},
        "rounded effect": {"x": x, "y": y.round()},
        "zeros": {"x": x, "y": np.maximum(0.7 * x + 0.7 * noise, 0.0)},
        "binary": {"x": x, "y": (y > 0.5).astype(float)},
    }[kind]


CASES = {
    name: partial(columns, name)
    for name in (
        "curve", "sorted rows", "time", "derived", "no link", "grades", "grades with a direction",
        "rounded", "rounded effect", "zeros", "binary",
    )
} | {
    f"{kind.__name__} {seed}": partial(kind, 300, seed) for kind in (linear, places)
    for seed in range(2)
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_assessment_and_scan_give_the_same_answer(name):
    table = CASES[name]()
    x, y = table
    found = bqcd.assess(x, y, table=table, replicates=10)
    [row] = bqcd.scan(table, method="panel").table.to_pylist()
    assert (row["answer"], row["direction"]) == (found.answer, found.direction.value)
    assert row["probability"] == pytest.approx(found.probability)
    assert (row["limit"] is None) == (found.probability == found.claimed)


def test_a_second_method_is_held_back_alike_and_the_summary_counts_it():
    table = columns("curve") | {"z": columns("derived")["y"]}
    scan = bqcd.scan(table, then="panel")
    limits = {(row["x"], row["y"]): row["limit"] for row in scan.table.to_pylist()}
    assert limits[("x", "y")] is None
    assert limits[("x", "z")] == "derived"
    summary = scan.summary()
    assert "In 1 of 3 pairs with a probability, each column follows from the other." in summary
    assert "are judged by assess and report only." in summary


def test_what_holds_a_probability_back_is_kept_in_the_folder(tmp_path):
    table = columns("derived")
    found = bqcd.scan(table, then="panel", out=tmp_path / "scan")
    again = bqcd.read_scan(tmp_path / "scan")
    assert again.table.equals(found.table)
    assert again.table["limit"].to_pylist() == ["derived"]
    assert again.table["probability"].to_pylist() == [0.5]
