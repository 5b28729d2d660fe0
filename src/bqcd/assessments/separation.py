"""A column beside a pair that explains its link: looked for in the table the pair is of.

Only a column that both columns of the pair depend on can explain their link. All columns are
tested for that, at a level divided by their number, so that among columns that have nothing to do
with the pair one passes in at most 5 of 100 tables, however wide. Of those that pass, the eight
that both depend on most are given, one at a time.

A cause that is not in the table leaves a trace in it, too, if it acts on further columns: see
:mod:`bqcd.statistics.common_factor`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import NamedTuple

import numpy as np

from bqcd.assessments.dependence import dependence_of
from bqcd.assessments.survival import Left, Survival, left_of, survival_of
from bqcd.assessments.third_columns import Beside, ThirdColumn
from bqcd.data.pair import MIN_ROWS, Pair
from bqcd.errors import BqcdError
from bqcd.methods.asking import judged
from bqcd.methods.verdict import Verdict
from bqcd.runtime.arrays import Vector
from bqcd.statistics.common_factor import hidden_cause_tetrads
from bqcd.statistics.dependence.autocorrelation import serial_dependence

# Share of tables in which a column that has nothing to do with the pair passes.
_BY_CHANCE = 0.05
# Columns that are given, and columns for which the method is asked again, at most.
MOST_GIVEN, MOST_ASKED = 8, 3
# Rows that are left of a pair, at least, and as a share.
_FEWEST_ROWS, _MOST_MISSING = 50, 0.5
# A hidden cause fits if this share of the sets of two columns does, of so many at least, in so many
# rows: fewer cannot tell. Set on simulated tables; benchmarks/hidden_causes.py has others.
_FITTING, _FEWEST_TETRADS, _TETRAD_ROWS = 0.75, 3, 500
_ORDER = {"reverses": 0, "vanishes": 1, "turns": 2, "open": 3}


class _Link(NamedTuple):
    """Strength and p-value of independence of two columns."""

    strength: float
    p_value: float


@dataclass(frozen=True, slots=True)
class Looked:
    """What was looked at beside a pair.

    Parameters
    ----------
    n_columns : int
        Columns that were tested.
    n_given : int
        Columns that both columns of the pair depend on, and that were given.
    separator : Survival or None
        The column that explains the link best; None if none does.
    alike : tuple of str, default=()
        Columns that fit one hidden cause together with both columns of the pair.
    """

    n_columns: int
    n_given: int
    separator: Survival | None
    alike: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """Counts and what was found, ready for JSON."""
        found = self.separator
        return {
            "n_columns": self.n_columns,
            "n_given": self.n_given,
            "separator": None if found is None else found.as_dict(),
            "alike": list(self.alike),
        }


@dataclass(slots=True)
class Neighbours:
    """Columns of a table, and how they depend on each other: looked at for many pairs.

    Parameters
    ----------
    beside : Beside
        The columns.
    """

    beside: Beside
    _links: dict[tuple[int, int], _Link] = field(default_factory=dict)

    def of_pair(self, pair: Pair, places: tuple[int, int]) -> PairNeighbours:
        """Columns beside two of them.

        Parameters
        ----------
        pair : Pair
            Whose names are told.
        places : (int, int)
            Positions of its columns in the table.
        """
        return PairNeighbours(self, pair, places)

    def link(self, one: int, other: int) -> _Link:
        """How two columns depend on each other."""
        key = (min(one, other), max(one, other))
        if key not in self._links:
            columns = self.beside.column(one), self.beside.column(other)
            self._links[key] = _link_of(*columns)
        return self._links[key]


@dataclass(frozen=True, slots=True)
class PairNeighbours:
    """Columns beside a pair.

    Parameters
    ----------
    table : Neighbours
        All columns of its table.
    pair : Pair
        Two of them.
    places : (int, int)
        Their positions.
    """

    table: Neighbours
    pair: Pair
    places: tuple[int, int]

    def look(self, verdict: Verdict, *, sign: int) -> Looked:
        """Look for a column that explains the link.

        Parameters
        ----------
        verdict : Verdict
            On the pair: its method is asked again.
        sign : int
            Direction that is told of the pair: 1, -1, or 0 if it cannot be told.
        """
        others = self.table.beside.others(self.places)
        chosen = self._dependent(others)
        found: list[Survival] = []
        rest: list[tuple[Left, Survival]] = []
        for place in chosen:
            column = self.table.beside.column(place)
            left = None if column is None else self._left(column)
            if left is not None and column is not None:
                survival = survival_of("beside", left, [column])
                if survival.separates:
                    found.append(survival)
                rest.append((left, survival))
        if not found and sign:
            found = [_asked_again(*each, verdict, sign) for each in rest[:MOST_ASKED]]
        told = [each for each in found if each.separates]
        best = min(told, key=_rank, default=None)
        return Looked(len(others), len(chosen), best, self._alike(others))

    def _dependent(self, others: list[int]) -> list[int]:
        """Columns that both columns of the pair depend on, the strongest first."""
        level = _BY_CHANCE / max(1, len(others))
        strengths = {}
        for place in others:
            links = [self.table.link(place, at) for at in self.places]
            if max(link.p_value for link in links) <= level:
                strengths[place] = min(link.strength for link in links)
        return sorted(strengths, key=lambda place: -strengths[place])[:MOST_GIVEN]

    def _alike(self, others: list[int]) -> tuple[str, ...]:
        """Names of the columns that fit one hidden cause of both columns, if nearly all sets do."""
        found = self._rows()
        if found is None or len(found[0]) < _TETRAD_ROWS:
            return ()
        pair, rows = found
        held = [self.table.beside.column(place) for place in others]
        columns = [
            one.in_rows(rows)
            for one in held
            if one is not None and not one.is_grouping and not np.isnan(one.values[rows]).any()
        ]
        tetrads = hidden_cause_tetrads(pair.x, pair.y, [one.values for one in columns])
        if tetrads.sets < _FEWEST_TETRADS or tetrads.fitting < _FITTING * tetrads.sets:
            return ()
        return tuple(columns[at].name for at in tetrads.columns)

    def _left(self, column: ThirdColumn) -> Left | None:
        pair = self._rows()
        if pair is None:
            return None
        columns, rows = pair
        left = left_of(columns, [column.in_rows(rows)])
        enough = max(_FEWEST_ROWS, _MOST_MISSING * len(columns))
        return left if left is not None and len(left.pair) >= enough else None

    def _rows(self) -> tuple[Pair, np.ndarray] | None:
        """The pair in the rows that are looked at, and which these are."""
        x, y = (self._numbers(place) for place in self.places)
        if x is None or y is None:
            return None
        rows = np.isfinite(x) & np.isfinite(y)
        try:
            return Pair(x[rows], y[rows], self.pair.x_name, self.pair.y_name), rows
        except BqcdError:
            return None

    def _numbers(self, place: int) -> Vector | None:
        column = self.table.beside.column(place)
        return None if column is None else column.values


def _rank(found: Survival) -> tuple[int, float]:
    return _ORDER[found.outcome], found.after.strength


def _asked_again(left: Left, survival: Survival, verdict: Verdict, sign: int) -> Survival:
    """The same with what the method of the verdict says of what is left."""
    assert verdict.method is not None
    try:
        again = judged(verdict.method, verdict.name, left.pair, verdict.seed or 0)
    except BqcdError:
        return survival
    chance = again.probability
    likelier = None if chance is None else max(chance, 1.0 - chance)
    return survival.told(again.confidence, likelier, again.answer, pair_sign=sign)


def _link_of(one: ThirdColumn | None, other: ThirdColumn | None) -> _Link:
    if one is None or other is None:
        return _Link(0.0, 1.0)
    both = ~(np.isnan(one.values) | np.isnan(other.values))
    if int(both.sum()) < MIN_ROWS:
        return _Link(0.0, 1.0)
    x, y = one.values[both], other.values[both]
    for grouping, numbers in ((one, y), (other, x)):
        if grouping.is_grouping:
            return _link_of_groups(grouping.groups[both], numbers)
    try:
        rows = serial_dependence(x, y).effective_rows
        found = dependence_of(Pair(x, y), rows=rows)
    except BqcdError:
        return _Link(0.0, 1.0)
    return _Link(found.strength, found.p_value)


def _link_of_groups(groups: np.ndarray, numbers: Vector) -> _Link:
    """Whether ranks differ between groups: the test of Kruskal and Wallis."""
    from scipy.special import gammaincc
    from scipy.stats import rankdata

    ranks = rankdata(numbers)
    ranks -= ranks.mean()
    total = float(ranks @ ranks)
    sizes = np.bincount(groups)
    sums = np.bincount(groups, weights=ranks)
    known = sizes > 0
    if total == 0.0 or known.sum() < 2:
        return _Link(0.0, 1.0)
    share = float((sums[known] ** 2 / sizes[known]).sum()) / total
    p_value = float(gammaincc(0.5 * (known.sum() - 1), 0.5 * share * (len(ranks) - 1)))
    return _Link(sqrt(share), p_value)
