"""Files that one process at a time may hold; a lock ends with the process that holds it."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from socket import gethostname
from time import sleep

_TAKEN = {errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK}
# Some file systems know no locks; a folder there is in the care of its user.
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}
# Windows locks bytes, and what is locked cannot be read: a byte far behind the text.
_FAR = 1 << 30
_PATIENCE = 100

_held: set[int] = set()


@contextmanager
def exclusive(path: Path) -> Iterator[str | None]:
    """Lock on a file for as long as the block lasts: None, or who else has it.

    The system drops the lock when the process ends, however it ends. Processes started
    meanwhile do not inherit it.

    Parameters
    ----------
    path : Path
        The file; made if need be, and left behind with the holder's name in it.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, exclusive(Path(folder) / "lock") as holder:
    ...     print(holder)
    None
    """
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    _held.add(file)
    try:
        if _locked(file):
            _sign(file)
            yield None
        else:
            yield _holder(file)
    finally:
        _held.discard(file)
        os.close(file)


def _sign(file: int) -> None:
    """Leave word who holds the lock; a full disk is no reason not to hold it."""
    with suppress(OSError):
        os.ftruncate(file, 0)
        os.write(file, f"process {os.getpid()} on {gethostname()}\n".encode())


def _holder(file: int) -> str:
    """Who holds the lock; whoever has just taken it gets a moment to sign."""
    for _ in range(_PATIENCE):
        os.lseek(file, 0, os.SEEK_SET)
        if text := os.read(file, 200).decode(errors="replace").strip():
            return text
        sleep(0.01)
    return "process unknown"


def _locked(file: int) -> bool:
    """Whether the file is ours alone now; where files cannot be locked, it is."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(file, _FAR, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _TAKEN:
            return False
        if error.errno not in _NO_LOCKS:
            raise
    finally:
        os.lseek(file, 0, os.SEEK_SET)
    return True


def _let_go() -> None:
    """Close what a forked copy of the holder got: it would keep the lock beyond its end."""
    while _held:
        with suppress(OSError):
            os.close(_held.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)
