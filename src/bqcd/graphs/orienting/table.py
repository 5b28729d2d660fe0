"""Columns of a table side by side, for models of more than two of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from bqcd.assessments.unit_columns import UnitColumns, seen_units
from bqcd.assessments.units import Units
from bqcd.data.checks import (
    after_dropping,
    infinite_problem,
    length_problem,
    row_problem,
    value_problem,
)
from bqcd.data.pair import Missing, Pair
from bqcd.data.scales import Ordered
from bqcd.data.tables import Columns, open_table
from bqcd.data.vector import as_column, as_vector
from bqcd.errors import InvalidTableError
from bqcd.runtime.arrays import Vector


@dataclass(frozen=True, slots=True, eq=False)
class NodeColumns:
    """Columns of a table that are nodes of a graph.

    Parameters
    ----------
    columns_at : callable
        Gives the columns at positions of the table.
    places : mapping of str to int
        Position of each node's column.
    missing : {"raise", "drop"}
        What to do with rows in which a value is missing.
    beside : UnitColumns or None, default=None
        Columns that may tell which rows belong together; None takes all rows as independent.
    """

    columns_at: Columns
    places: Mapping[str, int]
    missing: Missing
    beside: UnitColumns | None = None

    def column(self, node: str) -> Vector:
        """Column of a node, NaN where a value is missing; numbers of levels have no order."""
        return self._ordered(node).values

    @property
    def nominal(self) -> tuple[str, ...]:
        """Nodes whose columns have no order."""
        scales = {node: self._ordered(node).scale for node in self.places}
        return tuple(node for node, one in scales.items() if one is not None and one.is_nominal)

    def _ordered(self, node: str) -> Ordered:
        return as_column(self.columns_at(self.places[node])[0], node, nominal=True)

    def pair(self, first: str, second: str) -> Pair:
        """Pair of two nodes, named after them."""
        x, y = self.columns_at(self.places[first], self.places[second])
        return Pair.from_arrays(x, y, x_name=first, y_name=second, missing=self.missing)

    def units(self, pair: Pair) -> Units | None:
        """Rows of a pair of two nodes that belong together, as :func:`bqcd.assess` finds them.

        Parameters
        ----------
        pair : Pair
            What :meth:`pair` gives, or other numbers of the same rows.
        """
        if self.beside is None or pair.nominal:
            return None
        nodes = pair.x_name, pair.y_name
        complete = np.all([np.isfinite(self.column(node)) for node in nodes], axis=0)
        beside = self.beside if complete.all() else self.beside.in_rows(complete)
        places = [self.places[node] for node in nodes]
        return seen_units(pair, beside.of_pair(pair.x, pair.y, without=places))

    def complete(self) -> NodeColumns:
        """The same columns in rows in which no node is missing."""
        columns = {node: self.column(node) for node in self.places}
        kept = complete_columns(columns, missing=self.missing)
        at_place = {self.places[node]: column for node, column in kept.items()}
        rows = np.all([np.isfinite(column) for column in columns.values()], axis=0)
        return replace(
            self,
            columns_at=lambda *places: tuple(at_place[place] for place in places),
            beside=None if self.beside is None else self.beside.in_rows(rows),
        )


def complete_columns(table: object, *, missing: Missing = "raise") -> dict[str, Vector]:
    """All columns of a table by name, in rows where none of them is missing.

    Raises
    ------
    InvalidPairError
        If a column does not hold numbers.
    InvalidTableError
        If a value is missing and rows are not to be dropped, a value is infinite, a column is
        constant, two have the same name, or too few rows are left.

    Examples
    --------
    >>> table = {"side": range(12), "area": [None, *(side**2 for side in range(1, 12))]}
    >>> {name: len(column) for name, column in complete_columns(table, missing="drop").items()}
    {'side': 11, 'area': 11}
    """
    names, columns_at = open_table(table)
    told = [str(name) for name in names]
    repeated = sorted(name for name, count in Counter(told).items() if count > 1)
    if repeated:
        raise InvalidTableError(f"Columns must have different names, got {repeated[0]!r} twice.")
    values = columns_at(*range(len(told)))
    columns = {name: as_vector(one, name) for name, one in zip(told, values, strict=True)}
    if not columns:
        raise InvalidTableError("A table must have at least one column, got none.")
    if problem := length_problem({name: len(column) for name, column in columns.items()}):
        raise InvalidTableError(problem)
    known = ~np.any([np.isnan(column) for column in columns.values()], axis=0)
    kept = columns
    if missing == "drop":
        kept = {name: np.ascontiguousarray(column[known]) for name, column in columns.items()}
    _check_columns(columns, kept)
    return kept


def _check_columns(columns: dict[str, Vector], kept: dict[str, Vector]) -> None:
    """Refuse columns, of which some rows are kept, that cannot be modelled."""
    # Before rows go, so that the message counts the rows of the caller.
    for name, column in columns.items():
        if problem := infinite_problem(column, name):
            raise InvalidTableError(problem)
    before, after = (len(next(iter(each.values()))) for each in (columns, kept))
    if problem := row_problem(list(kept), after, where=after_dropping(before - after)):
        raise InvalidTableError(problem)
    for name, column in kept.items():
        if problem := value_problem(column, name):
            raise InvalidTableError(problem)
