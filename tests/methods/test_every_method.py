"""What every method promises, checked on every method in the table."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
import pytest

import bqcd
from bqcd.data.pair import Direction, Pair
from bqcd.methods.cards import MethodCard
from bqcd.methods.table import METHODS
from bqcd.methods.verdict import DirectedScores, Method, Verdict, tells
from bqcd.show.words.strengths import strength
from tests.methods.trials import (
    AWKWARD,
    PUBLISHED,
    QUICK,
    ROUGH,
    VARIANTS,
    Case,
    bent,
    cases,
    every,
)

CASES = cases(VARIANTS)
every_method = every(CASES)
every_kind = every(cases(VARIANTS, PUBLISHED, ROUGH))
every_card = pytest.mark.parametrize("card", bqcd.METHODS.values(), ids=bqcd.METHODS)


def parabola(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    # Multiples of 2**-20, so that shifts and scales below are exact.
    grid = 2.0**20
    return np.round(x * grid) / grid, np.round((x**2 + 0.3 * rng.normal(size=n)) * grid) / grid


def bent_uniform(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(seed).uniform(size=n)
    return x, x**3


def bent_normal(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(seed).normal(size=n)
    return x, np.sinh(x)


def linear_uniform(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=n)
    return x, x + rng.uniform(size=n)


def bent_and_noisy(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, x**3 + x + rng.normal(size=n)


def flattening(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=n)
    return x, np.sqrt(x + 0.05) + 0.02 * rng.normal(size=n)


def dose_and_response(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """An even grid that somebody set, and a skewed response with long tails."""
    rng = np.random.default_rng(seed)
    x = np.arange(n) % 10.0
    return x, np.exp(0.3 * x + rng.normal(size=n))


def noise_on_levels(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A function of uneven levels that is not one to one, and noise of uneven shares."""
    rng = np.random.default_rng(seed)
    x = rng.choice(8, p=[0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05], size=n)
    noise = rng.choice(3, p=[0.6, 0.3, 0.1], size=n)
    return x, np.array([0, 3, 1, 5, 2, 0, 6, 4])[x] + noise


def few_causes(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Levels of a cause, each spread over many levels of the effect in its own way."""
    rng = np.random.default_rng(seed)
    x = rng.integers(3, size=n)
    return x, 4 * x + rng.choice(4, p=[0.4, 0.3, 0.2, 0.1], size=n)


def hidden_levels(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Six levels that act as two."""
    rng = np.random.default_rng(seed)
    x = rng.integers(6, size=n)
    shares = np.array([[0.7, 0.1, 0.1, 0.05, 0.03, 0.02], [0.03, 0.07, 0.2, 0.1, 0.2, 0.4]])
    return x, (rng.random((n, 1)) > shares.cumsum(axis=1)[x % 2, :-1]).sum(axis=1)


def little_noise(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A fixed function of eight levels and of noise that is mostly the same."""
    rng = np.random.default_rng(seed)
    x, noise = rng.integers(8, size=n), rng.choice(3, p=[0.8, 0.1, 0.1], size=n)
    return x, np.random.default_rng(0).integers(8, size=(8, 3))[x, noise]


def one_rare_level(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two columns of which one tells a level of the other and no more."""
    rng = np.random.default_rng(seed)
    x = rng.integers(6, size=n)
    return x, np.where(x < 2, 1, 0) ^ (rng.random(n) < 0.05)


# An easy pair of the method's own model class, first column the cause. None is easy for a coin.
EASY: dict[str, Callable[[int, int], tuple[np.ndarray, np.ndarray]]] = {
    "bqcd": parabola,
    "igci-u": bent_uniform,
    "igci-g": bent_normal,
    "igci-entropy-u": bent_uniform,
    "igci-entropy-g": bent_normal,
    "anm": parabola,
    "resit": parabola,
    "emd": bent_uniform,
    "lingam": linear_uniform,
    "reci": bent_uniform,
    "bicam": parabola,
    "slope": parabola,
    "sloppy": parabola,
    "grci": parabola,
    "heci": parabola,
    "cdci": parabola,
    "pnl": parabola,
    "gran": linear_uniform,
    "loci": parabola,
    "roche": parabola,
    "gpi": parabola,
    "gplvm": parabola,
    "cure": flattening,
    "kcdc": bent_and_noisy,
    "danm": noise_on_levels,
    "acid": noise_on_levels,
    "cisc": few_causes,
    "entropic": little_noise,
    "hcr": hidden_levels,
    "origo": one_rare_level,
    "auto": parabola,
    "margins": dose_and_response,
    "panel": parabola,
}


def pairs() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(1)
    x, y = parabola(300)
    few_x, few_y = parabola(10, seed=2)
    return {
        "no ties": (x, y),
        "ten rows": (few_x, few_y),
        "ties in one column": (x.round(1), y),
        "ties in both columns": (x.round(1), y.round(1)),
        "repeated rows": (np.repeat(x[:60], 3), np.repeat(y[:60], 3)),
        "two values and four": (rng.integers(2, size=90), rng.integers(4, size=90)),
        "increasing": (np.sort(x[:50]), np.sort(y[:50])),
        "decreasing": (np.sort(x[:50]), -np.sort(y[:50])),
        "independent": (rng.normal(size=200), rng.normal(size=200)),
        "huge and tiny": (x * 1e300, y * 1e-300),
    }


PAIRS = pairs()
# One without ties, and those whose ties are hardest on an order of rows.
FEW_PAIRS = {name: PAIRS[name] for name in ("no ties", "ties in both columns", "repeated rows")}
BESIDE_ITSELF = {column.tobytes(): column for column, _ in AWKWARD.values()}.values()


def judged(card: MethodCard, settings: dict, x, y, seed: int = 0) -> Verdict:
    return bqcd.decide(x, y, method=card.name, seed=seed, **settings)


def test_every_method_has_variants_to_check():
    assert set(VARIANTS) == {*EASY, "coin"} == set(bqcd.METHODS)
    assert all(variants[0] == {} for variants in VARIANTS.values())


def test_every_card_builds_methods_and_is_filled_in():
    for card, settings in cases(VARIANTS, PUBLISHED, ROUGH):
        assert isinstance(card.build(**settings), Method), card.name
    for card in bqcd.METHODS.values():
        assert card.assumes, card.name
        assert card.reference, card.name
        assert 0.0 < card.seconds <= 3.0 * card.seconds_beyond[0], card.name
        assert card.varies >= 0.0, card.name
        known = {"shift and scale", "increasing maps", "relabelling"}
        assert card.unchanged_by <= known, card.name


# -- the order of the columns and of the rows ------------------------------------------


def exchanged(told: object) -> object:
    """Evidence under the names it has when the columns are exchanged: y_given_x, x_given_y."""
    if not isinstance(told, dict):
        return told
    other = {"x": "y", "y": "x"}
    return {
        "_".join(other.get(word, word) for word in name.split("_")): exchanged(value)
        for name, value in told.items()
    }


def slips(card: MethodCard, settings: dict, x, y) -> Iterator[str]:
    """What goes wrong with the answer to one pair, exchanged and permuted at once."""
    order = np.random.default_rng(2).permutation(len(x))
    verdict, turned = judged(card, settings, x, y), judged(card, settings, y[order], x[order])
    told, other = (json.dumps(one.as_dict(), allow_nan=False) for one in (verdict, turned))
    if turned.confidence != -verdict.confidence:
        yield f"{turned.confidence!r} for {-verdict.confidence!r}"
    expected, found = exchanged(json.loads(told)["evidence"]), json.loads(other)["evidence"]
    # A standard deviation, whose sum runs over negated numbers.
    if expected.pop("tie_spread", 0.0) != pytest.approx(found.pop("tie_spread", 0.0), rel=1e-9):
        yield "tie_spread"
    if expected != found:
        yield f"evidence, {found} for {expected}"


@every_kind
def test_exchanged_columns_flip_the_sign_and_permuted_rows_change_nothing(card, settings):
    found = {name: list(slips(card, settings, x, y)) for name, (x, y) in PAIRS.items()}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def meets_awkward_pairs(case: Case) -> bool:
    """Whether a kind is quick, the usual one of its method, or has arithmetic of its own."""
    card, settings = case
    own = settings.keys() & {"start", "preconditioned"}
    return card.seconds <= 2.0 or settings == QUICK[card.name] or bool(own)


@every([case for case in cases(VARIANTS, PUBLISHED, ROUGH) if meets_awkward_pairs(case)])
def test_awkward_columns_exchanged_and_permuted_flip_a_finite_answer(card, settings):
    answers = {}
    for name, (x, y) in AWKWARD.items():
        verdict = judged(card, settings, x, y)
        # Refuses what is not finite.
        json.dumps(verdict.as_dict(), allow_nan=False)
        order = np.random.default_rng(11).permutation(len(x))
        turned = judged(card, settings, np.asarray(y)[order], np.asarray(x)[order])
        answers[name] = (verdict.confidence, turned.confidence)
    assert {name: (one, other) for name, (one, other) in answers.items() if one != -other} == {}


@every_kind
def test_identical_columns_are_undecided(card, settings):
    columns = [np.asarray(column) for column in BESIDE_ITSELF]
    for seed, n in enumerate((10, 60, 300)):
        x, _ = parabola(n, seed)
        columns += [x, x.round(0), x.round(1)]
    answers = [judged(card, settings, column, column.copy()).confidence for column in columns]
    assert {at: answer for at, answer in enumerate(answers) if answer != 0.0} == {}


# -- chance, units and what is left alone ----------------------------------------------


@every_method
def test_the_same_seed_gives_the_same_verdict(card, settings):
    for name, (x, y) in FEW_PAIRS.items():
        first, second = (judged(card, settings, x, y, seed=5) for _ in range(2))
        assert first.as_dict() == second.as_dict(), name


@pytest.mark.parametrize(
    "name", [name for name, card in bqcd.METHODS.items() if not card.uses_chance]
)
def test_a_method_that_uses_no_chance_gives_every_seed_the_same_verdict(name):
    card, quick = bqcd.METHODS[name], QUICK.get(name, {})
    for pair, (x, y) in PAIRS.items():
        first, second = (judged(card, quick, x, y, seed=seed) for seed in (1, 2))
        assert first.confidence == second.confidence, pair


def claims(case: Case, what: str) -> bool:
    """Whether something is said to change nothing."""
    card, settings = case
    scaled = what == "shift and scale" and settings.get("standardise", False)
    return scaled or what in card.unchanged_by


@every([case for case in CASES if claims(case, "shift and scale")])
def test_shift_and_scale_change_nothing_where_claimed(card, settings):
    for divisor in (2.0**20, 4.0):
        x, y = (np.round(divisor * column) / divisor for column in parabola(200))
        moved = judged(card, settings, 1024.0 * x - 3.0, 0.0625 * y + 40.0)
        assert moved.confidence == judged(card, settings, x, y).confidence, divisor


def increasing_map(column: np.ndarray, seed: int) -> np.ndarray:
    """Column under a strictly increasing map, as rough as they come."""
    values, places = np.unique(column, return_inverse=True)
    steps = np.random.default_rng(seed).exponential(size=len(values)) ** 4 + 1e-6
    return np.cumsum(steps)[places]


@every([case for case in CASES if claims(case, "increasing maps")])
def test_increasing_maps_change_nothing_where_claimed(card, settings):
    for name, (x, y) in PAIRS.items():
        mapped = judged(card, settings, increasing_map(x, 3), increasing_map(y, 4))
        assert mapped.confidence == judged(card, settings, x, y).confidence, name


@every_method
def test_inputs_and_global_random_states_are_left_alone(card, settings):
    x, y = (column.copy() for column in PAIRS["ties in both columns"])
    x_before, y_before = x.copy(), y.copy()
    state, other_state = np.random.get_state(), random.getstate()  # noqa: NPY002
    judged(card, settings, x, y)
    _, keys, position, *_ = np.random.get_state()  # noqa: NPY002
    assert np.array_equal(keys, state[1])
    assert position == state[2]
    assert random.getstate() == other_state
    assert np.array_equal(x, x_before)
    assert np.array_equal(y, y_before)
    assert x.flags.writeable
    assert y.flags.writeable


@every_method
def test_a_judged_pair_and_the_method_are_left_alone(card, settings):
    pair, method = Pair(*PAIRS["ties in both columns"]), card.build(**settings)
    x, y, twin = pair.x.copy(), pair.y.copy(), card.build(**settings)
    method.decide(pair, np.random.default_rng(0))
    assert np.array_equal(pair.x, x)
    assert np.array_equal(pair.y, y)
    assert method == twin


@every_method
def test_methods_and_verdicts_survive_pickling(card, settings):
    method = card.build(**settings)
    again = pickle.loads(pickle.dumps(method))
    assert again == method
    pair = Pair(*PAIRS["ties in both columns"])
    first = method.decide(pair, np.random.default_rng(3))
    second = again.decide(pair, np.random.default_rng(3))
    assert second.confidence == first.confidence
    assert pickle.loads(pickle.dumps(first)).confidence == first.confidence


# -- what the numbers say --------------------------------------------------------------


@every(cases(VARIANTS, names=EASY))
def test_an_easy_pair_is_solved_either_way_round(card, settings):
    for seed in (10, 11, 12):
        x, y = EASY[card.name](500, seed)
        assert said(judged(card, settings, x, y)) is Direction.X_TO_Y, seed
    assert said(judged(card, settings, y, x)) is Direction.Y_TO_X


def said(verdict: Verdict) -> Direction:
    """Direction that is told; of a method that tells none by itself, the one it would."""
    return verdict.direction if tells(verdict.method) else Direction.of(verdict.confidence)


@every_method
def test_a_card_tells_whether_the_confidence_stands_for_a_probability(card, settings):
    verdict = judged(card, settings, *PAIRS["ties in one column"])
    # A method that picks another claims what that one claims.
    asked = card if verdict.choice is None else METHODS[verdict.choice.method]
    assert (verdict.probability is not None) == asked.probabilistic
    if verdict.probability is not None:
        assert 2.0 * verdict.probability - 1.0 == pytest.approx(verdict.confidence, abs=1e-12)


@every_method
def test_verdicts_explain_themselves(card, settings):
    verdict = judged(card, settings, *PAIRS["ties in one column"])
    said = strength(verdict.evidence, verdict.confidence)
    assert said.endswith(".") == (verdict.confidence != 0.0)
    assert said in verdict.explain()
    assert strength(verdict.evidence, 0.0) == ""


# Of two columns cut alike cisc tells nothing, and danm if both models are rejected.
OWN_EVIDENCE = {
    *("auto", "cisc", "danm"),
    *("bqcd", "bicam", "slope", "sloppy", "margins", "panel", "coin"),
    *("igci-u", "igci-g", "igci-entropy-u", "igci-entropy-g"),
}


@every(cases(VARIANTS, names=bqcd.METHODS.keys() - OWN_EVIDENCE))
def test_the_smaller_of_two_scores_wins(card, settings):
    verdict = judged(card, settings, *bent(200))
    evidence = verdict.evidence
    assert isinstance(evidence, DirectedScores)
    difference = evidence.y_to_x - evidence.x_to_y
    assert np.sign(verdict.confidence) == np.sign(difference) != 0.0
    # LiNGAM is as sure as its arrow is heavy.
    assert abs(verdict.confidence) == abs(evidence.facts.get("weight", difference))


def odd_columns() -> dict[str, np.ndarray]:
    """Columns at the ends of what a float can hold, and all over it."""
    rng = np.random.default_rng(3)
    z, largest = rng.normal(size=60), np.finfo(float).max
    lone = z.copy()
    lone[[3, 5]] = 1.7e308, -1.7e308
    return {
        "plain": z,
        "both ends": np.where(z > 0.0, 1.0, -1.0) * rng.uniform(0.5e308, 1.7e308, 60),
        "two values, both ends": np.where(z > 0.0, largest, -largest),
        "next to the largest": largest * (1.0 - 1e-16 * rng.integers(50, size=60)),
        "two outliers": lone,
        "subnormal": 5e-324 * np.round(rng.uniform(1.0, 2000.0, 60)),
        "zero and the smallest": np.where(z > 0.5, 5e-324, 0.0),
        "of every magnitude": np.sign(z) * 10.0 ** rng.uniform(-300.0, 300.0, 60),
        "neighbours of one": 1.0 + 2.3e-16 * np.arange(60.0),
    }


ODD = odd_columns()


@every_card
def test_columns_of_any_magnitude_give_finite_numbers(card):
    names = [("plain", name) for name in list(ODD)[1:]]
    if card.seconds <= 0.1:
        names = list(combinations(ODD, 2))
    for first, second in names:
        verdict = judged(card, QUICK.get(card.name, {}), ODD[first], ODD[second])
        told = json.loads(json.dumps(verdict.as_dict(), allow_nan=False))
        assert told["confidence"] == verdict.confidence, (first, second)
