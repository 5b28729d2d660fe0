from __future__ import annotations

import numpy as np
import pytest

import bqcd
from bqcd.scans.problems import TableProblems, order_of_rows


@pytest.fixture
def table() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    height = rng.normal(size=300)
    return {
        "height": height,
        "inches": height * 39.37,
        "day": np.arange(300.0),
        "index": rng.normal(size=300).cumsum(),
        "price": rng.normal(size=300).cumsum(),
        "grade": rng.integers(5, size=300).astype(float),
        "noise": rng.normal(size=300),
    }


def test_series_sorted_rows_few_values_and_copies_are_counted(table):
    scan = bqcd.scan(table)
    assert scan.problems() == TableProblems(serial=2, sorted=1, few_values=1, derived=1)
    assert scan.facts()["problems"] == {"serial": 2, "sorted": 1, "few_values": 1, "derived": 1}


def test_the_summary_and_the_front_page_of_a_report_tell_them(table):
    told = (
        "2 of 7 columns depend on the row before, as in a time series",
        "The rows are sorted by 1 of 7 columns.",
        "1 of 7 columns repeats values in half of the rows or more, or one value in a tenth of "
        "them: where that favours a direction, less is claimed.",
        "In 1 pair each column follows from the other, and no direction shows.",
    )
    summary = bqcd.scan(table).summary()
    notes = " ".join(bqcd.report(table, replicates=0).notes)
    for words in told:
        assert words in summary
        assert words in notes


def test_independent_rows_have_no_problems():
    rng = np.random.default_rng(1)
    scan = bqcd.scan(dict(zip("abc", rng.normal(size=(3, 200)), strict=True)))
    assert scan.problems() == TableProblems(serial=0, sorted=0, few_values=0, derived=0)


def test_missing_values_do_not_hide_an_order(table):
    table["day"][::7] = np.nan
    assert bqcd.scan(table, missing="drop").problems().sorted == 1


def test_problems_are_kept_in_the_folder_of_a_scan(table, tmp_path):
    bqcd.scan(table, out=tmp_path / "scan")
    assert bqcd.read_scan(tmp_path / "scan").problems().serial == 2


def test_the_order_of_constant_ranks():
    assert order_of_rows(np.zeros(5)) == (0.0, True)
