"""Names that files can have, and the memory there is for what is in them."""

from __future__ import annotations

import gzip
from math import inf
from pathlib import Path

import pytest

from bqcd import text_files
from bqcd.errors import InvalidTableError
from bqcd.text_files import Text, checked_path, free_bytes


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
