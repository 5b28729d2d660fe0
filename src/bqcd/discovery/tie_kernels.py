"""Orders of ties, and their scores on fixed curves, compiled.

A pair with ties comes with its rows sorted by the first variable and then by the second, so that
the rows of a group of the first are neighbours; ``second`` are the rows sorted by the second
variable and then by the first. ``starts`` are the places at which a new value begins, and n.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Stack, Vector
from bqcd.runtime.kernel import kernel

Order = NDArray[np.int32]
Orders = NDArray[np.int32]
Codes = NDArray[np.int32]


# -- the form of a pair with ties ------------------------------------------------------


@kernel
def fill_sorted(codes: Codes, starts: Order, rows: Order, order: Order) -> None:
    """Fill ``order`` with ``rows`` sorted stably by their code; ``starts`` are moved on."""
    for row in rows:
        code = codes[row]
        order[starts[code]] = row
        starts[code] += 1


@kernel
def starts_of(codes: Codes, values: int) -> Order:
    """Places at which each of so many values begins in increasing order, and n."""
    starts = np.zeros(values + 1, np.int32)
    for code in codes:
        starts[code + 1] += 1
    for code in range(values):
        starts[code + 1] += starts[code]
    return starts


@kernel
def fill_tied_form(
    x: Codes, y: Codes, x_starts: Order, y_starts: Order, orders: Orders
) -> Literal[-1, 0, 1]:
    """Which column is the first; ``orders[0]`` is filled with ``second``.

    Of the two ways to read the pair, by x and then y or by y and then x, the one that comes
    first in the dictionary makes its column the first: 1 if that is x, -1 if it is y, 0 if
    they are the same.
    """
    n = len(x)
    by_x, by_y, held = orders[0], orders[1], orders[2]
    for i in range(n):
        held[i] = i
    fill_sorted(x, x_starts.copy(), held, by_x)
    fill_sorted(y, y_starts.copy(), by_x, by_y)
    fill_sorted(y, y_starts.copy(), held, by_x)
    fill_sorted(x, x_starts.copy(), by_x, held)
    # Rows by x and then y are in ``held`` now, rows by y and then x in ``by_y``.
    sign: Literal[-1, 0, 1] = 0
    for i in range(n):
        one, other = held[i], by_y[i]
        if x[one] != y[other]:
            sign = 1 if x[one] < y[other] else -1
            break
        if y[one] != x[other]:
            sign = 1 if y[one] < x[other] else -1
            break
    if sign < 0:
        held, by_y = by_y, held
    place = orders[3]
    for i in range(n):
        place[held[i]] = i
    for i in range(n):
        by_x[i] = place[by_y[i]]
    return sign


# -- orders of ties --------------------------------------------------------------------


@kernel
def variance_within(first_starts: Order, second_starts: Order, scores: Vector) -> float:
    """Variance of the scores within groups, a mean over the rows; of both variables together."""
    total = 0.0
    for d in range(2):
        starts = first_starts if d == 0 else second_starts
        for g in range(len(starts) - 1):
            begin, end = starts[g], starts[g + 1]
            if end - begin > 1:
                middle = 0.0
                for r in range(begin, end):
                    middle += scores[r]
                middle /= end - begin
                for r in range(begin, end):
                    total += (scores[r] - middle) ** 2
    return total / len(scores)


@kernel
def shuffled_within_groups(order: Order, starts: Order, uniforms: Vector) -> Order:
    """Rows in random order within their groups; one uniform number is spent per row."""
    mixed = order.copy()
    for g in range(len(starts) - 1):
        begin = starts[g]
        for i in range(starts[g + 1] - 1, begin, -1):
            here, there = np.uint64(i), np.uint64(begin + int(uniforms[i] * (i - begin + 1)))
            mixed[here], mixed[there] = mixed[there], mixed[here]
    return mixed


@kernel
def fill_turns(first_starts: Order, second_starts: Order, turns: Orders) -> None:
    """Fill with the place each place goes to if all groups of a variable are turned round."""
    for d in range(2):
        starts = first_starts if d == 0 else second_starts
        for g in range(len(starts) - 1):
            both = starts[g] + starts[g + 1] - 1
            for i in range(starts[g], starts[g + 1]):
                turns[d, i] = both - i


@kernel
def fill_broken(
    second: Order, first_starts: Order, second_starts: Order, uniforms: Matrix, broken: Orders
) -> None:
    """Fill each row with the inverse permutation of the ranks with ties broken at random.

    Two rows of ``uniforms`` are spent on each: for the first variable and for the second.
    """
    n = len(second)
    rows = np.arange(n).astype(np.int32)
    ranks = np.empty(n, np.int32)
    for k in range(len(broken)):
        mixed = shuffled_within_groups(rows, first_starts, uniforms[2 * k])
        for i in range(n):
            ranks[np.uint64(mixed[i])] = i
        mixed = shuffled_within_groups(second, second_starts, uniforms[2 * k + 1])
        for s in range(n):
            broken[k, s] = ranks[np.uint64(mixed[s])]


@kernel
def fill_fitted_orders(
    second: Order,
    first_starts: Order,
    second_starts: Order,
    uniforms: Matrix,
    scores: Vector,
    inverses: Orders,
    seconds: Matrix,
) -> None:
    """Fill two rows of ``inverses`` for each order: itself, and all of it turned round.

    ``seconds`` are filled with the scores of the second variable by rank of the first.
    """
    n = len(second)
    turns, broken = np.empty((2, n), np.int32), np.empty((len(inverses) // 2, n), np.int32)
    fill_turns(first_starts, second_starts, turns)
    fill_broken(second, first_starts, second_starts, uniforms, broken)
    for k in range(len(broken)):
        for s in range(n):
            rank, turned = broken[k, s], turns[0, broken[k, turns[1, s]]]
            inverses[2 * k, s], inverses[2 * k + 1, s] = rank, turned
            seconds[2 * k, rank] = seconds[2 * k + 1, turned] = scores[s]


@kernel
def fill_codes(second: Order, first_starts: Order, second_starts: Order, codes: Orders) -> None:
    """Fill with the number of the group each row is in: of the first variable, of the second."""
    for g in range(len(first_starts) - 1):
        for r in range(first_starts[g], first_starts[g + 1]):
            codes[0, r] = g
    for g in range(len(second_starts) - 1):
        for s in range(second_starts[g], second_starts[g + 1]):
            codes[1, second[s]] = g


# -- scores on fixed curves ------------------------------------------------------------


@kernel
def fill_curve_values(
    shares: Stack, scores: Vector, curves: Stack, places: NDArray[np.uint32]
) -> None:
    """Fill with the empirical quantiles of the scores at these shares, and the ranks below them."""
    n = len(scores)
    last, one = np.int32(n - 2), np.uint32(1)
    for d in range(2):
        for j in range(shares.shape[1]):
            share, curve, below = shares[d, j], curves[d, j], places[d, j]
            for r in range(np.uint64(n)):
                place = share[r] * (n - 1)
                k = min(np.int32(place), last)
                below[r] = np.uint32(k)
                curve[r] = place - k
            for r in range(np.uint64(n)):
                k = below[r]
                curve[r] = scores[k] + curve[r] * (scores[k + one] - scores[k])


@kernel
def excess(curve: Vector, target: Vector) -> float:
    """Sum of what the curve is above the target, in four lanes."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = len(curve) // 4 * 4
    for r in range(0, whole, 4):
        a += max(curve[r] - target[r], 0.0)
        b += max(curve[r + 1] - target[r + 1], 0.0)
        c += max(curve[r + 2] - target[r + 2], 0.0)
        d += max(curve[r + 3] - target[r + 3], 0.0)
    for r in range(whole, len(curve)):
        a += max(curve[r] - target[r], 0.0)
    return (a + b) + (c + d)


@kernel
def fill_excesses(
    curves: Stack, scores: Vector, inverses: Orders, seconds: Matrix, found: Stack
) -> None:
    """Fill ``found[k]`` with the mean excess of the curves over the targets of each order."""
    n = len(scores)
    target = np.empty(n)
    for k in range(len(inverses)):
        for s in range(n):
            target[s] = scores[inverses[k, s]]
        for j in range(curves.shape[1]):
            found[k, 0, j] = excess(curves[0, j], seconds[k]) / n
            found[k, 1, j] = excess(curves[1, j], target) / n


@kernel
def fill_group_means(
    scores: Vector, starts: Order, below: Vector, part: Vector, mean: Vector, group: Order
) -> None:
    """Fill with sums of the scores below each rank, and by group with one over size, and mean.

    ``group`` is filled with the group of each rank.
    """
    for r in range(len(scores)):
        below[r + 1] = below[r] + scores[r]
    for g in range(len(starts) - 1):
        begin, end = starts[g], starts[g + 1]
        part[g] = 1.0 / (end - begin)
        mean[g] = (below[end] - below[begin]) * part[g]
        for r in range(begin, end):
            group[r] = g


@kernel
def fill_cells(
    targets: Order, mean: Vector, cells: NDArray[np.uint64], counts: Vector, sums: Vector
) -> None:
    """Fill with the target groups of some sorted rows, and sums of their rows and means.

    Behind the last cell stands one that no curve reaches.
    """
    n_cells = 0
    counts[0] = sums[0] = 0.0
    for i in range(len(targets)):
        g = targets[i]
        if i == 0 or targets[i - 1] != g:
            cells[n_cells] = g
            n_cells += 1
            counts[n_cells], sums[n_cells] = counts[n_cells - 1], sums[n_cells - 1]
        counts[n_cells] += 1.0
        sums[n_cells] += mean[g]
    cells[n_cells] = len(mean)


@kernel
def fill_expected_excess(
    curves: Matrix,
    places: NDArray[np.uint32],
    scores: Vector,
    targets: Codes,
    given_starts: Order,
    target_starts: Order,
    found: Vector,
) -> None:
    """Fill ``found`` with the mean of :func:`excess` over all orders of the ties, exactly.

    The row at a place of a group of the given variable is any row of the group, and its target
    any place of that row's target group, each equally often. ``targets`` are the target groups of
    the sorted rows. Groups wholly below the curve count by their mean, the group the curve runs
    through by the part below. ``places`` are the ranks below the curves.
    """
    n, one = len(scores), np.uint64(1)
    below, part, mean = np.zeros(n + 1), np.empty(n), np.empty(n)
    group = np.empty(n, np.int32)
    fill_group_means(scores, target_starts, below, part, mean, group)
    cells = np.empty(n + 1, np.uint64)
    counts, sums = np.empty(n + 1), np.empty(n + 1)
    found[:] = 0.0
    for a in range(len(given_starts) - 1):
        begin, end = given_starts[a], given_starts[a + 1]
        if end - begin == 1:
            held = np.uint64(targets[begin])
            start = np.uint64(target_starts[held])
            for j in range(len(found)):
                k, q = np.uint64(places[j, begin]), curves[j, begin]
                reached = np.uint64(group[k])
                if reached > held:
                    found[j] += q - mean[held]
                elif reached == held:
                    under = (k + one - start) * q - (below[k + one] - below[start])
                    found[j] += under * part[held]
            continue
        fill_cells(targets[begin:end], mean, cells, counts, sums)
        for j in range(len(found)):
            curve, ranks = curves[j], places[j]
            total = 0.0
            at, last = np.uint64(0), np.uint64(0)
            for p in range(np.uint64(begin), np.uint64(end)):
                k = np.uint64(ranks[p])
                reached, q = np.uint64(group[k]), curve[p]
                if reached != last:
                    while at > 0 and cells[at - one] >= reached:
                        at -= one
                    while cells[at] < reached:
                        at += one
                    last = reached
                total += counts[at] * q - sums[at]
                if cells[at] == reached:
                    start, stop = np.uint64(target_starts[reached]), k + one
                    under = (stop - start) * q - (below[stop] - below[start])
                    total += (counts[at + one] - counts[at]) * under * part[reached]
            found[j] += total / (end - begin)
    for j in range(len(found)):
        found[j] /= n
