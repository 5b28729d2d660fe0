"""2G-VecCI: the effect is the group of columns whose links the other group explains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from bqcd.data.pair import Pair
from bqcd.data.vector_pair import VectorPair
from bqcd.errors import InvalidPairError
from bqcd.methods.cards import MethodCard
from bqcd.methods.verdict import Verdict
from bqcd.runtime.arrays import Matrix
from bqcd.runtime.settings import check_number


@dataclass(frozen=True, slots=True)
class DensityEvidence:
    """Shares of linked pairs of columns within each side.

    Parameters
    ----------
    x, y : float
        Of a side by itself.
    x_given_y, y_given_x : float
        Of what the other side leaves of it.
    n_rows : int
        Rows used.
    """

    x: float
    x_given_y: float
    y: float
    y_given_x: float
    n_rows: int

    @property
    def confidence(self) -> float:
        """What x takes off the links within y, less what y takes off those within x."""
        return (self.y - self.y_given_x) - (self.x - self.x_given_y)

    def as_dict(self, pair: Pair) -> dict[str, object]:
        """All shares, and on how many rows."""
        return {
            "measure": "share of linked pairs of columns",
            "x": self.x,
            "x_given_y": self.x_given_y,
            "y": self.y,
            "y_given_x": self.y_given_x,
            "n_rows": self.n_rows,
        }


@dataclass(frozen=True, kw_only=True)
class VecCI:
    """2G-VecCI.Full with partial correlations, for two groups of columns [1]_.

    Two columns of a group are linked if they are correlated given all other columns of the group.
    A cause makes links among its effects, which go when it is given; an effect that is given makes
    links among its causes. With the share of linked pairs within a group as its density,

        confidence = (density(Y) - density(Y | X)) - (density(X) - density(X | Y)).

    Parameters
    ----------
    alpha : float, default=0.01
        Level of the tests of partial correlation.

    Notes
    -----
    What the other group explains is taken off by least squares, and the tests count its columns
    among those that are given, which the published code does not. A group of one column has no
    links: then the other one decides alone.

    References
    ----------
    .. [1] Wahl, Ninad, Runge. Vector causal inference between two groups of variables. AAAI 2023.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 4))
    >>> y = x @ rng.normal(size=(4, 4)) + rng.normal(size=(500, 4))
    >>> pair = VectorPair(x, y, tuple("abcd"), tuple("efgh"), x_name="genes", y_name="traits")
    >>> VecCI().decide_vectors(pair, rng).confidence > 0.5
    True
    """

    alpha: float = 0.01

    def __post_init__(self) -> None:
        """Check the settings."""
        check_number("VecCI", "alpha", self.alpha, above=0.0, at_most=0.5)

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Refuse a pair of single columns.

        Raises
        ------
        InvalidPairError
            Always: there are no links within single columns.
        """
        raise InvalidPairError(
            f"The method vecci needs groups of columns, but {pair.x_name!r} and {pair.y_name!r} "
            "are single columns."
        )

    def decide_vectors(self, pair: VectorPair, rng: Generator) -> Verdict:
        """Compare how the sides explain the links within each other."""
        evidence = self.evidence(pair)
        return Verdict(evidence.confidence, pair, evidence)

    def evidence(self, pair: VectorPair) -> DensityEvidence:
        """The numbers behind :meth:`decide_vectors`."""
        x, y = (side - side.mean(axis=0) for side in (pair.x, pair.y))
        return DensityEvidence(
            self._density(x, 0),
            self._density(_left(x, given=y), y.shape[1]),
            self._density(y, 0),
            self._density(_left(y, given=x), x.shape[1]),
            len(pair),
        )

    def _density(self, columns: Matrix, given: int) -> float:
        """Share of pairs of columns that are correlated given all others."""
        width = columns.shape[1]
        if width == 1:
            return 0.0
        p_values = partial_p_values(columns, given=given)[np.triu_indices(width, 1)]
        return float(np.mean(p_values < self.alpha))


def partial_p_values(columns: Matrix, *, given: int = 0) -> Matrix:
    """P-values of the partial correlations of all pairs of columns, given all others.

    Parameters
    ----------
    columns : ndarray of shape (n, d)
        Centred columns.
    given : int, default=0
        Columns that are given besides, and were taken off before.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.normal(size=(2, 500))
    >>> table = np.stack([a, b, a + b + 0.1 * rng.normal(size=500)], axis=1)
    >>> bool((partial_p_values(table - table.mean(axis=0))[np.triu_indices(3, 1)] < 1e-9).all())
    True
    """
    from scipy.special import stdtr

    n, width = columns.shape
    scale = columns.std(axis=0)
    precision = np.linalg.pinv(np.cov(columns / np.where(scale > 0.0, scale, 1.0), rowvar=False))
    roots = np.sqrt(np.maximum(np.diagonal(precision), np.finfo(np.float64).tiny))
    partial = np.clip(-precision / np.outer(roots, roots), -1.0, 1.0)
    np.fill_diagonal(partial, 0.0)
    freedom = n - width - given
    with np.errstate(divide="ignore"):
        deviations = np.abs(partial) * np.sqrt(freedom / (1.0 - partial**2))
    p_values: Matrix = 2.0 * stdtr(freedom, -deviations)
    return p_values


def _left(columns: Matrix, *, given: Matrix) -> Matrix:
    """What least squares leave of columns."""
    left: Matrix = columns - given @ np.linalg.lstsq(given, columns, rcond=1e-10)[0]
    return left


CARDS = (
    MethodCard(
        name="vecci",
        build=VecCI,
        assumes="linear relations of vectors; columns of the effect are linked by the cause",
        reference="Wahl, Ninad, Runge: Vector causal inference between two groups of variables, "
        "AAAI 2023",
        cost="n",
        seconds=0.002,
        seconds_beyond=(0.006, 0.05, 0.7),
        unchanged_by=frozenset({"shift and scale"}),
        note="For groups of columns only (times are for 5 and 5); 2G-VecCI.Full with partial "
        "correlations. Where both sides share a cause, how many columns they have may decide.",
        takes="groups",
    ),
)
