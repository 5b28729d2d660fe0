"""Archives unpacked without harm: nothing is written outside the folder asked for."""

from __future__ import annotations

import lzma
import stat
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bqcd.errors import InvalidTableError

MOST_BYTES = 1 << 30
"""Most that an archive may unpack to; the largest benchmark has a tenth of it."""

MOST_FILES = 100_000
"""Most members of an archive; the largest benchmark has a tenth of them."""

_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,  # a compression that nobody knows
    RuntimeError,  # a password is wanted
    UnicodeDecodeError,
    # Two members of one name, one of them a folder.
    FileExistsError,
    IsADirectoryError,
    NotADirectoryError,
)


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
        If the file is no intact zip archive, unpacks to more than ``MOST_BYTES`` or
        ``MOST_FILES``, archives inside it counted, or has a member that would be written
        outside ``folder`` or is no plain file.
    """
    room = _Room(archive.name)
    _unpack(archive, folder, room)
    for inner in sorted(path for path in folder.rglob("*.zip") if path.is_file()):
        _unpack(inner, inner.with_suffix(""), room)
    return folder


@dataclass
class _Room:
    """How much has been unpacked from an archive and those inside it."""

    name: str
    size: int = 0
    files: int = 0

    def take(self, members: list[zipfile.ZipInfo]) -> None:
        """Count members; refuses more than there is room for, before any is written."""
        self.size += sum(member.file_size for member in members)
        self.files += len(members)
        for found, most, unit in (
            (self.size, MOST_BYTES, "bytes"),
            (self.files, MOST_FILES, "files"),
        ):
            if found > most:
                raise InvalidTableError(
                    f"{self.name} must unpack to {most:,} {unit} at most, but has {found:,}."
                )


def _unpack(archive: Path, folder: Path, room: _Room) -> None:
    try:
        with zipfile.ZipFile(archive) as content:
            members = content.infolist()
            for member in members:
                _check_member(member, archive)
            room.take(members)
            # No member yields more bytes than it declares.
            content.extractall(folder)
    except _BROKEN as error:
        raise InvalidTableError(f"{archive.name} is no intact zip archive: {error}.") from error


def _check_member(member: zipfile.ZipInfo, archive: Path) -> None:
    name = member.filename
    path = PurePosixPath(name)
    outside = path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name
    # Zero where the archive was made on a system without such kinds.
    kind = stat.S_IFMT(member.external_attr >> 16)
    if outside or not name.isprintable() or kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise InvalidTableError(
            f"{archive.name} must hold plain files below its own folder, but has {name!r:.200}."
        )
