"""A pair judged, and the judgement judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bqcd.assessments.assessment import (
    AbstainBy,
    Abstention,
    Assessment,
)
from bqcd.assessments.dependence import Dependence, dependence_of
from bqcd.assessments.notes import RowsTogether, data_notes
from bqcd.assessments.probability import probability_of
from bqcd.assessments.regions import most_probable
from bqcd.assessments.significance import significance, standard_error
from bqcd.assessments.stability import HalfSamples, Stability, half_samples
from bqcd.assessments.unit_columns import UnitColumn, UnitColumns, repeated_units
from bqcd.assessments.units import Units, found_units, given_units
from bqcd.assessments.weighted_dependence import weighted_dependence
from bqcd.data.pair import MIN_ROWS, Direction, Missing, Pair
from bqcd.data.places import column_position
from bqcd.data.reading import beside
from bqcd.data.tables import open_table
from bqcd.data.vector import as_vector
from bqcd.data.weights import WeightedPair
from bqcd.discovery.evidence import QuantileEvidence
from bqcd.errors import InvalidSettingError
from bqcd.methods.bqcd import BQCD
from bqcd.methods.decide import decide_pair, observed_pair
from bqcd.methods.table import METHODS
from bqcd.methods.verdict import Method, Verdict
from bqcd.runtime.settings import (
    MOST_REPEATS,
    check_choice,
    check_flag,
    check_integer,
    check_number,
)
from bqcd.statistics.subsampling import subsamples

DEFAULT = "panel"
"""What judges if nothing is said: right more often than any method alone."""

# Halves drawn row by row that tell what drawing by unit changes.
_ROW_HALVES = 100
# Halves that a method is asked about, and fewer if 1,000 rows take it longer than this.
_MANY_HALVES, _FEW_HALVES, _SLOW = 200, 20, 0.02
# Draws of as many rows as dependent ones are worth, over which a claimed probability is averaged.
_WORTH_DRAWS = 5


def assess(
    x: object,
    y: object,
    *,
    table: object = None,
    method: str | Method = DEFAULT,
    seed: int = 0,
    missing: Missing = "raise",
    weights: object = None,
    units: object = None,
    find_units: bool = True,
    replicates: int | None = None,
    level: float = 0.95,
    abstain: float | None = None,
    by: AbstainBy = "probability",
    workers: int = 1,
    **settings: object,
) -> Assessment:
    """Say which of two columns causes the other, and how far that may be trusted.

    Parameters
    ----------
    x, y, table, seed, missing, weights
        As in :func:`bqcd.decide`.
    method : str or Method, default="panel"
        What judges. The panel claims a probability that was checked on many kinds of data;
        ``"bqcd"`` is the method of the paper alone.
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
    by : {"probability", "stability", "significance"}, default="probability"
        What ``abstain`` is about.
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
    table, (x, y, weights, units) = beside(table, (x, y, weights, units))
    pair = observed_pair(x, y, table=table, missing=missing, weights=weights)
    columns: tuple[UnitColumn, ...] = ()
    if units is not None:
        known = given_units(units, x, y, table=table, dropped=missing == "drop")
    else:
        if table is not None and find_units and isinstance(pair, Pair):
            columns = _unit_columns(table, x, y)  # type: ignore[arg-type]
        known = repeated_units(columns)
    return assess_pair(
        pair,
        method=method,
        seed=seed,
        units=known,
        find_units=find_units and units is None,
        unit_columns=columns,
        replicates=replicates,
        level=level,
        abstain=abstain,
        by=by,
        workers=workers,
        **settings,
    )


def _unit_columns(table: object, x: str | int, y: str | int) -> tuple[UnitColumn, ...]:
    names, columns_at = open_table(table)
    places = [column_position(names, column) for column in (x, y)]
    columns = [as_vector(column, "x or y") for column in columns_at(*places)]
    return UnitColumns.of_table(table).of_pair(*columns, without=places)


def assess_pair(
    pair: Pair | WeightedPair,
    /,
    *,
    method: str | Method = DEFAULT,
    seed: int = 0,
    units: Units | None = None,
    find_units: bool = True,
    unit_columns: Sequence[UnitColumn] = (),
    replicates: int | None = None,
    level: float = 0.95,
    abstain: float | None = None,
    by: AbstainBy = "probability",
    workers: int = 1,
    **settings: object,
) -> Assessment:
    """Assessment of a pair that was built before; see :func:`assess`."""
    if replicates is not None:
        check_integer("assess", "replicates", replicates, minimum=10, maximum=MOST_REPEATS)
    check_number("assess", "level", level, above=0.0, at_most=0.999)
    check_flag("assess", "find_units", find_units)
    _check_abstention(abstain, by)
    units = _units(pair, units, find_units)
    verdict = decide_pair(pair, method=method, seed=seed, **settings)
    assert verdict.method is not None
    drawing = _Drawing(verdict.method, units, replicates or _replicates(verdict), seed, workers)
    dependence, halves = drawing.dependence(pair), drawing.halves(pair)
    together = drawing.together(pair, halves)
    stability, claimed = halves.stability(verdict.confidence), verdict.probability is not None
    worth = None if together is None else together.effective_rows
    # What rows of a clump are worth is told by the spread of the halves, and is a guess beyond it.
    counted = None if units is None or units.kind == "clumps" else worth
    found = Assessment(
        verdict,
        stability,
        None if claimed else halves.interval(verdict.confidence, level=level),
        dependence,
        significance(
            verdict, halves, seed=seed, units=units, effective_rows=counted, workers=workers
        ),
        _probability(verdict, stability, dependence, worth),
        notes=data_notes(verdict, together, columns=unit_columns, drawn=units),
        together=together,
    )
    return found if abstain is None else replace(found, abstention=_abstention(found, abstain, by))


def _replicates(verdict: Verdict) -> int:
    """How many halves a method is asked about if nothing is said of it."""
    card = METHODS.get(verdict.name)
    return _FEW_HALVES if card is not None and card.seconds > _SLOW else _MANY_HALVES


def _units(pair: Pair | WeightedPair, units: Units | None, find: bool) -> Units | None:
    """Units of the rows: those given, or those that can be seen."""
    if isinstance(pair, WeightedPair):
        if units is not None:
            raise InvalidSettingError(
                f"units of assess must be None with weights, got {units.name!r}: weighted rows are "
                "drawn one by one."
            )
        return None
    if units is not None and len(units.numbers) != len(pair):
        raise InvalidSettingError(
            f"units of assess must be one for each of {len(pair)} rows, got {len(units.numbers)}."
        )
    return found_units(pair) if units is None and find else units


@dataclass(frozen=True, slots=True)
class _Drawing:
    """How halves of the rows are drawn and judged."""

    method: Method
    units: Units | None
    replicates: int
    seed: int
    workers: int

    def dependence(self, pair: Pair | WeightedPair) -> Dependence:
        if isinstance(pair, WeightedPair):
            return weighted_dependence(pair, seed=self.seed)
        return dependence_of(pair)

    def halves(self, pair: Pair | WeightedPair) -> HalfSamples:
        return half_samples(
            pair,
            self.method,
            replicates=self.replicates,
            seed=self.seed,
            workers=self.workers,
            units=self.units,
        )

    def together(self, pair: Pair | WeightedPair, by_unit: HalfSamples) -> RowsTogether | None:
        """What units there are, and what the rows are worth: as many as vary like them alone."""
        if self.units is None or isinstance(pair, WeightedPair):
            return None
        by_row = half_samples(
            pair,
            self.method,
            replicates=min(self.replicates, _ROW_HALVES),
            seed=self.seed,
            workers=self.workers,
        )
        alone = standard_error(replace(by_row, widening=by_unit.widening))
        drawn = standard_error(by_unit)
        share = min(1.0, (alone / drawn) ** 2) if drawn > 0.0 else 1.0
        units = self.units
        return RowsTogether(units.kind, units.name, units.count, units.largest, share * len(pair))


def _check_abstention(abstain: float | None, by: str) -> None:
    check_choice("assess", "by", by, ("probability", "stability", "significance"))
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
            f"by of assess must be 'stability' for {found.verdict.name!r} with these settings, as "
            f"nothing else is known of it, got {by!r}."
        )
    return Abstention(by, abstain, number)


def _probability(
    verdict: Verdict, stability: Stability, dependence: Dependence, worth: float | None
) -> float | None:
    """Calibrated probability of the direction; None where it was not learned."""
    evidence, method = verdict.evidence, verdict.method
    if verdict.probability is not None:
        return _claimed(verdict, worth)
    usual = (
        isinstance(evidence, QuantileEvidence)
        and isinstance(method, BQCD)
        and evidence.chance_bound is not None
    )
    if not usual:
        return None
    assert isinstance(evidence, QuantileEvidence)
    probability = probability_of(
        confidence=verdict.confidence,
        agreement=stability.agreeing,
        n_rows=evidence.n_rows if worth is None else max(MIN_ROWS, round(worth)),
        tie_share=(evidence.x_ties + evidence.y_ties) / (2 * evidence.n_rows),
        dependence=dependence.strength,
        one_level=len(evidence.code_lengths.quadrature) == 1,
    )
    return min(probability, most_probable(verdict.seen_pair, verdict.confidence))


def _claimed(verdict: Verdict, worth: float | None) -> float:
    """Probability of the direction that the method claims, on no more rows than they are worth.

    Where rows belong together, the method judges that many of them, drawn several times.
    """
    confidence = verdict.confidence
    if worth is not None and worth < len(verdict.pair) and verdict.weighting is None:
        rows, rng = max(MIN_ROWS, round(worth)), np.random.default_rng(verdict.seed)
        assert verdict.method is not None
        drawn = subsamples(
            verdict.pair.x, verdict.pair.y, max_rows=rows, draws=_WORTH_DRAWS, rng=rng
        )
        said = [verdict.method.decide(Pair(x, y), rng).confidence for x, y in drawn]
        mean = float(np.mean(said)) if said else 0.0
        # The direction is that of all rows.
        confidence = max(0.0, mean * Direction.of(confidence).sign)
    return 0.5 * (1.0 + abs(confidence))
