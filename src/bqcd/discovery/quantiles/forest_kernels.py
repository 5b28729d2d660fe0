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
def leaf_starts(given: Matrix, target: Matrix, node_size: int) -> NDArray[np.bool_]:
    """Whether a leaf begins at an observation, shape (n_trees, sample_size).

    Parameters
    ----------
    given, target : ndarray of shape (n_trees, sample_size)
        The sample of each tree, sorted by ``given`` within the tree.
    node_size : int
        Nodes with at most this many observations are not split.
    """
    n_trees, size = given.shape
    starts = np.zeros((n_trees, size), dtype=np.bool_)
    sums, gains = np.zeros(size + 1), np.empty(size)
    ends = np.empty(size, dtype=np.int64)
    for tree in range(n_trees):
        for i in range(size):
            sums[i + 1] = sums[i] + target[tree, i]
        # Depth first from the left: the node under work is [left, ends[depth]).
        left, depth = 0, 0
        ends[0] = size
        while depth >= 0:
            cut = left
            if ends[depth] - left > node_size:
                cut = best_cut(given[tree], sums, left, ends[depth], gains)
            if cut > left:
                depth += 1
                ends[depth] = cut
            else:
                starts[tree, left] = True
                left = ends[depth]
                depth -= 1
    return starts


@kernel
def best_cut(given: Vector, sums: Vector, left: int, right: int, gains: Vector) -> int:
    """First index of the right part in the split that most reduces the variance.

    ``left`` where no split reduces it. ``sums`` are the partial sums of the target; ``gains``
    is overwritten.
    """
    size = float(right - left)
    total, before = sums[right] - sums[left], sums[left]
    for cut in range(left + 1, right):
        n_left = float(cut - left)
        gap = (sums[cut] - before) * size - total * n_left
        # The reduction of the sum of squares, times the node size. np.divide does not ask for
        # zeros, which would keep the loop scalar.
        gains[cut] = np.divide(gap * gap, n_left * (size - n_left))
    best, best_gain = left, 0.0
    for cut in range(left + 1, right):
        if gains[cut] > best_gain and given[cut - 1] < given[cut]:
            best, best_gain = cut, gains[cut]
    return best


@kernel
def block_shift(n_values: int, n_rows: int) -> int:
    """Binary logarithm of the length of blocks, which are about as long as there are many."""
    shift = 0
    while 1 << (2 * shift) < n_values or (n_values >> shift) * n_rows > MOST_COUNTS:
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
    weights, blocks = sums
    for row in range(begin, end):
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
    edges: Vector,
    rows: tuple[Indices, Indices],
    values: Vector,
    levels: Vector,
    wanted: Indices,
) -> Matrix:
    """Quantiles on some of the intervals between neighbouring edges, one row for each.

    Parameters
    ----------
    leaves : ndarray of int, shape (n_leaves, 3)
        For the leaves of all trees from left to right: where the leaf of the same tree on the
        left begins, or the same leaf if there is none, where it begins itself, and its end.
    edges : ndarray of shape (n_leaves,)
        Left edges of the leaves; minus infinity for the first of a tree.
    rows : tuple of ndarray of int
        Ranks of the targets, row by row along the line; and the rows that the leaves hold, or
        nothing if leaves are stretches of the line itself.
    values : ndarray
        Distinct targets in increasing order.
    levels : ndarray of shape (m,)
        Quantile levels.
    wanted : ndarray of int
        Increasing numbers of the intervals, 0 for the one before all edges.
    """
    ranks, members = rows
    listed = len(members) > 0
    tree_weight = FOREST_WEIGHT // np.sum(edges == -np.inf)
    shift = block_shift(len(values), 1 if listed else len(ranks))
    n_blocks, index = (len(values) >> shift) + 1, rows_of_ranks(ranks, len(values))
    counts = block_counts(ranks[:0] if listed else ranks, n_blocks, shift)
    sums = np.zeros(len(ranks), dtype=np.int64), np.zeros(n_blocks, dtype=np.int64)
    table = np.empty((len(wanted), len(levels)))
    interval, done, weight, count = 0, 0, 0, 0
    for i in range(len(edges)):
        for side in range(2):
            begin, end = leaves[i, side], leaves[i, side + 1]
            if begin < end:
                share = (2 * side - 1) * (tree_weight // (end - begin))
                if listed:
                    weight += add_members(sums, ranks, members[begin:end], shift, share)
                else:
                    weight += add_stretch(sums, counts, begin, end, share)
                count += (2 * side - 1) * (end - begin)
        if i + 1 == len(edges) or edges[i + 1] > edges[i]:
            if wanted[done] == interval:
                for j in range(len(levels)):
                    table[done, j] = weighted_quantile(
                        sums, index, shift, values, levels[j], (weight, count)
                    )
                done += 1
                if done == len(wanted):
                    break
            interval += 1
    return table


@kernel
def rows_of_ranks(ranks: Indices, n_values: int) -> tuple[Indices, Indices]:
    """Where the rows of each rank begin, with the end of the last, and the rows rank by rank."""
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
    n_values = len(index[0]) - 1
    block, below = 0, 0
    while block < len(blocks) and below + blocks[block] <= amount:
        below += blocks[block]
        block += 1
    rank = min(block << shift, n_values)
    while rank < n_values:
        weight = rank_weight(weights, index, rank)
        if below + weight > amount:
            break
        below += weight
        rank += 1
    return rank, below
