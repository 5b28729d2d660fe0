"""What is known to mislead acts on the number, whichever method claims it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

import bqcd
from benchmarks.problem_pairs import Family, families
from bqcd.assessments.limits import Limit, limited
from bqcd.data.pair import Pair
from bqcd.methods.verdict import ClaimedProbability, Verdict

# Quick, and its answers are known.
assess = partial(bqcd.assess, method="bqcd")

FAMILIES = {family.name: family for family in families()}
CHANCE = [family for family in families() if not family.directed]
# Three grades are too few to tell.
DIRECTED = [one for one in families() if one.directed and "3 grades" not in one.name]


@dataclass(frozen=True, kw_only=True)
class Believer:
    """Claims 0.95 for whatever column has more of something, and nothing if both have as much."""

    measure: Callable[[np.ndarray], float] = np.std

    def decide(self, pair: Pair, rng: np.random.Generator) -> Verdict:
        """Judge one pair."""
        more = self.measure(pair.x) - self.measure(pair.y)
        sign = float(np.sign(more)) if abs(more) > 1e-9 else 0.0
        return Verdict(0.9 * sign, pair, ClaimedProbability(0.5 + 0.45 * sign))


def drawn(family: Family, seed: int, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    return family.draw(np.random.default_rng(seed), n)


@pytest.mark.parametrize("family", CHANCE, ids=lambda family: family.name)
def test_where_the_answer_is_chance_nothing_is_clear(family):
    for seed in range(4):
        found = assess(*drawn(family, seed), replicates=20)
        assert found.answer != "clear", (seed, found.headline)


@pytest.mark.parametrize("family", DIRECTED, ids=lambda family: family.name)
def test_where_there_is_a_direction_it_stays(family):
    found = assess(*drawn(family, 0, 600), replicates=20)
    assert found.answer in ("clear", "leaning")
    assert found.cause == "x"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("time and a walk", "clock"),
        ("logarithm, two decimals", "derived"),
        ("square of positive numbers, rounded", "derived"),
        ("exponential with 1 % of noise", "derived"),
        ("two unrelated walks", "no link"),
    ],
)
def test_a_method_that_is_sure_of_everything_is_held_back(name, code):
    found = assess(*drawn(FAMILIES[name], 1), method=Believer(), replicates=20)
    assert found.claimed > 0.7
    assert (found.probability, found.answer) == (0.5, "cannot tell")
    assert code in [limit.code for limit in found.limits]
    assert found.verdict.confidence != 0.0
    assert all(limit.sentence for limit in found.limits)


def test_a_claim_that_rests_on_how_coarse_a_column_is_goes():
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 600))
    y = 0.7 * x + 0.7 * noise
    coarse = np.searchsorted([-1.0, 0.0, 1.0], x).astype(float)
    fineness = Believer(measure=lambda column: len(np.unique(column)))
    found = assess(coarse, y, method=fineness, replicates=20)
    assert found.claimed == pytest.approx(0.95)
    [limit] = found.limits
    assert (limit.code, limit.most, limit.facts) == (
        "few values", 0.5, {"column": "x", "values": 4, "kind": "steps"},
    )  # fmt: skip
    assert "'x' has 4 different values" in limit.sentence


def test_a_claim_that_is_smaller_between_equally_coarse_columns_goes_halfway():
    """Claims .9 if the columns are unequally coarse, and .6 if not: odds of 9 and 1.5."""

    @dataclass(frozen=True)
    class Careful:
        def decide(self, pair: Pair, rng: np.random.Generator) -> Verdict:
            """Judge one pair."""
            alike = len(np.unique(pair.x)) == len(np.unique(pair.y))
            probability = 0.6 if alike else 0.9
            return Verdict(2.0 * probability - 1.0, pair, ClaimedProbability(probability))

    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 400))
    y = 0.7 * x + 0.7 * noise
    found = assess(x.round(1), y, method=Careful(), replicates=20)
    assert found.probability == pytest.approx(np.sqrt(13.5) / (1.0 + np.sqrt(13.5)))
    # Grades tell an order only: what is claimed of the same grades is all that is left.
    graded = np.argsort(np.argsort(x)) // 40.0
    found = assess(graded, y, method=Careful(), replicates=20)
    assert found.probability == pytest.approx(0.6)
    # Equally fine columns, rounded or not, are not asked about again.
    found = assess(x, y, method=Careful(), replicates=20)
    assert (found.probability, found.limits) == (pytest.approx(0.6), ())


def test_a_claim_that_rests_on_an_edge_goes_and_one_on_the_relation_stays():
    rng = np.random.default_rng(1)
    x, noise = rng.normal(size=(2, 4000))
    y = 0.7 * x + 0.7 * noise
    kept = y > 0.0
    skewness = Believer(measure=lambda column: abs(np.mean((column - column.mean()) ** 3)))
    found = assess(x[kept], y[kept], method=skewness, replicates=20)
    assert found.claimed == pytest.approx(0.95)
    [limit] = found.limits
    assert (limit.code, limit.most, limit.facts) == ("edge", 0.5, {"column": "y"})
    assert found.answer == "cannot tell"
    uniform = rng.uniform(-2.0, 2.0, 600)
    found = assess(uniform, np.tanh(2.0 * uniform) + 0.3 * rng.normal(size=600))
    assert found.limits == ()


def test_methods_without_a_probability_are_held_back_as_well():
    x, y = drawn(FAMILIES["logarithm, two decimals"], 2)
    assert bqcd.decide(x, y, method="heci").answer == "leaning"
    found = assess(x, y, method="heci", replicates=20)
    assert found.probability is None
    assert found.answer == "cannot tell"


def test_the_smallest_limit_counts_and_none_raises_a_claim():
    limits = [Limit(code="edge", most=0.7), Limit(code="separated", most=0.6)]
    assert limited(0.9, limits) == 0.6
    assert limited(0.55, limits) == 0.55
    assert limited(None, limits) is None


def test_the_claim_before_and_what_limits_it_are_told():
    x, y = drawn(FAMILIES["time and a walk"], 3)
    found = assess(x, y, replicates=20)
    told = found.as_dict()
    assert told["claimed"] == found.claimed > found.probability
    assert {"code": "clock", "most": 0.5, "column": "x"} in told["limits"]
    assert "in the order of 'x', and the other column is a series" in found.explain()
    assert "what is known of these data leaves 0.50" in found.explain()


def test_exchanging_the_columns_changes_no_limit():
    for name in ("two parabolas, one column in 5 grades", "logarithm, two decimals"):
        x, y = drawn(FAMILIES[name], 4)
        one, other = assess(x, y, replicates=20), assess(y, x, replicates=20)
        assert one.probability == other.probability
        assert [limit.code for limit in one.limits] == [limit.code for limit in other.limits]


@pytest.mark.parametrize("name", ["exponential with 1 % of noise", "time and a walk"])
def test_the_panel_is_held_back_where_it_is_sure_of_chance(name):
    found = bqcd.assess(*drawn(FAMILIES[name], 5), method="panel", replicates=10)
    assert found.claimed >= 0.65
    assert (found.probability, found.answer) == (0.5, "cannot tell")


def test_a_probability_rests_on_no_more_rows_than_the_link_does():
    """A method that is as sure as it has rows: a series of 500 rows is worth some fifty."""

    @dataclass(frozen=True)
    class Counter:
        def decide(self, pair: Pair, rng: np.random.Generator) -> Verdict:
            """Judge one pair."""
            confidence = min(0.9, len(pair) / 500.0)
            return Verdict(confidence, pair, ClaimedProbability(0.5 * (1.0 + confidence)))

    x, y = drawn(FAMILIES["curve, cause and noise series with r = 0.9"], 6, 500)
    found = bqcd.assess(x, y, method=Counter(), replicates=10)
    assert found.dependence.rows < 100
    assert found.probability == pytest.approx(0.5 + found.dependence.rows / 1000.0, abs=0.01)
