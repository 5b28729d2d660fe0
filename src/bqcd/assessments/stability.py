"""A method asked again on random halves of the rows: stability and interval of its score.

The one rule for halves: what is drawn, with which seeds, and how it is judged. Assessments of
pairs with and without weights, edges of graphs and tables of settings all rest on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from math import inf, sqrt
from statistics import NormalDist
from typing import TypeGuard

import numpy as np

from bqcd.assessments.halves import (
    HalfDrawing,
    orders_of_ties,
    pair_like,
    random_halves,
    random_vector_halves,
    rows_of_half,
    seeds_of_halves,
)
from bqcd.assessments.units import Units, numbers_of_sorted, sorted_by_second
from bqcd.assessments.weighted import weighted_confidences
from bqcd.data.pair import MIN_ROWS, Pair
from bqcd.data.vector_pair import VectorPair
from bqcd.data.weights import WeightedPair
from bqcd.discovery.ranks import RankedPair, ranks_of
from bqcd.errors import BqcdError
from bqcd.methods.asking import judged
from bqcd.methods.bqcd import BQCD, with_levels_of
from bqcd.methods.verdict import Method
from bqcd.runtime.arrays import Matrix, Numbers, Vector
from bqcd.runtime.pool import answers_in_order
from bqcd.runtime.settings import MOST_REPEATS, MOST_ROWS, MOST_WORKERS, check_integer, check_number
from bqcd.statistics.common_grid import equally_graded

Columns = tuple[Vector, Vector]

# Rows of all halves that are worked on at once: what they need should stay in the cache.
_BATCH_ROWS = 1 << 14


@dataclass(frozen=True, slots=True)
class Stability:
    """How often random halves of the rows lead to the same direction.

    Parameters
    ----------
    replicates : int
        Number of halves.
    agreeing : float
        Share of them whose confidence has the sign of that of all rows. Confidences of
        zero, of a half or of all rows, count as half an agreement.
    spread : float
        Standard deviation of the confidences of the halves.
    """

    replicates: int
    agreeing: float
    spread: float

    @classmethod
    def from_confidences(cls, confidences: Vector, confidence: float) -> Stability:
        """Stability of a confidence, given those of the halves.

        Examples
        --------
        >>> Stability.from_confidences(np.array([0.2, 0.1, -0.1, 0.0]), 0.1).agreeing
        0.625
        """
        check_integer("Stability", "replicates", len(confidences), minimum=1)
        agreeing = 0.5 + 0.5 * float(np.mean(np.sign(confidences) * np.sign(confidence)))
        return cls(len(confidences), agreeing, float(np.std(confidences)))


@dataclass(frozen=True, slots=True)
class Interval:
    """Confidence interval of a score.

    Parameters
    ----------
    low, high : float
        Its ends.
    level : float
        Share of such intervals that contain the score expected at this many rows.
    rows : int
        Rows of the sub-samples it was made from.
    """

    low: float
    high: float
    level: float
    rows: int


@dataclass(frozen=True, slots=True, eq=False)
class HalfSamples:
    """Confidences of a method on random halves of the rows of a pair.

    Parameters
    ----------
    confidences : ndarray of shape (replicates,)
        Positive for x -> y, zero for a half that cannot be judged.
    n_rows : int
        Rows of the pair.
    rows : int
        Rows of each half; less than half of them where they are capped.
    tie_variance : float, default=0.0
        What the random order of ties, or few draws of weighted rows, add to the variance of
        the confidences, where they add next to nothing to that of the confidence of all rows.
    units : float, optional
        How many units of equal size the rows were drawn by. Default: infinite, row by row.
    widening : float, default=1.0
        What the variance is multiplied by for what halves cannot see.
    """

    confidences: Vector
    n_rows: int
    rows: int
    tie_variance: float = 0.0
    units: float = inf
    widening: float = 1.0

    def stability(self, confidence: float) -> Stability:
        """How often the halves agree with the confidence of all rows.

        Examples
        --------
        >>> HalfSamples(np.array([0.2, 0.3, 0.1]), 1000, 500).stability(0.2).agreeing
        1.0
        """
        return Stability.from_confidences(self.confidences, confidence)

    def interval(self, confidence: float, *, level: float = 0.95) -> Interval:
        """Interval of the score, around the confidence of all rows.

        Parameters
        ----------
        confidence : float
            Confidence of all rows.
        level : float, default=0.95
            How often such an interval should contain the score expected, at most 0.999.

        Notes
        -----
        Sub-sampling [1]_. Where the error of a score on n rows has variance v / n, its
        distance from the score of m of these rows, drawn without replacement, has variance
        v (1/m - 1/n); for halves, that is v / n. What the random order of ties adds is taken
        off. Scores of fewer rows are smoother: they lie off to one side, and vary too little.
        For that the square of the distance between the mean of the halves and the confidence
        of all rows is added, up to half of the variance, as smoothing fades more slowly than
        chance does. The interval is for the expected score of as many rows, bias included,
        not for its limit with ever more rows. A bootstrap would not do: rows drawn twice are
        ties that the data do not have.

        In simulations 93 to 99 % of the intervals at level 0.95 contain that score; of
        independent columns nearly all do, as their scores have errors of second order, which
        halves overstate.

        References
        ----------
        .. [1] Politis, Romano. Large sample confidence regions based on subsamples under
           minimal assumptions. Annals of Statistics 22(4), 1994.

        Examples
        --------
        >>> halves = HalfSamples(np.array([0.1, 0.3]), n_rows=1000, rows=500)
        >>> interval = halves.interval(0.2)
        >>> round(interval.low, 3), round(interval.high, 3)
        (0.004, 0.396)
        """
        check_number("interval", "level", level, above=0.0, at_most=0.999)
        # The confidence of all rows is a mean over orders of ties as well, eight times as many.
        chance = float(np.var(self.confidences)) - self.tie_variance
        chance = max(chance, self.tie_variance / 16)
        smoothing = (float(np.mean(self.confidences)) - confidence) ** 2
        # Halves of which none can be judged do not vary, but know nothing either.
        square = chance + min(smoothing, 0.5 * chance) if chance > 0.0 else smoothing
        error = sqrt(self.widening * square * self.rows / (self.n_rows - self.rows))
        reach = _deviations(0.5 + 0.5 * level, self.units) * error
        return Interval(confidence - reach, confidence + reach, level, self.rows)


def half_samples(
    pair: Pair | VectorPair | WeightedPair,
    method: Method,
    *,
    replicates: int = 200,
    seed: int = 0,
    workers: int = 1,
    max_rows: int = 20_000,
    units: Units | None = None,
    changed: Callable[[Vector, Vector], Columns | None] | None = None,
) -> HalfSamples:
    """Confidences of a method on random halves of the rows, drawn without replacement.

    Exchanging the columns changes the signs and nothing else; the order of the rows and the
    number of workers change nothing. The first replicates of many are those of few.

    Parameters
    ----------
    pair : Pair, VectorPair or WeightedPair
        Two columns, or groups of them. Of fewer than 20 rows, 10 are drawn, of 10 rows 9.
        Weighted rows are drawn whatever their weights, see
        :func:`bqcd.assessments.weighted.weighted_confidences`.
    method : Method
        Who judges. bQCD with the copula regressor sees only ranks, and many halves at once;
        others judge them one by one. bQCD uses the levels it uses on all rows.
    replicates : int, default=200
        Number of halves.
    seed : int, default=0
        What decides which rows are drawn: half number k is drawn with a generator of its own,
        seeded by ``seed_from(seed, "half", k)``.
    workers : int, default=1
        Threads for bQCD with the copula regressor, processes for other methods and weighted rows.
    max_rows : int, default=20_000
        Most rows of a half. Where it is less than half of the rows, stability is that of a
        verdict on so many rows, hence too low for all of them, and the interval is as wide
        as the spread, scaled to all rows, tells.
    units : Units, optional
        Rows that belong together and are drawn together; not with weights. Default: each row
        alone.
    changed : callable, optional
        Makes other columns of those of a half, or None if there are none to judge. Halves are
        then judged one by one.

    Notes
    -----
    Ties are broken at random in each half: in one order and its turn, or two and theirs where
    a value is so frequent that the order matters, instead of the many fixed orders of
    :class:`~bqcd.methods.bqcd.BQCD`. A half in which a column is constant, or both look the same
    from either side, has confidence zero; so has any half of a pair whose columns have the
    same ranks from either side, for bQCD.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=400)
    >>> halves = half_samples(Pair(x, x**2 + rng.normal(size=400)), BQCD(), replicates=20)
    >>> halves.rows, halves.stability(0.05).agreeing
    (200, 1.0)
    """
    check_integer("half_samples", "replicates", replicates, minimum=1, maximum=MOST_REPEATS)
    check_integer("half_samples", "seed", seed, minimum=0)
    check_integer("half_samples", "workers", workers, minimum=1, maximum=MOST_WORKERS)
    check_integer("half_samples", "max_rows", max_rows, minimum=MIN_ROWS, maximum=MOST_ROWS)
    n = len(pair)
    rows, seeds = min(rows_of_half(n), max_rows), seeds_of_halves(seed, replicates)
    if isinstance(pair, WeightedPair):
        method = with_levels_of(method, pair.effective_rows)
        found, draw_variance = weighted_confidences(pair, method, rows, seeds, workers=workers)
        return HalfSamples(found, n, rows, draw_variance)
    method = with_levels_of(method, n)
    n_units = inf if units is None else units.equal_count
    widening = _widening(pair, units)
    if isinstance(pair, VectorPair):
        vectors = random_vector_halves(pair, rows, seeds, units=units)
        found = _judged_halves(vectors, method, seeds, workers)
        return HalfSamples(found, n, rows, units=n_units, widening=widening)
    if changed is None and _sees_only_ranks(method):
        ranked = ranks_of(pair)
        numbers = _numbers_by_second(units, pair, ranked)
        found, tie_variance = _ranked_halves(ranked, numbers, method, rows, seeds, workers)
        return HalfSamples(found, n, rows, tie_variance, n_units, widening)
    halves = random_halves(pair, rows, seeds, units=units)
    if changed is not None:
        halves = (None if half is None else _changed(half, changed) for half in halves)
    found = _judged_halves(halves, method, seeds, workers)
    return HalfSamples(found, n, rows, units=n_units, widening=widening)


def _judged_halves(
    halves: Iterable[Pair | VectorPair | None], method: Method, seeds: Sequence[int], workers: int
) -> Vector:
    """Halves judged one by one."""
    tasks = ((half, method, seed) for half, seed in zip(halves, seeds, strict=True))
    answers = answers_in_order(_confidence, tasks, workers=workers, preloaded=[__name__])
    with closing(answers):
        return np.fromiter(answers, dtype=np.float64)


def _sees_only_ranks(method: Method) -> TypeGuard[BQCD]:
    return isinstance(method, BQCD) and method.judges_untied_ranks() and not method.published_ties


def _numbers_by_second(units: Units | None, pair: Pair, ranked: RankedPair) -> Numbers | None:
    """Unit of each row by its place in the order of the second variable."""
    if units is None or ranked.sign == 0:
        return None
    return numbers_of_sorted(units, pair, ranked)[sorted_by_second(pair, ranked)]


def _changed(half: Pair, changed: Callable[[Vector, Vector], Columns | None]) -> Pair | None:
    columns = changed(half.x, half.y)
    return None if columns is None else pair_like(half, *columns)


def _widening(pair: Pair | VectorPair, units: Units | None) -> float:
    """Twice the variance where grades were cut at quantiles of the rows, which vary as well.

    Cells of a table that was cut at fixed values vary by who falls into them. If it was cut at
    quantiles, the values at which it was cut vary about as much, and no half of the grades
    can tell.
    """
    if units is not None and units.kind == "copies":
        return 1.0
    columns = (*pair.x.T, *pair.y.T) if isinstance(pair, VectorPair) else (pair.x, pair.y)
    return 2.0 if any(map(equally_graded, columns)) else 1.0


def _ranked_halves(
    ranked: RankedPair,
    units: Numbers | None,
    method: BQCD,
    rows: int,
    seeds: Sequence[int],
    workers: int,
) -> tuple[Vector, float]:
    """Halves judged from the ranks of the pair alone, many at once; what orders of ties add."""
    if ranked.sign == 0:
        return np.zeros(len(seeds)), 0.0
    orders = orders_of_ties(ranked)
    size = max(1, _BATCH_ROWS // (rows * orders))
    batches = [seeds[at : at + size] for at in range(0, len(seeds), size)]

    def found(batch: Sequence[int]) -> Matrix:
        halves = np.empty((len(batch) * orders, rows), dtype=np.int32)
        signs = np.empty(len(halves), dtype=np.int8)
        drawing = HalfDrawing(ranked, rows, units)
        for at, seed in enumerate(batch):
            of_it = slice(at * orders, (at + 1) * orders)
            signs[of_it] = ranked.sign * drawing.fill(halves[of_it], np.random.default_rng(seed))
        return method.untied_confidences(halves, signs).reshape(-1, orders)

    if workers == 1:
        each = np.concatenate([found(batch) for batch in batches])
    else:
        with ThreadPoolExecutor(workers) as threads:
            each = np.concatenate(list(threads.map(found, batches)))
    pairs = each.reshape(len(each), -1, min(2, orders)).mean(axis=2)
    tie_variance = 0.0
    if orders == 4 and method.jitters is None and method.tie_orders is None:
        tie_variance = float(np.mean(np.var(pairs, axis=1, ddof=1))) / 2
    return pairs.mean(axis=1), tie_variance


def _deviations(share: float, units: float) -> float:
    """Standard deviations below which a share of estimates lies: fewer units know it less."""
    if units == inf:
        return NormalDist().inv_cdf(share)
    from scipy.special import stdtrit

    return float(stdtrit(max(1.0, units - 1.0), share))


def _confidence(task: tuple[Pair | VectorPair | None, Method, int]) -> float:
    """Confidence of a method on a half; 0 where it cannot be judged."""
    half, method, seed = task
    if half is None:
        return 0.0
    try:
        return judged(method, type(method).__name__, half, seed).confidence
    except BqcdError:
        return 0.0
