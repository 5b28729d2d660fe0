"""A pair judged, and the judgement judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from bqcd.assessments.assessment import (
    AbstainBy,
    Abstention,
    Assessment,
)
from bqcd.assessments.claims import claimed_probability, judged_rows
from bqcd.assessments.dependence import NO_EVIDENCE, dependence_of
from bqcd.assessments.drawing import Drawing, halves_asked, units_of
from bqcd.assessments.limits import limited, limits_of
from bqcd.assessments.notes import data_notes
from bqcd.assessments.observed_rows import ObservedRows
from bqcd.assessments.separation import PairNeighbours
from bqcd.assessments.significance import significance
from bqcd.assessments.survival import Survival, group_verdicts, left_of, survival_of
from bqcd.assessments.third_columns import Asked
from bqcd.assessments.unit_columns import UnitColumn, UnitColumns, repeated_units
from bqcd.assessments.units import Units, given_units
from bqcd.data.nominal import declared_table
from bqcd.data.pair import Missing, Pair
from bqcd.data.reading import beside
from bqcd.data.vector_pair import VectorPair
from bqcd.data.weights import WeightedPair
from bqcd.errors import InvalidPairError, InvalidSettingError
from bqcd.methods.decide import decide_pair, observed_pair
from bqcd.methods.verdict import Method
from bqcd.runtime.settings import (
    MOST_REPEATS,
    check_choice,
    check_flag,
    check_integer,
    check_number,
)

DEFAULT = "panel"
"""What judges if nothing is said: it has a probability, and a record of what that is worth."""

OF_GROUPS = "bqcd"
"""What judges groups of columns if nothing is said."""


def assess(
    x: object,
    y: object,
    *,
    table: object = None,
    method: str | Method | None = None,
    seed: int = 0,
    missing: Missing = "raise",
    weights: object = None,
    nominal: str | Sequence[str] = (),
    units: object = None,
    find_units: bool = True,
    replicates: int | None = None,
    level: float = 0.95,
    abstain: float | None = None,
    abstain_by: AbstainBy = "probability",
    by: object = None,
    given: object = None,
    find_separators: bool = True,
    workers: int = 1,
    **settings: object,
) -> Assessment:
    """Say which of two columns causes the other, and how far that may be trusted.

    Parameters
    ----------
    x, y, table, seed, missing, weights, nominal
        As in :func:`bqcd.decide`.
    method : str or Method, optional
        What judges. Default: ``"panel"``, which claims a probability that was checked on many
        kinds of data; ``"bqcd"``, the method of the paper alone, where a side is a group of
        columns. For these no probability was measured, and no direction is told. ``"auto"`` is
        the panel where both columns have an order; of others no probability is known either.
    units : array-like of shape (n,), or a column name, optional
        Which rows belong together: repeated measurements of one person, rows of one village.
        Halves are drawn by unit. Not with ``weights``.
    find_units : bool, default=True
        Whether to look for such rows if ``units`` are not given: those with the same entry in
        another column of ``table``, if most of what varies in both columns varies between
        entries; else neighbouring rows that depend on each other, copies of rows, clumps. False
        takes all rows as independent.
    replicates : int, optional
        Random halves of the rows on which the method is asked again. Default: 200, or 20 for
        methods that take more than a fiftieth of a second for 1,000 rows.
    level : float, default=0.95
        Of the confidence interval; methods that claim a probability have none.
    abstain : float, optional
        What the verdict must reach, else the direction is undecided: the least probability or
        share of halves that agree, or the largest bound. Default: nothing is asked.
    abstain_by : {"probability", "stability", "significance"}, default="probability"
        What ``abstain`` is about.
    by : array-like of shape (n,), or a column name, optional
        Entries that make groups of the rows: ``survival`` then tells whether link and direction
        are there within groups as well, for each and pooled over them. Not with ``weights``.
    given : array-like of shape (n,), a column name, or a list of these, optional
        Columns whose part in both columns is taken off: ranks within groups for text and few
        values, residuals of splines of location and scale, additive in the columns, for
        numbers. ``survival`` tells what becomes of link and direction. Not with ``weights``.
    find_separators : bool, default=True
        Whether to look at the other columns of ``table``, of the first hundred and in 2,000 rows
        at most, for one that explains the link; ``looked`` tells.
    workers : int, default=1
        Processes or threads for the replicates; the numbers do not depend on it.
    **settings
        Settings of the method, if it is given by name.

    Returns
    -------
    Assessment

    Notes
    -----
    With weights, halves are random halves of the rows whatever their weights, which are then
    weighted as all rows are: how heavy rows fall is part of what is uncertain. Bound and
    probability count as many rows as the weighted ones are worth; the dependence is that of the
    draws, with twice the median of their p-values, which is a p-value again [1]_.

    What is given should be a cause of both columns, or of one. Giving what lies between them
    takes away what is asked for, and giving an effect of both makes a link where there is none.

    References
    ----------
    .. [1] Rüger. Das maximale Signifikanzniveau des Tests: "Lehne H0 ab, wenn k unter n gegebenen
       Tests zur Ablehnung führen". Metrika 25, 1978.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=1000)
    >>> found = assess(x, x**2 + 0.3 * rng.normal(size=1000))
    >>> found.direction.value, found.stability.agreeing > 0.9
    ('->', True)
    """
    names = given if isinstance(given, list) and all(isinstance(one, str) for one in given) else []
    if table is not None and nominal:
        table, nominal = declared_table(table, nominal), ()
    table, (x, y, weights, units, by, *others) = beside(
        table, (x, y, weights, units, by, *(names or [given])), groups=2
    )
    given = others if names else others[0]
    pair = observed_pair(x, y, table=table, missing=missing, weights=weights, nominal=nominal)
    check_flag("assess", "find_separators", find_separators)
    how: dict[str, Any] = {
        "method": method,
        "seed": seed,
        "replicates": replicates,
        "level": level,
        "abstain": abstain,
        "abstain_by": abstain_by,
        "workers": workers,
        **settings,
    }
    if isinstance(pair, VectorPair):
        _check_groups(units=units, by=by, given=given)
        return assess_pair(pair, find_units=find_units, **how)
    columns: tuple[UnitColumn, ...] = ()
    rows = ObservedRows(x, y, table, dropped=missing == "drop")
    if units is not None:
        known = given_units(units, x, y, table=table, dropped=missing == "drop")
    else:
        if table is not None and find_units and isinstance(pair, Pair) and not pair.nominal:
            columns = UnitColumns.of_table(table).of_pair(*rows.columns, without=rows.places)
        known = repeated_units(columns)
    neighbours = None
    orderless = pair.nominal if isinstance(pair, Pair) else ()
    if orderless and (by is not None or given is not None):
        raise InvalidSettingError(
            f"by and given of assess need columns with an order, which {orderless[0]!r} lacks."
        )
    if table is not None and find_separators and isinstance(pair, Pair) and not orderless:
        neighbours = rows.neighbours(pair)
    return assess_pair(
        pair,
        units=known,
        find_units=find_units and units is None,
        unit_columns=columns,
        asked=rows.asked(by, given),
        beside=neighbours,
        **how,
    )


def _check_groups(**asked: object) -> None:
    for name, value in asked.items():
        if value is not None:
            raise InvalidSettingError(
                f"{name} of assess must be None where a side is a group of columns."
            )


def assess_pair(
    pair: Pair | VectorPair | WeightedPair,
    /,
    *,
    method: str | Method | None = None,
    seed: int = 0,
    units: Units | None = None,
    find_units: bool = True,
    unit_columns: Sequence[UnitColumn] = (),
    replicates: int | None = None,
    level: float = 0.95,
    abstain: float | None = None,
    abstain_by: AbstainBy = "probability",
    asked: Asked | None = None,
    beside: PairNeighbours | None = None,
    workers: int = 1,
    **settings: object,
) -> Assessment:
    """Assessment of a pair that was built before; see :func:`assess`."""
    if replicates is not None:
        check_integer("assess", "replicates", replicates, minimum=10, maximum=MOST_REPEATS)
    check_number("assess", "level", level, above=0.0, at_most=0.999)
    check_flag("assess", "find_units", find_units)
    _check_abstention(abstain, abstain_by)
    if asked is not None and isinstance(pair, WeightedPair):
        raise InvalidSettingError(
            f"{asked.kind} of assess must be None with weights, got {asked.columns[0].name!r}."
        )
    units = units_of(pair, units, find_units)
    if method is None:
        method = OF_GROUPS if isinstance(pair, VectorPair) else DEFAULT
    if method == "auto":
        settings = {"ordered": DEFAULT, **settings}
    verdict = decide_pair(pair, method=method, seed=seed, **settings)
    assert verdict.method is not None
    drawing = Drawing(verdict.method, units, replicates or halves_asked(verdict), seed, workers)
    dependence, halves = drawing.dependence(pair), drawing.halves(pair)
    together = drawing.together(pair, halves)
    stability, claimed = halves.stability(verdict.confidence), verdict.probability is not None
    worth = None if together is None else together.effective_rows
    # What rows of a clump are worth is told by the spread of the halves, and is a guess beyond it.
    counted = None if units is None or units.kind == "clumps" else worth
    chance = partial(
        claimed_probability,
        stability=stability,
        dependence=dependence,
        worth=judged_rows(worth, dependence),
    )
    found = Assessment(
        verdict,
        stability,
        None if claimed else halves.interval(verdict.confidence, level=level),
        dependence,
        significance(
            verdict, halves, seed=seed, units=units, effective_rows=counted, workers=workers
        ),
        chance(verdict),
        notes=data_notes(verdict, together, columns=unit_columns, drawn=units),
        together=together,
    )
    found = _with_others(found, drawing, asked, beside)
    limits = limits_of(
        verdict,
        found.probability,
        chance,
        link=dependence,
        separation=found.separation,
        alike=() if found.looked is None else found.looked.alike,
        units=units,
    )
    found = replace(
        found,
        probability=limited(found.probability, limits),
        claimed=found.probability,
        limits=limits,
    )
    if abstain is None:
        return found
    return replace(found, abstention=_abstention(found, abstain, abstain_by))


def _with_others(
    found: Assessment, drawing: Drawing, asked: Asked | None, beside: PairNeighbours | None
) -> Assessment:
    """The same with what other columns make of the link: those asked for, and those beside it."""
    looked = None
    if beside is not None and _looks_linked(found):
        looked = beside.look(found.verdict, sign=found.direction.sign)
    return replace(
        found, looked=looked, survival=None if asked is None else _survival(found, drawing, asked)
    )


def _looks_linked(found: Assessment) -> bool:
    """Whether the columns depend on each other if all rows are counted, as readers do."""
    link = found.dependence
    return (link if link.rows is None else dependence_of(found.verdict.pair)).p_value <= NO_EVIDENCE


def _survival(found: Assessment, drawing: Drawing, asked: Asked) -> Survival | None:
    """What becomes of link and direction within groups, or given columns."""
    pair, verdict = found.verdict.seen_pair, found.verdict
    left = left_of(pair, asked.columns)
    if left is None:
        names = ", ".join(repr(column.name) for column in asked.columns)
        raise InvalidPairError(f"Too few rows, or nothing that varies, is left given {names}.")
    again = assess_pair(
        left.pair,
        method=drawing.method,
        seed=drawing.seed,
        find_units=False,
        replicates=drawing.replicates,
        workers=drawing.workers,
    )
    survival = survival_of(asked.kind, left, asked.columns)
    survival = survival.told(
        again.confidence, again.probability, again.answer, pair_sign=found.direction.sign
    )
    if asked.kind == "given":
        return survival
    return replace(survival, groups=group_verdicts(left, asked.columns[0], verdict))


def _check_abstention(abstain: float | None, by: str) -> None:
    check_choice("assess", "abstain_by", by, ("probability", "stability", "significance"))
    if abstain is not None:
        check_number("assess", "abstain", abstain, above=0.0, at_most=1.0)


def _abstention(found: Assessment, abstain: float, by: AbstainBy) -> Abstention:
    numbers = {
        "probability": found.probability,
        "stability": found.stability.agreeing,
        "significance": found.p_bound,
    }
    number = numbers[by]
    if number is None:
        raise InvalidSettingError(
            f"abstain_by of assess must be 'stability' for {found.verdict.name!r} with these "
            f"settings, as nothing else is known of it, got {by!r}."
        )
    return Abstention(by, abstain, number)
