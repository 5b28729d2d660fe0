"""Files of text as bytes, decompressed, and the memory there is for what they hold."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from dataclasses import dataclass
from errno import ENAMETOOLONG
from math import inf
from pathlib import Path
from reprlib import repr as short_repr
from typing import Any, BinaryIO, cast

from bqcd.errors import InvalidTableError

READ_ERRORS = (OSError, EOFError, zlib.error)
"""What reading raises if a file cannot be opened or its gzip data is damaged."""


@dataclass(frozen=True, slots=True)
class Text:
    """Where delimited text comes from: a file to open anew each time, or bytes at hand."""

    label: str
    content: Path | bytes
    suffix: str = ""
    compressed: bool = False

    @classmethod
    def from_file(cls, path: Path, label: str) -> Text:
        """Text of a file; it is compressed if its first bytes or its suffix say so."""
        # A pipe can be read only once, so it is read as a whole.
        if not path.is_file():
            return cls(label, path.read_bytes())
        with path.open("rb") as stream:
            compressed = stream.read(2) == b"\x1f\x8b"
        ends_in_gz = path.suffix.lower() == ".gz"
        suffix = Path(path.stem).suffix if ends_in_gz else path.suffix
        return cls(label, path, suffix.lower(), compressed or ends_in_gz)

    @property
    def size(self) -> int:
        """Number of bytes, as they are stored."""
        if isinstance(self.content, bytes):
            return len(self.content)
        return self.content.stat().st_size

    def open(self) -> BinaryIO:
        """Stream of the bytes, decompressed."""
        if isinstance(self.content, bytes):
            return io.BytesIO(self.content)
        if self.compressed:
            return cast(BinaryIO, gzip.open(self.content, "rb"))
        return self.content.open("rb")

    def read(self, size: int = -1) -> bytes:
        """The first ``size`` bytes, decompressed; all of them if negative.

        Raises
        ------
        InvalidTableError
            If the file cannot be read, or its compressed data are damaged.
        """
        try:
            with self.open() as stream:
                return stream.read(size)
        except READ_ERRORS as error:
            raise InvalidTableError(f"{self.label} cannot be read: {reason(error)}.") from error

    def arrow_stream(self) -> Any:
        """Stream of the bytes, decompressed, that pyarrow reads without Python."""
        import pyarrow as pa

        if isinstance(self.content, bytes):
            return pa.BufferReader(self.content)
        return pa.input_stream(str(self.content), compression="gzip" if self.compressed else None)


def checked_path(path: str | os.PathLike[str]) -> Path:
    """Path, whether there is a file or not, if there can be one.

    Raises
    ------
    InvalidTableError
        If the name is too long, holds a zero byte or is no UTF-8 text.

    Examples
    --------
    >>> checked_path("houses.csv").suffix
    '.csv'
    """
    try:
        str(path).encode()
        os.lstat(path)
    except (OSError, ValueError) as error:
        if isinstance(error, ValueError) or error.errno == ENAMETOOLONG:
            raise InvalidTableError(
                f"There can be no file {short_repr(str(path))}: {reason(error)}."
            ) from error
    return Path(path)


def reason(error: BaseException) -> str:
    """First line of an error, without its final stop."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return (text.splitlines() or [type(error).__name__])[0].rstrip(".")


def free_bytes() -> float:
    """Memory that a table may take: half of what is free, as it is worked on too.

    Infinite where the system does not tell.
    """
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        told = dict(line.split(":", 1) for line in lines)
        return 512.0 * int(told["MemAvailable"].split()[0])
    except (OSError, ValueError, KeyError):
        return inf
