"""Tables at addresses: fetched to a file of their own, within limits, and read there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit

from bqcd.data.files.text import reason
from bqcd.errors import InvalidTableError, MissingPackageError
from bqcd.runtime.optional import require

MOST_BYTES = 1 << 30
"""Largest table that is fetched."""

TIMEOUT = 30.0
"""Seconds without an answer after which nothing more is waited for."""

MOST_SECONDS = 900.0
"""How long fetching may take."""

_ADDRESS = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+)://")
_PIECE = 1 << 20


def is_address(source: object) -> bool:
    """Whether a table is somewhere else than in a file.

    Examples
    --------
    >>> is_address("https://example.org/t.csv"), is_address("C:/t.csv"), is_address("t.csv")
    (True, False, False)
    """
    return isinstance(source, str) and _ADDRESS.match(source) is not None


@contextmanager
def fetched(address: str) -> Iterator[Path]:
    """File with what is at an address, as long as it is needed.

    Parameters
    ----------
    address : str
        Of http, https, or anything that fsspec opens, such as s3.

    Raises
    ------
    InvalidTableError
        If there is nothing, it is too large, or it takes too long.
    MissingPackageError
        If the package for such addresses is not installed.
    """
    if "::" in address or "\n" in address or "\r" in address:
        raise InvalidTableError(f"{address!r} is no address of a table.")
    name = Path(unquote(urlsplit(address).path)).name or "table"
    with TemporaryDirectory(prefix="bqcd-table-") as folder:
        path = Path(folder, re.sub(r"[^\w.=-]", "_", name)[-100:])
        _fetch(address, path)
        yield path


def _fetch(address: str, path: Path) -> None:
    scheme = address.partition("://")[0].lower()
    opened = _http if scheme in ("http", "https") else _elsewhere
    try:
        with opened(address) as stream, path.open("wb") as file:
            _copy(address, stream, file)
    except (InvalidTableError, MissingPackageError):
        raise
    except Exception as error:  # whatever the protocol raises
        raise InvalidTableError(f"{address!r} cannot be fetched: {_why(error)}.") from error


def _why(error: Exception) -> str:
    """What went wrong; stores say of what is not there no more than its name."""
    if isinstance(error, TimeoutError):
        return "it takes too long"
    return "nothing is there" if isinstance(error, FileNotFoundError) else reason(error)


def _copy(address: str, stream: BinaryIO, file: BinaryIO) -> None:
    size, end = 0, monotonic() + MOST_SECONDS
    while piece := stream.read(_PIECE):
        size += len(piece)
        if size > MOST_BYTES:
            raise InvalidTableError(
                f"{address!r} has more than {MOST_BYTES / 2**30:.3g} GB; fetch it yourself and "
                "give the file."
            )
        if monotonic() > end:
            raise TimeoutError
        file.write(piece)


@contextmanager
def _http(address: str) -> Iterator[Any]:
    """Answer of a web server; other protocols are not followed."""
    from urllib import request
    from urllib.error import HTTPError

    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler,
        request.HTTPHandler,
        request.HTTPSHandler,
        request.HTTPRedirectHandler,
        request.HTTPDefaultErrorHandler,
        request.HTTPErrorProcessor,
    ):
        opener.add_handler(handler())
    asked = request.Request(address, headers={"User-Agent": "bqcd", "Accept-Encoding": "identity"})
    try:
        answer = opener.open(asked, timeout=TIMEOUT)
    except HTTPError as error:
        told = f"the server says {error.code} {error.reason}"
        with suppress(Exception):
            error.close()
        raise InvalidTableError(f"{address!r} cannot be fetched: {told}.") from error
    if answer is None:
        raise InvalidTableError(f"{address!r} cannot be fetched: it leads to another protocol.")
    with answer:
        length = answer.headers.get("Content-Length", "")
        if length.isdecimal() and int(length) > MOST_BYTES:
            raise InvalidTableError(
                f"{address!r} has {int(length) / 2**30:.3g} GB, more than "
                f"{MOST_BYTES / 2**30:.3g}; fetch it yourself and give the file."
            )
        yield answer


@contextmanager
def _elsewhere(address: str) -> Iterator[Any]:
    fsspec = require("fsspec", extra="files", needed_by=f"The address {address!r}")
    try:
        opened = fsspec.open(address, "rb")
    except ImportError as error:
        raise MissingPackageError(f"{address!r} needs a package: {reason(error)}.") from error
    with opened as stream:
        yield stream
