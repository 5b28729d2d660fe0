"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO

PART = ".part"
"""How the names of files end that are not finished."""

# Most file systems take names of up to 255 bytes.
_LONGEST_NAME = 200


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """Stream to a file that gets its name when all of it is on the disk.

    Until then it has a random name in the same folder, made for this purpose: no other file is
    written to, whatever links somebody has put there. If the block ends with an error, nothing
    is left and what had the name before still has it. What is not a regular file, such as a
    pipe, is written to as it is.

    Parameters
    ----------
    path : str or Path
        The file. A symbolic link of that name is replaced, not followed.

    Raises
    ------
    OSError
        If the file cannot be written; its ``filename`` is ``path``.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder) / "a.txt") as file:
    ...         _ = file.write(b"all of it")
    ...         before = (Path(folder) / "a.txt").exists()
    ...     before, (Path(folder) / "a.txt").read_text()
    (False, 'all of it')
    """
    path = Path(path)
    if _is_special(path):
        with path.open("wb") as stream:
            yield stream
        return
    unfinished = _unfinished_name(path)
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _EXTRA, 0o666)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(unfinished, path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(unfinished)):
            raise
        # A full disk is told without a name, and nobody knows the random one.
        raise about_file(error, path) from error


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write a file in one step or not at all; text in UTF-8, line breaks as they are.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    with whole_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def about_file(error: OSError, path: str | Path) -> OSError:
    """The same error of the system, naming the file or folder that was asked for.

    Examples
    --------
    >>> about_file(OSError(28, "No space left on device"), "a.csv")
    OSError(28, 'No space left on device')
    >>> about_file(OSError(28, "No space left on device"), "a.csv").filename
    'a.csv'
    """
    return OSError(error.errno, error.strerror, str(path))


_EXTRA = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def _is_special(path: Path) -> bool:
    """Whether something is there that cannot be replaced by a file: a device, a pipe, a folder."""
    try:
        return not S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def _unfinished_name(path: Path) -> Path:
    name = path.name.encode()[:_LONGEST_NAME].decode(errors="ignore")
    return path.with_name(f".{name}.{secrets.token_hex(8)}{PART}")
