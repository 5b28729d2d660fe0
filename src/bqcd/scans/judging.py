"""A tile of pairs judged: many at once where the ranks allow it, one by one elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from bqcd.assessments.dependence import dependence_of, pair_dependence
from bqcd.assessments.holding import STAYS, held_back
from bqcd.assessments.separation import PairNeighbours
from bqcd.data.checks import row_problem
from bqcd.data.pair import MIN_ROWS, Pair
from bqcd.data.scales import Scale
from bqcd.discovery.ranks import RankedPair, lost_to_ties, ranks_of, tied_ranks
from bqcd.errors import BqcdError, WorkerError
from bqcd.methods.asking import judged
from bqcd.methods.bqcd import BQCD
from bqcd.methods.verdict import Method, Verdict, tells
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.scans.records import ColumnKind, Setback, TileRows, TileTask
from bqcd.statistics.dependence.ranks import (
    RankDependence,
    RankPolynomials,
    tied_dependences,
    tied_products,
    untied_dependence,
)

Orders = NDArray[np.int32]

# Rows of all pairs that are worked on at once: what they need should stay in the cache.
_BATCH_ROWS = 1 << 17

# What levels are called does not matter to who judges them.
_NOMINAL = Scale("nominal")

# What tells of the machine and not of the pair: the same pair may be judged elsewhere, or later.
_PASSING = (MemoryError, OSError, ImportError, BrokenExecutor, WorkerError)


def column_kind(method: Method) -> ColumnKind:
    """What a method needs to see of the columns: bQCD with the copula sees ranks only."""
    fast = isinstance(method, BQCD) and method.judges_untied_ranks()
    return "ranks" if fast and not cast("BQCD", method).published_ties else "values"


def attempt_tile(task: TileTask) -> TileRows | Setback:
    """Rows of a tile as :func:`judge_tile` has them, or why there are none this time."""
    try:
        return judge_tile(task)
    except Exception as error:
        if not _is_passing(error):
            raise
        told = "; ".join([str(error) or "no more is known", *getattr(error, "__notes__", ())])
        return Setback(task.tile.number, f"{type(error).__name__}: {told}")


def _is_passing(error: BaseException | None) -> bool:
    """Whether an error, or the one it was raised from, tells of the machine."""
    return error is not None and (isinstance(error, _PASSING) or _is_passing(error.__cause__))


def judge_tile(task: TileTask) -> TileRows:
    """Rows of all pairs of a tile, each to the bit what :func:`bqcd.decide` says of it.

    What a method raises is kept as the message of the pair, unless it tells of the machine
    rather than of the pair, as a lack of memory does: that is raised.
    """
    places = np.array(task.tile.columns, dtype=np.int32)
    rows = _empty_rows(task.tile.number, places[task.tile.pairs])
    columns = np.asarray(task.block.columns())
    rest = np.arange(len(rows.first))
    if task.block.kind == "ranks":
        rest = _judge_untied(task, columns, rows)
        rest = _judge_tied(task, columns, rows, rest)
    for at in rest:
        _judge_one(task, columns, int(at), rows)
    return rows


def _empty_rows(number: int, places: Orders) -> TileRows:
    n_pairs = len(places)
    confidence, spearman, dependence, p_value, bound = np.full((5, n_pairs), np.nan)
    first, second = np.ascontiguousarray(places.T)
    n_rows = np.zeros(n_pairs, dtype=np.int64)
    measured = spearman, dependence, p_value, bound
    return TileRows(number, first, second, confidence, n_rows, *measured, {})


def _judge_untied(task: TileTask, ranks: Orders, rows: TileRows) -> NDArray[np.intp]:
    """Judge the pairs of columns without ties and gaps; the others are returned."""
    from bqcd.scans.form_kernels import fill_orders, fill_untied_forms

    method = cast("BQCD", task.method)
    n_rows = ranks.shape[1]
    # Dense ranks that reach n - 1 are a permutation.
    whole = ranks.max(axis=1) == n_rows - 1
    both = whole[task.tile.pairs].all(axis=1)
    numbers = np.cumsum(whole, dtype=np.int32) - 1
    ranks = np.ascontiguousarray(ranks[whole])
    orders = np.empty_like(ranks)
    fill_orders(ranks, orders)
    size = min(int(both.sum()), _batch_size(n_rows))
    held, room = np.empty((size, n_rows), dtype=np.int32), method.room(size, n_rows)
    for chosen in _batches(np.flatnonzero(both), n_rows):
        pairs = numbers[task.tile.pairs[chosen]]
        inverses = held[: len(chosen)]
        signs = np.empty(len(chosen), dtype=np.int8)
        fill_untied_forms(ranks, orders, pairs, inverses, signs)
        rows.confidence[chosen] = method.untied_confidences(inverses, signs, room)
        rows.n_rows[chosen] = n_rows
        _note_bounds(rows, chosen, method, np.zeros((2, len(chosen))))
        _note(rows, chosen, untied_dependence(inverses))
    return np.flatnonzero(~both)


def _judge_tied(
    task: TileTask, codes: Orders, rows: TileRows, rest: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Judge pairs with ties but without gaps; the others are returned.

    A batch of them is held at once, so that what a column brings to each of its pairs is made
    once; each is judged to the bit as by itself.
    """
    method, n_rows = cast("BQCD", task.method), codes.shape[1]
    if not len(rest) or not method.judges_tied_ranks(n_rows) or n_rows < MIN_ROWS:
        return rest
    whole = (codes.min(axis=1) >= 0) & (codes.max(axis=1) > 0)
    both = whole[task.tile.pairs[rest]].all(axis=1)
    columns: dict[int, _TiedColumn] = {}
    for chosen in _batches(rest[both], n_rows):
        for place in np.unique(task.tile.pairs[chosen]).tolist():
            if place not in columns:
                columns[place] = _TiedColumn.of(codes[place])
        pairs = [(columns[x], columns[y]) for x, y in task.tile.pairs[chosen].tolist()]
        ranked = [tied_ranks(x.codes, y.codes, x.starts, y.starts) for x, y in pairs]
        rows.confidence[chosen] = method.tied_confidences(ranked)
        rows.n_rows[chosen] = n_rows
        coarse = np.array([(x.coarse, y.coarse) for x, y in pairs]).T
        _note_bounds(rows, chosen, method, coarse)
        _note(rows, chosen, _tied_dependences(ranked, pairs))
    return np.asarray(rest[~both])


class _TiedColumn(NamedTuple):
    """Values of a column by number, where each begins in order, and what follows from that."""

    codes: Orders
    starts: Orders
    coarse: float
    polynomials: RankPolynomials

    @classmethod
    def of(cls, codes: Orders) -> _TiedColumn:
        counts = np.bincount(codes)
        starts = np.zeros(len(counts) + 1, dtype=np.int32)
        np.cumsum(counts, out=starts[1:])
        coarse = lost_to_ties(starts)
        return cls(np.ascontiguousarray(codes), starts, coarse, RankPolynomials.of(counts))


def _tied_dependences(
    ranked: Sequence[RankedPair], pairs: Sequence[tuple[_TiedColumn, _TiedColumn]]
) -> RankDependence:
    """Dependence of pairs with ties, each seen from its first variable."""
    products, columns = [], []
    for pair, (x, y) in zip(ranked, pairs, strict=True):
        assert pair.ties is not None
        one, other = (y, x) if pair.sign < 0 else (x, y)
        first, second = pair.ties.codes()
        products.append(tied_products(first, second, one.polynomials, other.polynomials))
        columns.append((one.polynomials, other.polynomials))
    return tied_dependences(products, ranked[0].n_rows, columns)


def _batch_size(n_rows: int) -> int:
    return max(1, _BATCH_ROWS // n_rows)


def _batches(chosen: NDArray[np.intp], n_rows: int) -> Iterator[NDArray[np.intp]]:
    size = _batch_size(n_rows)
    for start in range(0, len(chosen), size):
        yield chosen[start : start + size]


def _judge_one(task: TileTask, columns: NDArray[np.generic], at: int, rows: TileRows) -> None:
    """Judge one pair on the rows in which neither value is missing."""
    x_at, y_at = task.tile.pairs[at]
    x_name, y_name = task.names[x_at], task.names[y_at]
    x, y = _complete(columns[x_at], columns[y_at])
    rows.n_rows[at] = len(x)
    problem = _problem(x, y, x_name, y_name)
    if problem:
        rows.messages[at] = problem
        return
    scales = [_NOMINAL if any(task.nominal) and task.nominal[at] else None for at in (x_at, y_at)]
    pair = Pair(x, y, x_name, y_name, "", 0, *scales)
    _note_pair(rows, at, pair)
    try:
        name = type(task.method).__name__
        verdict = judged(task.method, name, pair, task.seed)
        if verdict.choice is not None and verdict.choice.withheld:
            rows.messages[at] = verdict.choice.why_withheld
            return
        rows.confidence[at] = verdict.confidence
        rows.bound[at] = _bound(verdict)
        if verdict.probability is not None:
            held = held_back(verdict, _beside(task, columns, (int(x_at), int(y_at)), pair))
            if held is None and verdict.choice is not None:
                # Methods that were picked for other pairs may claim none.
                held = STAYS
            if held is not None:
                rows.held[at] = held
    except Exception as error:  # one pair's failure is its own
        if _is_passing(error):
            error.add_note(f"columns {x_name!r} and {y_name!r}")
            raise
        known = isinstance(error, BqcdError)
        rows.messages[at] = str(error) if known else f"{type(error).__name__}: {error}"


def _beside(
    task: TileTask, columns: NDArray[np.generic], at: tuple[int, int], pair: Pair
) -> PairNeighbours | None:
    """Columns of the table beside two of the tile; None if they are not at hand."""
    if task.beside is None or pair.nominal:
        return None
    places = task.positions[at[0]], task.positions[at[1]]
    for place, column in zip(places, at, strict=True):
        task.beside.beside.hold(place, columns[column].astype(np.float64))
    return task.beside.of_pair(pair, places)


def _complete(x: NDArray[Any], y: NDArray[Any]) -> tuple[Vector, Vector]:
    """Rows of two columns without a gap, as numbers; ranks will do for values."""
    present = np.minimum(x, y) >= 0 if x.dtype.kind == "i" else ~(np.isnan(x) | np.isnan(y))
    return x[present].astype(np.float64), y[present].astype(np.float64)


def _problem(x: Vector, y: Vector, x_name: str, y_name: str) -> str:
    if problem := row_problem((x_name, y_name), len(x), where="in common"):
        return problem
    for column, name, other in ((x, x_name, y_name), (y, y_name, x_name)):
        if column.min() == column.max():
            return f"Column {name!r} is constant in the {len(x)} rows it shares with {other!r}."
    return ""


def _note_pair(rows: TileRows, at: int, pair: Pair) -> None:
    """Note the dependence of a pair, by ranks or, without an order, by levels."""
    if not pair.nominal:
        _note(rows, np.array([at]), pair_dependence(ranks_of(pair)))
        return
    link = dependence_of(pair)
    rows.spearman[at], rows.dependence[at] = link.spearman, link.strength
    rows.p_value[at] = link.p_value


def _bound(verdict: Verdict) -> float:
    """What a confidence must exceed; infinity for a method that says a direction of most pairs."""
    if verdict.choice is None and not tells(verdict.method):
        return np.inf
    return np.nan if verdict.limit is None else verdict.limit


def _note_bounds(rows: TileRows, at: NDArray[np.intp], method: BQCD, coarse: Matrix) -> None:
    """Note what confidences must exceed, given how coarse the columns of each pair are."""
    x_coarse, y_coarse = coarse
    n_rows = int(rows.n_rows[at[0]])
    rows.bound[at] = method.chance_bounds(rows.confidence[at], x_coarse, y_coarse, n_rows)


def _note(rows: TileRows, at: NDArray[np.intp], found: RankDependence) -> None:
    rows.spearman[at] = found.spearman
    rows.dependence[at] = found.strength
    rows.p_value[at] = found.p_value
