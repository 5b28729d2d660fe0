"""Pairs in a mapped file: the same numbers, copied never, and no answers among them."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest

from bqcd import Pair
from bqcd.benchmark.running.pack import PairPack, write_pack
from bqcd.data.vector_pair import VectorPair
from tests.benchmark.running.small_sets import small_set


@pytest.fixture
def pairs() -> list[Pair]:
    table = np.random.default_rng(0).normal(size=(50, 4))
    return [
        Pair(table[:, 0].copy(), table[:, 1].copy(), key="plain"),
        Pair(table[:, 2], table[:, 3], 'größe, "cm"\n', "b", "a pair of strides", 3),
        Pair(np.arange(10.0), -(np.arange(10.0) ** 2), key="short"),
        Pair(np.array([0.1, -0.0, 5e-324] * 5), np.arange(15.0), key="odd numbers"),
    ]


@pytest.fixture
def pack(tmp_path, pairs) -> PairPack:
    write_pack(tmp_path / "pairs.bin", iter(pairs))
    return PairPack(tmp_path / "pairs.bin")


def test_pairs_come_back_with_the_same_bits(pack, pairs):
    assert len(pack) == len(pairs)
    for place, pair in enumerate(pairs):
        again = pack[place]
        assert again.x.tobytes() == pair.x.tobytes()
        assert again.y.tobytes() == pair.y.tobytes()
        names = ("x_name", "y_name", "key", "dropped_rows")
        assert [getattr(again, name) for name in names] == [getattr(pair, name) for name in names]


def test_vectors_come_back_with_the_same_bits_and_names(tmp_path):
    table = np.random.default_rng(1).normal(size=(40, 5))
    pair = VectorPair(table[:, :2], table[:, 2:], ("a", "b"), tuple("cde"), "two", "three")
    write_pack(tmp_path / "pairs.bin", [pair])
    again = PairPack(tmp_path / "pairs.bin")[0]
    np.testing.assert_array_equal(again.x, pair.x)
    np.testing.assert_array_equal(again.y, pair.y)
    told = ("x_names", "y_names", "x_name", "y_name", "key")
    assert [getattr(again, name) for name in told] == [getattr(pair, name) for name in told]


def test_columns_are_read_only_views_of_the_file(pack):
    first, again = pack[0], pack[0]
    assert np.shares_memory(first.x, again.x)
    for column in (first.x, first.y):
        assert not column.flags.writeable
        assert column.ctypes.data % 64 == 0
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1.0
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            column.setflags(write=True)


def test_a_pair_outlives_the_pack_it_came_from(tmp_path, pairs):
    write_pack(tmp_path / "pairs.bin", pairs)
    pair = PairPack(tmp_path / "pairs.bin")[0]
    (tmp_path / "pairs.bin").unlink()
    np.testing.assert_array_equal(pair.x, pairs[0].x)


def test_an_empty_pack_has_no_pairs(tmp_path):
    write_pack(tmp_path / "pairs.bin", [])
    assert len(PairPack(tmp_path / "pairs.bin")) == 0


def test_a_pack_is_the_same_whatever_the_answers_are(tmp_path):
    first = small_set()
    second = replace(
        first, items=tuple(replace(i, truth=i.truth.flipped(), weight=7.5) for i in first)
    )
    for name, pairset in (("first", first), ("second", second)):
        write_pack(tmp_path / f"{name}.bin", (item.pair for item in pairset))
    for suffix in (".bin", ".index"):
        contents = [(tmp_path / f"{name}{suffix}").read_bytes() for name in ("first", "second")]
        assert contents[0] == contents[1]


def test_the_index_is_plain_text_with_one_entry_per_pair(pack, pairs, tmp_path):
    index = json.loads((tmp_path / "pairs.index").read_text("ascii"))
    fields = {"x_name", "y_name", "key", "dropped_rows", "levels", "rows", "x", "y"}
    assert [set(one) for one in index] == [fields] * len(pairs)


def test_names_that_are_no_text_come_back(tmp_path):
    pair = Pair(np.arange(10.0), np.arange(10.0) ** 2, "\udc80", "\0", key="\ud800")
    write_pack(tmp_path / "pairs.bin", [pair])
    again = PairPack(tmp_path / "pairs.bin")[0]
    assert (again.x_name, again.y_name, again.key) == ("\udc80", "\0", "\ud800")


def test_a_pickled_pair_names_no_record_of_labels():
    pair = next(iter(small_set())).pair
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        content = pickle.dumps(pair, protocol=protocol)
        for word in (b"Labelled", b"truth", b"weight", b"Direction"):
            assert word not in content


def test_columns_without_an_order_stay_so_in_a_pack(tmp_path):
    words = ["oak", "elm", "ash"] * 5
    pair = Pair.from_arrays(np.arange(15.0), words, y_name="tree")
    write_pack(tmp_path / "pack", [pair])
    again = PairPack(tmp_path / "pack")[0]
    assert again.nominal == ("tree",)
    assert again.y_scale == pair.y_scale
    assert np.array_equal(again.y, pair.y)
