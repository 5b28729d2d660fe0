"""Other columns of a table, looked at beside a pair."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import bqcd
from benchmarks.third_columns import ALARM_PAIRS, CASES, alarms, unrelated
from bqcd.assessments.separation import MOST_GIVEN

# Quick, and its answers are known.
assess = partial(bqcd.assess, method="bqcd")


def penguins(n: int = 333, seed: int = 1, *, in_order: bool = False) -> dict[str, np.ndarray]:
    """Bills of three species, with means, slopes and spreads much like those of real ones."""
    rng = np.random.default_rng(seed)
    species = rng.choice(3, size=n, p=[0.44, 0.36, 0.2])
    species = np.sort(species) if in_order else species
    length = np.array([38.8, 47.5, 48.8])[species] + 2.8 * rng.normal(size=n)
    centred = length - np.array([38.8, 47.5, 48.8])[species]
    depth = np.array([18.3, 15.0, 18.4])[species] + 0.15 * centred + 0.9 * rng.normal(size=n)
    mass = np.array([3700.0, 5080.0, 3730.0])[species] + 400.0 * rng.normal(size=n)
    return {
        "bill_length": length.round(1),
        "bill_depth": depth.round(1),
        "species": np.array(["Adelie", "Gentoo", "Chinstrap"])[species],
        "mass": mass,
        "year": rng.choice([2007, 2008, 2009], size=n),
    }


@pytest.mark.parametrize("in_order", [False, True], ids=["in no order", "species by species"])
def test_the_species_beside_two_bills_are_seen(in_order):
    found = assess("bill_length", "bill_depth", table=penguins(in_order=in_order))
    separator = found.looked.separator
    assert separator.columns == ("species",)
    assert separator.outcome == "reverses"
    assert found.answer == "cannot tell"
    assert found.aside.startswith("Within groups of 'species' the link has the opposite sign")
    alone = assess("bill_length", "bill_depth", table=penguins(), find_separators=False)
    assert alone.looked is None
    assert alone.aside == ""


@pytest.mark.parametrize(
    ("name", "outcome", "most"),
    [
        ("a common cause, numbers", "vanishes", 0.5),
        ("a common cause, groups", "vanishes", 0.5),
        ("a mediator", "vanishes", 0.5),
        ("an effect of both (a total), which are related", "reverses", 0.75),
    ],
)
def test_a_column_that_explains_the_link_is_found_among_others(name, outcome, most):
    rng = np.random.default_rng(2)
    table = CASES[name](rng, 600) | unrelated(rng, 600, 12)
    found = assess("x", "y", table=table, replicates=20)
    assert found.looked.separator.columns == ("z",)
    assert found.looked.separator.outcome == outcome
    assert found.looked.n_columns == 13
    assert [limit.most for limit in found.limits if limit.code == "separated"] == [most]
    assert found.answer != "clear"


@pytest.mark.parametrize("name", ["a cause of the cause", "a copy of the cause"])
def test_a_column_that_explains_nothing_is_not_called_one(name):
    table = CASES[name](np.random.default_rng(3), 600)
    found = assess("x", "y", table=table, replicates=20)
    assert found.looked.n_given == 1
    assert found.looked.separator is None
    assert found.answer == "clear"


@pytest.mark.parametrize("name", ALARM_PAIRS)
def test_columns_that_have_nothing_to_do_with_the_pair_raise_no_alarm(name):
    # The level is 5 in 100 tables, however wide; both columns of the pair would have to agree.
    found = alarms(name, 30, 20)
    assert found["passed"] <= 3
    assert found["alarms"] == 0


def test_a_direction_that_turns_round_within_groups_is_told():
    # Within groups y makes x; between them only x varies so that the whole looks turned.
    rng = np.random.default_rng(5)
    n = 1200
    group = rng.integers(3, size=n)
    y = rng.normal(size=n)
    x = y**2 + 0.3 * rng.normal(size=n)
    table = {"x": 0.8 * group + x, "y": y + 0.2 * group, "z": np.array(list("abc"))[group]}
    turned = assess("y", "x", table=table, by="z", replicates=20)
    assert turned.survival.confidence > 0.0
    assert turned.survival.answer != "cannot tell"
    whole = turned.survival.told(
        turned.survival.confidence, None, turned.survival.answer, pair_sign=-1
    )
    assert whole.outcome == "turns"
    assert whole.separates


def test_no_more_columns_are_given_than_promised():
    rng = np.random.default_rng(6)
    z = rng.normal(size=500)
    copies = {f"z{at}": z + 0.5 * rng.normal(size=500) for at in range(20)}
    x, y = z + rng.normal(size=500), z + rng.normal(size=500)
    found = assess("x", "y", table={"x": x, "y": y, **copies}, replicates=20)
    assert (found.looked.n_columns, found.looked.n_given) == (20, MOST_GIVEN)


def test_columns_that_cannot_be_looked_at_are_passed_over():
    rng = np.random.default_rng(7)
    x, noise = rng.normal(size=(2, 200))
    table = {
        "x": x,
        "y": x + noise,
        "constant": np.ones(200),
        "name": [f"n{at}" for at in range(200)],
        "date": np.arange(200).astype("datetime64[D]"),
        "mostly missing": [1.5 if at % 50 == 0 else None for at in range(200)],
    }
    found = assess("x", "y", table=table, replicates=20)
    assert found.looked.separator is None


def test_unlinked_columns_are_not_looked_beside():
    x, y = np.random.default_rng(8).normal(size=(2, 300))
    found = assess("x", "y", table={"x": x, "y": y, "z": x + y}, replicates=20)
    assert found.looked is None
    assert (found.answer, found.probability) == ("cannot tell", 0.5)
