"""Names that files can have, and the memory there is for what is in them."""

from __future__ import annotations

import gzip
import io
from math import inf
from pathlib import Path

import pytest

from bqcd.data.files import delimited
from bqcd.data.files import text as text_files
from bqcd.data.files.text import MOST_RATIO, Text, checked_path, free_bytes
from bqcd.data.reading import read_table
from bqcd.errors import InvalidTableError


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("a\0b.csv", "null byte"),
        ("n" * 3000, "File name too long"),
        ("\udcff.csv", "surrogates not allowed"),
    ],
)
def test_a_name_that_no_file_can_have_is_refused(name, why):
    with pytest.raises(InvalidTableError, match=why) as caught:
        checked_path(name)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("name", ["absent.csv", "no/such/file", "é\n😀", ".."])
def test_a_name_that_a_file_may_have_is_kept(name):
    assert checked_path(name) == Path(name)


def test_memory_that_is_free_is_told_where_the_system_tells(monkeypatch):
    assert free_bytes() > 1e6
    if Path("/proc/meminfo").exists():
        assert free_bytes() < inf
    monkeypatch.setattr(text_files, "Path", lambda _: Path("/no/such/file"))
    assert free_bytes() == inf


def test_the_size_is_that_of_the_stored_bytes(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" * 1000))
    assert Text.from_file(path, "t").size == path.stat().st_size < 1000
    assert Text("t", b"abc").size == 3


def bomb(path, line, n_bytes):
    with gzip.open(path, "wb", 9) as file:
        file.write(b"a,b\n")
        piece = line * (1_000_000 // len(line))
        for _ in range(n_bytes // len(piece)):
            file.write(piece)
    return path


@pytest.fixture
def freely(monkeypatch):
    """Bytes up to which no ratio is too high, fewer than usual to save time."""
    monkeypatch.setattr(text_files, "FREE_RATIO_BYTES", 1 << 22)
    return 1 << 22


@pytest.mark.parametrize("line", [b"1,2\n", b"1 2\n", b"1", b'"'])
def test_a_file_that_grows_without_measure_is_refused(tmp_path, freely, line):
    path = bomb(tmp_path / "t.csv.gz", line, 4 * freely)
    with pytest.raises(InvalidTableError, match=r"'t.csv.gz' must be at most 200 times") as caught:
        read_table(path)
    assert "\n" not in str(caught.value)
    assert float(str(caught.value).split("but is ")[1].split()[0]) > MOST_RATIO


def test_little_is_decompressed_of_what_is_refused(tmp_path, freely):
    path = bomb(tmp_path / "t.csv.gz", b"1,2\n", 4 * freely)
    given = []
    with Text.from_file(path, "t").open() as stream, pytest.raises(InvalidTableError):
        given.extend(map(len, iter(lambda: stream.read(1 << 16), b"")))
    assert freely - (1 << 20) <= sum(given) <= freely + (1 << 20)


def test_a_small_table_may_be_all_but_constant(tmp_path):
    path = bomb(tmp_path / "t.csv.gz", b"1,2\n", 2_000_000)
    assert path.stat().st_size * MOST_RATIO < 2_000_000
    assert read_table(path).num_rows == 500_000


def test_a_large_table_of_numbers_is_decompressed(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "FREE_RATIO_BYTES", 1000)
    lines = b"".join(b"%d,%d\n" % (at, at * at % 997) for at in range(20_000))
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"a,b\n" + lines))
    assert read_table(tmp_path / "t.csv.gz").num_rows == 20_000


@pytest.mark.parametrize("line", [b"1,2\n", b"1 2\n"])
def test_decompressed_text_that_does_not_fit_is_refused(tmp_path, monkeypatch, line):
    path = bomb(tmp_path / "t.csv.gz", line, 8_000_000)
    for module in (text_files, delimited):
        monkeypatch.setattr(module, "free_bytes", lambda: 8e6)
    with pytest.raises(InvalidTableError, match=r"'t.csv.gz' does not fit in the memory"):
        read_table(path)


class Endless(io.RawIOBase):
    """A stream of the same bytes for ever."""

    def __init__(self, line):
        self.line = line
        self.given = 0

    def read(self, size=-1):
        self.given += size
        return (self.line * (size // len(self.line) + 1))[:size]


def test_a_pipe_without_end_is_read_no_further_than_memory(monkeypatch):
    monkeypatch.setattr(text_files, "free_bytes", lambda: 16e6)
    stream = Endless(b"1,2\n")
    with pytest.raises(InvalidTableError, match="Standard input does not fit in the memory"):
        Text.from_stream(stream, "Standard input")
    assert 8e6 < stream.given < 10e6


def test_a_pipe_that_begins_as_no_text_is_not_read_on():
    stream = Endless(b"\0")
    assert Text.from_stream(stream, "Standard input").size == stream.given < 2e6


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device of POSIX systems")
def test_a_device_without_end_is_no_table():
    with pytest.raises(InvalidTableError, match="'zero' has an unknown format"):
        read_table("/dev/zero")
