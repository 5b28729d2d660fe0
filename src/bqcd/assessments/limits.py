"""What is known to mislead, and how far a probability may go where it is seen.

A method claims what it has learned, and knows nothing of how the columns came about. Each rule
here sees one thing that makes its claim worth less, and says what is left of it. The smallest
counts. Dependent rows are no rule here: fewer rows are counted for them from the start
(:mod:`bqcd.assessments.units`). Claims before and after are measured on pairs whose direction is
chance, and on others, by ``benchmarks/problems.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

from bqcd.assessments.dependence import NO_EVIDENCE, Dependence
from bqcd.assessments.series import jumps_along
from bqcd.assessments.survival import Survival
from bqcd.assessments.units import Units
from bqcd.data.pair import Direction, Pair
from bqcd.data.vector_pair import VectorPair
from bqcd.discovery.ranks import normal_scores
from bqcd.errors import BqcdError
from bqcd.methods.asking import judged
from bqcd.methods.coarseness import COARSE, coarseness
from bqcd.methods.one_grid import pair_on_one_grid
from bqcd.methods.verdict import Verdict
from bqcd.runtime.arrays import Vector
from bqcd.runtime.shown import CodedNote
from bqcd.statistics.common_grid import equally_coarse, sizes_of_values
from bqcd.statistics.dependence.autocorrelation import is_monotone
from bqcd.statistics.relations import edge_sharpness, function_share, is_monotone_function

Code = Literal[
    "no link",
    "few rows",
    "clock",
    "jumps",
    "derived",
    "few values",
    "edge",
    "separated",
    "hidden cause",
    "no order",
    "groups",
]

Chance = Callable[[Verdict], float | None]
"""Probability that the direction of a verdict is right; None if nothing is known of it."""

# What is left where the direction is chance.
_CHANCE = 0.5
# Differences of probabilities that are not worth a word.
_NOTHING = 0.005
# What is left where a third column may explain the link, or be an effect of both; and where a
# column may be time.
_AT_MOST_LEANING = 0.75
# Fewer independent rows show no direction.
_FEWEST_ROWS = 20
# Columns are functions of each other from this share on, both ways.
_FUNCTION = 0.97
# Values end in a step from this sharpness on: of Gaussian columns of 200 to 5,000 rows, fewer
# than 1 in 100 do.
_SHARP = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit(CodedNote):
    """Why a probability is no larger than it is.

    Parameters
    ----------
    code : str
        What was seen.
    most : float
        The largest probability that it leaves.
    facts : mapping of str to object
        Its names and numbers, ready for JSON.
    """

    code: Code
    most: float

    def as_dict(self) -> dict[str, object]:
        """Code, limit and facts, ready for JSON."""
        return {"code": self.code, "most": self.most, **self.facts}


def limits_of(
    verdict: Verdict,
    claimed: float | None,
    chance: Chance,
    *,
    link: Dependence,
    separation: Survival | None = None,
    alike: Sequence[str] = (),
    units: Units | None = None,
) -> tuple[Limit, ...]:
    """All that limits the probability of a verdict.

    Parameters
    ----------
    verdict : Verdict
        On the pair as it is.
    claimed : float or None
        Probability of its direction; None if nothing is known of it.
    chance : callable
        The same of a verdict of the method on a changed pair.
    link : Dependence
        Of its columns.
    separation : Survival, optional
        What becomes of the link once other columns are given.
    alike : sequence of str, optional
        Other columns that fit one hidden cause together with both.
    units : Units, optional
        Rows that belong together.
    """
    found = [*_unlinked(link), *limits_beside(separation, alike)]
    if verdict.pair.nominal:
        facts = {"columns": list(verdict.pair.nominal)}
        return (*found, Limit(code="no order", most=_CHANCE, facts=facts))
    if isinstance(verdict.pair, VectorPair):
        return (*found, *_groups(verdict.pair))
    if verdict.weighting is None and verdict.confidence != 0.0:
        asking = _Asking(verdict, verdict.pair, claimed, chance)
        derived = [*_clock(verdict.pair, units), *_derived(verdict.pair)]
        found += derived or [*_jumps(verdict.pair), *_coarseness(asking), *_edges(asking)]
    return tuple(found)


def limits_beside(separation: Survival | None, alike: Sequence[str]) -> tuple[Limit, ...]:
    """What other columns of the table leave of a probability.

    Parameters
    ----------
    separation, alike
        As in :func:`limits_of`.

    Examples
    --------
    >>> [limit.code for limit in limits_beside(None, ["z1", "z2", "z3"])]
    ['hidden cause']
    """
    found = list(_separated(separation))
    if alike:
        found.append(Limit(code="hidden cause", most=_CHANCE, facts={"columns": list(alike)}))
    return tuple(found)


def limited(claimed: float | None, limits: Sequence[Limit]) -> float | None:
    """What is left of a probability; None if there was none.

    Examples
    --------
    >>> limited(0.9, [Limit(code="derived", most=0.5)]), limited(0.6, [])
    (0.5, 0.6)
    """
    return None if claimed is None else min([claimed, *(limit.most for limit in limits)])


@dataclass(frozen=True, slots=True)
class _Asking:
    """A verdict, and how its method is asked again about changed columns."""

    verdict: Verdict
    pair: Pair
    claimed: float | None
    chance: Chance

    def limit(
        self, code: Code, changed: Pair | None, facts: dict[str, object], *, halfway: bool = False
    ) -> Iterator[Limit]:
        """What the method claims of the changed pair, if it is less sure or says otherwise.

        Halfway is the mean of the log-odds before and after; if it says otherwise, nothing is left.
        """
        again = None if changed is None else self._again(changed)
        most = _CHANCE if again is None else self._left(again)
        if halfway and self.claimed is not None and most > _CHANCE:
            most = _between(self.claimed, most)
        if most < (1.0 if self.claimed is None else self.claimed - _NOTHING):
            yield Limit(code=code, most=most, facts=facts)

    def _left(self, again: Verdict) -> float:
        if Direction.of(again.confidence) is not Direction.of(self.verdict.confidence):
            return _CHANCE
        left = self.chance(again)
        if left is None:
            return 1.0 if again.answer != "cannot tell" else _CHANCE
        return max(_CHANCE, left)

    def _again(self, changed: Pair) -> Verdict | None:
        verdict = self.verdict
        assert verdict.method is not None
        try:
            return judged(verdict.method, verdict.name, changed, verdict.seed or 0)
        except BqcdError:
            return None


def _unlinked(link: Dependence) -> Iterator[Limit]:
    if link.p_value > NO_EVIDENCE:
        yield Limit(code="no link", most=_CHANCE)
    elif link.rows is not None and link.rows < _FEWEST_ROWS:
        yield Limit(code="few rows", most=_CHANCE, facts={"rows": link.rows})


def _separated(separation: Survival | None) -> Iterator[Limit]:
    """A link that vanishes has no direction of its own; a sign may also turn by an effect of both.

    Groups are rarely an effect of what is measured in them; numbers often are, as sums are.
    """
    if separation is None or not separation.separates:
        return
    turned = separation.grouping and separation.outcome in ("reverses", "turns")
    explained = separation.outcome == "vanishes" or turned
    facts = {"columns": list(separation.columns), "outcome": separation.outcome}
    yield Limit(code="separated", most=_CHANCE if explained else _AT_MOST_LEANING, facts=facts)


def _clock(pair: Pair, units: Units | None) -> Iterator[Limit]:
    """Rows in the order of a column, along which the other is a series: the column is time."""
    if units is not None and units.kind == "blocks":
        for name, column in _columns(pair):
            if is_monotone(column):
                yield Limit(code="clock", most=_CHANCE, facts={"column": name})
                return


def _jumps(pair: Pair) -> Iterator[Limit]:
    """Rows in the order of a column whose values repeat: it may be time, or doses."""
    (x_name, x), (y_name, y) = _columns(pair)
    names = [name for name, by, other in ((x_name, x, y), (y_name, y, x)) if jumps_along(by, other)]
    if names:
        yield Limit(code="jumps", most=_AT_MOST_LEANING, facts={"column": min(names)})


def _groups(pair: VectorPair) -> Iterator[Limit]:
    """Groups of columns: how often their verdicts are right on real data is not known."""
    columns = {"x": len(pair.x_names), "y": len(pair.y_names)}
    yield Limit(code="groups", most=_CHANCE, facts=columns)


def _derived(pair: Pair) -> Iterator[Limit]:
    shares = function_share(pair.x, pair.y), function_share(pair.y, pair.x)
    monotone = is_monotone_function(pair.x, pair.y) or is_monotone_function(pair.y, pair.x)
    if monotone or min(shares) >= _FUNCTION:
        yield Limit(code="derived", most=_CHANCE, facts={"exactly": monotone})


def _coarseness(asking: _Asking) -> Iterator[Limit]:
    """What is left if both columns are as coarse as the coarser one.

    Numbers of grades tell an order and no more: both columns are cut into the same grades. Other
    coarse columns, rounded or with many rows at one value, keep their scales.
    """
    pair = asking.pair
    kinds = {name: coarseness(column) for name, column in _columns(pair)}
    seen = {name: kind for name, kind in kinds.items() if kind is not None}
    if not seen:
        return
    counts = {name: len(sizes_of_values(column)) for name, column in _columns(pair)}
    name = min(seen, key=lambda each: (seen[each] != "grades", counts[each]))
    facts: dict[str, object] = {"column": name, "values": counts[name], "kind": seen[name]}
    if seen[name] == "grades":
        yield from asking.limit("few values", pair_on_one_grid(pair), facts)
    elif counts[pair.x_name] != counts[pair.y_name]:
        yield from asking.limit("few values", _equally_coarse(pair), facts, halfway=True)


def _edges(asking: _Asking) -> Iterator[Limit]:
    """What is left if only the order of the values counts, where a column ends sharply."""
    pair = asking.pair
    ends = {
        name: edge_sharpness(column)
        for name, column in _columns(pair)
        if len(sizes_of_values(column)) > COARSE * len(pair)
    }
    name = max(ends, key=lambda each: ends[each], default="")
    if name and ends[name] >= _SHARP:
        scores = Pair(_scores(pair.x), _scores(pair.y), pair.x_name, pair.y_name, pair.key)
        yield from asking.limit("edge", scores, {"column": name})


def _columns(pair: Pair) -> tuple[tuple[str, Vector], tuple[str, Vector]]:
    return (pair.x_name, pair.x), (pair.y_name, pair.y)


def _equally_coarse(pair: Pair) -> Pair | None:
    try:
        x, y = equally_coarse(pair.x, pair.y)
        return Pair(x, y, pair.x_name, pair.y_name, pair.key)
    except BqcdError:
        return None


def _between(one: float, other: float) -> float:
    """Probability of the mean of the log-odds of two."""
    odds = sqrt(one / max(1.0 - one, 1e-9) * other / max(1.0 - other, 1e-9))
    return odds / (1.0 + odds)


def _scores(column: Vector) -> Vector:
    """Normal scores of the ranks; those of equal values are the same."""
    ordered = np.sort(column)
    middle = np.searchsorted(ordered, column) + np.searchsorted(ordered, column, side="right") - 1
    scores: Vector = normal_scores(len(column))[middle // 2]
    return scores
