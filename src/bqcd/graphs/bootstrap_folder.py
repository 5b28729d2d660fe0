"""The folder of a bootstrap: what was asked, and the sub-samples that are finished."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bqcd.errors import InvalidResultsError
from bqcd.runtime.atomic import PART
from bqcd.runtime.folder import HeldFolder, first_difference, write_durably
from bqcd.runtime.seals import digest_of, sealed, unsealed
from bqcd.runtime.version import __version__

_FORMAT, _LAYOUT = "bqcd bootstrap", 1

Draw = dict[str, Any]
"""Edges of one sub-sample as they came out, or a message why there are none."""


class BootstrapFolder(HeldFolder):
    """Finished sub-samples in a folder: ``bootstrap.json``, and a small file for each.

    Parameters
    ----------
    path : path
        The folder; made when it is first held.
    """

    contents = "a bootstrap of a graph"
    writer = "bootstrap"
    absent = "There is no bootstrap of a graph"
    record_name = "bootstrap.json"
    parts = frozenset({"draws"})

    def __init__(self, path: str | Path) -> None:
        super().__init__(Path(path).absolute())
        self.draws = self.path / "draws"

    def check_record(self) -> None:
        """Refuse a record that no bootstrap has begun."""
        if _FORMAT.encode() not in self.record.read_bytes()[:64]:
            raise self.refuse_others()

    def agree(self, manifest: Mapping[str, Any]) -> str:
        """Digest of what is asked for, which must be what was asked for before.

        Raises
        ------
        InvalidResultsError
            If the folder holds a bootstrap of something else, or is damaged.
        """
        asked: dict[str, Any] = {"format": _FORMAT, "layout": _LAYOUT, "version": __version__}
        asked |= json.loads(json.dumps(manifest))
        self.draws.mkdir(exist_ok=True)
        for folder in (self.path, self.draws):
            for path in folder.glob(f".*{PART}"):
                path.unlink()
        if not self.record.exists():
            self.write_record(asked)
            return digest_of(asked)
        try:
            before = self.read_record()
        except ValueError as error:
            raise InvalidResultsError(
                f"{self.record} is damaged: {error}. Take another folder."
            ) from error
        difference = first_difference(before, asked)
        if difference is not None:
            entry, old, new = difference
            # Of columns the record has a digest only, which says nothing to anyone.
            what = "of other columns or rows"
            if entry != "columns":
                what = f"in which {entry} is {old}, not {new}"
            raise InvalidResultsError(f"{self.path} holds a bootstrap {what}. Take another folder.")
        return digest_of(asked)

    def read_draw(self, number: int, digest: str) -> Draw | None:
        """A finished sub-sample; None if there is none, or it is damaged or of another run."""
        try:
            held = unsealed(self._file(number).read_bytes())
        except (OSError, ValueError):
            return None
        return held["draw"] if (held.get("of"), held.get("number")) == (digest, number) else None

    def write_draw(self, number: int, digest: str, draw: Draw) -> None:
        """Keep a finished sub-sample: all of it, or none."""
        write_durably(self._file(number), sealed({"of": digest, "number": number, "draw": draw}))

    def _file(self, number: int) -> Path:
        return self.draws / f"{number:06d}.json"
