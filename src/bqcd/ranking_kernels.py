"""Sorting and normal quantiles, compiled: what turns a column into ranks."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.compilation import kernel

Vector = NDArray[np.float64]
Order = NDArray[np.int32]
Packed = NDArray[np.uint64]

SHORT_RUN = 24
DIGIT_BITS = 11
# Three digits tell doubles apart to a relative step of 5e-7: few rows are left to settle.
SORTED_BITS = 33


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
def normal_score_grid(n: int) -> Vector:
    """Normal scores of the ranks 1 to n, increasing and exactly odd about the middle."""
    scores = np.empty(n)
    for i in range((n + 1) // 2):
        value = normal_quantile((i + 1) / (n + 1))
        scores[i] = value
        scores[n - 1 - i] = -value
    if n % 2:
        scores[n // 2] = 0.0
    return scores


@kernel
def ordered_bits(value: float) -> np.uint64:
    """Unsigned integer that grows with the value; both zeros give the same one."""
    sign = np.uint64(1 << 63)
    if value == 0.0:
        return sign
    bits = np.float64(value).view(np.uint64)
    return ~bits if bits & sign else bits | sign


@kernel
def move_by_digit(source: Packed, sink: Packed, starts: NDArray[np.uint32], shift: int) -> None:
    """Copy packed keys to the places their digit at ``shift`` has in ``starts``, stably."""
    mask = np.uint64((1 << DIGIT_BITS) - 1)
    offset = np.uint64(shift)
    for item in source:
        digit = (item >> offset) & mask
        place = starts[digit]
        starts[digit] = place + np.uint32(1)
        sink[place] = item


@kernel
def sort_leading_bits(packed: Packed, scratch: Packed) -> Packed:
    """Packed keys sorted stably by their leading 33 bits; both arrays are spent."""
    size = 1 << DIGIT_BITS
    mask = np.uint64(size - 1)
    starts = np.zeros((3, size + 1), np.uint32)
    for item in packed:
        starts[0, ((item >> np.uint64(31)) & mask) + np.uint64(1)] += np.uint32(1)
        starts[1, ((item >> np.uint64(42)) & mask) + np.uint64(1)] += np.uint32(1)
        starts[2, (item >> np.uint64(53)) + np.uint64(1)] += np.uint32(1)
    for digit in range(size):
        for d in range(3):
            starts[d, digit + 1] += starts[d, digit]
    move_by_digit(packed, scratch, starts[0], 31)
    move_by_digit(scratch, packed, starts[1], 42)
    move_by_digit(packed, scratch, starts[2], 53)
    return scratch


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
    for i in range(len(run)):
        index = run[i] & low
        run[i] = (ordered_bits(values[index]) << np.uint64(SORTED_BITS - 2)) | index
    run[:] = sort_leading_bits(run.copy(), np.empty_like(run))


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
def stable_order(values: Vector) -> tuple[Order, int]:
    """Row numbers in increasing order of value, and how many values repeat an earlier one.

    Equal values stay in order of row. The leading bits of the value and the row number
    share one 64-bit word, so that a radix pass moves one word per row; the short runs
    that agree in the sorted bits are settled in place.
    """
    n = len(values)
    index_bits = 1
    while (1 << index_bits) < n:
        index_bits += 1
    keep = ~np.uint64((1 << index_bits) - 1)
    packed = np.empty(n, np.uint64)
    for i in range(n):
        packed[i] = (ordered_bits(values[i]) & keep) | np.uint64(i)
    packed = sort_leading_bits(packed, np.empty(n, np.uint64))
    repeats = settle_all(values, packed, index_bits)
    low = np.uint64((1 << index_bits) - 1)
    order = np.empty(n, np.int32)
    for i in range(n):
        order[i] = np.int32(packed[i] & low)
    return order, repeats


@kernel
def inverted(order: Order) -> Order:
    """Inverse of a permutation."""
    inverse = np.empty_like(order)
    for i in range(len(order)):
        inverse[order[i]] = i
    return inverse


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
def group_numbers(order: Order, starts: Order) -> Vector:
    """Number of the group each row is in, groups counted from 0 in increasing order."""
    numbers = np.empty(len(order))
    for g in range(len(starts) - 1):
        for i in range(starts[g], starts[g + 1]):
            numbers[order[i]] = g
    return numbers


@kernel
def lexicographic_sign(first: Vector | Order, second: Vector | Order) -> int:
    """Which of two sequences comes first: 1, -1, or 0 if they are the same."""
    for i in range(len(first)):
        if first[i] != second[i]:
            return 1 if first[i] < second[i] else -1
    return 0


@kernel
def shuffled_within_groups(order: Order, starts: Order, uniforms: Vector) -> Order:
    """Rows in random order within their groups; one uniform number is spent per row."""
    mixed = order.copy()
    for g in range(len(starts) - 1):
        begin = starts[g]
        for i in range(starts[g + 1] - 1, begin, -1):
            j = begin + int(uniforms[i] * (i - begin + 1))
            mixed[i], mixed[j] = mixed[j], mixed[i]
    return mixed


@kernel
def reversed_within_groups(order: Order, starts: Order) -> Order:
    """Rows in opposite order within their groups."""
    turned = np.empty_like(order)
    for g in range(len(starts) - 1):
        for i in range(starts[g], starts[g + 1]):
            turned[i] = order[starts[g] + starts[g + 1] - 1 - i]
    return turned
