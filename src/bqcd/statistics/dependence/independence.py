"""Hilbert-Schmidt independence criterion: a number that is zero for independent columns.

HSIC = tr(H K H L) / n² with Gaussian Gram matrices K and L of the two columns and the centring
matrix H: the biased estimate, a V-statistic. Neither matrix is formed; time and memory grow
with the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp, hypot, lgamma, log
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.errors import InvalidSettingError
from bqcd.runtime.arrays import Vector
from bqcd.runtime.once import once_for_columns
from bqcd.runtime.settings import MOST_STEPS, check_integer
from bqcd.statistics.dependence.gaussian_kernels import middle_distances_in_order, positions

if TYPE_CHECKING:
    from scipy.sparse import csr_array


# The variance of the statistic under independence has factors n - 4 and n - 5.
LEAST_ROWS = 6
# Entries of a dense matrix of products, at most; a sparse one is slower but never larger.
MOST_PRODUCTS = 1 << 22


@dataclass(frozen=True, slots=True)
class IndependenceTest:
    """Outcome of a test of independence.

    Parameters
    ----------
    statistic : float
        HSIC of the two columns, from 0 to 1.
    log_p : float
        Natural logarithm of the probability of a statistic as large or larger if the columns
        were independent. Finite where the probability itself is too small for a double.
    """

    statistic: float
    log_p: float

    @property
    def p(self) -> float:
        """Probability of a statistic as large or larger if the columns were independent."""
        return exp(self.log_p)


def kernel_bandwidth(points: Vector, *, positive: bool = False) -> float:
    """Bandwidth whose square is half the median squared distance; 1 for a constant column.

    Parameters
    ----------
    points : ndarray of shape (n,)
        Column.
    positive : bool, default=False
        Whether distances of zero are left out of the median, as Mooij and others (2016) do
        and Peters and others (2014) do not. They are left out in any case if the median
        would be zero.

    Examples
    --------
    >>> round(kernel_bandwidth(np.array([0.0, 1.0, 3.0])) ** 2, 6)
    2.0
    """
    return _bandwidth(np.sort(points), positive=positive)


def _bandwidth(in_order: Vector, *, positive: bool) -> float:
    lower, upper = middle_distances_in_order([in_order], positive=positive)
    if upper == 0.0 and not positive:
        lower, upper = middle_distances_in_order([in_order], positive=True)
    # The root of a quarter of the sum of the two squares in the middle.
    return 0.5 * hypot(lower, upper) or 1.0


def hsic(first: Vector, second: Vector, *, bandwidths: tuple[float, float] | None = None) -> float:
    """HSIC of two columns.

    Parameters
    ----------
    first, second : ndarray of shape (n,)
        Columns, row by row observed together.
    bandwidths : tuple of float, optional
        Bandwidths of the two kernels. Default: :func:`kernel_bandwidth` of each column.

    Examples
    --------
    >>> x = np.linspace(-1.0, 1.0, 100)
    >>> hsic(x, x**2) > 100 * hsic(np.repeat(x[::10], 10), np.tile(x[::10], 10))
    True
    """
    return _energy(*_embedded_pair(first, second, bandwidths))


def embedded_hsic(first: EmbeddedColumn, second: EmbeddedColumn) -> float:
    """HSIC of two columns that are embedded already, as :func:`hsic`."""
    return _energy(first, second)


def gamma_test(
    first: Vector, second: Vector, *, bandwidths: tuple[float, float] | None = None
) -> IndependenceTest:
    """Test of independence by HSIC, whose distribution is taken for a gamma distribution.

    The distribution has the mean and the variance that n HSIC has if the columns are
    independent [1]_. A constant column is independent of any other: its log p is 0.

    Parameters
    ----------
    first, second : ndarray of shape (n,)
        Columns, row by row observed together.
    bandwidths : tuple of float, optional
        Bandwidths of the two kernels. Default: :func:`kernel_bandwidth` of each column.

    References
    ----------
    .. [1] Gretton, Fukumizu, Teo, Song, Schölkopf, Smola. A kernel statistical test of
       independence. NIPS 2007.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=200), rng.normal(size=200)
    >>> gamma_test(x, y).p > 0.05, gamma_test(x, y + x**2).p < 1e-6
    (True, True)
    """
    return embedded_gamma_test(*_embedded_pair(first, second, bandwidths))


def embedded_gamma_test(x: EmbeddedColumn, y: EmbeddedColumn) -> IndependenceTest:
    """Test of two columns that are embedded already, as :func:`gamma_test`."""
    n = len(x)
    statistic = _energy(x, y)
    if x.is_constant or y.is_constant:
        return IndependenceTest(0.0, 0.0)
    mean = (1.0 - x.mean_similarity) * (1.0 - y.mean_similarity) / n
    falling = n * (n - 1) * (n - 2) * (n - 3)
    variance = 2.0 * (n - 4) * (n - 5) / falling * x.variance * y.variance
    # n HSIC has shape mean² / variance and scale n variance / mean.
    return IndependenceTest(
        statistic, log_upper_tail(mean * mean / variance, statistic * mean / variance)
    )


def permutation_test(
    first: Vector,
    second: Vector,
    rng: Generator,
    *,
    permutations: int = 1000,
    bandwidths: tuple[float, float] | None = None,
) -> IndependenceTest:
    """Test of independence by HSIC, compared with that of randomly permuted rows.

    The probability is the share of permutations, the identity counted as one of them, whose
    statistic is as large or larger: a test at level 5 % rejects at most 5 % of independent
    columns, however few the rows.

    Parameters
    ----------
    first, second : ndarray of shape (n,)
        Columns, row by row observed together.
    rng : Generator
        Source of the permutations.
    permutations : int, default=1000
        How many to draw.
    bandwidths : tuple of float, optional
        Bandwidths of the two kernels. Default: :func:`kernel_bandwidth` of each column.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=100)
    >>> round(permutation_test(x, np.abs(x), rng, permutations=99).p, 6)
    0.01
    """
    check_integer("permutation_test", "permutations", permutations, minimum=1, maximum=MOST_STEPS)
    x, y = _embedded_pair(first, second, bandwidths)
    statistic = _energy(x, y)
    # Sums run in another order: equal statistics may differ in their last digits.
    bar = statistic - 1e-12 * statistic - 1e-24
    reached = 1 + sum(_energy(x, y.permuted(rng)) >= bar for _ in range(permutations))
    return IndependenceTest(statistic, log(reached / (permutations + 1)))


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddedColumn:
    """A column as the tests need it.

    What is summed over rows is summed over distinct values in increasing order, and the same
    for any order of the rows.

    Parameters
    ----------
    positions : ndarray of shape (n,)
        Place of each row, in bandwidths, with wide gaps narrowed.
    bells : BellSums
        What does not depend on the order of the rows.
    """

    positions: Vector
    bells: BellSums

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, rows: NDArray[np.intp]) -> EmbeddedColumn:
        """The same column with its rows in another order."""
        return EmbeddedColumn(self.positions[rows], self.bells)

    @property
    def sums(self) -> Vector:
        """Sum over the rows of each bell."""
        return self.bells.sums

    @property
    def is_constant(self) -> bool:
        """Whether all rows are equal."""
        return len(self.bells.values) == 1

    @property
    def total(self) -> float:
        """Sum of the Gram matrix."""
        return float(np.square(self.sums).sum())

    @property
    def mean_similarity(self) -> float:
        """Mean of the Gram matrix off its diagonal."""
        n = len(self)
        return (self.total - n) / (n * (n - 1))

    @property
    def variance(self) -> float:
        """Squared Hilbert-Schmidt norm of the covariance in feature space."""
        return self.bells.variance

    def permuted(self, rng: Generator) -> EmbeddedColumn:
        """The same column with its rows in random order."""
        return EmbeddedColumn(rng.permutation(self.positions), self.bells)


@dataclass(frozen=True, eq=False)
class BellSums:
    """Sums over the rows of a column of bells, and of products of two of them.

    Parameters
    ----------
    values, counts : ndarray
        Distinct positions, increasing, and how many rows are there.
    """

    values: Vector
    counts: Vector

    @cached_property
    def sums(self) -> Vector:
        """Sum of each bell."""
        from bqcd.statistics.bell_kernels import feature_sums

        return feature_sums(self.values, self.counts)

    @cached_property
    def variance(self) -> float:
        """Squared Hilbert-Schmidt norm of the covariance in feature space."""
        from bqcd.statistics.bell_kernels import band_energy, feature_band

        n = int(self.counts.sum())
        band = feature_band(self.values, self.counts)
        return max(float(band_energy(band, self.sums, n)), 0.0) / (n - 1) ** 2


@once_for_columns
def embedded(points: Vector, *, positive: bool = False) -> EmbeddedColumn:
    """Column made ready for tests with several others.

    Parameters
    ----------
    points : ndarray of shape (n,)
        Column.
    positive : bool, default=False
        Which bandwidth is taken, see :func:`kernel_bandwidth`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(2, 100))
    >>> embedded_hsic(embedded(x), embedded(y)) == hsic(x, y)
    True
    """
    order = np.argsort(points)
    in_order = points[order]
    return _embedded(in_order, order, _bandwidth(in_order, positive=positive))


def _embedded_pair(
    first: Vector, second: Vector, bandwidths: tuple[float, float] | None
) -> tuple[EmbeddedColumn, EmbeddedColumn]:
    if len(first) != len(second) or len(first) < LEAST_ROWS:
        raise InvalidSettingError(
            f"Columns of a test of independence must have the same length, {LEAST_ROWS} or more, "
            f"got {len(first)} and {len(second)} rows."
        )
    if bandwidths is None:
        return embedded(first), embedded(second)
    orders = np.argsort(first), np.argsort(second)
    return (
        _embedded(first[orders[0]], orders[0], bandwidths[0]),
        _embedded(second[orders[1]], orders[1], bandwidths[1]),
    )


def _embedded(in_order: Vector, order: NDArray[np.intp], bandwidth: float) -> EmbeddedColumn:
    at, new = np.empty_like(in_order), in_order[1:] != in_order[:-1]
    if new.all():
        at[order] = values = positions(in_order, bandwidth)
        return EmbeddedColumn(at, BellSums(values, np.ones(len(values))))
    starts = np.append(0, np.flatnonzero(new) + 1)
    counts = np.diff(starts, append=len(in_order))
    values = positions(in_order[starts], bandwidth)
    at[order] = np.repeat(values, counts)
    return EmbeddedColumn(at, BellSums(values, counts.astype(np.float64)))


def _energy(x: EmbeddedColumn, y: EmbeddedColumn) -> float:
    """HSIC: sum of the squared covariances between features of the two columns."""
    from bqcd.statistics.bell_kernels import covariance_energy

    n = len(x)
    if len(x.sums) * len(y.sums) > MOST_PRODUCTS:
        return _sparse_energy(x, y)
    return float(covariance_energy(x.positions, y.positions, x.sums, y.sums)) / n**2


def _sparse_energy(x: EmbeddedColumn, y: EmbeddedColumn) -> float:
    """The same from the products that are not zero, at most 784 for each row."""
    products = _feature_matrix(x).T @ _feature_matrix(y)
    n = len(x)
    squares = float(np.square(products.data).sum())
    mixed = float((x.sums * (products @ y.sums)).sum()) / n
    return max(squares - 2.0 * mixed + x.total * y.total / n**2, 0.0) / n**2


def _feature_matrix(column: EmbeddedColumn) -> csr_array:
    """Bells of each row, one column for each bell of the grid."""
    from scipy.sparse import csr_array

    from bqcd.statistics.bell_kernels import windows

    bells, starts = windows(column.positions)
    n, width = bells.shape
    places = (starts[:, None] + np.arange(width)).ravel()
    ends = np.arange(0, n * width + 1, width)
    return csr_array((bells.ravel(), places, ends), shape=(n, len(column.sums)))


def log_upper_tail(shape: float, x: float) -> float:
    """Logarithm of the probability that a gamma variable of scale 1 exceeds ``x``."""
    from scipy.special import gammaincc

    p = float(gammaincc(shape, x))
    if p > 1e-290:
        return log(p)
    return shape * log(x) - x - lgamma(shape) + log(_tail_fraction(shape, x))


def _tail_fraction(shape: float, x: float) -> float:
    """Γ(a, x) eˣ x⁻ᵃ by its continued fraction, for x far above a.

    1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / (x + 5 - a - ...))), from the left.
    """
    below = x + 1.0 - shape
    ratio, above = 1.0 / below, 1e300
    fraction = ratio
    for k in range(1, 10_000):
        step = k * (shape - k)
        below = x + 2.0 * k + 1.0 - shape
        ratio = 1.0 / (below + step * ratio)
        above = below + step / above
        factor = ratio * above
        fraction *= factor
        if abs(factor - 1.0) < 1e-15:
            break
    return fraction
