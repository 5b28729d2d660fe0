"""Trees on one predictor, and the quantiles of a whole forest along it.

On a line, a tree is a partition into intervals, and a forest changes only where some tree
goes from one leaf to the next. Moving along the line, the weights of all targets are kept
by rank, together with their sums over blocks of ranks: a leaf goes out, the next comes in,
and a quantile is found by running over the blocks and then within one. Weights change far
more often than quantiles are read, so a change costs two additions whatever the number of
targets.
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
    sums = np.zeros(size + 1)
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
                cut = best_cut(given[tree], sums, left, ends[depth])
            if cut > left:
                depth += 1
                ends[depth] = cut
            else:
                starts[tree, left] = True
                left = ends[depth]
                depth -= 1
    return starts


@kernel
def best_cut(given: Vector, sums: Vector, left: int, right: int) -> int:
    """First index of the right part in the split that most reduces the variance.

    ``left`` where no split reduces it. ``sums`` are the partial sums of the target.
    """
    size = right - left
    total = sums[right] - sums[left]
    best, best_gain = left, 0.0
    for cut in range(left + 1, right):
        if given[cut - 1] < given[cut]:
            n_left = cut - left
            gap = (sums[cut] - sums[left]) * size - total * n_left
            # The reduction of the sum of squares, times the node size.
            gain = gap * gap / (n_left * (size - n_left))
            if gain > best_gain:
                best, best_gain = cut, gain
    return best


@kernel
def step_quantiles(
    ranks: Indices,
    begins: Indices,
    ends: Indices,
    order: Indices,
    edges: Vector,
    values: Vector,
    levels: Vector,
) -> Matrix:
    """Quantiles between neighbouring edges, one row per distinct edge.

    Parameters
    ----------
    ranks : ndarray of int
        Ranks of the targets.
    begins, ends : ndarray of int, shape (n_leaves,)
        Which stretch of ``ranks`` each leaf holds; tree after tree, each from left to right.
    order : ndarray of int, shape (n_leaves,)
        The leaves of all trees from left to right.
    edges : ndarray of shape (n_leaves,)
        Left edges of the leaves in this order; minus infinity for the first of a tree.
    values : ndarray
        Distinct targets in increasing order.
    levels : ndarray of shape (m,)
        Quantile levels.
    """
    tree_weight = FOREST_WEIGHT // np.sum(edges == -np.inf)
    # Blocks about as long as there are many.
    shift = 0
    while 1 << (2 * shift) < len(values):
        shift += 1
    weights = np.zeros(len(values), dtype=np.int64)
    blocks = np.zeros((len(values) >> shift) + 1, dtype=np.int64)
    rows = np.empty((len(order), len(levels)))
    n_rows, weight, count = 0, 0, 0
    for i in range(len(order)):
        leaf = order[i]
        if edges[i] > -np.inf:
            # The tree leaves the leaf to the left.
            last = ranks[begins[leaf - 1] : ends[leaf - 1]]
            weight += add_leaf(weights, blocks, shift, last, -(tree_weight // len(last)))
            count -= len(last)
        members = ranks[begins[leaf] : ends[leaf]]
        weight += add_leaf(weights, blocks, shift, members, tree_weight // len(members))
        count += len(members)
        if i + 1 == len(order) or edges[i + 1] > edges[i]:
            for j in range(len(levels)):
                rows[n_rows, j] = weighted_quantile(
                    weights, blocks, shift, values, levels[j], weight, count
                )
            n_rows += 1
    return rows[:n_rows]


@kernel
def add_leaf(weights: Indices, blocks: Indices, shift: int, ranks: Indices, share: int) -> int:
    """Give each rank a share, or take it back if negative; the sum of what was given."""
    for rank in ranks:
        weights[rank] += share
        blocks[rank >> shift] += share
    return share * len(ranks)


@kernel
def weighted_quantile(
    weights: Indices,
    blocks: Indices,
    shift: int,
    values: Vector,
    level: float,
    weight: int,
    count: int,
) -> float:
    """Quantile of weighted values, as if they were ``count`` equal observations.

    The linear rule of order statistics: a step function of the level, with a ramp one
    observation wide before each step.
    """
    position = (level * (count - 1) + 1.0) * weight / count
    upper, below = first_above(weights, blocks, shift, int(position))
    if below == 0:
        return float(values[upper])
    # Not negative but for rounding.
    ramp = max((position - below) * count / weight, 0.0)
    if ramp >= 1.0 and upper < len(values):
        return float(values[upper])
    lower, _ = first_above(weights, blocks, shift, below - 1)
    if upper == len(values):
        return float(values[lower])
    return float(min(values[lower] + ramp * (values[upper] - values[lower]), values[upper]))


@kernel
def first_above(weights: Indices, blocks: Indices, shift: int, amount: int) -> tuple[int, int]:
    """Rank at which the running weight first exceeds ``amount``, and the weight below it.

    ``blocks`` are the sums of ``2**shift`` weights each.
    """
    block, below = 0, 0
    while block < len(blocks) and below + blocks[block] <= amount:
        below += blocks[block]
        block += 1
    rank = min(block << shift, len(weights))
    while rank < len(weights) and below + weights[rank] <= amount:
        below += weights[rank]
        rank += 1
    return rank, below
