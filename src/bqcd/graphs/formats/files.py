"""Files of graphs: read up to a size, as text of a known encoding."""

from __future__ import annotations

import codecs
from pathlib import Path

from bqcd.data.files.text import bytes_up_to, reason
from bqcd.errors import InvalidGraphError

MAX_BYTES = 16 * 2**20
"""Largest file that is read."""


def content(path: Path) -> bytes:
    """Bytes of a file.

    Raises
    ------
    InvalidGraphError
        If there is no such file, or it is larger than ``MAX_BYTES``.
    """
    try:
        if not path.is_file():
            raise InvalidGraphError(f"{str(path)!r} must be a file with a graph; there is none.")
        return bytes_up_to(path, MAX_BYTES)
    except (OSError, ValueError) as error:
        if isinstance(error, InvalidGraphError):
            raise
        raise InvalidGraphError(
            f"{str(path)!r} cannot be read as a graph: {reason(error)}."
        ) from error


def text_of(data: bytes, source: str) -> str:
    """Text of a file in UTF-8, or in UTF-16 with a byte order mark.

    Raises
    ------
    InvalidGraphError
        If the file is empty or in another encoding.
    """
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidGraphError(f"{source} must be text in UTF-8: {error}.") from error
    if not text.strip():
        raise InvalidGraphError(f"{source} must hold a graph, but is empty.")
    return text
