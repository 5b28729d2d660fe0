"""Files of text as bytes, decompressed, and the memory there is for what they hold."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zipfile
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable
from dataclasses import dataclass
from errno import ENAMETOOLONG
from math import inf
from pathlib import Path
from reprlib import repr as short_repr
from struct import error as StructError
from typing import Any, BinaryIO

from bqcd.errors import InvalidTableError

MOST_RATIO = 200
"""How many times larger than its compressed bytes a text may be.

Numbers are 2 to 10 times as large, a table of zeros with a one in a hundred 70 times; DEFLATE
ends at 1032.
"""

FREE_RATIO_BYTES = 1 << 26
"""Decompressed bytes up to which no ratio is too high: a small table may be all but constant."""

_PIECE_BYTES = 1 << 20

READ_ERRORS = (
    OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError,
)  # fmt: skip
"""What reading raises if a file cannot be opened or its compressed data are damaged."""

ARCHIVE_ERRORS = (*READ_ERRORS, RuntimeError, ValueError, LookupError, StructError)
"""What an archive raises beside that if it is damaged or locked."""

PACKINGS = {
    ".gz": b"\x1f\x8b",
    ".bz2": b"BZh91AY&SY",
    ".xz": b"\xfd7zXZ\0",
    ".zst": b"\x28\xb5\x2f\xfd",
    ".zip": b"PK\x03\x04",
}
"""How compressed files are called, and how they begin."""


Test = Callable[[bytes], bool]
"""Whether bytes are such."""


@dataclass(frozen=True, slots=True)
class Text:
    """Where delimited text comes from: a file to open anew each time, or bytes at hand."""

    label: str
    content: Path | bytes
    suffix: str = ""
    packing: str = ""

    @classmethod
    def from_file(cls, path: Path, label: str, is_foreign: Test | None = None) -> Text:
        """Text of a file; it is compressed if its first bytes or its suffix say so."""
        # A pipe can be read only once, so it is read as a whole.
        if not path.is_file():
            with path.open("rb") as stream:
                return cls.from_stream(stream, label, is_foreign)
        with path.open("rb") as stream:
            head = stream.read(10)
        # The fourth letter of bzip2 is the size of its blocks, from 1 to 9.
        head = b"BZh9" + head[4:] if head.startswith(b"BZh") else head
        packing = next((p for p, start in PACKINGS.items() if head.startswith(start)), "")
        own = path.suffix.lower()
        suffix = Path(path.stem).suffix.lower() if own in PACKINGS else own
        if own in PACKINGS and not packing:
            packing = own
        if packing == ".zip" and own != ".zip" and own:
            return cls(label, path, own)  # a spreadsheet, or what it says it is
        if packing == ".zip" and not own and _is_workbook(path):
            return cls(label, path, ".xlsx")
        if packing == ".zip":
            suffix = Path(_member(path, label).filename).suffix.lower()
        return cls(label, path, suffix, packing)

    @property
    def compressed(self) -> bool:
        """Whether the bytes are stored in a compressed form."""
        return bool(self.packing)

    @classmethod
    def from_stream(cls, stream: BinaryIO, label: str, is_foreign: Test | None = None) -> Text:
        """Text of a stream that can be read only once; what begins as no text is not read on.

        Parameters
        ----------
        stream : file
            Where it comes from.
        label : str
            What it is called in messages.
        is_foreign : callable, optional
            Whether bytes begin something that is not to be read. Default: :func:`is_binary`.

        Raises
        ------
        InvalidTableError
            If there is more than fits in the memory that is free.
        """
        content, room = io.BytesIO(), free_bytes() / 2.0
        is_foreign = is_foreign or is_binary
        while piece := stream.read(_PIECE_BYTES):
            content.write(piece)
            if content.tell() > room:
                raise InvalidTableError(
                    f"{label} does not fit in the memory that is free: so far "
                    f"{content.tell() / 1e9:.1f} GB are read."
                )
            if content.tell() == len(piece) and is_foreign(piece):
                break
        return cls(label, content.getvalue())

    @property
    def size(self) -> int:
        """Number of bytes, as they are stored."""
        if isinstance(self.content, bytes):
            return len(self.content)
        return self.content.stat().st_size

    def open(self, room: float = inf) -> BinaryIO:
        """Stream of the bytes, decompressed.

        Reading it is an ``InvalidTableError`` once a compressed file has given more than
        ``room`` bytes, or more than ``MOST_RATIO`` times its own.
        """
        if isinstance(self.content, bytes):
            return io.BytesIO(self.content)
        if self.compressed:
            return io.BufferedReader(_Unpacked(self.content, self, room), _PIECE_BYTES)
        return self.content.open("rb")

    def read(self, size: int = -1) -> bytes:
        """The first ``size`` bytes, decompressed; all of them if negative.

        Raises
        ------
        InvalidTableError
            If the file cannot be read, or its compressed data are damaged.
        """
        try:
            with self.open(free_bytes() / 2.0) as stream:
                return stream.read(size)
        except InvalidTableError:
            raise
        except ARCHIVE_ERRORS as error:
            raise InvalidTableError(f"{self.label} cannot be read: {reason(error)}.") from error

    def arrow_stream(self, room: float = inf) -> Any:
        """The stream of :meth:`open` for pyarrow, which reads without Python where it can."""
        import pyarrow as pa

        if isinstance(self.content, bytes):
            return pa.BufferReader(self.content)
        if self.compressed:
            return pa.PythonFile(self.open(room), mode="r")
        return pa.input_stream(str(self.content), compression=None)


def _is_workbook(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except ARCHIVE_ERRORS:
        return False


def _member(path: Path, label: str) -> zipfile.ZipInfo:
    """The one file in an archive.

    Raises
    ------
    InvalidTableError
        If there are several, or none, or it is locked.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            files = [one for one in archive.infolist() if not one.is_dir()]
    except ARCHIVE_ERRORS as error:
        raise InvalidTableError(f"{label} cannot be read: {reason(error)}.") from error
    # What a Mac puts beside a file.
    files = [one for one in files if not one.filename.startswith("__MACOSX/")]
    if len(files) != 1:
        raise InvalidTableError(
            f"{label} must hold one file to be a table, but it holds {len(files)}; unpack it and "
            "give one of them."
        )
    if files[0].flag_bits & 1:
        raise InvalidTableError(f"{label} is locked with a password; unpack it first.")
    return files[0]


def _unpacking(packed: BinaryIO, text: Text) -> tuple[Any, int]:
    """Stream of what is packed, and how many bytes that is, if it is known; else 0."""
    if text.packing == ".bz2":
        return bz2.BZ2File(packed), 0
    if text.packing == ".xz":
        return lzma.LZMAFile(packed), 0
    if text.packing == ".zst":
        import pyarrow as pa

        return pa.CompressedInputStream(pa.PythonFile(packed, mode="r"), "zstd"), 0
    if text.packing == ".zip":
        assert isinstance(text.content, Path)
        member = _member(text.content, text.label)
        return zipfile.ZipFile(packed).open(member), max(1, member.compress_size)
    return gzip.GzipFile(fileobj=packed, mode="rb"), 0


class _Unpacked(io.RawIOBase):
    """Bytes of a compressed file, counted, so that it cannot grow without measure."""

    def __init__(self, path: Path, text: Text, room: float) -> None:
        self._packed = path.open("rb")
        try:
            self._stream, self._size = _unpacking(self._packed, text)
        except BaseException:
            self._packed.close()
            raise
        self._label = text.label
        self._room = room
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._stream.read(len(buffer))
        count = len(piece)
        buffer[:count] = piece
        self._count += count
        self._check()
        return count

    def _check(self) -> None:
        ratio = self._count / (self._size or max(1, self._packed.tell()))
        if self._count > FREE_RATIO_BYTES and ratio > MOST_RATIO:
            raise InvalidTableError(
                f"{self._label} must be at most {MOST_RATIO} times as large as its compressed "
                f"bytes, but is {ratio:.0f} times as large so far; if it is a table all the "
                "same, decompress it first."
            )
        if self._count > self._room:
            raise InvalidTableError(
                f"{self._label} does not fit in the memory that is free: so far "
                f"{self._count / 1e9:.1f} GB are decompressed."
            )

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
            self._packed.close()
        super().close()


def bytes_up_to(path: Path, most: int) -> bytes:
    """All bytes of a file or a pipe, if there are no more than so many.

    Raises
    ------
    OSError
        If it cannot be read.
    ValueError
        If there are more. No more than one of them was read, so that a device without an end
        is refused too.
    """
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"it must have at most {most / 2**20:.4g} MB, but has more")
    return content


def text_up_to(path: Path, most: int) -> str:
    """Text of a file in UTF-8, all line breaks as one letter; refused as by :func:`bytes_up_to`."""
    with io.TextIOWrapper(io.BytesIO(bytes_up_to(path, most)), "utf-8-sig") as lines:
        return lines.read()


def is_binary(head: bytes) -> bool:
    """Whether bytes are those of no text; UTF-16 is text in spite of its zeros."""
    return not head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) and b"\0" in head


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
