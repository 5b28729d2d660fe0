"""Binary attributes packed by decision trees: Pack.

Each attribute has a tree whose inner nodes ask for other attributes and whose leaves hold codes of
its own. Trees grow greedily by the split that saves the most bits over all attributes, and the
attributes never ask each other in a circle [1]_.

References
----------
.. [1] Tatti, Vreeken. Finding good itemsets by packing data. ICDM 2008.
"""

from __future__ import annotations

from math import log2

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.discrete.codes import binary_code_bits, code_bits
from bqcd.statistics.discrete.tables import Counts

Flags = NDArray[np.bool_]


def packed_bits(table: Counts) -> float:
    """Bits of both columns of a table, if those of the cause may not ask those of the effect.

    Levels become binary attributes: one each, or a single one where there are two.

    Parameters
    ----------
    table : ndarray of shape (k, m)
        Counts of levels; those of the cause in rows.

    Examples
    --------
    >>> independent = np.array([[50, 50], [50, 50]])
    >>> copied = np.array([[100, 0], [0, 100]])
    >>> packed_bits(copied) < packed_bits(independent)
    True
    """
    rows, columns = np.nonzero(table)
    first, second = _binary(rows, len(table)), _binary(columns, table.shape[1])
    attributes = np.hstack((first, second)).astype(np.float64)
    of_effect = np.arange(attributes.shape[1]) >= first.shape[1]
    # Attributes may ask whatever is not an effect of them.
    allowed = ~(of_effect[None, :] & ~of_effect[:, None])
    np.fill_diagonal(allowed, val=False)
    return _Packing(attributes, table[rows, columns].astype(np.float64), allowed).packed()


def _binary(codes: NDArray[np.intp], levels: int) -> Flags:
    flags: Flags = codes[:, None] == (np.ones(1) if levels == 2 else np.arange(levels))
    return flags


class _Packing:
    """Trees of all attributes over weighted rows, as the list of their leaves."""

    def __init__(self, attributes: Matrix, weights: Vector, allowed: Flags) -> None:
        self.attributes, self.weights, self.allowed = attributes, weights, allowed
        count = attributes.shape[1]
        self.question = 1.0 + (log2(count) if count > 1 else 0.0)
        # Whether an attribute asks another, through others or directly.
        self.asks = np.zeros((count, count), dtype=np.bool_)
        self.targets = np.arange(count)
        self.leaves = [np.ones(len(weights)) for _ in self.targets]
        self.savings = np.array([self._saved(at, self.leaves[at]) for at in range(count)])

    def packed(self) -> float:
        # A leaf costs 1 bit and its code.
        bits = sum(1.0 + self._code(at, leaf) for at, leaf in enumerate(self.leaves))
        while True:
            open_to = self.allowed & ~self.asks.T
            savings = np.where(open_to[self.targets], self.savings, -np.inf)
            number, asked = divmod(int(savings.argmax()), savings.shape[1])
            if not savings[number, asked] > 1e-9:
                return float(bits)
            bits -= savings[number, asked]
            self._split(number, asked)

    def _split(self, number: int, asked: int) -> None:
        """Replace a leaf by a question and two leaves."""
        target, leaf = int(self.targets[number]), self.leaves[number]
        side = self.attributes[:, asked]
        yes, no = leaf * side, leaf * (1.0 - side)
        self.leaves[number] = yes
        self.leaves.append(no)
        self.savings[number] = self._saved(target, yes)
        self.savings = np.vstack((self.savings, self._saved(target, no)))
        self.targets = np.append(self.targets, target)
        places = np.arange(len(self.asks))
        upstream = self.asks[asked] | (places == asked)
        downstream = self.asks[:, target] | (places == target)
        self.asks |= np.outer(downstream, upstream)

    def _code(self, target: int, leaf: Vector) -> float:
        ones = round(float((self.weights * leaf) @ self.attributes[:, target]))
        total = round(float(self.weights @ leaf))
        return code_bits((ones, total - ones), 2)

    def _saved(self, target: int, leaf: Vector) -> Vector:
        """Bits that each question would save at a leaf."""
        weights = self.weights * leaf
        own = self.attributes[:, target]
        total, ones = round(float(weights.sum())), round(float(weights @ own))
        asked = np.rint(weights @ self.attributes).astype(np.int64)
        both = np.rint((weights * own) @ self.attributes).astype(np.int64)
        codes = binary_code_bits(
            np.concatenate(([ones], both, ones - both)),
            np.concatenate(([total], asked, total - asked)),
        )
        yes, no = np.split(codes[1:], 2)
        # A leaf becomes a question and two leaves, of one bit each.
        saved: Vector = codes[0] - (self.question + 1.0) - yes - no
        return saved
