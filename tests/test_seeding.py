from __future__ import annotations

import pickle

import numpy as np
import pytest

from bqcd.seeding import seeded_generator


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**100])
def test_the_stream_is_that_of_default_rng(seed: int) -> None:
    ours, theirs = seeded_generator(seed), np.random.default_rng(seed)
    np.testing.assert_array_equal(ours.normal(size=50), theirs.normal(size=50))
    np.testing.assert_array_equal(ours.permutation(50), theirs.permutation(50))


def test_a_second_generator_starts_afresh() -> None:
    first = seeded_generator(3).random(5)
    np.testing.assert_array_equal(seeded_generator(3).random(5), first)


def test_children_are_those_of_default_rng() -> None:
    ours, theirs = seeded_generator(5), np.random.default_rng(5)
    for _ in range(2):
        for child, expected in zip(ours.spawn(3), theirs.spawn(3), strict=True):
            assert child.random() == expected.random()


def test_a_generator_survives_pickling() -> None:
    generator = seeded_generator(9)
    generator.random(3)
    copy = pickle.loads(pickle.dumps(generator))
    assert copy.random() == generator.random()
