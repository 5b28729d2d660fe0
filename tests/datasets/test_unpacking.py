from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path

import pytest

from bqcd.datasets import unpacking
from bqcd.datasets.unpacking import unpack
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


def test_a_link_is_refused(tmp_path) -> None:
    member = zipfile.ZipInfo("link")
    member.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(member, "/etc")
    with pytest.raises(InvalidTableError, match=r"must hold plain files .*, but has 'link'"):
        unpack(tmp_path / "a.zip", tmp_path / "out")


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(unpacking, "MOST_BYTES", 1000)
    path = zipped(tmp_path / "a.zip", {"zeros": bytes(1001)})
    with pytest.raises(InvalidTableError, match=r"must unpack to 1,000 bytes at most, but has 1,0"):
        unpack(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


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
