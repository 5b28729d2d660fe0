"""Every integer setting has a largest value, and is refused beyond it before anything is done."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import bqcd
from bqcd.assessments.stability import half_samples
from bqcd.benchmark import run_benchmark
from bqcd.data.pair import Pair
from bqcd.discovery.quantiles import QUANTILE_REGRESSORS
from bqcd.errors import InvalidSettingError
from bqcd.runtime.settings import check_choice, check_flag, check_integer, check_number
from bqcd.scans.engines.local import LocalEngine
from bqcd.show.reports.reporting import report

SOURCE = Path(bqcd.__file__).parent
ENORMOUS = 10**12


def settings(build: object, types: tuple[str, ...]) -> list[str]:
    """Names of the settings of these types, those that a name stands for left out."""
    held = build.keywords if isinstance(build, partial) else {}
    made = build.func if isinstance(build, partial) else build
    return [one.name for one in fields(made) if one.type in types and one.name not in held]


INTEGERS = ("int", "int | None")
BUILDERS = {name: card.build for name, card in bqcd.METHODS.items()} | dict(QUANTILE_REGRESSORS)
OF_METHODS = [
    (build, setting) for build in BUILDERS.values() for setting in settings(build, INTEGERS)
]


def refusal_of(build: Callable[..., object], setting: str, value: object) -> str:
    """What is said of a value; nothing if it is taken."""
    try:
        build(**{setting: value})
    except InvalidSettingError as error:
        return str(error)
    return ""


def test_every_integer_of_a_method_has_a_largest_value():
    pattern = r"{} of \w+ must be an integer from \d+ to [\d,]+, got 1000000000000\."
    told = [(build, setting, refusal_of(build, setting, ENORMOUS)) for build, setting in OF_METHODS]
    assert [one for one in told if not re.fullmatch(pattern.format(one[1]), one[2])] == []
    # Each method that draws rows, each regressor that grows or trains, and so on.
    assert {"max_rows", "draws", "n_levels", "n_trees", "steps"} <= {one[1] for one in told}


NUMBERS = [
    (build, setting) for build in BUILDERS.values() for setting in settings(build, ("float",))
]


def test_every_number_of_a_method_has_a_largest_value():
    values = (10**400, float("inf"), float("nan"), 1e300, "1", True)
    told = [(*one, refusal_of(*one, value)) for one in NUMBERS for value in values]
    pattern = "{} of .* must be a number > .* and <= "
    assert [one for one in told if not re.match(pattern.format(one[1]), one[2])] == []
    assert {"alpha", "width", "ridge"} <= {setting for _, setting in NUMBERS}


PAIR = Pair(np.arange(20.0), np.arange(20.0) ** 2)
CALLS: dict[str, Callable[[int], object]] = {
    "replicates of assess": lambda n: bqcd.assess(PAIR.x, PAIR.y, replicates=n, method="bqcd"),
    "replicates of half_samples": lambda n: half_samples(bqcd.BQCD(), PAIR, replicates=n),
    "workers of half_samples": lambda n: half_samples(bqcd.BQCD(), PAIR, workers=n),
    "replicates of orient": lambda n: bqcd.orient(
        {"a": PAIR.x, "b": PAIR.y}, [("a", "b")], replicates=n
    ),
    "repeats of run_benchmark": lambda n: run_benchmark(["coin"], ["AN"], repeats=n),
    "workers of run_benchmark": lambda n: run_benchmark(["coin"], ["AN"], workers=n),
    "workers of the local engine": lambda n: LocalEngine(workers=n),
    "replicates of report": lambda n: report(
        {"a": PAIR.x, "b": PAIR.y}, replicates=n, method="bqcd"
    ),
    "n_pairs of simulate_pairs": lambda n: bqcd.simulate_pairs("AN", n_pairs=n),
}


@pytest.mark.parametrize("what", CALLS)
def test_counts_of_the_other_calls_are_refused_at_once(what):
    with pytest.raises(InvalidSettingError, match=f"{what} must be an integer from .* got 1000000"):
        CALLS[what](ENORMOUS)


# What has no largest value, and why an enormous one does no harm.
BOUNDLESS = {
    "seed": "any integer seeds a generator, and none costs more than another",
    "total": "what is counted, not what is done",
    "k": "the first so many of what there is",
    "count": "the first so many of what there is",
    "first": "numbers a pair",
    "n_rows": "rows there are, of a probability",
    "replicates": "replicates there are, of a Stability",
    "--top": "the first so many of what there is",
    "details": "the first so many of what there is",
    "pairs_total": "pairs there are",
}


def test_no_other_integer_is_without_a_largest_value():
    calls = [
        (path.name, call)
        for path in sorted(SOURCE.rglob("*.py"))
        for call in re.findall(r"(?<!def )check_integer\(\s*(.*?)\s*\)\n", path.read_text(), re.S)
    ]
    assert len(calls) > 80
    without = {re.split(r",\s*", call)[1].strip('"') for _, call in calls if "maximum=" not in call}
    assert without == set(BOUNDLESS)


@pytest.mark.parametrize("seed", [10**12, 10**100], ids=["12 digits", "100 digits"])
def test_any_integer_seeds_a_decision(seed):
    assert bqcd.decide(PAIR.x, PAIR.y, seed=seed).seed == seed


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (partial(check_integer, minimum=1, maximum=9000), "must be an integer from 1 to 9,000, "),
        (partial(check_number, above=0.0), "must be a number > 0, "),
        (partial(check_choice, allowed=("a",)), "must be one of 'a', "),
        (check_flag, "must be True or False, "),
    ],
)
@pytest.mark.parametrize(
    ("value", "told"),
    [
        (-(10**5000), "int of thousands of digits"),
        ("z" * 500, "'" + "z" * 56 + "..." + "z" * 19 + "'"),
    ],
    ids=["digits", "letters"],
)
def test_what_was_given_is_told_in_one_short_line(check, message, value, told):
    with pytest.raises(InvalidSettingError) as caught:
        check("Owner", "size", value)
    assert str(caught.value) == f"size of Owner {message}got {told}."


def test_the_ends_of_a_range_are_taken_or_refused_as_they_are_told():
    check_integer("Owner", "size", 1, minimum=1, maximum=9)
    check_integer("Owner", "size", 9, minimum=1, maximum=9)
    check_number("Owner", "share", 1.0, above=0.0, at_most=1.0)
    for value in (0, 10):
        with pytest.raises(InvalidSettingError, match="from 1 to 9"):
            check_integer("Owner", "size", value, minimum=1, maximum=9)
    for value in (0.0, 1.0 + 1e-15):
        with pytest.raises(InvalidSettingError, match="> 0 and <= 1"):
            check_number("Owner", "share", value, above=0.0, at_most=1.0)
