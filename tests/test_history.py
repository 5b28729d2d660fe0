"""The history of records: it has what is recorded now, and its page is made of it."""

from __future__ import annotations

import pytest

from tests.release_files import script

history = script("benchmarks/history.py")


@pytest.mark.parametrize("name", history.MEASURES)
def test_the_last_row_of_a_measure_is_what_is_recorded_now(name):
    measure = history.MEASURES[name]
    now = measure.read((history.RESULTS / measure.file).read_text(encoding="utf-8"))
    rows = [row for row in history.kept_rows() if row[0] == name]
    assert rows[-1][3] == pytest.approx(now, rel=1e-5), "make history"


def test_page_and_picture_are_made_of_the_rows():
    rows = history.kept_rows()
    assert history.table_text(rows) == history.FILE.read_text(encoding="utf-8")
    assert history.page_text(rows) == history.PAGE.read_text(encoding="utf-8")
    assert history.picture(rows) == history.PICTURE.read_text(encoding="utf-8")


def test_rows_are_added_and_never_taken_out():
    kept = [("bqcd, right", "2026-01-01", "aaaaaaa", 0.7)]
    again = ("bqcd, right", "2026-01-01", "bbbbbbb", 0.7)
    new = ("bqcd, right", "2026-02-01", "ccccccc", 0.8)
    assert history.merged(kept, [again, new]) == [*kept, new]


def test_numbers_are_read_from_the_records_as_they_are_written():
    speed = (
        "     1,000    0.045 ms    0.199 ms       4.45      6.78 ms   34.1x          19.93     28.1"
    )
    assert history.MEASURES["decide, 1,000 rows"].read(speed) == 34.1
    assert history.MEASURES["decide, 100,000 rows"].read(speed) is None
    scan = "  scan  11,643 pairs/s\n  ratio               115.4  (to be 45 or more)\n"
    assert history.MEASURES["scan, 1,000 rows"].read(scan) == 115.4
