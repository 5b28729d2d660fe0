"""Columns that a scan leaves out, each with its reason in one line."""

from __future__ import annotations

import numpy as np
import pytest

import bqcd
from bqcd.errors import BqcdError
from bqcd.scans.skipping import identifier_problem

N = 60
RNG = np.random.default_rng(0)
TABLE = {
    "patient_id": np.arange(1000, 1000 + N),
    "name": [f"person {at}" for at in range(N)],
    "notes": [f"felt {at // 2} better" for at in range(N - 20)] + ["fine"] * 20,
    "country": ["CH"] * N,
    "species": ["Adelie", "Gentoo", "Chinstrap"] * (N // 3),
    "same": [2.5] * N,
    "ok": ["yes", "no", "no"] * (N // 3),
    "x": RNG.normal(size=N),
    "y": RNG.normal(size=N),
}
REASONS = {
    "patient_id": "Column 'patient_id' is an identifier: its 60 values all differ.",
    "name": "Column 'name' is an identifier: its 60 values all differ.",
    "country": "Column 'country' must vary, but it is constant: all 60 rows are 'CH'.",
    "species": "Column 'species' must hold numbers, but row 1 is 'Adelie' (str); if such words "
    "have an order, declare it (order of bqcd.read_table, --order).",
    "same": "Column 'same' must vary, but it is constant: all 60 rows are 2.5.",
}


def test_columns_without_a_use_are_left_out_with_the_reason():
    found = bqcd.scan(TABLE)
    told = {facts.name: facts.problem for facts in found.skipped}
    assert told.pop("notes").startswith("Column 'notes' must hold numbers")
    assert told == REASONS
    assert set(found.names) == {"ok", "x", "y"}


def test_free_text_is_called_so():
    notes = [f"felt {at} better" for at in range(N - 5)] + ["fine"] * 5
    (facts,) = bqcd.scan({**TABLE, "notes": notes}, columns=["x", "y", "notes"]).skipped
    assert facts.problem == "Column 'notes' is free text: 56 of its 60 values differ."


@pytest.mark.parametrize("asked", [{"columns": ["patient_id", "x"]}, {"against": "patient_id"},
                                   {"pairs": [("patient_id", "x")]}])  # fmt: skip
def test_an_identifier_that_is_asked_for_is_judged(asked):
    table = {name: TABLE[name] for name in ("patient_id", "x")}
    assert bqcd.scan(table, **asked).n_judged == 1


@pytest.mark.parametrize(
    ("name", "is_one"),
    [("id", True), ("ID", True), ("user_id", True), ("userId", True), ("row names", True),
     ("uuid", True), ("Unnamed: 0", True), ("index", True), ("__index_level_0__", True),
     ("paid", False), ("index_2", False),
     ("acid", False), ("age", False), ("identity", False), ("price index", False)],
)  # fmt: skip
def test_only_columns_called_so_are_identifiers(name, is_one):
    assert bool(identifier_problem(np.arange(50.0), name, 50)) == is_one
    assert not identifier_problem(np.arange(50.0) + 0.5, name, 50)
    assert not identifier_problem(np.arange(50.0) // 2, name, 25)


def test_nominal_numbers_are_refused_or_skipped_in_one_line(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{at % 3},{at * at % 17},{at}" for at in range(30)]
    path.write_text("region,a,b\n" + "\n".join(rows))
    table = bqcd.read_table(path, nominal="region")
    message = "Column 'region' is categorical without an order"
    with pytest.raises(BqcdError, match=message):
        bqcd.decide("region", "a", table=table)
    (facts,) = bqcd.scan(table).skipped
    assert facts.problem.startswith(message)
