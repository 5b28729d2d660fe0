"""Archives unpacked without harm: nothing is written outside the folder asked for."""

from __future__ import annotations

import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from bqcd.errors import InvalidTableError

MOST_BYTES = 1 << 30
"""Most that an archive may unpack to; the largest benchmark has a tenth of it."""


def unpack(archive: Path, folder: Path) -> Path:
    """Folder with the content of a zip archive, archives inside it unpacked as well.

    Parameters
    ----------
    archive : Path
        A zip file.
    folder : Path
        Folder to make.

    Raises
    ------
    InvalidTableError
        If the file is no intact zip archive, unpacks to more than ``MOST_BYTES``, or has a
        member that would be written outside ``folder``.
    """
    _unpack(archive, folder)
    for inner in sorted(folder.rglob("*.zip")):
        _unpack(inner, inner.with_suffix(""))
    return folder


def _unpack(archive: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(archive) as content:
            members = content.infolist()
            for member in members:
                _check_member(member, archive)
            size = sum(member.file_size for member in members)
            if size > MOST_BYTES:
                raise InvalidTableError(
                    f"{archive.name} must unpack to {MOST_BYTES:,} bytes at most, but has {size:,}."
                )
            content.extractall(folder)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise InvalidTableError(f"{archive.name} is no intact zip archive: {error}.") from error


def _check_member(member: zipfile.ZipInfo, archive: Path) -> None:
    name = member.filename
    path = PurePosixPath(name)
    outside = path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name
    if outside or stat.S_ISLNK(member.external_attr >> 16):
        raise InvalidTableError(
            f"{archive.name} must hold plain files below its own folder, but has {name!r}."
        )
