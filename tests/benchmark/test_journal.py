"""Outcomes on disk: exact, appended whole, read again after any kind of end."""

from __future__ import annotations

import json
import os
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bqcd.benchmark import journal
from bqcd.benchmark.journal import Outcome, Segment, read_outcomes, read_segment
from bqcd.benchmark.tasks import TaskKey
from bqcd.errors import InvalidResultsError

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
KEYS = st.builds(TaskKey, TEXT, TEXT, TEXT, TEXT, st.integers(0, 1000))
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def key(pair: str = "1", repeat: int = 0) -> TaskKey:
    return TaskKey("set", pair, "coin", "{}", repeat)


def done(pair: str = "1", confidence: float = 0.5) -> Outcome:
    return Outcome(key(pair), confidence, 0.001, "done")


@given(
    st.builds(
        Outcome,
        KEYS,
        st.none() | FLOATS,
        FLOATS,
        st.sampled_from(["done", "failed", "timeout"]),
        TEXT,
    )
)
def test_an_outcome_is_one_line_and_comes_back_bit_by_bit(tmp_path_factory, outcome):
    line = outcome.line()
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    path = tmp_path_factory.mktemp("journal") / "1.jsonl"
    path.write_bytes(line)
    again = read_segment(path)[outcome.key]
    assert again == outcome
    if outcome.confidence is not None:
        assert struct.pack("d", again.confidence) == struct.pack("d", outcome.confidence)


def test_what_was_appended_is_there_before_the_file_is_closed(tmp_path):
    segment = Segment(tmp_path)
    for number in range(5):
        segment.append(done(str(number)))
        assert len(read_outcomes(tmp_path)) == number + 1
    segment.close()


def test_two_segments_of_one_process_have_files_of_their_own(tmp_path):
    first, second = Segment(tmp_path), Segment(tmp_path)
    assert first.path != second.path
    first.append(done("1"))
    second.append(done("2"))
    assert set(read_outcomes(tmp_path)) == {key("1"), key("2")}
    first.close()
    second.close()


def test_a_last_line_that_was_cut_short_does_not_count(tmp_path):
    path = tmp_path / "1.jsonl"
    lines = done("1").line() + done("2").line()
    for length in range(len(done("1").line()), len(lines)):
        path.write_bytes(lines[:length])
        assert set(read_segment(path)) == {key("1")}
    path.write_bytes(lines)
    assert set(read_segment(path)) == {key("1"), key("2")}


@pytest.mark.parametrize(
    "line", [b"", b"rubbish", b'{"pair": "1"}', b"[1, 2]", b"3", b"\x00\xff", done().line()[:40]]
)
def test_a_line_in_the_middle_that_is_no_outcome_is_refused_by_number(tmp_path, line):
    path = tmp_path / "1.jsonl"
    path.write_bytes(done("1").line() + line + b"\n" + done("2").line())
    with pytest.raises(InvalidResultsError, match=r"Line 2 of .*1\.jsonl is not an outcome"):
        read_outcomes(tmp_path)


def test_of_two_outcomes_of_one_task_the_later_counts(tmp_path):
    for number, outcome in enumerate([done(confidence=1.0), done(confidence=2.0)]):
        (tmp_path / f"{number}.jsonl").write_bytes(outcome.line())
    assert read_outcomes(tmp_path)[key()].confidence == 2.0


def test_segments_are_read_in_the_order_they_were_begun(tmp_path):
    for confidence in (1.0, 2.0, 3.0):
        segment = Segment(tmp_path)
        segment.append(done(confidence=confidence))
        segment.close()
    assert read_outcomes(tmp_path)[key()].confidence == 3.0


def test_an_empty_journal_and_an_empty_segment_hold_nothing(tmp_path):
    assert read_outcomes(tmp_path) == {}
    Segment(tmp_path).close()
    assert read_outcomes(tmp_path) == {}


def test_a_write_in_pieces_still_makes_a_whole_line(tmp_path, monkeypatch):
    write = os.write
    monkeypatch.setattr(journal.os, "write", lambda file, data: write(file, data[:7]))
    segment = Segment(tmp_path)
    segment.append(done("1"))
    segment.append(done("2"))
    segment.close()
    assert set(read_outcomes(tmp_path)) == {key("1"), key("2")}


def test_long_work_is_forced_to_disk_every_second_or_so(tmp_path, monkeypatch):
    now, synced = [0.0], []
    monkeypatch.setattr(journal, "monotonic", lambda: now[0])
    segment = Segment(tmp_path)
    monkeypatch.setattr(journal.os, "fsync", synced.append)
    for second in range(10):
        now[0] = second * 0.6
        segment.append(done())
    assert len(synced) in (4, 5)


def test_numbers_are_numbers_in_the_journal(tmp_path):
    row = json.loads(done(confidence=0.1 + 0.2).line())
    assert row["confidence"] == 0.30000000000000004
    assert json.loads(Outcome(key(), None, 1.5, "timeout", "late").line())["confidence"] is None
