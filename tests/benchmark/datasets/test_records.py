from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest

import bqcd
from bqcd.benchmark.datasets import LabelledPair, PairSet, RefusedPair, Source
from bqcd.benchmark.datasets.cards import GOUDET, MOOIJ
from bqcd.data.pair import Direction, Pair
from bqcd.errors import InvalidPairError, InvalidSettingError

OWN = Source("own", "free")


def some_pairs(count: int = 40) -> PairSet:
    rng = np.random.default_rng(1)
    items = []
    for number in range(count):
        truth = Direction.X_TO_Y if number % 3 else Direction.Y_TO_X
        pair = Pair(*rng.normal(size=(2, 15)), key=f"some/{number}")
        items.append(LabelledPair(pair, truth, 1.0 / (1 + number)))
    return PairSet("some", tuple(items), OWN, (RefusedPair("some/x", "a vector"),))


def test_no_pair_carries_its_label() -> None:
    assert {"truth", "weight", "label"}.isdisjoint(Pair.__slots__)
    pair, slots = (
        some_pairs().items[0].pair,
        set(Pair.__slots__) - {"__weakref__", "x_scale", "y_scale"},
    )
    assert not any(getattr(pair, slot) is None for slot in slots)


@pytest.mark.parametrize("truth", [Direction.UNDECIDED, "->", None])
def test_a_truth_that_decides_nothing_is_refused(truth) -> None:
    pair = some_pairs().items[0].pair
    with pytest.raises(InvalidPairError, match=r"truth of 'some/0' must be Direction.X_TO_Y or"):
        LabelledPair(pair, truth)


@pytest.mark.parametrize("weight", [-0.5, float("nan"), float("inf")])
def test_a_weight_that_cannot_be_averaged_with_is_refused(weight) -> None:
    pair = some_pairs().items[0].pair
    with pytest.raises(InvalidPairError, match="weight of 'some/0' must be a finite number >= 0"):
        LabelledPair(pair, Direction.X_TO_Y, weight)


def test_two_pairs_of_one_key_are_refused() -> None:
    items = some_pairs(2).items
    with pytest.raises(InvalidPairError, match="'twice' must differ, but 'some/0' comes twice"):
        PairSet("twice", (*items, items[0]), OWN)


def test_random_order_exchanges_columns_and_truth_together_and_keeps_the_rest() -> None:
    pairs = some_pairs()
    turned = pairs.with_random_order(np.random.default_rng(5))
    flips = 0
    for before, after in zip(pairs, turned, strict=True):
        assert after.pair.key == before.pair.key
        assert after.weight == before.weight
        cause_before = before.pair.x if before.truth is Direction.X_TO_Y else before.pair.y
        cause_after = after.pair.x if after.truth is Direction.X_TO_Y else after.pair.y
        np.testing.assert_array_equal(cause_before, cause_after)
        flips += after.truth is not before.truth
    # Forty fair coins: outside with a chance of one in ten thousand.
    assert 8 <= flips <= 32
    assert turned.refused == pairs.refused


def test_random_order_follows_from_the_generator_alone() -> None:
    pairs = some_pairs()
    first, again, other = (
        [item.truth for item in pairs.with_random_order(np.random.default_rng(seed))]
        for seed in (2, 2, 3)
    )
    assert first == again != other


def test_random_order_balances_a_set_whose_causes_come_first() -> None:
    pairs = some_pairs(400)
    first = [dataclasses.replace(item, truth=Direction.X_TO_Y) for item in pairs]
    turned = PairSet("first", tuple(first), OWN).with_random_order(np.random.default_rng(0))
    share = np.mean([item.truth is Direction.X_TO_Y for item in turned])
    assert 0.4 < share < 0.6


def test_names_that_tell_the_place_do_not_tell_the_exchange() -> None:
    turned = some_pairs().with_random_order(np.random.default_rng(5))
    assert {(item.pair.x_name, item.pair.y_name) for item in turned} == {("x", "y")}


def test_names_of_variables_go_with_their_columns() -> None:
    pair = Pair(np.arange(10.0), np.arange(10.0) ** 2, "side", "area")
    exchanged = LabelledPair(pair, Direction.X_TO_Y).exchanged()
    assert (exchanged.pair.x_name, exchanged.pair.y_name) == ("area", "side")
    assert exchanged.pair.y[3] == 3.0
    assert exchanged.truth is Direction.Y_TO_X


def test_the_fingerprint_is_the_same_for_the_same_pairs_under_another_name() -> None:
    pairs = some_pairs()
    renamed = [
        dataclasses.replace(item, pair=dataclasses.replace(item.pair, key=f"else/{at}"))
        for at, item in enumerate(pairs)
    ]
    assert PairSet("else", tuple(renamed), MOOIJ).fingerprint == pairs.fingerprint
    assert pickle.loads(pickle.dumps(pairs)).fingerprint == pairs.fingerprint


def changed(**changes: object) -> LabelledPair:
    item = some_pairs(1).items[0]
    of_pair = {name: value for name, value in changes.items() if name not in ("truth", "weight")}
    of_item = {name: value for name, value in changes.items() if name not in of_pair}
    return dataclasses.replace(item, pair=dataclasses.replace(item.pair, **of_pair), **of_item)


@pytest.mark.parametrize(
    "item",
    [
        changed(truth=Direction.X_TO_Y),
        changed(weight=0.9999999999999999),
        changed(x_name="time"),
        changed(x=np.nextafter(some_pairs(1).items[0].pair.x, np.inf)),
        changed(x=some_pairs(1).items[0].pair.y, y=some_pairs(1).items[0].pair.x),
    ],
    ids=["truth", "weight", "name", "last digit", "order"],
)
def test_the_fingerprint_changes_with(item) -> None:
    assert PairSet("some", (item,), OWN).fingerprint != some_pairs(1).fingerprint


def test_the_fingerprint_tells_the_order_of_the_pairs() -> None:
    pairs = some_pairs(3)
    other = dataclasses.replace(pairs, items=pairs.items[::-1])
    assert other.fingerprint != pairs.fingerprint


def test_the_fingerprint_does_not_depend_on_the_byte_order_of_the_machine() -> None:
    item = some_pairs(1).items[0]
    swapped = item.pair.x.astype(item.pair.x.dtype.newbyteorder())
    pair = dataclasses.replace(item.pair, x=swapped)
    other = PairSet("some", (dataclasses.replace(item, pair=pair),), OWN)
    assert other.fingerprint == some_pairs(1).fingerprint


def test_head_keeps_the_first_pairs() -> None:
    pairs = some_pairs(5)
    assert pairs.head(2).items == pairs.items[:2]
    assert len(pairs.head(99)) == 5
    with pytest.raises(InvalidSettingError, match=r"count of PairSet.head must be an integer >= 0"):
        pairs.head(-1)


def test_a_source_is_named_by_author_and_year() -> None:
    assert MOOIJ.label == "Mooij et al. 2016"
    assert GOUDET.label == "Goudet et al. 2018"
    assert Source("Silverman: Some aspects, JRSS B 47, 1985", "").label == "Silverman 1985"
    assert OWN.label == "own"


def test_a_method_is_handed_the_pair_and_not_the_labelled_pair() -> None:
    item = some_pairs(1).items[0]
    assert bqcd.decide_pair(item.pair).pair is item.pair
    with pytest.raises(InvalidPairError, match="decide_pair takes a Pair, got LabelledPair"):
        bqcd.decide_pair(item)
