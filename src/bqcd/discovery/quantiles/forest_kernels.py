"""Trees on one predictor, and the quantiles of a whole forest along it.

On a line, a tree is a partition into intervals, and a forest changes only where some tree
goes from one leaf to the next. Moving along the line, the weights of all targets are kept,
together with their sums over blocks of ranks: a leaf goes out, the next comes in, and a
quantile is found by running over the blocks and then within one. The rows of a leaf are
neighbours on the line, and weights are kept by row: a leaf changes one stretch of them. How
many rows of a stretch belong to each block is known from counts up to every row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.kernel import kernel

Indices = NDArray[np.int64]

# Weight of all trees. Whole numbers, so what a leaf adds it later removes to the last bit;
# rounding its shares down costs a leaf of k rows less than k * n_trees / 2^62 of its weight.
FOREST_WEIGHT = 2**62
# Counts of rows by block, at most: longer columns have longer blocks.
MOST_COUNTS = 1 << 22


@kernel
def grown_leaves(
    line: Vector, target: Vector, rows: Indices, node_size: int
) -> tuple[Indices, Indices, Vector]:
    """Leaves of all trees, tree by tree from left to right.

    Returned are their first places in the samples, laid end to end, how many rows of the line
    are on the left of them, and their left edges: midpoints to the value on the left, or minus
    infinity for the first leaf of a tree.

    Parameters
    ----------
    line, target : ndarray of shape (n,)
        The predictor in increasing order, and the target.
    rows : ndarray of int, shape (n_trees, sample_size)
        The sample of each tree, in increasing order.
    node_size : int
        Nodes with at most this many observations are not split.
    """
    n_trees, size = rows.shape
    firsts, passed = np.empty(rows.size, dtype=np.int64), np.empty(rows.size, dtype=np.int64)
    edges, sample = np.empty(rows.size), np.empty(size)
    sums, gains, numbers = np.zeros(size + 1), np.empty(size), np.arange(1.0, size + 1.0)
    ends = np.empty(size, dtype=np.int64)
    found = 0
    for tree in range(n_trees):
        drawn = rows[tree]
        for i in range(size):
            sample[i] = line[drawn[i]]
            sums[i + 1] = sums[i] + target[drawn[i]]
        # Depth first from the left: the node under work is [left, ends[depth]).
        left, depth = 0, 0
        ends[0] = size
        while depth >= 0:
            cut, end = 0, ends[depth]
            if end - left > node_size:
                cut = best_cut(sample[left:end], sums[left : end + 1], gains, numbers)
            if cut > 0:
                depth += 1
                ends[depth] = left + cut
                continue
            firsts[found], passed[found], edges[found] = tree * size + left, 0, -np.inf
            if left > 0:
                edges[found] = left_edge(sample[left - 1], sample[left])
                between = line[drawn[left - 1] : drawn[left]]
                passed[found] = drawn[left - 1] + count_up_to(between, edges[found])
            found += 1
            left = end
            depth -= 1
    return firsts[:found], passed[:found], edges[:found]


@kernel
def left_edge(lower: float, upper: float) -> float:
    """Midpoint of two values, or the lower one if it rounds up: the upper is right of it."""
    middle = lower + (upper - lower) / 2.0
    return middle if middle < upper else lower


@kernel
def count_up_to(in_order: Vector, value: float) -> int:
    """How many of increasing numbers do not exceed the value."""
    low, high = 0, len(in_order)
    while low < high:
        middle = (low + high) // 2
        if in_order[middle] <= value:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def stretches(begins: Indices, edges: Vector, end: int) -> Indices:
    """Where the leaf on the left of each begins, or itself, where it begins, and where it ends.

    Leaves come tree by tree. The last one of a tree ends at ``end`` if the next tree begins
    before it.
    """
    out = np.empty((len(begins), 3), dtype=np.int64)
    for leaf in range(len(begins)):
        out[leaf, 0] = begins[leaf - 1] if edges[leaf] > -np.inf else begins[leaf]
        out[leaf, 1] = begins[leaf]
        out[leaf, 2] = begins[leaf + 1] if leaf + 1 < len(begins) else end
        if out[leaf, 2] <= out[leaf, 1]:
            out[leaf, 2] = end
    return out


@kernel
def best_cut(given: Vector, sums: Vector, gains: Vector, numbers: Vector) -> int:
    """First index of the right part in the split that most reduces the variance.

    0 where no split reduces it. ``sums`` are the partial sums of the target, one more than
    there are values given; ``gains`` is overwritten; ``numbers`` are 1, 2 and so on.
    """
    size, before, total = float(len(given)), sums[0], sums[len(given)] - sums[0]
    lower, upper, inner = given[:-1], given[1:], sums[1:-1]
    for i in range(len(upper)):
        gap = (inner[i] - before) * size - total * numbers[i]
        # The reduction of the sum of squares, times the node size. np.divide does not ask for
        # zeros, which would keep the loop scalar.
        gain = np.divide(gap * gap, numbers[i] * (size - numbers[i]))
        gains[i] = gain if lower[i] < upper[i] else 0.0
    best = largest(gains[: len(upper)])
    if best == 0.0:
        return 0
    cut = 0
    while gains[cut] < best:
        cut += 1
    return cut + 1


@kernel
def largest(numbers: Vector) -> float:
    """Largest of numbers that are not negative, or 0, in four lanes."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = len(numbers) // 4 * 4
    for i in range(0, whole, 4):
        a = numbers[i] if numbers[i] > a else a
        b = numbers[i + 1] if numbers[i + 1] > b else b
        c = numbers[i + 2] if numbers[i + 2] > c else c
        d = numbers[i + 3] if numbers[i + 3] > d else d
    for i in range(whole, len(numbers)):
        a = numbers[i] if numbers[i] > a else a
    return max(a, b, c, d)


@kernel
def block_shift(n_values: int, n_rows: int) -> int:
    """Binary logarithm of the length of blocks; there are up to four times as many."""
    shift = 0
    while 2 << (2 * shift) < n_values or (n_values >> shift) * n_rows > MOST_COUNTS:
        shift += 1
    return shift


@kernel
def block_counts(ranks: Indices, n_blocks: int, shift: int) -> NDArray[np.int32]:
    """How many of the rows before each one belong to each block of ranks."""
    counts = np.zeros((len(ranks) + 1, n_blocks), dtype=np.int32)
    for row in range(len(ranks)):
        counts[row + 1] = counts[row]
        counts[row + 1, ranks[row] >> shift] += 1
    return counts


@kernel
def add_stretch(
    sums: tuple[Indices, Indices], counts: NDArray[np.int32], begin: int, end: int, share: int
) -> int:
    """Give each row of a stretch a share, or take it back if negative; the sum of the shares."""
    weights, blocks = sums[0][begin:end], sums[1]
    for row in range(len(weights)):
        weights[row] += share
    upper, lower = counts[end], counts[begin]
    for block in range(len(blocks)):
        blocks[block] += share * np.int64(upper[block] - lower[block])
    return share * (end - begin)


@kernel
def add_members(
    sums: tuple[Indices, Indices], ranks: Indices, members: Indices, shift: int, share: int
) -> int:
    """The same for rows that are listed, some of them more than once."""
    weights, blocks = sums
    for row in members:
        weights[row] += share
        blocks[ranks[row] >> shift] += share
    return share * len(members)


@kernel
def step_quantiles(
    leaves: Indices,
    passed: Indices,
    rows: tuple[Indices, Indices],
    values: Vector,
    levels: Vector,
    n_points: int,
) -> Matrix:
    """Quantiles at increasing points, one row for each.

    Parameters
    ----------
    leaves : ndarray of int, shape (n_leaves, 3)
        Where the leaf of the same tree on the left of each begins, or itself if there is none,
        where it begins, and where it ends.
    passed : ndarray of int, shape (n_leaves,)
        How many of the points are on the left of each leaf.
    rows : tuple of ndarray of int
        Ranks of the targets, row by row along the line; and the rows that the leaves hold, or
        nothing if leaves are stretches of the line itself.
    values : ndarray
        Distinct targets in increasing order.
    levels : ndarray of shape (m,)
        Quantile levels.
    n_points : int
        Number of points.
    """
    ranks, members = rows
    listed = len(members) > 0
    firsts, order = rows_of_ranks(passed, n_points + 1)
    tree_weight = FOREST_WEIGHT // np.sum(leaves[:, 0] == leaves[:, 1])
    shift = block_shift(len(values), 1 if listed else len(ranks))
    n_blocks, index = (len(values) >> shift) + 1, rows_of_ranks(ranks, len(values))
    counts = block_counts(ranks[:0] if listed else ranks, n_blocks, shift)
    sums = np.zeros(len(ranks), dtype=np.int64), np.zeros(n_blocks, dtype=np.int64)
    table = np.empty((n_points, len(levels)))
    weight, count = 0, 0
    for point in range(n_points):
        for leaf in order[firsts[point] : firsts[point + 1]]:
            for side in range(2):
                begin, end = leaves[leaf, side], leaves[leaf, side + 1]
                if begin < end:
                    share = (2 * side - 1) * (tree_weight // (end - begin))
                    if listed:
                        weight += add_members(sums, ranks, members[begin:end], shift, share)
                    else:
                        weight += add_stretch(sums, counts, begin, end, share)
                    count += (2 * side - 1) * (end - begin)
        if firsts[point] == firsts[point + 1]:
            table[point] = table[point - 1]
            continue
        for j in range(len(levels)):
            table[point, j] = weighted_quantile(
                sums, index, shift, values, levels[j], (weight, count)
            )
    return table


@kernel
def rows_of_ranks(ranks: Indices, n_values: int) -> tuple[Indices, Indices]:
    """Where the rows of each rank begin, with the end of the last, and the rows rank by rank.

    Ranks are whole numbers from 0, smaller than ``n_values``; rows of one stay in order.
    """
    firsts = np.zeros(n_values + 1, dtype=np.int64)
    for rank in ranks:
        firsts[rank + 1] += 1
    for rank in range(n_values):
        firsts[rank + 1] += firsts[rank]
    rows, filled = np.empty_like(ranks), firsts[:n_values].copy()
    for row in range(len(ranks)):
        rows[filled[ranks[row]]] = row
        filled[ranks[row]] += 1
    return firsts, rows


@kernel
def rank_weight(weights: Indices, index: tuple[Indices, Indices], rank: int) -> int:
    """Weight of all rows of a rank."""
    firsts, rows = index
    weight = 0
    for i in range(firsts[rank], firsts[rank + 1]):
        weight += weights[rows[i]]
    return weight


@kernel
def weighted_quantile(
    sums: tuple[Indices, Indices],
    index: tuple[Indices, Indices],
    shift: int,
    values: Vector,
    level: float,
    whole: tuple[int, int],
) -> float:
    """Quantile of weighted values, as if they were so many equal observations.

    The linear rule of order statistics: a step function of the level, with a ramp one
    observation wide before each step. ``whole`` is the weight of all of them and how many
    they are.
    """
    (weights, blocks), (weight, count) = sums, whole
    position = (level * (count - 1) + 1.0) * weight / count
    upper, below = first_above(weights, blocks, index, shift, int(position))
    if below == 0:
        return float(values[upper])
    # Not negative but for rounding.
    ramp = max((position - below) * count / weight, 0.0)
    if ramp >= 1.0 and upper < len(values):
        return float(values[upper])
    lower = upper - 1
    while rank_weight(weights, index, lower) == 0:
        lower -= 1
    if upper == len(values):
        return float(values[lower])
    return float(min(values[lower] + ramp * (values[upper] - values[lower]), values[upper]))


@kernel
def first_above(
    weights: Indices, blocks: Indices, index: tuple[Indices, Indices], shift: int, amount: int
) -> tuple[int, int]:
    """Rank at which the running weight first exceeds ``amount``, and the weight below it.

    ``blocks`` are the sums over ``2**shift`` ranks each.
    """
    n_values, rows = len(index[0]) - 1, index[1]
    block, below = 0, 0
    while block < len(blocks) and below + blocks[block] <= amount:
        below += blocks[block]
        block += 1
    rank = min(block << shift, n_values)
    if len(rows) == n_values:
        while rank < n_values and below + weights[rows[rank]] <= amount:
            below += weights[rows[rank]]
            rank += 1
        return rank, below
    while rank < n_values and below + rank_weight(weights, index, rank) <= amount:
        below += rank_weight(weights, index, rank)
        rank += 1
    return rank, below
