"""Causes by invariance, in words."""

from __future__ import annotations

from bqcd.graphs.invariance import InvariantCauses


def summary(found: InvariantCauses) -> str:
    """What was tested, what passed, and what follows."""
    return f"{_tests(found)} {_conclusion(found)}{_screening(found)}"


def _tests(found: InvariantCauses) -> str:
    rows, passed = sum(found.environments.values()), len(found.accepted)
    return (
        f"{rows:,} rows of {len(found.environments)} environments; given {passed} of "
        f"{len(found.sets):,} sets of predictors the quantiles of {found.target} do not differ "
        f"(p > {found.alpha:g})."
    )


def _conclusion(found: InvariantCauses) -> str:
    if not found.accepted:
        return (
            "No set passes: a cause is not among the columns, an environment acts on "
            f"{found.target} itself, or the model does not fit. Nothing is said of causes."
        )
    if found.causes:
        return (
            f"In all of these sets: {', '.join(found.causes)}. They cause {found.target}, with an "
            f"error of {found.alpha:.0%} at most if no environment acts on {found.target} itself."
        )
    return "No predictor is in all of these sets, so none can be named."


def _screening(found: InvariantCauses) -> str:
    if not found.left_out:
        return ""
    return (
        f" Screening kept {len(found.predictors)} predictors; {len(found.left_out)} were left "
        "out and not tested."
    )
