from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path

import pytest

from bqcd.benchmark.datasets import unpacking
from bqcd.benchmark.datasets.unpacking import unpack
from bqcd.errors import InvalidTableError


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_folders_and_archives_inside_are_unpacked(tmp_path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("deep/b.txt", "inner")
    path = zipped(tmp_path / "a.zip", {"top/a.txt": b"outer", "top/more.zip": inner.getvalue()})
    folder = unpack(path, tmp_path / "out")
    assert (folder / "top" / "a.txt").read_text() == "outer"
    assert (folder / "top" / "more" / "deep" / "b.txt").read_text() == "inner"


@pytest.mark.parametrize(
    "name", ["../evil.txt", "a/../../evil.txt", "/evil.txt", "..\\evil.txt", "C:\\evil.txt", "C:x"]
)
def test_a_member_that_would_leave_the_folder_is_refused(tmp_path, name) -> None:
    path = zipped(tmp_path / "a.zip", {"good.txt": b"", name: b"evil"})
    with pytest.raises(InvalidTableError, match=r"a\.zip must hold plain files below its own"):
        unpack(path, tmp_path / "in" / "out")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.zip"]


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO])
def test_a_link_or_device_is_refused(tmp_path, kind) -> None:
    member = zipfile.ZipInfo("odd")
    member.external_attr = (kind | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(member, "/etc")
    with pytest.raises(InvalidTableError, match=r"must hold plain files .*, but has 'odd'"):
        unpack(tmp_path / "a.zip", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(unpacking, "MOST_BYTES", 1000)
    path = zipped(tmp_path / "a.zip", {"zeros": bytes(1001)})
    with pytest.raises(InvalidTableError, match=r"must unpack to 1,000 bytes at most, but has 1,0"):
        unpack(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_archives_inside_count_as_well(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(unpacking, "MOST_BYTES", 3000)
    bomb = zipped(tmp_path / "bomb", {"zeros": bytes(1001)}).read_bytes()
    path = zipped(tmp_path / "a.zip", {f"{letter}.zip": bomb for letter in "abc"})
    with pytest.raises(InvalidTableError, match=r"a\.zip must unpack to 3,000 bytes at most"):
        unpack(path, tmp_path / "out")
    assert not (tmp_path / "out" / "c").exists()


def test_an_archive_of_too_many_files_is_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(unpacking, "MOST_FILES", 4)
    path = zipped(tmp_path / "a.zip", dict.fromkeys("abcde", b""))
    with pytest.raises(InvalidTableError, match="must unpack to 4 files at most, but has 5"):
        unpack(path, tmp_path / "out")


def test_a_member_that_is_larger_than_it_says_is_cut_off_or_refused(tmp_path) -> None:
    path = zipped(tmp_path / "a.zip", {"zeros": bytes(1 << 20)})
    size, lie = (1 << 20).to_bytes(4, "little"), (10).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, lie))
    with pytest.raises(InvalidTableError, match="no intact zip archive"):
        unpack(path, tmp_path / "out")
    assert sum(one.stat().st_size for one in (tmp_path / "out").rglob("*")) <= 10


@pytest.mark.parametrize("names", [("a", "a/b"), ("more.zip", "more")])
def test_a_name_for_a_file_and_a_folder_is_refused(tmp_path, names) -> None:
    inner = zipped(tmp_path / "inner", {"x": b""}).read_bytes()
    path = zipped(tmp_path / "a.zip", dict.fromkeys(names, inner))
    with pytest.raises(InvalidTableError, match=r"zip is no intact zip archive"):
        unpack(path, tmp_path / "out")


@pytest.mark.parametrize("damage", ["not a zip", "cut", "changed"])
def test_a_damaged_archive_is_refused(tmp_path, damage) -> None:
    content = bytes(range(256)) * 40
    path = zipped(tmp_path / "a.zip", {"numbers": content})
    whole = bytearray(path.read_bytes())
    if damage == "not a zip":
        whole[:] = b"<html>Gone</html>"
    elif damage == "cut":
        del whole[len(whole) // 2 :]
    else:
        whole[60] ^= 0xFF
    path.write_bytes(whole)
    with pytest.raises(InvalidTableError, match=r"a\.zip is no intact zip archive"):
        unpack(path, tmp_path / "out")
