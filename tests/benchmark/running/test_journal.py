"""Outcomes on disk: exact, appended whole, read again after any kind of end."""

from __future__ import annotations

import errno
import json
import os
import re
import struct
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bqcd.benchmark.running import journal
from bqcd.benchmark.running.journal import Outcome, Segment, latest, read_journal, read_segment
from bqcd.benchmark.running.tasks import TaskKey

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
KEYS = st.builds(TaskKey, TEXT, TEXT, TEXT, TEXT, st.integers(0, 1000))
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def key(pair: str = "1", repeat: int = 0) -> TaskKey:
    return TaskKey("set", pair, "coin", "{}", repeat)


def read_outcomes(folder: Path) -> dict[TaskKey, Outcome]:
    return latest(read_journal(folder))


def done(pair: str = "1", confidence: float = 0.5) -> Outcome:
    return Outcome(key(pair), confidence, 0.001, "done")


def stamped(body: bytes) -> bytes:
    return b'%b, "crc": "%08x"}' % (body, crc32(body))


@given(
    st.builds(
        Outcome,
        KEYS,
        st.none() | FLOATS,
        FLOATS,
        st.sampled_from(["done", "failed", "timeout", "withdrawn"]),
        TEXT,
        st.none() | st.floats(0.0, 1.0),
    )
)
def test_an_outcome_is_one_line_and_comes_back_bit_by_bit(tmp_path_factory, outcome):
    line = outcome.line()
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    path = tmp_path_factory.mktemp("journal") / "1.jsonl"
    path.write_bytes(line)
    again = read_segment(path).outcomes[outcome.key]
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
        assert read_segment(path) == (path, {key("1"): done("1")}, ())
    path.write_bytes(lines)
    assert set(read_segment(path).outcomes) == {key("1"), key("2")}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"rubbish",
        b"\x00\xff",
        done().line()[:40],
        done().line()[:-1].replace(b"0.5", b"0.7"),
        *(stamped(body) for body in (b'{"pair": "1"', b'{"a": [1, 2]', b"3", b"")),
    ],
)
def test_a_line_that_is_no_outcome_with_its_checksum_is_told_by_number(tmp_path, line):
    path = tmp_path / "1.jsonl"
    path.write_bytes(done("1").line() + line + b"\n" + done("2").line())
    found = read_segment(path)
    assert set(found.outcomes) == {key("1"), key("2")}
    assert found.damaged == (2,)
    assert found.complaint() == f"Line 2 of {path} is damaged: it does not match its checksum."


def test_many_damaged_lines_are_told_in_one_sentence(tmp_path):
    path = tmp_path / "1.jsonl"
    path.write_bytes(b"?\n" * 1234)
    told = read_segment(path).complaint()
    assert told.startswith(f"Lines 1, 2, 3, 4, 5 and 1,229 more of {path} are damaged")


def test_two_lines_that_hang_together_are_both_lost(tmp_path):
    path = tmp_path / "1.jsonl"
    path.write_bytes(done("1").line()[:-1] + b"," + done("2").line() + done("3").line())
    assert read_segment(path) == (path, {key("3"): done("3")}, (1,))


def test_of_two_outcomes_of_one_task_the_later_counts(tmp_path):
    for number, outcome in enumerate([done(confidence=1.0), done(confidence=2.0)]):
        (tmp_path / f"{number}.jsonl").write_bytes(outcome.line())
    assert read_outcomes(tmp_path)[key()].confidence == 2.0


def test_a_clock_that_is_set_back_does_not_turn_the_order_round(tmp_path, monkeypatch):
    for hour in (3, 2, 1):
        clock = hour * 3_600_000_000_000
        monkeypatch.setattr(journal, "time_ns", lambda clock=clock: clock, raising=False)
        segment = Segment(tmp_path)
        segment.append(done(confidence=-hour))
        segment.close()
    assert read_outcomes(tmp_path)[key()].confidence == -1


def test_numbers_are_ordered_as_numbers(tmp_path):
    for number in (2, 999_999, 1_000_000):
        (tmp_path / f"{number}.jsonl").write_bytes(done(confidence=number).line())
    assert read_outcomes(tmp_path)[key()].confidence == 1_000_000
    segment = Segment(tmp_path)
    segment.close()
    assert segment.path.name == "1000001.jsonl"


def test_of_processes_that_begin_at_once_each_has_a_number_of_its_own(tmp_path, monkeypatch):
    others = iter([tmp_path / "000001.jsonl", tmp_path / "000002.jsonl"])
    opened = os.open

    def open_too_late(path, *how):
        if (other := next(others, None)) is not None:
            other.write_bytes(done(other.stem).line())
        return opened(path, *how)

    monkeypatch.setattr(journal.os, "open", open_too_late)
    segment = Segment(tmp_path)
    segment.append(done("mine"))
    segment.close()
    assert segment.path.name == "000003.jsonl"
    assert set(read_outcomes(tmp_path)) == {key("000001"), key("000002"), key("mine")}


def test_a_withdrawn_outcome_does_not_count_and_a_later_one_does(tmp_path):
    withdrawn = Outcome(key(), None, 0.0, "withdrawn")
    for outcomes, count in (([done()], 1), ([withdrawn], 0), ([done()], 1)):
        segment = Segment(tmp_path)
        for outcome in outcomes:
            segment.append(outcome)
        segment.close()
        assert len(read_outcomes(tmp_path)) == count


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


def test_what_cannot_be_forced_to_disk_is_named(tmp_path, monkeypatch):
    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    segment = Segment(tmp_path)
    monkeypatch.setattr(journal.os, "fsync", full)
    with pytest.raises(OSError, match=re.escape(str(segment.path))):
        segment.close()


def test_numbers_are_numbers_in_the_journal(tmp_path):
    row = json.loads(done(confidence=0.1 + 0.2).line())
    assert row["confidence"] == 0.30000000000000004
    assert json.loads(Outcome(key(), None, 1.5, "timeout", "late").line())["confidence"] is None


def test_a_claimed_probability_comes_back_and_lines_from_before_have_none(tmp_path):
    segment = Segment(tmp_path)
    segment.append(done()._replace(probability=0.1 + 0.2))
    segment.close()
    (found,) = journal.read_journal(tmp_path)
    assert found.outcomes[key()].probability == 0.30000000000000004
    body = done().line().split(b', "probability"')[0]
    segment.path.write_bytes(body + b', "crc": "%08x"}\n' % crc32(body))
    (found,) = journal.read_journal(tmp_path)
    assert found.damaged == ()
    assert found.outcomes == {key(): done()}
