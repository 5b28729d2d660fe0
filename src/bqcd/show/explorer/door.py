"""Who may come in: whoever can read a file that only its owner can."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from threading import Lock
from time import monotonic

from bqcd.runtime.atomic import write_whole
from bqcd.show.pages.exploring import notice_page

LIFE = 120.0
"""Seconds for which a key is good, unless it is used before."""


class Door:
    """Keys in a private file that open once each, and the cookie that one gets for them.

    An address with a secret in it would be told to everybody on this machine: it becomes an
    argument of the browser, and those are public. The name of a file is no secret.

    Parameters
    ----------
    address : str
        Where the server is, with a slash at the end.
    port : int
        Its port. Browsers send the cookies of one port to all of them, so the name tells it.
    clock : callable, optional
        Seconds since some moment; those of the machine by default.

    Raises
    ------
    OSError
        If the file cannot be written.
    """

    def __init__(self, address: str, port: int, *, clock: Callable[[], float] = monotonic) -> None:
        self._address, self._name, self._clock = address, f"bqcd-{port}", clock
        self._pass = secrets.token_urlsafe(32)
        self._lock = Lock()
        self._ends: dict[str, float] = {}
        self._renewal = 0.0
        self.file = _private_folder() / "explore.html"
        self._renew()

    @property
    def cookie(self) -> str:
        """What a browser that had a key is given to keep."""
        return f"{self._name}={self._pass}; Path=/; HttpOnly; SameSite=Strict"

    def opens(self, key: str) -> bool:
        """Whether the key is good; it is not a second time, and another is in the file."""
        with self._lock:
            self._forget()
            found = [known for known in self._ends if _same(key, known)]
            for known in found:
                del self._ends[known]
        if found:
            self.tend(used=True)
        return bool(found)

    def knows(self, cookies: str) -> bool:
        """Whether the cookie is among those that a browser sent."""
        sent = (item.strip().partition("=") for item in cookies.split(";"))
        return any(name == self._name and _same(value, self._pass) for name, _, value in sent)

    def tend(self, *, used: bool = False) -> None:
        """Put a new key into the file, if the one that is there was used or grows old."""
        with self._lock:
            if used or self._clock() >= self._renewal:
                # Who is in already needs no file; a full disk shall not end that.
                with suppress(OSError):
                    self._renew()

    def close(self) -> None:
        """Take the file away."""
        rmtree(self.file.parent, ignore_errors=True)

    def _renew(self) -> None:
        self._forget()
        # Half of its life, so that whoever reads the file has the other half to come.
        self._renewal = self._clock() + LIFE / 2
        key = secrets.token_urlsafe(32)
        self._ends[key] = self._clock() + LIFE
        write_whole(self.file, notice_page("One moment …", onward=f"{self._address}enter/{key}"))
        self.file.chmod(0o600)

    def _forget(self) -> None:
        now = self._clock()
        self._ends = {key: end for key, end in self._ends.items() if now < end}


def _same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode(), other.encode())


def _private_folder() -> Path:
    """New folder with a random name that nobody else can look into."""
    for place in _places():
        with suppress(OSError):
            return Path(mkdtemp(prefix="bqcd-explore-", dir=place))
    return Path(mkdtemp(prefix="bqcd-explore-"))


def _places() -> Iterator[str]:
    # A browser that is a snap may read what is in the home folder and not hidden; nothing else.
    if Path("/var/lib/snapd").is_dir():
        yield os.path.expanduser("~")
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        yield runtime
