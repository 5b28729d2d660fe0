"""Which pairs of a scan are wanted, and which of them come first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from bqcd.methods.answers import ANSWERS, Answer
from bqcd.runtime.settings import check_choice, check_integer, check_number
from bqcd.scans.pair_tables import Places, foremost, is_word, places_of

if TYPE_CHECKING:
    from bqcd.scans.results import Scan

Order = Literal["probability", "confidence", "dependence", "p_value"]
"""What pairs are ranked by; of confidence, the size."""

_ORDERS = ("probability", "confidence", "dependence", "p_value")
_DIRECTIONS = ("->", "<-", "--")


def wanted(
    scan: Scan,
    *,
    min_dependence: float,
    max_q: float | None,
    min_confidence: float,
    direction: str | None,
    answer: Answer | None,
) -> NDArray[np.bool_]:
    """Which pairs were judged and meet all conditions; see :meth:`bqcd.Scan.where`."""
    _check_limit("min_dependence", min_dependence, at_most=1.0)
    _check_limit("min_confidence", min_confidence)
    keep: NDArray[np.bool_] = np.abs(scan.numbers("confidence")) >= min_confidence
    if min_dependence > 0.0:
        keep &= scan.numbers("dependence") >= min_dependence
    if max_q is not None:
        _check_limit("max_q", max_q, at_most=1.0)
        keep &= scan.numbers("q_value") <= max_q
    if direction is not None:
        check_choice("a view of a scan", "direction", direction, _DIRECTIONS)
        keep &= is_word(scan.table["direction"], direction)
    if answer is not None:
        check_choice("a view of a scan", "answer", answer, ANSWERS)
        keep &= is_word(scan.table["answer"], answer)
    return keep


def ranked(scan: Scan, k: int, by: Order) -> Places:
    """Places of the foremost pairs, the first one first; see :meth:`bqcd.Scan.top`."""
    check_integer("a view of a scan", "k", k, minimum=0)
    check_choice("a view of a scan", "by", by, _ORDERS)
    values = scan.numbers(by)
    weight = -values if by == "p_value" else np.abs(values)
    alphabet = sorted(one.name for one in scan.columns)
    ties = [places_of(scan.table[side], alphabet) for side in ("x", "y")]
    sizes = -np.abs(np.nan_to_num(scan.numbers("confidence")))
    return foremost(weight, k, [sizes, *ties])


def _check_limit(name: str, value: float, *, at_most: float = float("inf")) -> None:
    if value != 0.0:
        check_number("a view of a scan", name, value, above=0.0, at_most=at_most)
