from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from bqcd.runtime.seeds import seed_from


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
