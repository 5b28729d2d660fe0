"""Links of tigramite within one time step, oriented: what PCMCI+ leaves as ``o-o``.

Each lagged parent that PCMCI+ found is a node beside the columns, so that no direction makes a
collider with it, and pairs are judged by what known parents leave of both. Rows are those of a
series: halves are drawn in blocks, and the rows count for as many as they are worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bqcd.errors import InvalidGraphError, InvalidTableError
from bqcd.graphs.orienting.orient import orient
from bqcd.graphs.orienting.orientation import Orientation
from bqcd.graphs.partial import PartialGraph
from bqcd.runtime.arrays import Matrix, Vector

_OPEN, _FORWARD, _BACKWARD = "o-o", "-->", "<--"


def orient_lag_zero(
    results: Mapping[str, Any],
    data: Any,
    *,
    names: Sequence[str] | None = None,
    **options: Any,
) -> tuple[dict[str, Any], Orientation]:
    """Results of PCMCI+ with its open links at lag 0 oriented, and why.

    Parameters
    ----------
    results : mapping
        What ``PCMCI.run_pcmciplus`` returns; its ``graph`` is looked at. Links other than ``o-o``
        at lag 0 stay as they are, conflicts (``x-x``) too.
    data : ndarray of shape (T, N), or tigramite's DataFrame
        One stationary series, as it was given to PCMCI+.
    names : sequence of str, optional
        Names of the N columns; those of the DataFrame, or numbers, if not given.
    **options
        As for :func:`bqcd.orient`. Unless given, edges are assessed (``assessed=True``), which
        draws halves in blocks and counts effective rows, and judged by what known parents leave
        (``given_known=True``).

    Returns
    -------
    (dict, Orientation)
        The results with a new ``graph``, and what became of each link.

    Raises
    ------
    InvalidGraphError
        If the results have no graph of N columns.
    InvalidTableError
        If the data are not one series.
    """
    values = _series(data)
    told = list(names) if names is not None else _names(data, values.shape[1])
    marks = _graph(results, values.shape[1])
    table, graph = _unrolled(values, [str(name) for name in told], marks)
    asked: dict[str, Any] = {"kind": "cpdag", "assessed": True, "given_known": True, **options}
    found = orient(table, graph, **asked)
    place = {str(name): at for at, name in enumerate(told)}
    done = marks.copy()
    for record in found.edges:
        if record.judgement is not None and record.tail is not None and record.head is not None:
            tail, head = place[record.tail], place[record.head]
            done[tail, head, 0], done[head, tail, 0] = _FORWARD, _BACKWARD
    return {**results, "graph": done}, found


def _series(data: Any) -> Matrix:
    """Rows of one series."""
    values = getattr(data, "values", data)
    if isinstance(values, dict):
        if len(values) != 1:
            raise InvalidTableError(f"tigramite's data must be one series, got {len(values)}.")
        [values] = values.values()
    series = np.asarray(values, dtype=np.float64)
    if series.ndim != 2:
        raise InvalidTableError(
            f"A series must have rows and columns, got an array of {series.ndim} dimensions."
        )
    return series


def _names(data: Any, number: int) -> list[str]:
    own = getattr(data, "var_names", None)
    return [str(name) for name in own] if own is not None else [str(at) for at in range(number)]


def _graph(results: Mapping[str, Any], number: int) -> NDArray[Any]:
    marks = np.array(results.get("graph", ()), dtype=object)
    if marks.ndim != 3 or marks.shape[:2] != (number, number):
        raise InvalidGraphError(
            f"results of PCMCI+ must have a graph of {number} columns, got the shape {marks.shape}."
        )
    return marks.astype("<U3")


def _unrolled(
    values: Matrix, names: list[str], marks: NDArray[Any]
) -> tuple[dict[str, Vector], PartialGraph]:
    """Columns at one time step and their lagged parents, and the graph of these."""
    lags = marks.shape[2] - 1
    rows = len(values)
    table = {name: values[lags:, at].copy() for at, name in enumerate(names)}
    directed, undirected = [], []
    for tail, head, lag in np.argwhere(marks == _FORWARD).tolist():
        cause = names[tail]
        if lag:
            cause = f"{names[tail]}(t-{lag})"
            table[cause] = values[lags - lag : rows - lag, tail].copy()
        directed.append((cause, names[head]))
    for first, second, _ in np.argwhere(marks[:, :, :1] == _OPEN).tolist():
        if first < second:
            undirected.append((names[first], names[second]))
    return table, PartialGraph(table, directed=directed, undirected=undirected)
