"""Tables of accuracies are those of the record, and the record is what comes out today."""

from __future__ import annotations

import pytest

from benchmarks import accuracy
from bqcd import load_pairs, run_benchmark
from bqcd.benchmark.summary import answers
from bqcd.methods.table import COMPARED
from bqcd.show.reproduction.differences import DIFFERENCES
from bqcd.show.reproduction.products import TOLERANCE
from bqcd.show.reproduction.rows import accuracy_rows
from bqcd.show.reproduction.workshop import Workshop


def test_the_table_of_the_readme_is_that_of_the_record():
    readme = accuracy.README.read_text(encoding="utf-8")
    assert accuracy.with_table(readme) == readme


def test_the_page_is_that_of_the_record():
    assert accuracy.PAGE.read_text(encoding="utf-8") == accuracy.page()


def test_the_table_has_a_row_for_every_method_and_bqcd_first():
    lines = accuracy.readme_table(accuracy.read_record()).splitlines()
    rows = [line.split("`")[1] for line in lines[2:] if line.startswith("| `")]
    assert rows[0] == "bqcd"
    assert set(rows) == set(COMPARED)


def test_the_record_says_when_and_from_what_it_was_made():
    record = accuracy.read_record()
    assert len(record["commit"]) >= 7
    assert record["date"].startswith("20")
    assert f"of {record['date']} at commit `{record['commit']}`" in accuracy.page()


def test_every_recorded_number_is_the_printed_one_or_as_near_as_is_said(tmp_path):
    record = accuracy.read_record()
    unused = {key for key in DIFFERENCES if key[1] in accuracy.COLUMNS}
    for row in accuracy_rows(Workshop(tmp_path, quick=False, workers=1)):
        for column, here in record["rows"][row.name].items():
            printed = row.printed.get(column)
            if printed is None:
                continue
            gap = round(abs(round(here, 2) - printed), 2)
            known = DIFFERENCES.get((row.name, column))
            unused.discard((row.name, column))
            allowed = TOLERANCE if known is None else known.bound
            assert gap <= allowed, (row.name, column, here, printed)
            # A bound much wider than the gap would let the number drift.
            assert known is None or gap >= known.bound - 0.011, (row.name, column, gap)
    assert {row for row, _ in unused} <= {"0.1, 0.5, 0.9", "0.1, 0.5, 0.9, ties as published", "PR"}


@pytest.mark.data
def test_what_is_recorded_comes_out_again(data_home):
    recorded = accuracy.read_record()["defaults"]
    names = ["SIM", "LS-s", "tuebingen"]
    results = run_benchmark(["bqcd", "igci-g", "slope"], [load_pairs(name) for name in names])
    for one in answers(results):
        found = round(one.mean("accuracy", weighted=False), 4)
        assert found == recorded[one.label][one.pairset], (one.label, one.pairset)
