"""How far the verdicts of a scan fit together, and with independences in the same rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from bqcd.assessments.compatibility import (
    Compatibility,
    Demand,
    Link,
    among_most_linked,
    as_signs,
    circle_demands,
    collider_demands,
    compatibility_of,
    seen_triples,
)
from bqcd.data.tables import open_table
from bqcd.data.vector import as_vector
from bqcd.runtime.arrays import Vector
from bqcd.scans.answering import DEPENDENT

if TYPE_CHECKING:
    from bqcd.scans.results import Scan


def fit_of(scan: Scan, table: object = None, *, seed: int = 0) -> Compatibility:
    """Compatibility of the verdicts of a scan; see :meth:`bqcd.Scan.compatibility`."""
    verdicts = verdicts_of(scan)
    return compatibility_of(verdicts, demands_on(scan, verdicts, table), seed=seed)


def verdicts_of(scan: Scan) -> dict[Link, int]:
    """Signs of the directions that can be told, by pairs in alphabetical order.

    Of a wide table, those among the columns that are in most of them.
    """
    directions = np.array(scan.table["direction"].to_pylist(), dtype=object)
    signs = np.where(directions == "->", 1, np.where(directions == "<-", -1, 0))
    found = as_signs(_names(scan), signs)
    return {link: found[link] for link in among_most_linked(found)}


def demands_on(scan: Scan, verdicts: Mapping[Link, int], table: object = None) -> list[Demand]:
    """What verdicts on the pairs of a scan must meet.

    Parameters
    ----------
    scan : Scan
        Tells which pairs are independent.
    verdicts : mapping of (str, str) to int
        What the demands are on.
    table : data frame, mapping or ndarray of shape (n, k), optional
        What was scanned, for independence given a third column.
    """
    names = [(min(pair), max(pair)) for pair in _names(scan)]
    p_values = dict(zip(names, scan.numbers("p_value").tolist(), strict=True))
    q_values = zip(names, scan.numbers("q_value").tolist(), strict=True)
    links = [pair for pair, q in q_values if q <= DEPENDENT]
    columns = None if table is None else _columns(scan, table)
    colliders, others = seen_triples(p_values, links, columns)
    of_triples = collider_demands(verdicts, colliders=colliders, others=others)
    return [*circle_demands(verdicts), *of_triples]


def _names(scan: Scan) -> list[Link]:
    return list(zip(*(scan.table[end].to_pylist() for end in ("x", "y")), strict=True))


def _columns(scan: Scan, table: object) -> dict[str, Vector]:
    """Columns of the scan in rows where none is missing."""
    told, columns_at = open_table(table)
    place = {str(name): at for at, name in enumerate(told)}
    known = [name for name in scan.names if name in place]
    columns = {name: as_vector(columns_at(place[name])[0], name) for name in known}
    whole = np.all([np.isfinite(column) for column in columns.values()], axis=0)
    return {name: np.ascontiguousarray(column[whole]) for name, column in columns.items()}
