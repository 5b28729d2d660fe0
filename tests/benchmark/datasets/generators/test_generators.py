from __future__ import annotations

import pickle
from itertools import islice

import numpy as np
import pytest

from bqcd.benchmark.datasets import PAIRSETS
from bqcd.benchmark.datasets.generators import (
    GENERATORS,
    make_generator,
    pair_stream,
    simulate_pairs,
)
from bqcd.data.pair import Direction
from bqcd.errors import InvalidSettingError, UnknownNameError

SIMULATED = ("AN", "AN-s", "LS", "LS-s", "MN-U", "SIM", "SIM-c", "SIM-ln", "SIM-G")
DIFFICULTIES = ("heavy-tails", "discretised", "outliers", "missing", "confounded")


def columns(pairs) -> list[np.ndarray]:
    return [column for item in pairs for column in (item.pair.x, item.pair.y)]


def same(these, those) -> bool:
    pairs = zip(columns(these), columns(those), strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


FEW_VALUES = (
    "categories",
    "hidden-levels",
    "discrete-additive",
    "ordinal",
    "counts",
    "zero-inflated",
    "mixed",
)


def test_the_table_has_the_published_scenarios_and_five_difficulties() -> None:
    assert tuple(GENERATORS) == (*SIMULATED, *DIFFICULTIES, *FEW_VALUES)
    assert set(SIMULATED) <= set(PAIRSETS)
    for name, card in GENERATORS.items():
        assert card.name == name
        assert "\n" not in card.about
        assert "bqcd" in card.source.citation


@pytest.mark.parametrize("name", GENERATORS)
def test_pairs_are_those_of_the_seed_and_independent_of_how_many_are_asked_for(name: str) -> None:
    pairs = simulate_pairs(name, n_pairs=5, n_rows=60, seed=3)
    assert pairs.name == name
    assert pairs.source is GENERATORS[name].source
    assert len(pairs) == 5
    assert same(pairs, simulate_pairs(name, n_pairs=5, n_rows=60, seed=3))
    assert same(pairs.items[:2], simulate_pairs(name, n_pairs=2, n_rows=60, seed=3))
    assert same(pairs.items[3:], islice(pair_stream(name, n_rows=60, seed=3, first=4), 2))
    assert not same(pairs, simulate_pairs(name, n_pairs=5, n_rows=60, seed=4))


def test_no_two_pairs_are_alike() -> None:
    starts = [
        column[0]
        for name in SIMULATED
        for seed in (0, 1)
        for n_rows in (50, 51)
        for column in columns(simulate_pairs(name, n_pairs=3, n_rows=n_rows, seed=seed))
    ]
    assert len(set(starts)) == len(starts) == 9 * 2 * 2 * 3 * 2


def test_columns_come_in_either_order_and_the_truth_says_which() -> None:
    pairs = simulate_pairs("MN-U", n_pairs=400, n_rows=50)
    forward = [item.truth is Direction.X_TO_Y for item in pairs]
    # Four standard errors of a fair coin.
    assert abs(sum(forward) - 200) < 40
    for item in pairs:
        cause, effect = item.pair.x, item.pair.y
        if item.truth is Direction.Y_TO_X:
            cause, effect = effect, cause
        # The standard deviation of the cause is near 1.2, that of the effect well below 1.
        assert cause.std() > effect.std()
    assert {(item.pair.x_name, item.pair.y_name) for item in pairs} == {("x", "y")}


def test_keys_tell_what_is_not_as_usual_and_never_meet_those_of_published_pairs() -> None:
    def key(name: str, **settings: object) -> str:
        return next(pair_stream(name, **settings)).pair.key  # type: ignore[arg-type]

    keys = [
        key("AN"),
        key("AN", seed=12),
        key("AN", n_rows=200),
        key("AN", first=20_000),
        key("AN-s", variances="per row"),
        key("SIM", cause_length=(2, 1)),
        key("confounded", base="LS-s", strength=0.25),
    ]
    assert keys == [
        "AN~seed0/0001",
        "AN~seed12/0001",
        "AN~rows=200~seed0/0001",
        "AN~seed0/20000",
        "AN-s~variances=per-row~seed0/0001",
        "SIM~cause_length=(2.0,1.0)~seed0/0001",
        "confounded~base=LS-s~strength=0.25~seed0/0001",
    ]


def test_a_setting_written_out_at_its_default_changes_nothing() -> None:
    plain, spelled = (
        simulate_pairs("outliers", n_pairs=2, n_rows=80, **settings)
        for settings in ({}, {"share": 0.05, "base": "AN"})
    )
    assert same(plain, spelled)
    assert [a.pair.key for a in plain] == [b.pair.key for b in spelled]


def test_a_stream_draws_one_pair_at_a_time() -> None:
    stream = pair_stream("AN", n_rows=100_000)
    assert len(next(stream).pair) == 100_000
    assert next(stream).pair.key == "AN~rows=100000~seed0/0002"


def test_global_randomness_is_neither_used_nor_changed() -> None:
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    first = simulate_pairs("SIM-c", n_pairs=1, n_rows=50)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    np.random.seed(5)  # noqa: NPY002
    assert same(first, simulate_pairs("SIM-c", n_pairs=1, n_rows=50))


@pytest.mark.parametrize("name", GENERATORS)
def test_generators_are_frozen_records_that_pickle(name: str) -> None:
    generator = make_generator(name)
    assert pickle.loads(pickle.dumps(generator)) == generator
    with pytest.raises(AttributeError):
        generator.base = "LS"  # type: ignore[attr-defined]


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"No generator is called 'SIM-g'.*'SIM-G'"):
        simulate_pairs("SIM-g")
    with pytest.raises(UnknownNameError, match="No generator is called 'tuebingen'"):
        pair_stream("tuebingen")
    with pytest.raises(UnknownNameError, match=r"has no setting 'strenght'\. Nearest: 'strength'"):
        simulate_pairs("confounded", strenght=0.3)
    with pytest.raises(UnknownNameError, match="has no setting 'first'"):
        simulate_pairs("AN", first=3)


@pytest.mark.parametrize(
    ("setting", "value", "rule"),
    [
        ("n_pairs", 0, "n_pairs of simulate_pairs must be an integer from 1 to 1,000,000, got 0"),
        (
            "n_rows",
            9,
            "n_rows of simulate_pairs must be an integer from 10 to 1,000,000,000, got 9",
        ),
        (
            "n_rows",
            1e3,
            "n_rows of simulate_pairs must be an integer from 10 to 1,000,000,000, got 1000.0",
        ),
        ("seed", -1, "seed of simulate_pairs must be an integer >= 0, got -1"),
        ("noise_scale", -1, "noise_scale of NoisyFunction must be a number > 0, got -1"),
    ],
)
def test_numbers_outside_their_range_are_refused(setting: str, value: object, rule: str) -> None:
    with pytest.raises(InvalidSettingError, match=rule):
        simulate_pairs("AN", **{setting: value})  # type: ignore[arg-type]
