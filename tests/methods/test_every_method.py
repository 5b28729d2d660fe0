"""What every method promises, checked on every method in the table."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable

import numpy as np
import pytest

import bqcd
from bqcd.data.pair import Direction, Pair
from bqcd.methods.verdict import Method, MethodCard, Verdict
from bqcd.show.words.strengths import strength

# Settings under which the promises hold as well. `published_ties` and `published_shift` are
# left out: they repeat numbers that depend on the order of the rows, or on units.
VARIANTS: dict[str, list[dict[str, object]]] = {
    "bqcd": [{}, {"jitters": 3}, {"n_levels": 7, "small_n": 0}, {"regressor": "forest"}],
    "igci-u": [{}],
    "igci-g": [{}],
    "igci-entropy-u": [{}],
    "igci-entropy-g": [{}],
    "anm": [
        {},
        {"decision": "p-value"},
        {"decision": "entropy"},
        {"decision": "evidence"},
        {"max_rows": 150, "draws": 2},
    ],
    "resit": [{}, {"standardise": True}, {"regressor": "trained"}],
    "emd": [{}, {"draws": 2}],
    "lingam": [
        {},
        {"standardise": True},
        {"prune": False},
        {"measure": "likelihood"},
        {"measure": "kernel"},
    ],
    "reci": [
        {},
        {"scaling": "variance"},
        {"min_density": 0.35},
        {"curve": "mon"},
        {"curve": "mon", "degree": 2},
        {"curve": "poly"},
    ],
    "bicam": [{}, {"n_basis": 20}],
    "slope": [{}, {"library": "extended"}, {"local": False}, {"alpha": 0.001}],
    "sloppy": [{}, {"scaling": "range", "criterion": "aic"}, {"regression": "basis"}],
    "grci": [{}, {"neighbours": 3}, {"max_rows": 250, "draws": 3}],
    "heci": [{}, {"n_bins": 8, "min_values": 5}, {"max_rows": 200, "draws": 2}],
    "cdci": [
        {},
        {"divergence": "kullback-leibler"},
        {"divergence": "kolmogorov"},
        {"divergence": "hellinger", "max_deviation": 2},
    ],
    "pnl": [{}, {"inverse": "monotone"}, {"unskew": False}, {"max_rows": 150, "draws": 2}],
    "gran": [{}, {"max_rows": 150, "draws": 2}, {"folds": 3, "grid": 3}],
    "loci": [
        {},
        {"decision": "likelihood"},
        {"max_rows": 200, "draws": 2},
        {"estimator": "network", "steps": 50, "decision": "likelihood"},
    ],
    "roche": [{}, {"steps": 60, "max_rows": 200, "draws": 2}],
    "gpi": [
        {},
        {"draws": 2},
        {"max_rows": 0, "max_steps": 2},
        {"preconditioned": True, "max_steps": 3},
    ],
    "cure": [{}, {"min_density": None}, {"min_length": 0.4, "max_rows": 40}],
    "coin": [{}],
}

# Sizes that let promises of costly methods be checked on many pairs; nothing but size differs.
QUICK: dict[str, dict[str, object]] = {
    "cure": {"max_rows": 60, "draws": 1, "chains": 2, "warmup": 0, "kept": 8},
    "gpi": {"max_rows": 60, "draws": 1, "max_steps": 8, "max_components": 5},
    "roche": {"steps": 50, "decision": "likelihood"},
    "gran": {"folds": 2, "grid": 4},
    "pnl": {"start_steps": 20, "steps": 40},
}

CASES = [
    (card, QUICK.get(card.name, {}) | settings)
    for card in bqcd.METHODS.values()
    for settings in VARIANTS[card.name]
]
every_method = pytest.mark.parametrize(
    ("card", "settings"), CASES, ids=[f"{card.name} {settings}" for card, settings in CASES]
)


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


def flattening(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=n)
    return x, np.sqrt(x + 0.05) + 0.02 * rng.normal(size=n)


# An easy pair of the method's own model class, first column the cause; or why there is none.
EASY: dict[str, Callable[[int, int], tuple[np.ndarray, np.ndarray]] | str] = {
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
    "cure": flattening,
    "coin": "no pair is easy for a coin",
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
every_pair = pytest.mark.parametrize(("x", "y"), PAIRS.values(), ids=PAIRS)


def judged(card: MethodCard, settings: dict, x, y, seed: int = 0) -> Verdict:
    return bqcd.decide(x, y, method=card.name, seed=seed, **settings)


def test_every_method_has_variants_to_check():
    assert set(VARIANTS) == set(EASY) == set(bqcd.METHODS)
    assert all(variants[0] == {} for variants in VARIANTS.values())


@every_method
def test_a_card_builds_a_method(card, settings):
    assert isinstance(card.build(**settings), Method)
    assert card.assumes
    assert card.reference
    assert 0.0 < card.seconds <= 3.0 * card.seconds_beyond[0]
    assert card.varies >= 0.0
    assert card.unchanged_by <= {"shift and scale", "increasing maps"}


@every_method
@every_pair
def test_swapping_columns_flips_the_sign_and_changes_nothing_else(card, settings, x, y):
    verdict, swapped = judged(card, settings, x, y), judged(card, settings, y, x)
    assert swapped.confidence == -verdict.confidence
    assert swapped.direction is verdict.direction.flipped()
    assert np.isfinite(verdict.confidence)


@every_method
@every_pair
def test_permuting_rows_changes_nothing(card, settings, x, y):
    order = np.random.default_rng(2).permutation(len(x))
    assert (
        judged(card, settings, x[order], y[order]).confidence
        == judged(card, settings, x, y).confidence
    )


@every_method
@pytest.mark.parametrize("n", [10, 60, 300])
@pytest.mark.parametrize("digits", [None, 0, 1], ids=["no ties", "many ties", "ties"])
def test_identical_columns_are_undecided(card, settings, n, digits):
    for seed in range(10):
        x, _ = parabola(n, seed)
        x = x if digits is None else x.round(digits)
        assert judged(card, settings, x, x.copy()).confidence == 0.0, f"seed {seed}"


@every_method
@every_pair
def test_the_same_seed_gives_the_same_verdict(card, settings, x, y):
    first, second = (judged(card, settings, x, y, seed=5) for _ in range(2))
    assert first.as_dict() == second.as_dict()


@every_pair
@pytest.mark.parametrize("card", bqcd.METHODS.values(), ids=bqcd.METHODS)
def test_a_method_that_uses_no_chance_gives_every_seed_the_same_verdict(card, x, y):
    if card.uses_chance:
        pytest.skip("the card says that it uses chance")
    quick = QUICK.get(card.name, {})
    first, second = (judged(card, quick, x, y, seed=seed) for seed in (1, 2))
    assert first.confidence == second.confidence


@every_method
@pytest.mark.parametrize("tied", [False, True])
def test_shift_and_scale_change_nothing_where_claimed(card, settings, tied):
    if "shift and scale" not in card.unchanged_by:
        pytest.skip("not claimed")
    x, y = parabola(200)
    if tied:
        x, y = np.round(4.0 * x) / 4.0, np.round(4.0 * y) / 4.0
    moved = judged(card, settings, 8.0 * x - 3.0, 0.5 * y + 40.0)
    assert moved.confidence == judged(card, settings, x, y).confidence


def increasing_map(column: np.ndarray, seed: int) -> np.ndarray:
    """Column under a strictly increasing map, as rough as they come."""
    values, places = np.unique(column, return_inverse=True)
    steps = np.random.default_rng(seed).exponential(size=len(values)) ** 4 + 1e-6
    return np.cumsum(steps)[places]


@every_method
@every_pair
def test_increasing_maps_change_nothing_where_claimed(card, settings, x, y):
    if "increasing maps" not in card.unchanged_by:
        pytest.skip("not claimed")
    mapped = judged(card, settings, increasing_map(x, 3), increasing_map(y, 4))
    assert mapped.confidence == judged(card, settings, x, y).confidence


@every_method
@pytest.mark.parametrize("name", ["no ties", "ties in both columns"])
def test_inputs_and_global_random_states_are_left_alone(card, settings, name):
    x, y = (column.copy() for column in PAIRS[name])
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


@every_method
@pytest.mark.parametrize("seed", [10, 11, 12])
def test_an_easy_pair_is_solved_either_way_round(card, settings, seed):
    easy = EASY[card.name]
    if isinstance(easy, str):
        pytest.skip(easy)
    x, y = easy(500, seed)
    assert judged(card, settings, x, y).direction is Direction.X_TO_Y
    assert judged(card, settings, y, x).direction is Direction.Y_TO_X


def exchanged(told: object) -> object:
    """Evidence under the names it has when the columns are exchanged: y_given_x, x_given_y."""
    if not isinstance(told, dict):
        return told
    other = {"x": "y", "y": "x"}
    return {
        "_".join(other.get(word, word) for word in name.split("_")): exchanged(value)
        for name, value in told.items()
    }


@every_method
@every_pair
def test_exchanged_evidence_belongs_to_the_exchanged_columns(card, settings, x, y):
    told = judged(card, settings, x, y).as_dict()["evidence"]
    swapped = judged(card, settings, y, x).as_dict()["evidence"]
    expected = exchanged(told)
    assert expected.keys() == swapped.keys()
    # A standard deviation, whose sum runs over negated numbers.
    spread = expected.pop("tie_spread", 0.0)
    assert spread == pytest.approx(swapped.pop("tie_spread", 0.0), rel=1e-9)
    assert expected == swapped


@every_method
def test_evidence_is_ready_for_json_and_verdicts_explain_themselves(card, settings):
    verdict = judged(card, settings, *PAIRS["ties in one column"])
    told = verdict.as_dict()
    assert json.loads(json.dumps(told)) == told
    said = strength(verdict.evidence, verdict.confidence)
    assert said.endswith(".") == (verdict.direction is not Direction.UNDECIDED)
    assert said in verdict.explain()
    assert strength(verdict.evidence, 0.0) == ""


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


@pytest.mark.parametrize("card", bqcd.METHODS.values(), ids=bqcd.METHODS)
@pytest.mark.parametrize("name", list(ODD)[1:])
def test_columns_of_any_magnitude_give_finite_numbers(card, name):
    others = ["plain"] if card.seconds > 0.1 else [other for other in ODD if other != name]
    for other in others:
        verdict = judged(card, QUICK.get(card.name, {}), ODD[name], ODD[other])
        told = json.loads(json.dumps(verdict.as_dict(), allow_nan=False))
        assert told["confidence"] == verdict.confidence
