"""Every pair of columns of a table: what is asked, its folder, and the answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bqcd.data.nominal import declared_table
from bqcd.data.pair import Missing
from bqcd.errors import (
    BqcdError,
    InvalidResultsError,
    InvalidSettingError,
    InvalidTableError,
)
from bqcd.methods.table import named_method
from bqcd.methods.verdict import Method, settings_of
from bqcd.runtime.settings import (
    MOST_STEPS,
    check_choice,
    check_flag,
    check_integer,
    check_number,
)
from bqcd.scans.answering import DEPENDENT, claims_probability
from bqcd.scans.engines import Engine, make_engine
from bqcd.scans.folder import ScanFolder
from bqcd.scans.judging import column_kind
from bqcd.scans.neighbours import neighbours_of
from bqcd.scans.progress import ScanProgress, shown_in_notebook
from bqcd.scans.reading import unusual_settings
from bqcd.scans.results import Scan
from bqcd.scans.selection import Columns, chosen_columns, pairs_against, read_pairs
from bqcd.scans.sources import Source, open_source
from bqcd.scans.stores import ColumnStore, store_columns
from bqcd.scans.work import Job, Pairs, Progress, Work, finished_tiles, planned


def scan(
    table: object,
    *,
    columns: Columns | None = None,
    exclude: Columns = (),
    dtypes: str | Sequence[str] = (),
    pairs: str | Path | Iterable[Any] | None = None,
    against: str | int | None = None,
    method: str | Method = "bqcd",
    missing: Missing = "raise",
    seed: int = 0,
    out: str | Path | None = None,
    fresh: bool = False,
    retry: bool = False,
    engine: str | Engine = "local",
    workers: int = 1,
    address: str | None = None,
    progress: Progress | None = None,
    then: str | Method | None = None,
    then_pairs: int = 1_000,
    abstain: float | None = None,
    nominal: str | Sequence[str] = (),
    **settings: object,
) -> Scan:
    r"""Judge every pair of columns of a table.

    Parameters
    ----------
    table : path, data frame, mapping or ndarray of shape (n, k)
        A file, or any table that :func:`bqcd.read_table` takes. Parquet, Arrow and ``.npy`` files
        may be larger than memory.
    columns, exclude : str, int or sequence of them, optional
        Columns to take and to leave out: names, positions or patterns such as ``"gene_*"``.
        Default: all. Those without an order are listed and left out, unless the method takes
        them, as are identifiers that are not asked for.
    dtypes : str or sequence of str, default=()
        Kinds of columns to take, e.g. ``"float"`` or ``"number"``.
    pairs : path or iterable of pairs, optional
        Pairs to judge instead of all: names or positions, or a file with two columns.
    against : str or int, optional
        Column to judge against every other one.
    method : str or Method, default="bqcd"
        As in :func:`bqcd.decide`.
    missing : {"raise", "drop"}, default="raise"
        What to do with missing values: refuse them, or leave out, pair by pair, the rows in
        which either is missing.
    seed : int, default=0
        As in :func:`bqcd.decide`: every pair gets a generator of this seed.
    out : path, optional
        Folder in which what is finished is kept. The same scan of the same table goes on
        where it was left. Default: nothing is kept but what is returned.
    fresh : bool, default=False
        Whether to begin anew in a folder that holds another scan.
    retry : bool, default=False
        Whether pairs that could not be judged in an earlier run, and those of the same tiles,
        are judged again.
    engine : str or Engine, default="local"
        Where the work is done: "local" for processes of this machine, "dask", "ray", "spark",
        or "joblib:NAME" for another cluster registered with joblib.
    workers : int, default=1
        Processes; with one, all is done in this process. A cluster has its own number.
    address : str, optional
        Scheduler of the Dask or Ray cluster. Default: one is started on this machine.
    progress : callable, optional
        Told how far the scan is. Default: a bar if this is a notebook.
    then : str or Method, optional
        A second method, with its usual settings, for the pairs that depend on each other
        (q <= 0.05): slower and surer, such as ``"panel"``. Where it was asked, the answer is its.
        If it claims probabilities and the first method none, pairs without one are not told.
    then_pairs : int, default=1000
        How many of them the second method judges, at most: those of largest \|confidence\|.
    abstain : float, optional
        Least probability of a direction that is told; pairs without a probability do not reach
        it. Needs a method that claims probabilities, such as ``then="panel"``.
    nominal : str or sequence of str, default=()
        Names of columns whose values are names without an order, though they are numbers. The
        method ``"auto"`` judges them, and picks for each pair by the kinds of its columns.
    **settings
        Settings of the method, if it is given by name.

    Returns
    -------
    Scan

    Raises
    ------
    InvalidTableError
        If the table cannot be read, has no such column, or is changed while it is read.
    InvalidPairError
        If values are missing and must not be.
    InvalidResultsError
        If the folder holds another scan, or another process is writing to it.
    WorkerError
        If workers are lost, or pairs cannot be judged for want of memory, a disk or a package.
        The tiles that are finished are kept in ``out``, and the same scan goes on there.

    Notes
    -----
    Each number is to the bit that of :func:`bqcd.decide` on the two columns, whatever the
    engine, the number of workers and the other columns. A pair that cannot be judged has a
    row with the reason. That two columns depend on each other is taken for granted by the
    methods; ``dependence`` and ``p_value`` tell whether it may be.

    Claimed probabilities are limited as in :func:`bqcd.assess`, by all that two columns, the order
    of their rows and the other columns of the table show; the latter, of the first hundred and in
    2,000 rows at most, where a direction would be told. Not looked at are, where rows belong
    together, halves drawn by unit: they can only leave less.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x, other = rng.normal(size=(2, 500))
    >>> found = scan({"x": x, "y": x**2 + 0.3 * rng.normal(size=500), "other": other})
    >>> found.table.select(["x", "y", "direction"]).slice(0, 1).to_pylist()
    [{'x': 'x', 'y': 'y', 'direction': '->'}]
    """
    check_choice("scan", "missing", missing, ("raise", "drop"))
    check_integer("scan", "seed", seed, minimum=0)
    check_flag("scan", "retry", retry)
    check_integer("scan", "then_pairs", then_pairs, minimum=1, maximum=MOST_STEPS)
    name, judge = named_method("scan", method, settings)
    _check_abstention(abstain, name, then)
    if isinstance(engine, str):
        engine = make_engine(engine, workers=workers, address=address)
    source = open_source(declared_table(table, nominal))
    positions = chosen_columns(source.names, source.kinds, columns, exclude=exclude, dtypes=dtypes)
    asked = _asked_pairs(source, positions, pairs, against)
    how = _How(engine, fresh=fresh, retry=retry, progress=progress or shown_in_notebook())
    unchosen = columns is None and pairs is None and against is None
    job = Job(name, judge, missing, seed, skip_identifiers=unchosen)
    first = replace(_scanned(source, positions, asked, job, how, out), abstain=abstain)
    if then is None:
        return first
    second = Job(*named_method("scan", then, {}), missing, seed)
    chosen = _dependent_pairs(first, source, then_pairs)
    if not chosen:
        return first
    below = None if out is None else ScanFolder(out).then
    again = sorted({at for pair in chosen for at in pair})
    return replace(first, then=_scanned(source, again, chosen, second, how, below))


def _check_abstention(abstain: float | None, method: str, then: str | Method | None) -> None:
    """Refuse a least probability where no method claims any."""
    if abstain is None:
        return
    check_number("scan", "abstain", abstain, above=0.5, at_most=1.0)
    second = None if then is None else named_method("scan", then, {})[0]
    if not any(claims_probability(name) for name in (method, second) if name is not None):
        raise InvalidSettingError(
            f"abstain of scan needs a method that claims probabilities, got {abstain!r} with "
            f"{method!r} and then={then!r}."
        )


@dataclass(frozen=True, slots=True)
class _How:
    """Where the work is done, and what becomes of earlier work."""

    engine: Engine
    fresh: bool
    retry: bool
    progress: Progress | None


def _scanned(
    source: Source,
    positions: list[int],
    asked: Pairs | None,
    job: Job,
    how: _How,
    out: str | Path | None,
) -> Scan:
    """Verdicts of one method on all pairs of some columns, or on those asked for."""
    if asked is not None:
        positions = sorted({at for pair in asked for at in pair})
    with _folder(out) as folder, folder.held():
        if how.fresh:
            folder.start_afresh()
        folder.agree(job.manifest(source, positions, asked))
        again = folder.failed_tiles() if how.retry else set()
        store = _finished(folder, job, asked, again)
        if store is None:
            store = _stored(folder, source, positions, job, how.progress)
            beside = neighbours_of(source) if job.looks_beside else None
            work = Work(folder, store, job, how.engine, asked, again, how.progress, beside)
            work.run(kept=out is not None)
            store.drop_data()
        return Scan(
            folder.read(),
            store.facts,
            method=job.name,
            settings=unusual_settings(job.name, settings_of(job.method)),
            n_rows=source.n_rows,
            label=source.label,
            folder=None if out is None else folder.path,
        )


def _dependent_pairs(first: Scan, source: Source, most: int) -> Pairs:
    """Positions of the pairs that a second method is to judge, in the order of the table."""
    place = {one.name: one.position for one in first.columns}
    rows = first.top(most, max_q=DEPENDENT).select(["x", "y"]).to_pylist()
    return sorted((place[row["x"]], place[row["y"]]) for row in rows)


def _asked_pairs(
    source: Source,
    positions: list[int],
    pairs: str | Path | Iterable[Any] | None,
    against: str | int | None,
) -> Pairs | None:
    """Positions of the columns of each pair asked for; None if that is all of them."""
    if pairs is not None and against is not None:
        raise InvalidSettingError(
            f"scan takes either pairs or against, got both: {against!r} is against."
        )
    if pairs is not None:
        return read_pairs(pairs, source.names)
    if against is None:
        return None
    column, *more = chosen_columns(source.names, source.kinds, [against])
    if more:
        raise InvalidTableError(
            f"against must be one column, but {against!r} stands for {1 + len(more)} of them."
        )
    found = pairs_against(column, positions)
    if not found:
        raise InvalidTableError(f"There is no column to judge {source.names[column]!r} against.")
    return found


@contextmanager
def _folder(out: str | Path | None) -> Iterator[ScanFolder]:
    """Folder that was asked for, or one that is gone afterwards."""
    if out is not None:
        yield ScanFolder(out)
        return
    with TemporaryDirectory(prefix="bqcd-scan-", ignore_cleanup_errors=True) as path:
        yield ScanFolder(path)


def _finished(
    folder: ScanFolder, job: Job, asked: Pairs | None, again: set[int]
) -> ColumnStore | None:
    """What is known of the columns, if there is nothing left to do."""
    try:
        store = ColumnStore.index(folder.work, scan=folder.digest)
    except InvalidResultsError:
        return None
    plan, impossible = planned(store, job, asked)
    tiles = len(plan) + bool(len(impossible))
    return store if finished_tiles(folder, plan, again) >= set(range(tiles)) else None


def _stored(
    folder: ScanFolder,
    source: Source,
    positions: Sequence[int],
    job: Job,
    progress: Progress | None,
) -> ColumnStore:
    """Columns of the scan, ranked or as they are: those from before, if they are whole."""
    with suppress(InvalidResultsError):
        return ColumnStore.open(folder.work, scan=folder.digest)

    def told(done: int, total: int) -> None:
        if progress is not None:
            progress(ScanProgress(stage="columns", done=done, total=total))

    kind, missing, scan = column_kind(job.method), job.missing, folder.digest
    try:
        return store_columns(
            source,
            positions,
            folder.work,
            kind=kind,
            missing=missing,
            scan=scan,
            skip_identifiers=job.skip_identifiers,
            nominal=bool(getattr(job.method, "takes_nominal", False)),
            progress=told,
        )
    except BqcdError:
        # So that the same folder can be taken when the table is mended.
        if not folder.n_done:
            folder.start_afresh()
        raise
