"""What may be said of the pairs of a scan: one answer each, by the rule of all outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bqcd.data.vector import as_vector
from bqcd.methods.answers import ANSWERS, BARS
from bqcd.methods.table import METHODS
from bqcd.runtime.arrays import Vector
from bqcd.scans.pair_tables import full_schema, matched_rows, q_values, with_word

if TYPE_CHECKING:
    import pyarrow as pa

    from bqcd.scans.results import Scan

DEPENDENT = 0.05
"""Share of false discoveries at which pairs count as dependent."""

NO_PROBABILITY = "no probability"
"""``limit`` of pairs that would lean by the first method, and that the second was not asked about.

Where hidden causes are all there is, most pairs may exceed what is common for linear Gaussian data;
the second method finds a direction in few of those that exceed it most
(``benchmarks/hidden_scans.py``).
"""

_CLEAR, _LEANING, _CANNOT_TELL = range(len(ANSWERS))
_DIRECTIONS = ("<-", "--", "->")


def claims_probability(method: str) -> bool:
    """Whether the confidence c of a method stands for the probability (1 + c) / 2 of x -> y."""
    return method in METHODS and METHODS[method].probabilistic


def asks_for_probabilities(scan: Scan) -> bool:
    """Whether a second method claims probabilities, and the first none: they decide what is told.

    Parameters
    ----------
    scan : Scan
        By one method or two.
    """
    if scan.then is None or claims_probability(scan.method):
        return False
    return claims_probability(scan.then.method)


def answer_codes(
    confidence: Vector,
    second: Vector,
    probability: Vector,
    bounds: Vector,
    q_value: Vector,
    *,
    abstain: float | None = None,
    by_probability: bool = False,
) -> NDArray[np.int32]:
    """Place of the answer of each pair among ``ANSWERS``.

    Two methods of which none claims a probability must agree. Where a least probability is asked
    for, a pair without any does not reach it.

    Parameters
    ----------
    confidence, second : ndarray of shape (k,)
        Of the method, NaN where the pair could not be judged; and of a second one, NaN where it
        was not asked.
    probability : ndarray of shape (k,)
        Of the direction; NaN where none is known.
    bounds : ndarray of shape (k,)
        Sizes that are common where no direction exists.
    q_value : ndarray of shape (k,)
        Of independence.
    abstain : float or None, default=None
        Least probability that is asked for.
    by_probability : bool, default=False
        Whether a pair without a probability cannot be told, however large its confidence.

    Examples
    --------
    >>> one = np.ones(1)
    >>> codes = answer_codes(0.1 * one, np.nan * one, np.nan * one, 0.01 * one, 0.0 * one)
    >>> ANSWERS[codes[0]]
    'leaning'
    """
    codes = np.full(len(confidence), _CANNOT_TELL, dtype=np.int32)
    known = ~np.isnan(probability)
    agree = ~(confidence * second < 0.0)
    if abstain is None and not by_probability:
        codes[~known & agree & (np.abs(confidence) > bounds)] = _LEANING
    bars = BARS.raised(abstain)
    codes[known & (probability >= bars.leaning)] = _LEANING
    codes[known & (probability >= bars.clear)] = _CLEAR
    codes[~(q_value <= DEPENDENT)] = _CANNOT_TELL
    return codes


def answer_columns(
    codes: NDArray[np.int32], leading: Vector
) -> tuple[pa.DictionaryArray, pa.DictionaryArray]:
    """Columns of answers and of directions; null where a pair could not be judged.

    Parameters
    ----------
    codes : ndarray of shape (k,)
        Places among ``ANSWERS``.
    leading : ndarray of shape (k,)
        Confidence whose sign is the direction, if it can be told; NaN if there is none.
    """
    import pyarrow as pa

    absent = np.isnan(leading)
    signs = np.sign(np.where(absent, 0.0, leading)).astype(np.int32)
    signs[codes == _CANNOT_TELL] = 0
    return (
        pa.DictionaryArray.from_arrays(pa.array(codes, mask=absent), list(ANSWERS)),
        pa.DictionaryArray.from_arrays(pa.array(signs + 1, mask=absent), list(_DIRECTIONS)),
    )


def answered(scan: Scan) -> pa.Table:
    """Pairs of a scan with all columns that follow from their numbers.

    Parameters
    ----------
    scan : Scan
        What was judged, by one method or two.
    """
    import pyarrow as pa

    pairs, rows = scan.pairs, _second_rows(scan)
    confidence, q_value = as_vector(pairs["confidence"], "confidence"), q_values(pairs)
    second = np.full(len(rows), np.nan)
    probability, limit = _left(scan), pairs["limit"]
    if scan.then is not None:
        asked = rows >= 0
        second[asked] = as_vector(scan.then.pairs["confidence"], "confidence")[rows[asked]]
        if claims_probability(scan.then.method):
            probability[asked] = _left(scan.then)[rows[asked]]
            limit = scan.then.pairs["limit"].take(pa.array(rows, mask=~asked))
    leading = np.where(np.isnan(second), confidence, second)
    bounds = np.nan_to_num(as_vector(pairs["bound"], "bound"), nan=0.0, posinf=np.inf)
    known = confidence, second, probability, bounds, q_value
    needed = asks_for_probabilities(scan)
    codes = answer_codes(*known, abstain=scan.abstain, by_probability=needed)
    if needed:
        unknown = np.isnan(probability) & (answer_codes(*known) != _CANNOT_TELL)
        limit = with_word(limit, unknown, NO_PROBABILITY)
    answer, direction = answer_columns(codes, leading)
    numbers = {"probability": probability, "then_confidence": second, "q_value": q_value}
    words = {"answer": answer, "direction": direction, "limit": limit}
    added: dict[str, pa.Array] = words | {
        name: pa.array(values, from_pandas=True) for name, values in numbers.items()
    }
    wanted = full_schema()
    columns = [added[name] if name in added else pairs[name] for name in wanted.names]
    return pa.table(columns, schema=wanted).unify_dictionaries()


def held_counts(scan: Scan) -> dict[str, int]:
    """How many probabilities of a scan are held back, by what holds them back most.

    Parameters
    ----------
    scan : Scan
        Whose ``limit`` is counted.
    """
    from pyarrow import compute

    counted = compute.value_counts(scan.table["limit"].drop_null()).to_pylist()
    return {entry["values"]: entry["counts"] for entry in counted}


def _second_rows(scan: Scan) -> NDArray[np.intp]:
    """Rows of the second method, -1 where it was not asked or could not judge."""
    if scan.then is None:
        return np.full(len(scan), -1, dtype=np.intp)
    rows = matched_rows(scan.pairs, scan.then.pairs, [one.name for one in scan.columns])
    judged = ~np.isnan(as_vector(scan.then.pairs["confidence"], "confidence"))
    return np.where((rows >= 0) & judged[rows], rows, -1)


def _left(scan: Scan) -> Vector:
    """What is left of the probabilities that the method of a scan claims; NaN if it claims none.

    It depends on the rows of a pair what method is picked for it: what is known of a column as a
    whole does not tell whether there is a claim, but something is known of every claim.
    """
    if scan.method != "auto" and not claims_probability(scan.method):
        return np.full(len(scan), np.nan)
    claimed = 0.5 * (1.0 + np.abs(as_vector(scan.pairs["confidence"], "confidence")))
    most = as_vector(scan.pairs["most"], "most")
    if scan.method == "auto":
        claimed[np.isnan(most)] = np.nan
    # A claim of which nothing is known stays.
    return np.fmin(claimed, most)
