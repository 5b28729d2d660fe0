"""The folder a scan writes to: what was asked, what is finished, who holds the pen.

``manifest.json``
    Version, fingerprint of the input, its rows and columns, settings; and a digest of all
    that, with which whatever else is in the folder is stamped.
``tiles/000012.parquet``
    Rows of a finished tile. Each file gets its name when all of it is on the disk; the
    folder can be read as one Parquet dataset.
``work/``
    What a scan needs only while it runs.
``then/``
    The scan of the pairs that a second method judges, if there is one: a folder like this.

The manifest is the first to come and the last to go: what lies in a folder without one
belongs to no scan.
"""

from __future__ import annotations

import errno
import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bqcd.errors import InvalidResultsError
from bqcd.runtime.atomic import PART
from bqcd.runtime.folder import HeldFolder, first_difference, write_durably
from bqcd.runtime.seals import digest_of
from bqcd.runtime.version import __version__
from bqcd.scans.records import TileRows
from bqcd.scans.tile_files import is_tile, read_tile, schema, tile_bytes, tile_table

if TYPE_CHECKING:
    import pyarrow as pa

_FORMAT, _LAYOUT = "bqcd scan", 7
_TILE_NAME = re.compile(r"(\d{6,})\.parquet")
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_GO_ON = "Take another folder, or start anew with --fresh (in Python, fresh=True)."


class ScanFolder(HeldFolder):
    """Manifest and finished tiles of a scan in one folder.

    Parameters
    ----------
    path : str or Path
        The folder; made when it is first held. It stays the same wherever this process
        goes, and for workers that were started elsewhere.
    """

    contents = "a scan"
    writer = "scan"
    absent = "There is no scan"
    record_name = "manifest.json"
    parts = frozenset({"tiles", "work", "then"})

    def __init__(self, path: str | Path) -> None:
        super().__init__(Path(path).absolute())
        self.tiles = self.path / "tiles"
        self.work = self.path / "work"
        self.then = self.path / "then"
        self._digest: str | None = None
        self._done: set[int] | None = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Folder made if need be, and kept from other scans until the block is left.

        Raises
        ------
        InvalidResultsError
            If another scan holds it, or it is full of other things.
        """
        with super().held():
            self.tiles.mkdir(exist_ok=True)
            self.work.mkdir(exist_ok=True)
            self._remove_unfinished()
            self._digest = self._done = None
            yield

    def check_record(self) -> None:
        """Refuse a manifest that no scan has begun; it may be damaged, for a fresh start."""
        if _FORMAT.encode() not in self.record.read_bytes()[:64]:
            raise self.refuse_others()

    def agree(self, manifest: Mapping[str, Any]) -> None:
        """Write down what is asked for, or check that it is what was asked for before.

        What is in the folder and does not belong to this scan, or is damaged, is removed.

        Parameters
        ----------
        manifest : mapping of str to object
            Whatever the numbers depend on, ready for JSON. The version is added to it.

        Raises
        ------
        InvalidResultsError
            If the folder holds a scan of something else. The message names the first
            entry that differs.
        """
        asked: dict[str, Any] = {"format": _FORMAT, "layout": _LAYOUT, "version": __version__}
        asked |= json.loads(json.dumps(manifest))
        if self.record.exists():
            difference = first_difference(self.manifest(), asked)
            if difference is not None:
                entry, before, now = difference
                raise InvalidResultsError(
                    f"{self.path} holds a scan in which {entry} is {before}, not {now}. {_GO_ON}"
                )
        else:
            self._empty()
            with _room_for(self.record):
                self.write_record(asked)
        self._digest, self._done = digest_of(asked), None
        self._remove_strays()

    def manifest(self) -> dict[str, Any]:
        """What was asked for.

        Raises
        ------
        InvalidResultsError
            If there is no scan in the folder, or what it was cannot be read.
        """
        try:
            return self.read_record()
        except (ValueError, OSError) as error:
            raise InvalidResultsError(f"{self.record} cannot be read: {error}. {_GO_ON}") from error

    def check_layout(self) -> None:
        """Refuse tiles as other versions of bqcd have kept them.

        Raises
        ------
        InvalidResultsError
            If the manifest has another layout.
        """
        layout = self.manifest().get("layout", _LAYOUT)
        if layout != _LAYOUT:
            raise InvalidResultsError(
                f"{self.path} holds a scan in which layout is {layout!r}, not {_LAYOUT!r}: another "
                f"version of bqcd wrote it. {_GO_ON}"
            )

    @property
    def digest(self) -> str:
        """Digest of the manifest, with which all that belongs to this scan is stamped."""
        if self._digest is None:
            self._digest = digest_of(self.manifest())
        return self._digest

    def start_afresh(self) -> None:
        """Remove what a scan has written, and nothing else; only while the folder is held."""
        if ScanFolder(self.then).record.exists():
            second = ScanFolder(self.then)
            with second.held():
                second.start_afresh()
        self._empty()
        self.record.unlink(missing_ok=True)
        self._digest = self._done = None

    def clear_work(self) -> None:
        """Empty the folder of what a scan needs only while it runs."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(exist_ok=True)

    def done_tiles(self) -> set[int]:
        """Numbers of the finished tiles; damaged files and those of another scan do not count."""
        return set(self._known())

    def failed_tiles(self) -> set[int]:
        """Numbers of the finished tiles in which a pair could not be judged."""
        return {number for number, table in self._tables() if table["confidence"].null_count}

    @property
    def n_done(self) -> int:
        """Number of finished tiles."""
        return len(self._known())

    def write_tile(self, rows: TileRows, names: Sequence[str]) -> Path:
        """File of a finished tile: all of it, or none.

        Parameters
        ----------
        rows : TileRows
            What became of its pairs.
        names : sequence of str
            Names of all columns of the store.

        Raises
        ------
        InvalidResultsError
            If the disk is full. What is finished is kept.
        """
        path = self.tiles / f"{rows.number:06d}.parquet"
        data = tile_bytes(tile_table(rows, names), self.digest, rows.number)
        with _room_for(path):
            write_durably(path, data)
        if self._done is not None:
            self._done.add(rows.number)
        return path

    def tables(self) -> Iterator[pa.Table]:
        """Tables of the finished tiles one by one, in the order of their numbers.

        Raises
        ------
        InvalidResultsError
            If a tile was damaged, or belongs to another scan. The message names it.
        """
        return (table for _, table in self._tables())

    def read(self) -> pa.Table:
        """Table of all finished tiles, in the order of their numbers; see :meth:`tables`."""
        import pyarrow as pa

        tables = list(self.tables()) or [schema().empty_table()]
        return pa.concat_tables(tables).unify_dictionaries()

    def _tables(self) -> Iterator[tuple[int, pa.Table]]:
        scan = self.digest
        for path, number in self._tile_files():
            yield number, read_tile(path, scan, number)

    def _known(self) -> set[int]:
        if self._done is None:
            scan = self.digest
            self._done = {
                number for path, number in self._tile_files() if is_tile(path, scan, number)
            }
        return self._done

    def _tile_files(self) -> list[tuple[Path, int]]:
        """Files that are called like tiles, with their numbers, in order."""
        if not self.tiles.is_dir():
            return []
        named = [(path, _TILE_NAME.fullmatch(path.name)) for path in self.tiles.iterdir()]
        found = [(path, int(match[1])) for path, match in named if match is not None]
        return sorted(found, key=lambda one: one[1])

    def _empty(self) -> None:
        """Remove columns and tiles."""
        self.clear_work()
        for path, _ in self._tile_files():
            path.unlink()

    def _remove_strays(self) -> None:
        """Remove files that are called like tiles and are not whole tiles of this scan."""
        for path, number in self._tile_files():
            if number not in self._known():
                path.unlink()

    def _remove_unfinished(self) -> None:
        for folder in (self.path, self.tiles, self.work):
            for path in folder.glob(f".*{PART}"):
                path.unlink()


@contextmanager
def _room_for(path: Path) -> Iterator[None]:
    """Block in which a file is written; that the disk is full is told in a sentence."""
    try:
        yield
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        raise InvalidResultsError(
            f"There is no room for {path} ({error.strerror}). The tiles that are finished "
            "are kept: make room and run the same scan again to go on."
        ) from error
