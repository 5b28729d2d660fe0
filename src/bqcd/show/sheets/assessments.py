"""An assessment for reading: the verdict across settings."""

from __future__ import annotations

from bqcd.assessments.assessment import Assessment
from bqcd.data.pair import Direction
from bqcd.show.sheets.sheet import Sheet
from bqcd.show.words import shown_name


def settings_sheet(assessment: Assessment) -> Sheet:
    """The verdict across regressors, levels, seeds and halves of the rows."""
    pair, direction = assessment.verdict.pair, Direction.of(assessment.confidence)
    rows = tuple(
        (row.regressor, row.levels, row.seed, row.sample, row.n_rows, row.confidence,
         row.direction.value)
        for row in assessment.table
    )  # fmt: skip
    agree = sum(row.direction is direction for row in assessment.table)
    return Sheet(
        f"{shown_name(pair.x_name)} and {shown_name(pair.y_name)} with other settings",
        ("regressor", "levels", "seed", "rows", "number", "confidence", "direction"),
        rows,
        (f"{agree} of {len(rows)} agree with the verdict on all rows.",),
        digits=5,
    )
