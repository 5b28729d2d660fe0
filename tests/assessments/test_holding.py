"""What a scan asks of a claim is what an assessment does."""

from __future__ import annotations

import numpy as np
import pytest

import bqcd
from benchmarks.problem_pairs import families
from bqcd.assessments.holding import held_back

FAMILIES = {family.name: family for family in families()}


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("time and a walk", "clock"),
        ("square of positive numbers, rounded", "derived"),
        ("two unrelated walks", "no link"),
        ("linear Gaussian, one column in 20 grades", "few values"),
    ],
)
def test_claims_are_held_back_by_the_limits_of_an_assessment(name, code):
    x, y = FAMILIES[name].draw(np.random.default_rng(1), 400)
    verdict = bqcd.decide(x, y, method="panel")
    held = held_back(verdict)
    found = bqcd.assess(x, y, replicates=10)
    assert held.code == code
    assert held.most == pytest.approx(found.probability)
    assert held == held_back(bqcd.decide(y, x, method="panel"))


def test_a_claim_that_nothing_speaks_against_is_not_held():
    x, y = FAMILIES["curve, rows sorted by the cause"].draw(np.random.default_rng(2), 400)
    assert held_back(bqcd.decide(x, y, method="panel")) is None


def test_rows_that_are_worth_fewer_hold_a_claim_back_by_their_kind():
    family = FAMILIES["curve, cause and noise series with r = 0.9"]
    verdict = bqcd.decide(*family.draw(np.random.default_rng(3), 400), method="panel")
    held = held_back(verdict)
    assert held.code == "blocks"
    assert 0.5 < held.most < 0.5 * (1.0 + abs(verdict.confidence))
