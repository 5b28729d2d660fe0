"""A scan read from its folder, finished or not."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import comb
from pathlib import Path
from typing import Any

from bqcd.data.files.text import reason
from bqcd.errors import InvalidResultsError
from bqcd.methods.table import METHODS
from bqcd.methods.verdict import settings_of
from bqcd.scans.folder import ScanFolder
from bqcd.scans.records import ColumnFacts
from bqcd.scans.results import Scan
from bqcd.scans.stores import INDEX, ColumnStore


def read_scan(folder: str | Path, *, abstain: float | None = None) -> Scan:
    """Scan that is kept in a folder: all of it, or what is finished of it.

    Parameters
    ----------
    folder : str or Path
        What was ``out`` of the scan. It may still be written to.
    abstain : float, optional
        As in :func:`bqcd.scan`: it changes what is told, and no number that is kept.

    Raises
    ------
    InvalidResultsError
        If there is no scan in it, or it cannot be read.
    """
    held = ScanFolder(folder)
    first = replace(_read(held), abstain=abstain)
    second = ScanFolder(held.then)
    return replace(first, then=_read(second)) if second.record.exists() else first


def _read(held: ScanFolder) -> Scan:
    """Scan of one method."""
    manifest = held.manifest()
    held.check_layout()
    pairs = held.read()
    try:
        columns = _columns(held, manifest)
        return Scan(
            pairs,
            columns,
            method=str(manifest["method"]),
            settings=unusual_settings(manifest["method"], manifest["settings"]),
            n_rows=int(manifest["input"]["rows"]),
            label=held.path.name,
            complete=pairs.num_rows == _n_asked(columns, manifest),
            folder=held.path,
        )
    except (LookupError, TypeError) as error:
        raise InvalidResultsError(
            f"The scan in {held.path} cannot be read: {reason(error)}."
        ) from error


def unusual_settings(method: str, settings: Mapping[str, object]) -> dict[str, object]:
    """Settings of a method that are not the usual ones.

    Parameters
    ----------
    method : str
        Its name.
    settings : mapping of str to object
        All its settings.

    Examples
    --------
    >>> unusual_settings("bqcd", settings_of(METHODS["bqcd"].build(n_levels=7)))
    {'n_levels': 7}
    """
    usual = _plain(settings_of(METHODS[method].build())) if method in METHODS else {}
    return {
        name: value
        for name, value in _plain(settings).items()
        if name not in usual or usual[name] != value
    }


def _n_asked(columns: Sequence[ColumnFacts], manifest: Mapping[str, Any]) -> int | None:
    """Pairs that were asked for, if that is known."""
    asked = manifest["pairs"]
    if asked == "all":
        return comb(sum(not one.problem for one in columns), 2)
    return int(asked["number"]) if isinstance(asked, dict) else None


def _plain(settings: Mapping[str, object]) -> dict[str, Any]:
    """Settings as they come back from JSON."""
    plain: dict[str, Any] = json.loads(json.dumps(dict(settings)))
    return plain


def _columns(held: ScanFolder, manifest: Mapping[str, Any]) -> tuple[ColumnFacts, ...]:
    """What is known of the columns; only their names if they have not all been read."""
    if (held.work / INDEX).exists():
        return ColumnStore.index(held.work, scan=held.digest).facts
    return tuple(ColumnFacts(name, at, 0, 0) for at, name in enumerate(manifest["columns"]))
