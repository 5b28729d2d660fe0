"""A hidden common cause that other columns of the table show leaves no direction."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet as pq

import bqcd


def table(n: int, seed: int = 0) -> dict[str, np.ndarray]:
    """The cause, and effects of it that are curved, so that a direction seems to show."""
    rng = np.random.default_rng(seed)
    cause = rng.uniform(-2.0, 2.0, n)
    signal = np.tanh(2.0 * cause)
    effects = {f"e{at}": signal + rng.uniform(0.4, 0.9) * rng.normal(size=n) for at in range(6)}
    return {"cause": cause} | effects


def test_effects_of_a_cause_that_is_not_in_the_table_have_no_direction():
    columns = table(800)
    del columns["cause"]
    found = bqcd.assess("e0", "e1", table=columns, method="bqcd", replicates=20)
    [limit] = [one for one in found.limits if one.code == "hidden cause"]
    assert (limit.most, found.answer) == (0.5, "cannot tell")
    assert set(limit.facts["columns"]) <= {"e2", "e3", "e4", "e5"}
    assert "look like effects of one hidden cause" in limit.sentence
    assert found.looked.as_dict()["alike"] == limit.facts["columns"]
    # Without the table nothing shows it.
    alone = bqcd.assess(columns["e0"], columns["e1"], method="bqcd", replicates=20)
    assert "hidden cause" not in [one.code for one in alone.limits]


@pytest.mark.parametrize("effect", ["e0", "e3"])
def test_a_cause_in_the_table_keeps_its_direction(effect):
    found = bqcd.assess("cause", effect, table=table(800), method="bqcd", replicates=20)
    assert found.looked.alike == ()
    assert found.cause == "cause"


def test_few_rows_show_no_hidden_cause():
    columns = table(450)
    del columns["cause"]
    found = bqcd.assess("e0", "e1", table=columns, method="bqcd", replicates=20)
    assert found.looked.alike == ()


def squares(count: int, n: int) -> dict[str, np.ndarray]:
    """Effects of the square of one hidden cause, which the panel alone takes for causes."""
    rng = np.random.default_rng(5)
    square = rng.normal(size=n) ** 2
    columns = {f"e{at}": square + rng.uniform(0.3, 1.2) * rng.normal(size=n) for at in range(count)}
    return {"kind": rng.choice(["a", "b"], n)} | columns


def test_answers_of_a_scan_are_those_of_an_assessment_with_all_columns_of_the_table():
    columns = squares(6, 600)
    asked = [(f"e{x}", f"e{y}") for x in range(4) for y in range(x + 1, 4)]
    rows = bqcd.scan(columns, pairs=asked, method="panel").table.to_pylist()
    alone = [
        bqcd.scan({name: columns[name] for name in pair}, method="panel").table.to_pylist()[0]
        for pair in asked
    ]
    told = [at for at, row in enumerate(alone) if row["answer"] != "cannot tell"]
    assert told, "the panel is not misled by any pair: take other columns"
    for at in told:
        assert rows[at]["answer"] == "cannot tell"
        assert rows[at]["limit"] in ("hidden cause", "separated")
        found = bqcd.assess(*asked[at], table=columns, replicates=10)
        assert (found.answer, found.probability) == ("cannot tell", rows[at]["probability"])
        assert "hidden cause" in [limit.code for limit in found.limits]
    # Where nothing would be told, nothing is looked at; claims are those of two columns alone.
    for row, other in zip(rows, alone, strict=True):
        assert row["confidence"] == other["confidence"]


def test_pairs_beyond_the_first_hundred_columns_are_looked_at_as_well():
    columns = squares(6, 600)
    rng = np.random.default_rng(0)
    first = {f"e{at}": columns[f"e{at}"] for at in range(2, 6)}
    noise = {f"n{at}": rng.normal(size=600) for at in range(100)}
    last = {name: columns[name] for name in ("e0", "e1")}
    found = bqcd.assess("e0", "e1", table=first | noise | last, method="bqcd", replicates=20)
    assert set(found.looked.alike) <= set(first)
    assert len(found.looked.alike) >= 3


def test_columns_in_pieces_and_in_other_processes_are_the_same(tmp_path):
    columns = squares(6, 600)
    frame = pa.table(columns)
    pq.write_table(frame, tmp_path / "t.parquet", row_group_size=250)
    asked = [("e0", "e1"), ("e1", "e2"), ("e0", "e3")]
    here = bqcd.scan(columns, pairs=asked, method="panel").table
    there = bqcd.scan(tmp_path / "t.parquet", pairs=asked, method="panel", workers=2).table
    for name in ("answer", "limit", "probability"):
        assert here[name].to_pylist() == there[name].to_pylist()
