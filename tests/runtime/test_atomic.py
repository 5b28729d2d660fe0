"""Files are written whole or not at all, under names that nobody can foresee."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from bqcd.runtime.atomic import whole_file, write_whole

linux = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX systems")


def test_an_error_leaves_what_was_there_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")
    with pytest.raises(ValueError, match="stop"):
        _write_half(path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def _write_half(path: Path) -> None:
    with whole_file(path) as file:
        file.write(b"half")
        file.flush()
        raise ValueError("stop")


def test_a_finished_file_replaces_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")
    write_whole(path, "naïve\n")
    assert path.read_bytes() == "naïve\n".encode()
    assert list(tmp_path.iterdir()) == [path]


@linux
def test_a_link_is_replaced_and_its_target_left_alone(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("precious")
    link.symlink_to(target)
    write_whole(link, "new")
    assert target.read_text() == "precious"
    assert not link.is_symlink()
    assert link.read_text() == "new"


@linux
def test_names_of_unfinished_files_cannot_be_foreseen(tmp_path: Path) -> None:
    names = set()
    for _ in range(5):
        with whole_file(tmp_path / "a") as file:
            file.write(b"1")
            names |= {path.name for path in tmp_path.iterdir()}
    names.discard("a")
    assert len(names) == 5
    assert all(len(name.split(".")[-2]) == 16 for name in names)


@linux
def test_permissions_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "a", "1")
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


@linux
def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, "through")
    reader.join()
    assert got == [b"through"]


def test_a_name_of_the_greatest_length_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("ä" * 127)
    write_whole(path, "1")
    assert path.read_text() == "1"


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "a.txt"
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(path, "1")
    assert caught.value.filename == str(path)
    assert str(caught.value).endswith(f": {str(path)!r}")


FULL_DISK = """
import resource, signal, sys
from bqcd.runtime.atomic import write_whole
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_whole(sys.argv[1], "x" * 5000)
except OSError as error:
    print(error.filename)
"""


@linux
def test_a_full_disk_leaves_no_truncated_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")
    command = [sys.executable, "-c", FULL_DISK, str(path)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert told.strip() == str(path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_that_has_only_words_keeps_them(tmp_path: Path) -> None:
    with (
        pytest.raises(OSError, match=r"^8000 requested and 512 written$"),
        whole_file(tmp_path / "a"),
    ):
        raise OSError("8000 requested and 512 written")
