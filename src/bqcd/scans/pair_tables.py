"""Tables of judged pairs: checked, completed with q-values, put in order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bqcd.data.vector import as_vector
from bqcd.errors import InvalidResultsError
from bqcd.runtime.arrays import Vector
from bqcd.scans.tile_files import schema
from bqcd.statistics.dependence.multiple_testing import benjamini_hochberg

if TYPE_CHECKING:
    import pyarrow as pa

Places = NDArray[np.intp]


DERIVED = ("answer", "direction", "probability", "limit", "then_confidence", "q_value")
"""Columns of the table of a scan that follow from the others, or from a second method."""


def full_schema() -> pa.Schema:
    """Columns and types of the table of a scan."""
    import pyarrow as pa

    fields = {field.name: field for field in schema()}
    word, number = fields["status"].type, pa.float64()
    fields |= {name: pa.field(name, number) for name in DERIVED}
    fields |= {name: pa.field(name, word) for name in ("answer", "direction", "limit")}
    first = ("x", "y", "answer", "direction", "probability", "limit", "confidence")
    last = (
        "then_confidence",
        "n_rows",
        "spearman",
        "dependence",
        "p_value",
        "q_value",
        "status",
        "message",
    )
    return pa.schema([fields[name] for name in (*first, *last)])


def checked_pairs(pairs: pa.Table, names: Collection[str]) -> pa.Table:
    """Table of pairs as tiles have it, or with all columns that follow from it.

    Parameters
    ----------
    pairs : pyarrow.Table
        One row per pair.
    names : collection of str
        Names that columns may have.

    Raises
    ------
    InvalidResultsError
        If it has other columns or types, or a name is none of the known ones.
    """
    import pyarrow as pa

    wanted = full_schema() if "answer" in pairs.column_names else schema()
    if pairs.column_names != wanted.names:
        raise InvalidResultsError(
            f"A table of pairs has the columns {', '.join(wanted.names)}; "
            f"got {', '.join(map(str, pairs.column_names))}."
        )
    try:
        pairs = pairs.cast(wanted).unify_dictionaries()
    except pa.ArrowException as error:
        raise InvalidResultsError(f"A table of pairs has other types: {error}.") from error
    for side in ("x", "y"):
        if pairs[side].null_count:
            raise InvalidResultsError(f"A pair must have two columns, but {side} is missing.")
        strange = sorted(set(_coded(pairs[side])[1]).difference(names))
        if strange:
            raise InvalidResultsError(
                f"A pair must be of columns of the scan, but {strange[0]!r} is none of them."
            )
    return pairs


def q_values(pairs: pa.Table) -> Vector:
    """Q-values of a table of pairs, by Benjamini and Hochberg over all its p-values."""
    return benjamini_hochberg(as_vector(pairs["p_value"], "p_value"))


def matched_rows(pairs: pa.Table, others: pa.Table, names: Sequence[str]) -> Places:
    """Rows of another table with the same pairs, -1 for pairs that are not in it.

    Parameters
    ----------
    pairs, others : pyarrow.Table
        Tables with columns ``x`` and ``y``, in the same order.
    names : sequence of str
        All names.
    """
    keys, known = (
        places_of(table["x"], names) * len(names) + places_of(table["y"], names)
        for table in (pairs, others)
    )
    if not len(known):
        return np.full(len(keys), -1, dtype=np.intp)
    order = np.argsort(known)
    at = order[np.searchsorted(known, keys, sorter=order).clip(max=len(known) - 1)]
    return np.where(known[at] == keys, at, -1)


def places_of(column: pa.ChunkedArray, names: Sequence[str]) -> Places:
    """Place of each entry of a column among some names, -1 if it is not among them.

    Examples
    --------
    >>> import pyarrow as pa
    >>> column = pa.chunked_array([["b", "c"], ["b"]]).dictionary_encode()
    >>> places_of(column, ["a", "b"])
    array([ 1, -1,  1])
    """
    codes, words = _coded(column)
    place = {name: at for at, name in enumerate(names)}
    return np.array([place.get(word, -1) for word in words], dtype=np.intp)[codes]


def is_word(column: pa.ChunkedArray, word: str) -> NDArray[np.bool_]:
    """Where a column of words has one of them; entries may be missing.

    Examples
    --------
    >>> import pyarrow as pa
    >>> column = pa.chunked_array([["b", None], ["c"]]).dictionary_encode()
    >>> is_word(column, "b")
    array([ True, False, False])
    """
    held = column.unify_dictionaries().combine_chunks()
    words = held.dictionary.to_pylist()
    if word not in words:
        return np.zeros(len(column), dtype=np.bool_)
    found: NDArray[np.bool_] = np.asarray(held.indices.fill_null(-1)) == words.index(word)
    return found


def with_word(column: pa.ChunkedArray, chosen: NDArray[np.bool_], word: str) -> pa.DictionaryArray:
    """A column of words with one of them in some rows; entries may be missing.

    Parameters
    ----------
    column : ChunkedArray
        Words by their number.
    chosen : ndarray of bool, shape (n,)
        Rows that get the word.
    word : str
        The word, which the column does not have.

    Examples
    --------
    >>> import pyarrow as pa
    >>> column = pa.chunked_array([["b", None], ["c"]]).dictionary_encode()
    >>> with_word(column, np.array([False, True, False]), "d").to_pylist()
    ['b', 'd', 'c']
    """
    import pyarrow as pa

    held = column.unify_dictionaries().combine_chunks()
    words = held.dictionary.to_pylist()
    codes = np.where(chosen, len(words), np.asarray(held.indices.fill_null(-1)))
    entries = pa.array(codes, pa.int32(), mask=codes < 0)
    return pa.DictionaryArray.from_arrays(entries, pa.array([*words, word], pa.string()))


def foremost(weight: Vector, k: int, ties: Sequence[Places | Vector]) -> Places:
    """Places of the ``k`` largest weights, the largest first.

    Parameters
    ----------
    weight : ndarray of shape (n,)
        NaN comes last.
    k : int
        How many, at most.
    ties : sequence of ndarray of shape (n,)
        What equal weights are sorted by, smallest first; the first one weighs most.

    Examples
    --------
    >>> foremost(np.array([1.0, 3.0, np.nan, 3.0]), 3, [np.array([0, 2, 0, 1])])
    array([3, 1, 0])
    """
    weight = np.where(np.isnan(weight), -np.inf, weight)
    k = min(k, len(weight))
    if k == 0:
        return np.empty(0, dtype=np.intp)
    # Only those that may be among the first need to be sorted.
    least = np.partition(weight, len(weight) - k)[len(weight) - k]
    near = np.flatnonzero(weight >= least)
    order = np.lexsort((*(tie[near] for tie in reversed(ties)), -weight[near]))
    return near[order[:k]]


def _coded(column: pa.ChunkedArray) -> tuple[NDArray[np.int32], list[str]]:
    """Which of the words each entry of a column is, and the words."""
    held = column.unify_dictionaries().combine_chunks()
    codes = np.from_dlpack(held.indices).astype(np.int32, copy=False)
    return codes, held.dictionary.to_pylist()
