"""Halves of the rows: how many, drawn by what units, and what they say of the rows' worth."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bqcd.assessments.dependence import Dependence
from bqcd.assessments.links import link_of
from bqcd.assessments.notes import RowsTogether
from bqcd.assessments.significance import standard_error
from bqcd.assessments.stability import HalfSamples, half_samples
from bqcd.assessments.units import Units, found_units
from bqcd.assessments.weighted_dependence import weighted_dependence
from bqcd.data.pair import Pair
from bqcd.data.vector_pair import VectorPair
from bqcd.data.weights import WeightedPair
from bqcd.errors import InvalidSettingError
from bqcd.methods.table import ALL_METHODS
from bqcd.methods.verdict import Method, Verdict

# Halves drawn row by row that tell what drawing by unit changes.
_ROW_HALVES = 100
# Halves that a method is asked about, and fewer if 1,000 rows take it longer than this.
_MANY_HALVES, _FEW_HALVES, _SLOW = 200, 20, 0.02
# Pairs of columns in all halves of groups of them.
_PAIRS_OF_ALL_HALVES = 4_000


def halves_asked(verdict: Verdict) -> int:
    """How many halves a method is asked about if nothing is said of it."""
    if isinstance(verdict.pair, VectorPair):
        pairs = len(verdict.pair.x_names) * len(verdict.pair.y_names)
        return min(_MANY_HALVES, max(_FEW_HALVES, _PAIRS_OF_ALL_HALVES // pairs))
    card = ALL_METHODS.get(verdict.name)
    return _FEW_HALVES if card is not None and card.seconds > _SLOW else _MANY_HALVES


def units_of(
    pair: Pair | VectorPair | WeightedPair, units: Units | None, find: bool
) -> Units | None:
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
    # Rows that are alike in levels without an order are no sign of anything.
    if units is not None or not find or (isinstance(pair, Pair) and pair.nominal):
        return units
    return found_units(pair.foremost if isinstance(pair, VectorPair) else pair)


@dataclass(frozen=True, slots=True)
class Drawing:
    """How halves of the rows are drawn and judged.

    Parameters
    ----------
    method : Method
        Who judges.
    units : Units or None
        Which rows belong together; None if all are taken as independent.
    replicates : int
        How many halves.
    seed : int
        Of the draws.
    workers : int
        Processes or threads.
    """

    method: Method
    units: Units | None
    replicates: int
    seed: int
    workers: int

    def dependence(self, pair: Pair | VectorPair | WeightedPair) -> Dependence:
        """How far the columns depend on each other, all units counted once."""
        if isinstance(pair, WeightedPair):
            return weighted_dependence(pair, seed=self.seed)
        return link_of(pair, self.units)

    def halves(self, pair: Pair | VectorPair | WeightedPair) -> HalfSamples:
        """What the method says on halves of the rows."""
        return half_samples(
            pair,
            self.method,
            replicates=self.replicates,
            seed=self.seed,
            workers=self.workers,
            units=self.units,
        )

    def together(
        self, pair: Pair | VectorPair | WeightedPair, by_unit: HalfSamples
    ) -> RowsTogether | None:
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
