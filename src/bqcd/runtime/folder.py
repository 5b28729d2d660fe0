"""A folder that one run at a time writes to, with a record of what was asked for."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from bqcd.errors import InvalidResultsError
from bqcd.runtime.atomic import PART, write_whole
from bqcd.runtime.lock import exclusive
from bqcd.runtime.seals import sealed, unsealed

_LOCK = "lock"


class HeldFolder:
    """Folder of a run that can be resumed; the lock is the first thing in it.

    Parameters
    ----------
    path : Path
        The folder; made when it is first held.
    """

    contents: ClassVar[str]
    """What the folder holds, e.g. ``"a scan"``."""
    writer: ClassVar[str]
    """What writes to it, e.g. ``"scan"``."""
    absent: ClassVar[str]
    """What is told of a folder without it, e.g. ``"There is no scan"``."""
    record_name: ClassVar[str]
    """Name of the record."""
    parts: ClassVar[frozenset[str]]
    """Names of what may be there before the record."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.record = path / self.record_name

    @contextmanager
    def held(self) -> Iterator[None]:
        """Folder made if need be, and kept from other runs until the block is left.

        Raises
        ------
        InvalidResultsError
            If another run holds it, or it is full of other things.
        """
        self._check_ours()
        self.path.mkdir(parents=True, exist_ok=True)
        with exclusive(self.path / _LOCK) as other:
            if other is not None:
                raise InvalidResultsError(
                    f"Another {self.writer} ({other}) is writing to {self.path} now."
                )
            yield

    def read_record(self) -> dict[str, Any]:
        """What was asked for.

        Raises
        ------
        InvalidResultsError
            If there is none.
        ValueError, OSError
            If it is not what was written.
        """
        try:
            return unsealed(self.record.read_bytes())
        except FileNotFoundError:
            raise InvalidResultsError(f"{self.absent} in {self.path}.") from None

    def write_record(self, record: Mapping[str, Any]) -> None:
        """Write down what is asked for, whole or not at all, with a digest."""
        write_durably(self.record, sealed(record))

    def check_record(self) -> None:
        """Refuse a record that is there and not of this kind."""
        raise NotImplementedError

    def refuse_others(self) -> InvalidResultsError:
        """Error of a folder that holds something else."""
        return InvalidResultsError(
            f"{self.path} holds other things than {self.contents}: take a new or an empty folder."
        )

    def _check_ours(self) -> None:
        if not self.path.exists():
            return
        if not self.path.is_dir():
            kept = self.contents[0].upper() + self.contents[1:]
            raise InvalidResultsError(f"{kept} must be in a folder, but {self.path} is a file.")
        # Listed once: another run may be about to begin.
        names = {one.name for one in self.path.iterdir()}
        if self.record_name in names:
            self.check_record()
            return
        others = names - {_LOCK} - self.parts
        strangers = [name for name in others if not is_part_of(self.record_name, name)]
        if names and (_LOCK not in names or strangers):
            raise self.refuse_others()


def is_part_of(written: str, name: str) -> bool:
    """Whether a file has the name of one that is not finished.

    Examples
    --------
    >>> is_part_of("plan.json", ".plan.json.4f2a.part"), is_part_of("plan.json", "plan.json")
    (True, False)
    """
    return name.startswith(f".{written}.") and name.endswith(PART)


def write_durably(path: Path, data: bytes) -> None:
    """Have the data on the disk first, and under their name then.

    Raises
    ------
    OSError
        If they cannot be written.
    """
    write_whole(path, data)
    _sync_folder(path.parent)


def _sync_folder(path: Path) -> None:
    """Have the names in a folder on the disk, where the system can be told to."""
    if os.name == "nt":
        return
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def first_difference(before: Any, now: Any, entry: str = "") -> tuple[str, str, str] | None:
    """Name and both values of the first entry in which two records differ; None if none does.

    Parameters
    ----------
    before, now : object
        What can be written as JSON.
    entry : str, default=""
        Name of the entry they are, for the names of those within.

    Examples
    --------
    >>> first_difference({"seed": 0, "rows": 5}, {"seed": 1, "rows": 5})
    ('seed', '0', '1')
    """
    if isinstance(before, dict) and isinstance(now, dict):
        for name in dict.fromkeys([*now, *before]):
            within = f"{entry}.{name}" if entry else name
            if name not in before or name not in now:
                return within, _shown(before, name), _shown(now, name)
            if difference := first_difference(before[name], now[name], within):
                return difference
        return None
    if isinstance(before, list) and isinstance(now, list):
        if len(before) != len(now):
            return f"the length of {entry}", str(len(before)), str(len(now))
        pairs = enumerate(zip(before, now, strict=True))
        found = (first_difference(a, b, f"{entry}[{place}]") for place, (a, b) in pairs)
        return next((one for one in found if one), None)
    # As text, so that NaN equals NaN and 1 is not 1.0.
    if json.dumps(before) == json.dumps(now):
        return None
    return entry, _shown([before], 0), _shown([now], 0)


def _shown(held: Any, key: Any) -> str:
    """Value in a message: absent, or shortened if long."""
    if isinstance(held, dict) and key not in held:
        return "absent"
    text = json.dumps(held[key], ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."
