"""A method asked again on random halves of the rows: stability and interval of its score."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from itertools import islice
from math import sqrt
from statistics import NormalDist
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bqcd.assessments.halves import HalfDrawing, orders_of_ties
from bqcd.contract import Method
from bqcd.discovery import BQCD
from bqcd.errors import BqcdError, WorkerError
from bqcd.methods import judged
from bqcd.normal_scores import RankedPair, rank_pair
from bqcd.pair import MIN_ROWS, Pair
from bqcd.processes import no_main_module, one_thread_each, starting_context
from bqcd.seeding import mix_seeds, seed_from, seeded_generator
from bqcd.settings import MOST_REPEATS, MOST_ROWS, MOST_WORKERS, check_integer, check_number
from bqcd.statistics.subsampling import subsamples

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Task = TypeVar("Task")
Answer = TypeVar("Answer")

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
    """

    confidences: Vector
    n_rows: int
    rows: int
    tie_variance: float = 0.0

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
        error = sqrt(square * self.rows / (self.n_rows - self.rows))
        reach = NormalDist().inv_cdf(0.5 + 0.5 * level) * error
        return Interval(confidence - reach, confidence + reach, level, self.rows)


def half_samples(
    pair: Pair,
    method: Method,
    *,
    replicates: int = 200,
    seed: int = 0,
    workers: int = 1,
    max_rows: int = 20_000,
) -> HalfSamples:
    """Confidences of a method on random halves of the rows, drawn without replacement.

    Exchanging the columns changes the signs and nothing else; the order of the rows and the
    number of workers change nothing. The first replicates of many are those of few.

    Parameters
    ----------
    pair : Pair
        Two columns. Of fewer than 20 rows, 10 are drawn, of 10 rows 9.
    method : Method
        Who judges. bQCD with the copula regressor sees only ranks, and many halves at once;
        others judge them one by one. bQCD uses the levels it uses on all rows.
    replicates : int, default=200
        Number of halves.
    seed : int, default=0
        What decides which rows are drawn.
    workers : int, default=1
        Threads for bQCD with the copula regressor, processes for other methods.
    max_rows : int, default=20_000
        Most rows of a half. Where it is less than half of the rows, stability is that of a
        verdict on so many rows, hence too low for all of them, and the interval is as wide
        as the spread, scaled to all rows, tells.

    Notes
    -----
    Ties are broken at random in each half: in one order and its turn, or two and theirs where
    a value is so frequent that the order matters, instead of the many fixed orders of
    :class:`~bqcd.discovery.BQCD`. A half in which a column is constant, or both look the same
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
    rows = min(max(n // 2, min(MIN_ROWS, n - 1)), max_rows)
    seeds = [seed_from(seed, "half", at) for at in range(replicates)]
    mix_seeds(seeds)
    ranked = rank_pair(pair.x, pair.y)
    if isinstance(method, BQCD):
        if n >= method.small_n:
            # The levels of all rows, also where a half alone would be given fewer.
            method = replace(method, small_n=0)
        if method.judges_untied_ranks() and not method.published_ties:
            return _ranked_halves(ranked, method, n=n, rows=rows, seeds=seeds, workers=workers)
    order = None
    if ranked.sign:
        order = np.lexsort((pair.y, pair.x) if ranked.sign > 0 else (pair.x, pair.y))
    tasks = ((*_half(pair, order, rows=rows, seed=seed), method, seed) for seed in seeds)
    found = np.fromiter(answers_in_order(_confidence, tasks, workers=workers), dtype=np.float64)
    return HalfSamples(found, n, rows)


def _ranked_halves(
    ranked: RankedPair, method: BQCD, *, n: int, rows: int, seeds: Sequence[int], workers: int
) -> HalfSamples:
    """Halves judged from the ranks of the pair alone, many at once."""
    if ranked.sign == 0:
        return HalfSamples(np.zeros(len(seeds)), n, rows)
    orders = orders_of_ties(ranked)
    size = max(1, _BATCH_ROWS // (rows * orders))
    batches = [seeds[at : at + size] for at in range(0, len(seeds), size)]

    def found(batch: Sequence[int]) -> Matrix:
        halves = np.empty((len(batch) * orders, rows), dtype=np.int32)
        signs = np.empty(len(halves), dtype=np.int8)
        drawing = HalfDrawing(ranked, rows)
        for at, seed in enumerate(batch):
            of_it = slice(at * orders, (at + 1) * orders)
            signs[of_it] = ranked.sign * drawing.fill(halves[of_it], seeded_generator(seed))
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
    return HalfSamples(pairs.mean(axis=1), n, rows, tie_variance)


def _half(
    pair: Pair, order: NDArray[np.intp] | None, *, rows: int, seed: int
) -> tuple[Vector, Vector]:
    """Columns of a random half, whatever the order of rows and columns."""
    rng = seeded_generator(seed)
    if order is None:
        # Columns that cannot be told apart by their ranks: rows go with their mirror images.
        drawn = subsamples(pair.x, pair.y, max_rows=rows, draws=1, rng=rng)
        return drawn[0] if drawn else (pair.x[:0], pair.y[:0])
    chosen = order[np.sort(rng.choice(len(order), size=rows, replace=False, shuffle=False))]
    return pair.x[chosen], pair.y[chosen]


def _confidence(task: tuple[Vector, Vector, Method, int]) -> float:
    """Confidence of a method on two columns; 0 where they cannot be judged."""
    x, y, method, seed = task
    try:
        return judged(method, type(method).__name__, Pair(x, y), seed).confidence
    except BqcdError:
        return 0.0


def answers_in_order(
    function: Callable[[Task], Answer], tasks: Iterator[Task], *, workers: int
) -> Iterator[Answer]:
    """Answers in the order of the tasks, from this process or from others."""
    if workers == 1:
        yield from map(function, tasks)
        return
    with one_thread_each(), no_main_module():
        pool = ProcessPoolExecutor(workers, mp_context=starting_context([__name__]))
        try:
            # Some tasks at a time: each holds a half of the columns.
            while window := list(islice(tasks, 8 * workers)):
                yield from pool.map(function, window)
        except BrokenProcessPool as error:
            raise WorkerError(f"A worker process ended before its answer: {error}") from error
        finally:
            pool.shutdown(cancel_futures=True)
