"""Causes by invariance, for reading."""

from __future__ import annotations

from bqcd.graphs.invariance import InvariantCauses
from bqcd.show.chances import if_tiny
from bqcd.show.sheets.sheet import Sheet
from bqcd.show.words.invariance import summary


def predictors_sheet(found: InvariantCauses) -> Sheet:
    """Predictors by the p-value that they are no cause, and how many sets that pass have them."""
    p_values, passed = found.p_values, found.accepted
    rows = tuple(
        (
            name,
            _standing(found, name),
            if_tiny(p_values[name]) or f"{p_values[name]:.2g}",
            f"{sum(name in one.predictors for one in passed)} of {len(passed)}",
        )
        for name in sorted(found.predictors, key=lambda name: p_values[name])
    )
    columns = ("predictor", "cause", "p (no cause)", "in sets that pass")
    return Sheet(f"Causes of {found.target}", columns, rows, (summary(found),))


def _standing(found: InvariantCauses, name: str) -> str:
    if name in found.causes:
        return "yes"
    return "plausible" if name in found.plausible else "no sign"
