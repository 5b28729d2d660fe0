"""The trace method: a linear map that knows nothing of the covariance of its input."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.random import Generator, default_rng

from bqcd.data.pair import Pair
from bqcd.data.vector_pair import VectorPair
from bqcd.errors import InvalidPairError
from bqcd.methods.cards import MethodCard
from bqcd.methods.verdict import Verdict
from bqcd.runtime.arrays import Matrix, Stack, Vector
from bqcd.runtime.settings import MOST_REPEATS, check_flag, check_integer


@dataclass(frozen=True, slots=True)
class TraceEvidence:
    """How far both directions are from the trace condition.

    Parameters
    ----------
    x_to_y, y_to_x : float
        Logarithm of the ratio that is 1 where map and covariance are unrelated.
    p_x_to_y, p_y_to_x : float or None
        Share of random rotations of the input that are as far from it; a small one speaks
        against that direction. None if a side has one column.
    n_rows : int
        Rows used.
    """

    x_to_y: float
    y_to_x: float
    p_x_to_y: float | None
    p_y_to_x: float | None
    n_rows: int

    def as_dict(self, pair: Pair) -> dict[str, object]:
        """Both numbers, and how rare they are among rotations."""
        return {
            "measure": "distance from the trace condition",
            "x_to_y": self.x_to_y,
            "y_to_x": self.y_to_x,
            "p_x_to_y": self.p_x_to_y,
            "p_y_to_x": self.p_y_to_x,
            "n_rows": self.n_rows,
        }


@dataclass(frozen=True, kw_only=True)
class Trace:
    r"""Trace method for linear relations of vectors [1]_.

    If Y = A X + noise, and A was chosen without regard to the covariance of X, then

        tr(A S_X A') / q  is near  tr(S_X) / p * tr(A A') / q,

    the more so the more columns there are. Backwards it is not. The confidence is
    \|D(Y -> X)\| - \|D(X -> Y)\|, where D is the logarithm of the ratio of both sides.

    Parameters
    ----------
    standardised : bool, default=True
        Whether columns are scaled to variance 1 first. Otherwise units count.
    rotations : int, default=200
        Random rotations of the input, by which the evidence tells how rare D is [2]_. The
        confidence does not depend on them.

    Notes
    -----
    A is the matrix of least squares. For an input of one column D is 0 whatever the data, which
    would make a side the cause by its width: with such a side the method abstains.

    References
    ----------
    .. [1] Janzing, Hoyer, Schölkopf. Telling cause from effect based on high-dimensional
       observations. ICML 2010.
    .. [2] Zscheischler, Janzing, Zhang. Testing whether linear equations are causal: a free
       probability theory approach. UAI 2011.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(1000, 20)) * np.linspace(0.2, 3.0, 20)
    >>> y = x @ rng.normal(size=(20, 20))
    >>> names = tuple(f"x{at}" for at in range(20)), tuple(f"y{at}" for at in range(20))
    >>> Trace(standardised=False).decide_vectors(VectorPair(x, y, *names), rng).confidence > 0.5
    True
    """

    standardised: bool = True
    rotations: int = 200

    def __post_init__(self) -> None:
        """Check the settings."""
        check_flag("Trace", "standardised", self.standardised)
        check_integer("Trace", "rotations", self.rotations, minimum=1, maximum=MOST_REPEATS)

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Refuse a pair of single columns.

        Raises
        ------
        InvalidPairError
            Always: the condition holds for every pair of columns.
        """
        raise InvalidPairError(
            f"The method trace needs groups of columns, but {pair.x_name!r} and {pair.y_name!r} "
            "are single columns."
        )

    def decide_vectors(self, pair: VectorPair, rng: Generator) -> Verdict:
        """Compare how far both directions are from the trace condition."""
        evidence = self.evidence(pair, rng)
        return Verdict(abs(evidence.y_to_x) - abs(evidence.x_to_y), pair, evidence)

    def evidence(self, pair: VectorPair, rng: Generator) -> TraceEvidence:
        """The numbers behind :meth:`decide_vectors`; zeros if a side has one column."""
        if min(pair.x.shape[1], pair.y.shape[1]) == 1:
            return TraceEvidence(0.0, 0.0, None, None, len(pair))
        x, y = (_centred(side, scaled=self.standardised) for side in (pair.x, pair.y))
        # Both directions draw from the same seed: neither is favoured by luck.
        seed = int(rng.integers(2**63))
        forward, backward = _Linear.fitted(x, y), _Linear.fitted(y, x)
        return TraceEvidence(
            forward.distance(),
            backward.distance(),
            forward.p_value(self.rotations, default_rng(seed)),
            backward.p_value(self.rotations, default_rng(seed)),
            len(pair),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Linear:
    """Linear map of one side to the other, by its Gram matrix, and the covariance it is fed."""

    gram: Matrix
    covariance: Matrix
    rank: int

    @classmethod
    def fitted(cls, given: Matrix, target: Matrix) -> _Linear:
        found, _, rank, _ = np.linalg.lstsq(given, target, rcond=1e-10)
        return cls(found @ found.T, given.T @ given / (len(given) - 1), int(rank))

    def distance(self) -> float:
        """Logarithm of the ratio that is 1 if map and covariance are unrelated."""
        return float(self._distances(np.vdot(self.gram, self.covariance)))

    def p_value(self, rotations: int, rng: Generator) -> float:
        """Share of random rotations of the input that are as far from the condition."""
        turned = random_rotations(len(self.gram), rotations, rng)
        covariances = turned @ self.covariance @ turned.transpose(0, 2, 1)
        drawn = self._distances(np.einsum("ij,kij->k", self.gram, covariances))
        extreme = np.count_nonzero(np.abs(drawn) >= abs(self.distance()))
        return float(1 + extreme) / (1 + rotations)

    def _distances(self, traces: np.floating | Vector) -> np.floating | Vector:
        usual = np.trace(self.gram) * np.trace(self.covariance) / self.rank
        if usual <= 0.0:
            return np.zeros_like(traces)
        least = np.finfo(np.float64).tiny
        distances: Vector = np.log(np.maximum(traces, least)) - log(max(usual, least))
        return distances


def random_rotations(size: int, count: int, rng: Generator) -> Stack:
    """Orthogonal matrices, uniformly distributed (Haar).

    Parameters
    ----------
    size, count : int
        Rows of each, and how many.
    rng : Generator
        Source of randomness.

    Examples
    --------
    >>> turned = random_rotations(3, 5, np.random.default_rng(0))
    >>> bool(np.allclose(turned @ turned.transpose(0, 2, 1), np.eye(3)))
    True
    """
    q, r = np.linalg.qr(rng.normal(size=(count, size, size)))
    rotations: Stack = q * np.sign(np.diagonal(r, axis1=1, axis2=2))[:, None, :]
    return rotations


def _centred(columns: Matrix, *, scaled: bool) -> Matrix:
    centred: Matrix = columns - columns.mean(axis=0)
    return centred / centred.std(axis=0, ddof=1) if scaled else centred


CARDS = (
    MethodCard(
        name="trace",
        build=Trace,
        assumes="Y = A X + noise with vectors X and Y, A chosen without regard to the covariance "
        "of X",
        reference="Janzing, Hoyer, Schölkopf: Telling cause from effect based on high-dimensional "
        "observations, ICML 2010",
        cost="n",
        seconds=0.0012,
        seconds_beyond=(0.004, 0.03, 0.34),
        varies=3e-14,
        unchanged_by=frozenset({"shift and scale"}),
        note="For groups of columns only (times are for 5 and 5); abstains if a side has one "
        "column. Where there is no direction, the side with fewer columns tends to be called "
        "the cause.",
        takes="groups",
    ),
)
