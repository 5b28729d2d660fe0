"""An archive brought here from a web address, with pooch, or from a file on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any

from bqcd.benchmark.datasets import unpacking
from bqcd.benchmark.datasets.cards import Download
from bqcd.errors import InvalidSettingError, InvalidTableError
from bqcd.runtime.optional import require

RETRIES = 2
"""How often a download that failed is tried again."""


Progress = Callable[[int, int | None], None]
"""Told the bytes that have come so far, and the bytes there are if the server tells."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """How an archive comes here.

    Parameters
    ----------
    address : str
        Where it is: ``http://...``, ``https://...`` or a file on disk.
    download : Download
        Type and checksum that it must have.
    timeout : float
        Seconds to wait for the server to answer or to go on.
    progress : callable, optional
        Told how far the download is, see ``Progress``.
    """

    address: str
    download: Download
    timeout: float
    progress: Progress | None = None

    def archive(self, folder: Path) -> Path:
        """The archive, downloaded to a folder, or where it lies on disk.

        Raises
        ------
        InvalidSettingError
            If the address is neither a web address nor a file.
        MissingPackageError
            If pooch is needed and not installed.
        ConnectionError
            If the download fails, also when tried again.
        InvalidTableError
            If the archive has another checksum, or more bytes than it may unpack to; it is
            removed.
        """
        copy = Path(self.address).expanduser()
        if copy.is_file():
            _check_copy(copy, self.download.sha256)
            return copy
        if not self.address.startswith(("http://", "https://")):
            raise InvalidSettingError(
                f"address must begin with https:// or http://, or be a file, got {self.address!r}."
            )
        pooch: Any = require("pooch", extra="bench", needed_by="Downloading benchmarks")
        name = f"archive.{self.download.archive}"
        keeper = pooch.create(
            path=folder,
            base_url="",
            registry={name: self.download.sha256},
            urls={name: self.address},
            retry_if_failed=RETRIES,
        )
        with _quiet(pooch.get_logger()), _plain_errors(self):
            return Path(keeper.fetch(name, downloader=self._download))

    def _download(self, url: str, output_file: str, _: object) -> None:
        """Write what is at an address to a file; called by pooch."""
        # pooch's own downloader leaves connections open when a server fails.
        requests: Any = require("requests", extra="bench", needed_by="Downloading benchmarks")
        agent = {"User-Agent": "bqcd (python)"}
        with (
            requests.get(url, stream=True, timeout=self.timeout, headers=agent) as response,
            open(output_file, "wb") as stream,
        ):
            response.raise_for_status()
            size = int(response.headers.get("Content-Length", 0)) or None
            for chunk in response.iter_content(1 << 16):
                stream.write(chunk)
                if stream.tell() > unpacking.MOST_BYTES:
                    raise _TooLargeError
                if self.progress is not None:
                    self.progress(stream.tell(), size)


class _TooLargeError(Exception):
    """More comes than there is room for; trying again would bring the same."""


def _check_copy(copy: Path, expected: str | None) -> None:
    if expected is None:
        return
    with copy.open("rb") as stream:
        found = file_digest(stream, "sha256").hexdigest()
    if found != expected:
        raise InvalidTableError(f"{copy} must have the SHA-256 {expected}, but has {found}.")


@contextmanager
def _quiet(logger: Any) -> Iterator[None]:
    level = logger.level
    logger.setLevel("ERROR")
    try:
        yield
    finally:
        logger.setLevel(level)


@contextmanager
def _plain_errors(transfer: Transfer) -> Iterator[None]:
    """Say in one line why a download failed."""
    errors: Any = require("requests.exceptions", extra="bench", needed_by="Downloading benchmarks")
    try:
        yield
    except errors.RequestException as error:
        response = getattr(error, "response", None)
        if response is not None:
            reason = f"the server answers {response.status_code} {response.reason}"
        elif isinstance(error, errors.Timeout) or "timed out" in str(error):
            reason = f"the server is silent for {transfer.timeout:g} seconds"
        elif isinstance(error, errors.ChunkedEncodingError):
            reason = "the connection breaks off before the end"
        else:
            reason = "there is no connection"
        raise ConnectionError(
            f"{transfer.address} cannot be downloaded: {reason} ({RETRIES + 1} attempts). "
            "Another address, or a file, can be given (--from on the command line)."
        ) from error
    except _TooLargeError as error:
        raise InvalidTableError(
            f"{transfer.address} must have {unpacking.MOST_BYTES:,} bytes at most, but sends more."
        ) from error
    except ValueError as error:
        raise InvalidTableError(
            f"{transfer.address} must have the SHA-256 {transfer.download.sha256}, "
            "but what was downloaded has another; it was removed."
        ) from error
