"""The report of a table: its pairs judged, or the edges of a graph, the foremost ones shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bqcd.assessments.assessing import DEFAULT
from bqcd.data.nominal import declared_table
from bqcd.data.pair import Missing
from bqcd.methods.verdict import Method
from bqcd.runtime.notebook import bar_in_notebook
from bqcd.show.reports.asking import Asked, is_path
from bqcd.show.reports.contents import Report
from bqcd.show.reports.groups import checked_groups
from bqcd.show.reports.job import OnPair, Progress, ReportJob


def report(
    table: object,
    pairs: str | Path | Iterable[Any] | None = None,
    *,
    graph: object = None,
    columns: str | int | Sequence[str | int] | None = None,
    groups: Mapping[str, Sequence[str | int]] | None = None,
    method: str | Method = DEFAULT,
    missing: Missing = "raise",
    seed: int = 0,
    details: int = 200,
    replicates: int | None = None,
    abstain: float | None = None,
    by: str | int | None = None,
    given: str | int | Sequence[str | int] | None = None,
    against: object = None,
    workers: int = 1,
    progress: Progress | None = None,
    on_pair: OnPair | None = None,
    nominal: str | Sequence[str] = (),
    **settings: object,
) -> Report:
    """Report of a table: its pairs judged, the foremost ones assessed and shown.

    Parameters
    ----------
    table : path, data frame, mapping or ndarray of shape (n, k)
        As in :func:`bqcd.scan`.
    pairs : path or iterable of pairs, optional
        Pairs to judge: names or positions, or a file with two columns. Default: all pairs
        of the numeric columns.
    graph : path or graph, optional
        Graph whose edges are oriented instead, as in :func:`bqcd.orient`.
    columns : str, int or sequence of them, optional
        Columns to take: names, positions or patterns such as ``"gene_*"``. Default: all.
    groups : mapping of str to sequence of str or int, optional
        Groups of columns by name, each judged as one: with every other group and every numeric
        column in none of them, or as ``pairs`` say. The panel does not take groups; in its place
        bqcd judges.
    method : str or Method, default="panel"
        As in :func:`bqcd.assess`. With the panel, bqcd judges all pairs first, as it is so much
        faster, and the panel those that depend, the foremost first.
    missing : {"raise", "drop"}, default="raise"
        What to do with rows in which a value of a pair is missing.
    seed : int, default=0
        As in :func:`bqcd.decide`.
    details : int, default=200
        How many pairs are assessed and shown, at most: those of the largest confidence
        among dependent ones, then the others.
    replicates : int, optional
        Random halves of the rows in an assessment, as in :func:`bqcd.assess`; with 0 nothing is
        assessed, which takes less time.
    abstain : float, optional
        Least probability of a direction that is told, as in :func:`bqcd.assess`; pairs that are
        not assessed have none. Not with a graph.
    by, given : str, int or sequence of them, optional
        Third columns that link and direction shall survive, as in :func:`bqcd.assess`; a pair
        that holds one of them is judged without. Not with a graph.
    against : path or table, optional
        Another table with columns of the same names, or what :meth:`bqcd.Scan.save` wrote: the
        page tells which answers differ from its own. Not with a graph.
    workers : int, default=1
        Processes or threads; the numbers do not depend on it.
    progress : callable, optional
        Told what is done: ``"columns"``, ``"pairs"`` or ``"details"``, how many, of how many.
        Default: a bar if this is a notebook.
    on_pair : callable, optional
        Told every pair as soon as it is assessed, as a row of the table.
    nominal : str or sequence of str, default=()
        As in :func:`bqcd.scan`.
    **settings
        Settings of the method, if it is given by name.

    Returns
    -------
    Report

    Raises
    ------
    InvalidSettingError
        If what is asked for contradicts itself.
    InvalidTableError
        If the table cannot be read, or has no such column.
    InvalidPairError
        If values are missing and must not be, or no pair can be judged.

    Notes
    -----
    Points are a sample in the picture; every number is of all rows, to the bit that of
    :func:`bqcd.decide` and :func:`bqcd.assess`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=300)
    >>> found = report({"x": x, "y": x**2 + 0.3 * rng.normal(size=300)}, replicates=20)
    >>> found.title, found.pairs[0].cause
    ('x and y', 'x')
    """
    asked = Asked(
        pairs=list(pairs) if isinstance(pairs, Iterable) and not is_path(pairs) else pairs,
        graph=graph,
        columns=columns,
        groups=None if groups is None else checked_groups(groups),
        method=method,
        missing=missing,
        seed=seed,
        details=details,
        replicates=replicates,
        abstain=abstain,
        nominal=() if is_path(table) else nominal,
        by=by,
        given=given,
        against=against,
    )
    with bar_in_notebook(progress) as shown:
        job = ReportJob(declared_table(table, nominal), asked, settings, workers, shown, on_pair)
        if groups is not None:
            return job.of_groups()
        if graph is not None:
            return job.of_graph()
        found = job.of_pairs()
        return found if against is None else job.against(found)
