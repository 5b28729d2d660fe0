"""Archives of XML, as spreadsheets are: checked before anything of them is read."""

from __future__ import annotations

import zipfile
from pathlib import Path

from bqcd.data.files.text import ARCHIVE_ERRORS, FREE_RATIO_BYTES, free_bytes, reason
from bqcd.errors import InvalidTableError

MOST_MEMBERS = 10_000
MOST_RATIO = 200
"""How many times larger than its compressed bytes a part may be, if it is larger than 64 MB."""

# XML with definitions of its own can be made to grow without end.
_DEFINITIONS = (b"<!DOCTYPE", b"<!ENTITY")


def check_archive(path: Path, label: str) -> frozenset[str]:
    """Names of the files in an archive of XML, if it is harmless.

    Raises
    ------
    InvalidTableError
        If it would grow beyond measure, or defines what XML stands for.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            _check_sizes(members, label)
            for member in members:
                if member.filename.lower().endswith((".xml", ".rels")):
                    _check_xml(archive, member, label)
    except InvalidTableError:
        raise
    except ARCHIVE_ERRORS as error:
        raise InvalidTableError(
            f"{label} cannot be read as Excel; it is damaged or of another format "
            f"({reason(error)})."
        ) from error
    return frozenset(member.filename for member in members)


def _check_sizes(members: list[zipfile.ZipInfo], label: str) -> None:
    if len(members) > MOST_MEMBERS:
        raise InvalidTableError(
            f"{label} must hold at most {MOST_MEMBERS:,} parts, got {len(members):,}."
        )
    whole = sum(member.file_size for member in members)
    if whole > free_bytes() / 4.0:
        raise InvalidTableError(
            f"{label} does not fit in the memory that is free: unpacked it has "
            f"{whole / 1e9:.1f} GB."
        )
    for member in members:
        ratio = member.file_size / max(1, member.compress_size)
        if member.file_size > FREE_RATIO_BYTES and ratio > MOST_RATIO:
            raise InvalidTableError(
                f"{label} must be at most {MOST_RATIO} times as large as its compressed bytes, but "
                f"{member.filename!r} is {ratio:.0f} times as large; save it as CSV."
            )


def _check_xml(archive: zipfile.ZipFile, member: zipfile.ZipInfo, label: str) -> None:
    last = b""
    with archive.open(member) as stream:
        while piece := stream.read(1 << 20):
            seen = (last + piece).replace(b"\0", b"")  # UTF-16 hides nothing
            if any(word in seen for word in _DEFINITIONS):
                raise InvalidTableError(
                    f"{label} is refused: {member.filename!r} has definitions of its own, which "
                    "no spreadsheet needs."
                )
            last = piece[-32:]
