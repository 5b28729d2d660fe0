from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bqcd.runtime.seeds import mix_seeds, seed_from, seeded_generator


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


def test_a_seed_follows_from_its_key_in_every_process() -> None:
    script = "from bqcd.runtime.seeds import seed_from; print(seed_from('SIM', 'größe', 3))"
    told = {
        subprocess.run(
            [sys.executable, "-X", "utf8", "-c", script],
            env={"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert told == {f"{seed_from('SIM', 'größe', 3)}\n".encode()}


def test_where_one_part_of_a_key_ends_matters() -> None:
    keys = [("a", "bc"), ("ab", "c"), ("abc",), ("a", "b", "c"), ("1",), (1,), ("a', 'bc",), ()]
    assert len({seed_from(*key) for key in keys}) == len(keys)


def test_a_number_is_its_value_whatever_its_type() -> None:
    assert seed_from("a", np.int64(3)) == seed_from("a", np.uint8(3)) == seed_from("a", 3)


@pytest.mark.parametrize("part", [1.0, None, b"a", ("a",)])
def test_a_key_is_made_of_words_and_whole_numbers(part: object) -> None:
    with pytest.raises(TypeError):
        seed_from("a", part)  # type: ignore[arg-type]


def test_seeds_from_keys_look_uniform_and_fit_into_63_bits() -> None:
    seeds = np.array([seed_from("set", number) for number in range(4096)], dtype=np.uint64)
    assert len(np.unique(seeds)) == 4096
    assert seeds.max() < 2**63
    bits = (seeds[:, None] >> np.arange(63, dtype=np.uint64)) & np.uint64(1)
    # Each of the 63 bits is set in half of the seeds, within 5 standard deviations.
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 5 * 0.5 / np.sqrt(4096)


@given(st.lists(st.integers(min_value=0, max_value=2**128 - 1), min_size=1, max_size=5))
def test_seeds_mixed_together_are_mixed_as_numpy_does(seeds):
    mix_seeds(seeds)
    for seed in seeds:
        expected = np.random.default_rng(seed).integers(2**63, size=3)
        assert np.array_equal(seeded_generator(seed).integers(2**63, size=3), expected)


def test_more_seeds_than_are_remembered_are_still_right():
    seeds = list(range(10_000, 10_000 + 5000))
    mix_seeds(seeds[:3000])
    mix_seeds(seeds[3000:])
    for seed in (seeds[0], seeds[-1]):
        assert seeded_generator(seed).random() == np.random.default_rng(seed).random()
