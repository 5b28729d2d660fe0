"""The README's table of accuracies is the recorded one, and the record is what comes out today."""

from __future__ import annotations

import csv

import pytest

from benchmarks import accuracy
from bqcd import load_pairs, run_benchmark
from bqcd.benchmark.summary import answers


def test_the_table_of_the_readme_is_that_of_the_record():
    readme = accuracy.README.read_text(encoding="utf-8")
    assert accuracy.with_table(readme) == readme


def test_the_table_has_a_row_for_every_method_of_the_record_and_bqcd_first():
    with accuracy.RECORDED.open(newline="", encoding="utf-8") as file:
        methods = {row["method"] for row in csv.DictReader(file)}
    rows = [line.split("`")[1] for line in accuracy.table().splitlines()[2:]]
    assert rows[0] == "bqcd"
    assert set(rows) == methods


@pytest.mark.data
def test_what_is_recorded_comes_out_again(data_home):
    with accuracy.RECORDED.open(newline="", encoding="utf-8") as file:
        recorded = {row["method"]: row for row in csv.DictReader(file)}
    names = ["SIM", "LS-s", "tuebingen"]
    results = run_benchmark(["bqcd", "igci-g", "slope"], [load_pairs(name) for name in names])
    for one in answers(results):
        found = f"{one.mean('accuracy', weighted=False):.4f}"
        assert found == recorded[one.label][one.pairset], (one.label, one.pairset)
