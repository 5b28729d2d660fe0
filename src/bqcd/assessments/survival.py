"""What becomes of a link and of its direction once other columns are given.

Both columns are replaced by what is left of them: their ranks within groups, or after what the
given numbers explain is taken off (:mod:`bqcd.statistics.conditional_scores`). The link of what is
left is compared with that of the columns as they are, and the method is asked again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bqcd.assessments.dependence import Dependence, dependence_of
from bqcd.assessments.third_columns import ThirdColumn
from bqcd.data.pair import Pair
from bqcd.errors import BqcdError, InvalidPairError
from bqcd.methods.answers import Answer
from bqcd.methods.asking import judged
from bqcd.methods.verdict import Verdict
from bqcd.runtime.arrays import Numbers, Vector
from bqcd.statistics.conditional_scores import conditional_scores

Rows = NDArray[np.bool_]

Outcome = Literal[
    "survives", "weaker", "vanishes", "reverses", "turns", "open", "appears", "absent", "hidden"
]
"""The link is as strong as a direct one would be; less so; all but gone; of the opposite sign; it
survives and the other column looks like the cause; it survives within groups, but not its
direction; there is one that was not there before; none is there before or after; too little is
left to see one."""

Kind = Literal["by", "given", "beside"]

# Rows of a group, at least.
_FEWEST_ROWS = 5
# Groups that are told one by one, at most, and rows of one, at least.
_MOST_GROUPS, _JUDGED_ROWS = 12, 20
# A direct link that would be that much above chance is seen: its share of variance times rows.
_WOULD_BE_SEEN = 35.0
# Shares of the strength of a direct link: below the first it has vanished, below the second it
# is weaker.
_GONE, _WEAKER = 0.3, 0.7
_INDEPENDENT = 0.05
# Rank correlations have a sign beyond this, in units of their deviation by chance: as they are,
# and once something is given, where several columns may be tried.
_SIGNED_BEFORE, _SIGNED_AFTER = 2.0, 3.5


@dataclass(frozen=True, slots=True)
class GroupVerdict:
    """What is found in one group.

    Parameters
    ----------
    label : str
        Entry that its rows share.
    n_rows : int
        Their number.
    dependence : Dependence
        Of the two columns in it.
    confidence : float
        Of the method; positive for x -> y, 0 where the group cannot be judged.
    answer : {"clear", "leaning", "cannot tell"}
        What may be said of the direction in it.
    """

    label: str
    n_rows: int
    dependence: Dependence
    confidence: float
    answer: Answer


@dataclass(frozen=True, slots=True)
class Survival:
    """A link and its direction, given other columns.

    Parameters
    ----------
    kind : {"by", "given", "beside"}
        Asked for by groups, given columns, or found beside the pair in its table.
    columns : tuple of str
        What is given.
    grouping : bool
        Whether all of it is groups.
    n_rows : int
        Rows in which nothing is missing, in groups of five rows or more.
    before, after : Dependence
        Of the columns as they are in these rows, and of what is left of them.
    outcome : str
        What becomes of the link: "survives", "weaker", "vanishes", "reverses" (the rank
        correlation changes its sign), "turns" (the other column looks like the cause), "open"
        (within groups no direction shows), "appears" (there was none before), "absent" (there
        is none before or after) or "hidden" (what is left could not show a link).
    confidence : float, default=0.0
        Of the method on what is left; positive for x -> y.
    probability : float or None, default=None
        That the direction on what is left is right.
    answer : {"clear", "leaning", "cannot tell"}, default="cannot tell"
        What may be said of it.
    groups : tuple of GroupVerdict, default=()
        The larger groups, if asked for by group.
    """

    kind: Kind
    columns: tuple[str, ...]
    grouping: bool
    n_rows: int
    before: Dependence
    after: Dependence
    outcome: Outcome
    confidence: float = 0.0
    probability: float | None = None
    answer: Answer = "cannot tell"
    groups: tuple[GroupVerdict, ...] = ()

    @property
    def separates(self) -> bool:
        """Whether the link vanishes or changes its sign, or the direction turns or is lost."""
        return self.outcome in ("vanishes", "reverses", "turns", "open")

    def told(
        self, confidence: float, probability: float | None, answer: Answer, *, pair_sign: int
    ) -> Survival:
        """The same with what the method says of what is left.

        Parameters
        ----------
        confidence, probability, answer
            Of the method, on what is left.
        pair_sign : int
            Direction of the pair as it is: 1, -1, or 0 if it cannot be told.
        """
        outcome: Outcome = self.outcome
        if pair_sign and outcome in ("survives", "weaker"):
            if answer == "cannot tell":
                lost = self.grouping and outcome == "survives"
                outcome = "open" if lost else outcome
            elif np.sign(confidence) == -pair_sign:
                outcome = "turns"
        return replace(
            self, confidence=confidence, probability=probability, answer=answer, outcome=outcome
        )

    def as_dict(self) -> dict[str, object]:
        """All of it, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True, eq=False)
class Left:
    """What is left of a pair once columns are given.

    Parameters
    ----------
    pair : Pair
        Normal scores of its columns, given the others.
    plain : Pair
        Its columns as they are, in the same rows.
    rows : ndarray of bool
        Which rows of the pair these are.
    cells : ndarray of int
        Group of each of them, from 0.
    """

    pair: Pair
    plain: Pair
    rows: Rows
    cells: Numbers


def left_of(pair: Pair, columns: Sequence[ThirdColumn]) -> Left | None:
    """What is left of a pair, given some columns; None if that is no pair.

    Parameters
    ----------
    pair : Pair
        Two columns.
    columns : sequence of ThirdColumn
        In the rows of the pair.

    Examples
    --------
    >>> from bqcd.assessments.third_columns import third_column
    >>> rng = np.random.default_rng(0)
    >>> z, *noise = rng.normal(size=(3, 1000))
    >>> x, y = z + noise[0], z + noise[1]
    >>> left = left_of(Pair(x, y), [third_column(z, "z")])
    >>> dependence_of(Pair(x, y)).p_value < 1e-9, dependence_of(left.pair).p_value > 0.05
    (True, True)
    """
    cells, rows = _cells(columns, len(pair))
    numbers = [column.values[rows] for column in columns if not column.is_grouping]
    numbers = [column for column in numbers if len(column) and column.min() < column.max()]
    x, y = pair.x[rows], pair.y[rows]
    try:
        plain = Pair(x, y, pair.x_name, pair.y_name, pair.key)
        x, y = conditional_scores([x, y], numbers, cells)
        return Left(Pair(x, y, pair.x_name, pair.y_name, pair.key), plain, rows, cells)
    except (InvalidPairError, np.linalg.LinAlgError):
        return None


def _cells(columns: Sequence[ThirdColumn], n: int) -> tuple[Numbers, Rows]:
    """Cell of each row that has all columns and enough others in its cell, and which these are."""
    rows = np.ones(n, dtype=bool)
    cells = np.zeros(n, dtype=np.int64)
    for column in columns:
        rows &= ~np.isnan(column.values)
        if column.is_grouping:
            cells = cells * len(column.labels) + np.maximum(column.groups, 0)
            cells = np.unique(cells, return_inverse=True)[1].astype(np.int64)
    counts = np.bincount(cells[rows], minlength=int(cells.max(initial=0)) + 1)
    rows &= counts[cells] >= _FEWEST_ROWS
    kept = np.unique(cells[rows], return_inverse=True)[1].astype(np.int64)
    return kept, rows


def survival_of(kind: Kind, left: Left, columns: Sequence[ThirdColumn]) -> Survival:
    """What becomes of a link; nothing is said of its direction yet.

    Parameters
    ----------
    kind : {"by", "given", "beside"}
        Why it is looked at.
    left : Left
        What is left of the pair.
    columns : sequence of ThirdColumn
        What is given.
    """
    before, after = dependence_of(left.plain), dependence_of(left.pair)
    direct = _direct_strength(before.strength, left)
    return Survival(
        kind,
        tuple(column.name for column in columns),
        all(column.is_grouping for column in columns),
        len(left.pair),
        before,
        after,
        _outcome(before, after, direct, len(left.pair)),
    )


def _outcome(before: Dependence, after: Dependence, direct: float, n: int) -> Outcome:
    if before.p_value > _INDEPENDENT:
        return "appears" if after.p_value <= _INDEPENDENT**2 else "absent"
    if _sign(before, _SIGNED_BEFORE, n) * _sign(after, _SIGNED_AFTER, n) < 0:
        return "reverses"
    seen = (n - 1) * direct**2 >= _WOULD_BE_SEEN
    if after.p_value > _INDEPENDENT or after.strength < _GONE * direct:
        return "vanishes" if seen else "hidden"
    return "weaker" if after.strength < _WEAKER * direct else "survives"


def _sign(link: Dependence, beyond: float, n: int) -> int:
    return int(np.sign(link.spearman)) if abs(link.spearman) * sqrt(n - 1) > beyond else 0


def _direct_strength(strength: float, left: Left) -> float:
    """Strength that a link without detours would still have: the less, the less is left.

    Of y = f(x) + noise, where f explains a share s of the variance, a share q of x is left: then
    f explains sq / (sq + 1 - s) of what is left. The same holds the other way round.
    """
    share = min(strength**2, 1.0 - 1e-9)
    found = []
    for plain, scores in ((left.plain.x, left.pair.x), (left.plain.y, left.pair.y)):
        q = _correlation(conditional_scores([plain])[0], scores) ** 2
        found.append(share * q / (share * q + 1.0 - share))
    return sqrt(min(found))


def _correlation(one: Vector, other: Vector) -> float:
    return float(np.corrcoef(one, other)[0, 1])


def group_verdicts(left: Left, column: ThirdColumn, verdict: Verdict) -> tuple[GroupVerdict, ...]:
    """What the method says within each of the larger groups, the largest first.

    Parameters
    ----------
    left : Left
        What is left of the pair, whose cells are the groups.
    column : ThirdColumn
        Whose entries they are, in the rows of the pair.
    verdict : Verdict
        On the whole pair: its method is asked again.
    """
    groups = column.groups[left.rows]
    sizes = np.bincount(groups, minlength=len(column.labels))
    order = sorted(np.flatnonzero(sizes >= _JUDGED_ROWS), key=lambda at: (-sizes[at], at))
    found = (_group_verdict(left, groups == at, column.labels[at], verdict)
             for at in order[:_MOST_GROUPS])  # fmt: skip
    return tuple(each for each in found if each is not None)


def _group_verdict(left: Left, rows: Rows, label: str, verdict: Verdict) -> GroupVerdict | None:
    plain = left.plain
    try:
        pair = Pair(plain.x[rows], plain.y[rows], plain.x_name, plain.y_name, plain.key)
        assert verdict.method is not None
        again = judged(verdict.method, verdict.name, pair, verdict.seed or 0)
    except BqcdError:
        return None
    link = dependence_of(pair)
    answer: Answer = "cannot tell" if link.p_value > _INDEPENDENT else again.answer
    return GroupVerdict(label, len(pair), link, again.confidence, answer)
