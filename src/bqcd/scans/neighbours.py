"""Columns of a scanned table that are looked at beside its pairs, as an assessment does."""

from __future__ import annotations

from typing import Any

import numpy as np

from bqcd.assessments.separation import Neighbours
from bqcd.assessments.third_columns import Beside
from bqcd.scans.sources import Source


def neighbours_of(source: Source) -> Neighbours:
    """The first hundred columns of a table in 2,000 rows at most, whatever they hold.

    Parameters
    ----------
    source : Source
        The table.

    Examples
    --------
    >>> from bqcd.scans.sources import open_source
    >>> found = neighbours_of(open_source({"age": [3, 1, 2, 4], "kind": ["a", "b", "a", "b"]}))
    >>> found.beside.column(1).labels
    ('a', 'b')
    """
    rows = Beside.of_columns(source.names, source.n_rows, lambda at: _column(source, at))
    return Neighbours(rows.gathered())


def _column(source: Source, at: int) -> object:
    """A column as it is, its pieces put together."""
    parts = list(source.parts(at))
    if len(parts) == 1:
        return parts[0]
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    return _joined(parts)


def _joined(parts: list[Any]) -> object:
    """Pieces of Arrow's, which may have dictionaries of their own."""
    import pyarrow as pa

    return pa.chunked_array(parts).unify_dictionaries()
