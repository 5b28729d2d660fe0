"""Sorting and normal quantiles, compiled: what turns a column into ranks.

numpy's stable argsort takes longer at every size (``benchmarks/sorting.py``, numpy 2.4 with AVX2):
without ties 1.5 times as long at 1,000 rows, 8 at 10,000, 9 at 100,000, 8 at a million, 6 at ten
million; with ties 1.4 to 6 times; with heavy tails 1.04 times at 1,000 rows and 5 to 9 above. Its
default argsort, which is the same without ties only, takes 1.7, 2.1, 2.4, 2.8 and 3.5 times.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Vector
from bqcd.runtime.kernel import kernel

Order = NDArray[np.int32]
Packed = NDArray[np.uint64]
Counts = NDArray[np.uint32]

# Keys of 40 bits leave 24 for the row number: up to 16.7 million rows.
KEY_BITS = 40
KEY_SHIFT = np.uint64(64 - KEY_BITS)
# Digits of 6 bits: sixty-four streams can be written side by side without stalling. Beyond
# the reach of the caches every pass costs more, and fewer passes with longer digits less.
DIGIT_BITS = 6
LONG_DIGIT_BITS = 12
LONG_COLUMN = 1 << 22
# Share of the rows one leading digit may take, and moves a row that insertion may need.
CROWDED = 0.9
MOST_MOVES = 8
LEAST_SPAN, MOST_SPAN = 1e-280, 1e300

# The other way: three digits of the bits tell doubles apart to a relative step of 5e-7.
BITS_DIGIT = 11
SORTED_BITS = 33
SHORT_RUN = 24


@kernel
def normal_quantile(p: float) -> float:
    """Inverse of the standard normal distribution function, to 16 digits (AS 241)."""
    q = p - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        a = 2509.0809287301226727 * r + 33430.575583588128105
        a = (a * r + 67265.770927008700853) * r + 45921.953931549871457
        a = (a * r + 13731.693765509461125) * r + 1971.5909503065514427
        a = (a * r + 133.14166789178437745) * r + 3.387132872796366608
        b = 5226.495278852545925 * r + 28729.085735721942674
        b = (b * r + 39307.89580009271061) * r + 21213.794301586595867
        b = (b * r + 5394.1960214247511077) * r + 687.1870074920579083
        b = (b * r + 42.313330701600911252) * r + 1.0
        return q * a / b
    r = sqrt(-log(p if q < 0.0 else 1.0 - p))
    if r <= 5.0:
        r -= 1.6
        a = 7.7454501427834140764e-4 * r + 0.0227238449892691845833
        a = (a * r + 0.24178072517745061177) * r + 1.27045825245236838258
        a = (a * r + 3.64784832476320460504) * r + 5.7694972214606914055
        a = (a * r + 4.6303378461565452959) * r + 1.42343711074968357734
        b = 1.05075007164441684324e-9 * r + 5.475938084995344946e-4
        b = (b * r + 0.0151986665636164571966) * r + 0.14810397642748007459
        b = (b * r + 0.68976733498510000455) * r + 1.6763848301838038494
        b = (b * r + 2.05319162663775882187) * r + 1.0
    else:
        r -= 5.0
        a = 2.01033439929228813265e-7 * r + 2.71155556874348757815e-5
        a = (a * r + 0.0012426609473880784386) * r + 0.026532189526576123093
        a = (a * r + 0.29656057182850489123) * r + 1.7848265399172913358
        a = (a * r + 5.4637849111641143699) * r + 6.6579046435011037772
        b = 2.04426310338993978564e-15 * r + 1.4215117583164458887e-7
        b = (b * r + 1.8463183175100546818e-5) * r + 7.868691311456132591e-4
        b = (b * r + 0.0148753612908506148525) * r + 0.13692988092273580531
        b = (b * r + 0.59983220655588793769) * r + 1.0
    return -a / b if q < 0.0 else a / b


@kernel
def fill_normal_scores(scores: Vector) -> None:
    """Fill with the normal scores of ranks, increasing and exactly odd about the middle."""
    n = len(scores)
    for i in range((n + 1) // 2):
        value = normal_quantile((i + 1) / (n + 1))
        scores[i] = value
        scores[n - 1 - i] = -value
    if n % 2:
        scores[n // 2] = 0.0


@kernel
def move_by_digit(
    source: Packed, sink: Packed, starts: Counts, shift: int, digit_bits: int
) -> None:
    """Copy packed keys to the places their digit at ``shift`` has in ``starts``, stably."""
    mask = np.uint64((1 << digit_bits) - 1)
    offset = np.uint64(shift)
    for item in source:
        digit = (item >> offset) & mask
        place = starts[digit]
        starts[digit] = place + np.uint32(1)
        sink[place] = item


@kernel
def add_up(counts: Counts) -> None:
    """Turn counts that stand one place up into the places at which digits start."""
    for digit in range(len(counts) - 1):
        counts[digit + 1] += counts[digit]


# -- by value: short digits, then insertion --------------------------------------------


@kernel
def pack_by_value(values: Vector, packed: Packed, counts: Counts, digit_bits: int) -> bool:
    """Fill ``packed`` with keys linear in value over row numbers; whether they are of use.

    They are not if the range is not a number to divide by, or if one leading digit takes
    nearly all rows, so that equal steps in value tell little: heavy tails.
    """
    lowest, highest = values[0], values[0]
    for value in values:
        lowest = min(lowest, value)
        highest = max(highest, value)
    span = highest - lowest
    if not (LEAST_SPAN < span < MOST_SPAN):
        return False
    scale = ((1 << KEY_BITS) - 1) / span
    mask = np.uint64((1 << digit_bits) - 1)
    for i in range(len(values)):
        key = np.uint64((values[i] - lowest) * scale)
        item = (key << KEY_SHIFT) | np.uint64(i)
        packed[i] = item
        for d in range(len(counts)):
            digit = (item >> np.uint64(64 - (d + 1) * digit_bits)) & mask
            counts[d, digit + np.uint64(1)] += np.uint32(1)
    for place in range(1, (1 << digit_bits) + 1):
        if counts[0, place] > CROWDED * len(values):
            return False
    return True


@kernel
def inserted(packed: Packed) -> bool:
    """Sort nearly sorted keys in place; give up if they are far from sorted."""
    moves = 0
    for i in range(1, len(packed)):
        item = packed[i]
        j = i
        while j > 0 and packed[j - 1] > item:
            packed[j] = packed[j - 1]
            j -= 1
        packed[j] = item
        moves += i - j
        if moves > MOST_MOVES * len(packed):
            return False
    return True


@kernel
def settle_equal_keys(values: Vector, packed: Packed, low: np.uint64) -> int:
    """Put values that share a key in order; repeated values, -1 if there is too much to do."""
    repeats = 0
    moves = 0
    for i in range(1, len(packed)):
        item = packed[i]
        key = item >> KEY_SHIFT
        if packed[i - 1] >> KEY_SHIFT != key:
            continue
        value = values[item & low]
        j = i
        while j > 0 and packed[j - 1] >> KEY_SHIFT == key and values[packed[j - 1] & low] > value:
            packed[j] = packed[j - 1]
            j -= 1
        packed[j] = item
        moves += i - j
        if moves > len(packed):
            return -1
        if j > 0 and packed[j - 1] >> KEY_SHIFT == key:
            repeats += values[packed[j - 1] & low] == value
    return repeats


@kernel
def sorted_by_value(values: Vector, packed: Packed, scratch: Packed, low: np.uint64) -> int:
    """Sort keys linear in value over row numbers into ``packed``; repeated values, -1 if in vain.

    The digits passed over tell apart as many keys as there are rows; insertion does the
    rest.
    """
    digit_bits = DIGIT_BITS if len(values) < LONG_COLUMN else LONG_DIGIT_BITS
    n_digits = 2
    while (1 << (n_digits * digit_bits)) < len(values):
        n_digits += 1
    counts = np.zeros((n_digits, (1 << digit_bits) + 1), np.uint32)
    if not pack_by_value(values, packed, counts, digit_bits):
        return -1
    source, sink = packed, scratch
    for d in range(n_digits - 1, -1, -1):
        add_up(counts[d])
        move_by_digit(source, sink, counts[d], 64 - (d + 1) * digit_bits, digit_bits)
        source, sink = sink, source
    if n_digits % 2:
        for i in range(len(packed)):
            packed[i] = scratch[i]
    return settle_equal_keys(values, packed, low) if inserted(packed) else -1


# -- by bits: all of the number, whatever its distribution -----------------------------


@kernel
def ordered_bits(value: float) -> np.uint64:
    """Unsigned integer that grows with the value; both zeros give the same one."""
    sign = np.uint64(1 << 63)
    if value == 0.0:
        return sign
    bits = np.float64(value).view(np.uint64)
    return ~bits if bits & sign else bits | sign


@kernel
def sort_leading_bits(packed: Packed, scratch: Packed) -> None:
    """Sort packed keys stably by their leading 33 bits; they end in ``scratch``."""
    counts = np.zeros((3, (1 << BITS_DIGIT) + 1), np.uint32)
    mask = np.uint64((1 << BITS_DIGIT) - 1)
    one = np.uint64(1)
    for item in packed:
        counts[0, ((item >> np.uint64(31)) & mask) + one] += np.uint32(1)
        counts[1, ((item >> np.uint64(42)) & mask) + one] += np.uint32(1)
        counts[2, (item >> np.uint64(53)) + one] += np.uint32(1)
    for d in range(3):
        add_up(counts[d])
    move_by_digit(packed, scratch, counts[0], 31, BITS_DIGIT)
    move_by_digit(scratch, packed, counts[1], 42, BITS_DIGIT)
    move_by_digit(packed, scratch, counts[2], 53, BITS_DIGIT)


@kernel
def settle_short_run(values: Vector, run: Packed, index_bits: int) -> None:
    """Insertion sort of packed keys; the full value decides where the keys agree."""
    low = np.uint64((1 << index_bits) - 1)
    shift = np.uint64(index_bits)
    for i in range(1, len(run)):
        item = run[i]
        key = item >> shift
        j = i
        while j > 0:
            other = run[j - 1] >> shift
            if other < key or (other == key and values[run[j - 1] & low] <= values[item & low]):
                break
            run[j] = run[j - 1]
            j -= 1
        run[j] = item


@kernel
def settle_long_run(values: Vector, run: Packed, index_bits: int) -> None:
    """Radix sort of packed keys by the trailing bits of the full value.

    Afterwards the keys are no longer those the run came with; only the row numbers count.
    """
    low = np.uint64((1 << index_bits) - 1)
    first = values[run[0] & low]
    constant = True
    for item in run:
        constant = constant and values[item & low] == first
    if constant:
        return
    packed = np.empty_like(run)
    for i in range(len(run)):
        row = run[i] & low
        packed[i] = (ordered_bits(values[row]) << np.uint64(SORTED_BITS - 2)) | row
    sort_leading_bits(packed, run)


@kernel
def settle_run(values: Vector, run: Packed, index_bits: int) -> int:
    """Sort a run of packed keys that share their leading bits; count repeated values."""
    low = np.uint64((1 << index_bits) - 1)
    if len(run) > SHORT_RUN:
        settle_long_run(values, run, index_bits)
    else:
        settle_short_run(values, run, index_bits)
    repeats = 0
    for i in range(1, len(run)):
        repeats += values[run[i] & low] == values[run[i - 1] & low]
    return repeats


@kernel
def settle_all(values: Vector, packed: Packed, index_bits: int) -> int:
    """Finish the sort of packed keys run by run; the number of repeated values."""
    shift = np.uint64(64 - SORTED_BITS)
    repeats = 0
    start = 0
    head = packed[0] >> shift
    for i in range(1, len(packed)):
        key = packed[i] >> shift
        if key != head:
            if i - start > 1:
                repeats += settle_run(values, packed[start:i], index_bits)
            start, head = i, key
    if len(packed) - start > 1:
        repeats += settle_run(values, packed[start:], index_bits)
    return repeats


@kernel
def sorted_by_bits(values: Vector, packed: Packed, scratch: Packed, index_bits: int) -> int:
    """Sort the bits of the values over row numbers into ``scratch``; repeated values."""
    keep = ~np.uint64((1 << index_bits) - 1)
    for i in range(len(values)):
        packed[i] = (ordered_bits(values[i]) & keep) | np.uint64(i)
    sort_leading_bits(packed, scratch)
    return settle_all(values, scratch, index_bits)


# -- ranks -----------------------------------------------------------------------------


@kernel
def fill_order(values: Vector, packed: Packed, scratch: Packed, order: Order) -> int:
    """Fill ``order`` with the rows in increasing order of value; number of repeated values.

    Equal values stay in order of row. Key and row number share one 64-bit word, so that a
    radix pass moves one word per row. Keys are linear in value, and two passes put most
    rows in place; where that fails, the bits of the number are sorted.
    """
    n = len(values)
    low = np.uint64((1 << (64 - KEY_BITS)) - 1)
    repeats = -1
    if n <= 1 << (64 - KEY_BITS):
        repeats = sorted_by_value(values, packed, scratch, low)
    if repeats < 0:
        index_bits = 1
        while (1 << index_bits) < n:
            index_bits += 1
        low = np.uint64((1 << index_bits) - 1)
        repeats = sorted_by_bits(values, packed, scratch, index_bits)
        packed = scratch
    for i in range(n):
        order[i] = np.int32(packed[i] & low)
    return repeats


@kernel
def fill_inverse(order: Order, inverse: Order) -> None:
    """Fill ``inverse`` with the inverse of a permutation."""
    for i in range(len(order)):
        inverse[order[i]] = i


@kernel
def group_starts(values: Vector, order: Order) -> Order:
    """Places in ``order`` at which a new value begins, and the number of rows at the end."""
    n = len(order)
    starts = np.empty(n + 1, np.int32)
    count = 0
    for i in range(n):
        if i == 0 or values[order[i]] != values[order[i - 1]]:
            starts[count] = i
            count += 1
    starts[count] = n
    return starts[: count + 1].copy()


@kernel
def group_numbers(order: Order, starts: Order) -> Order:
    """Number of the group each row is in, groups counted from 0 in increasing order."""
    numbers = np.empty(len(order), np.int32)
    for g in range(len(starts) - 1):
        for i in range(starts[g], starts[g + 1]):
            numbers[order[i]] = g
    return numbers


@kernel
def lexicographic_sign(first: Vector | Order, second: Vector | Order) -> Literal[-1, 0, 1]:
    """Which of two sequences comes first: 1, -1, or 0 if they are the same."""
    for i in range(len(first)):
        if first[i] != second[i]:
            return 1 if first[i] < second[i] else -1
    return 0


@kernel
def fill_untied_form(
    x: Vector, y: Vector, words: NDArray[np.uint64], held: Vector, orders: NDArray[np.int32]
) -> tuple[Literal[-1, 0, 1], int, int]:
    """Which column is the first, and the ties of both; without ties, fill ``orders``.

    Row 1 of ``orders`` is then the rank of x by the rank of y, row 2 the rank of y by the
    rank of x. Of these two ways to read the pair, the one that comes first in the
    dictionary makes its column the first. The other arrays are room to work in.
    """
    for i in range(len(x)):
        held[i] = x[i]
    x_ties = fill_order(held, words[0], words[1], orders[0])
    for i in range(len(x)):
        held[i] = y[orders[0, i]]
    y_ties = fill_order(held, words[0], words[1], orders[1])
    if x_ties or y_ties:
        return 0, x_ties, y_ties
    fill_inverse(orders[1], orders[2])
    return lexicographic_sign(orders[2], orders[1]), 0, 0
