from __future__ import annotations

import numpy as np
import pytest

from bqcd.benchmark.datasets import LabelledPair, PairSet, Source, read_pair_folder, write_pairmeta
from bqcd.benchmark.datasets.pairmeta import read_pairmeta
from bqcd.data.pair import Direction, Pair
from bqcd.errors import InvalidSettingError, InvalidTableError
from tests.benchmark.datasets.small_folders import columns, lines, pairmeta_folder


def test_pairs_come_in_the_order_of_the_meta_data_with_truths_and_weights(tmp_path) -> None:
    folder = pairmeta_folder(tmp_path / "mine")
    first, second, *_ = read_pairmeta(folder, "mine", {})
    assert first.pair.key == "mine/0001"
    np.testing.assert_array_equal(first.pair.x, columns(1)[:, 0])
    np.testing.assert_array_equal(first.pair.y, columns(1)[:, 1])
    assert (first.truth, first.weight) == (Direction.X_TO_Y, 1.0)
    # Column order as in the file, also where the effect comes first.
    np.testing.assert_array_equal(second.pair.x, columns(2)[:, 0])
    assert (second.truth, second.weight) == (Direction.Y_TO_X, 0.5)


def test_the_meta_data_say_which_columns_count(tmp_path) -> None:
    folder = pairmeta_folder(tmp_path, 1)
    data = np.column_stack([columns(1), np.full(12, np.nan), columns(9)])
    (folder / "pair0001.txt").write_text(lines(data))
    (folder / "pairmeta.txt").write_text("0001 5 5 2 2 1\n")
    (item,) = read_pairmeta(folder, "m", {})
    np.testing.assert_array_equal(item.pair.x, data[:, 1])
    np.testing.assert_array_equal(item.pair.y, data[:, 4])
    assert item.truth is Direction.Y_TO_X


def test_what_is_left_out_is_listed_unread(tmp_path) -> None:
    folder = pairmeta_folder(tmp_path, 2)
    (folder / "pair0001.txt").unlink()
    one, two = read_pairmeta(folder, "m", {"0001": "not today"})
    assert (one.key, one.reason) == ("m/0001", "not today")
    assert isinstance(two, LabelledPair)


def test_several_columns_of_a_side_are_a_vector_in_the_order_of_the_file(tmp_path) -> None:
    folder = pairmeta_folder(tmp_path, 1)
    data = np.column_stack([columns(1), columns(9), columns(17)])
    (folder / "pair0001.txt").write_text(lines(data))
    (folder / "pairmeta.txt").write_text("0001 4 6 1 2 0.5\n")
    (item,) = read_pairmeta(folder, "m", {})
    np.testing.assert_array_equal(item.pair.x, data[:, :2])
    np.testing.assert_array_equal(item.pair.y, data[:, 3:6])
    assert (item.pair.x_names, item.pair.y_names) == (("x1", "x2"), ("y1", "y2", "y3"))
    assert (item.truth, item.weight) == (Direction.Y_TO_X, 0.5)


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        ("0001 1 1 2 2\n", r"line 1 must have 6 fields .*, got '0001 1 1 2 2'"),
        ("\n0001 1 1 2 2 1 1\n", r"line 2 must have 6 fields"),
        ("one 1 1 2 2 1\n", r"line 1 must begin with a number of digits, got 'one'"),
        ("0001 0 0 1 1 1\n", r"line 1 must count columns from 1, got '0'"),
        ("0001 1 1 2.0 2 1\n", r"line 1 must count columns from 1, got '2.0'"),
        ("0001 1 1 1 1 1\n", r"columns of their own, first before last, got '1 1 1 1'"),
        ("0001 1 2 2 3 1\n", r"columns of their own, first before last, got '1 2 2 3'"),
        ("0001 2 1 3 3 1\n", r"columns of their own, first before last, got '2 1 3 3'"),
        ("0001 1 1 2 2 heavy\n", r"line 1 must end with a weight >= 0, got 'heavy'"),
        ("0001 1 1 2 2 -1\n", r"line 1 must end with a weight >= 0, got '-1'"),
        ("0001 1 1 2 2 nan\n", r"line 1 must end with a weight >= 0, got 'nan'"),
        ("0001 1 1 2 2 1\n0001 2 2 1 1 1\n", r"line 2 must be about another pair, but '0001' is"),
        ("\n", r"pairmeta\.txt must list pairs, but is empty"),
        ("0002 1 1 2 2 1\n", r"must list every pair file, but has no line for pair0001\.txt"),
        ("0001 1 1 2 2 1\n0002 1 1 2 2 1\n", r"pair0002\.txt is missing"),
        ("0001 1 1 3 3 1\n", r"pair0001\.txt line 1 must have 3 columns or more, but has 2"),
    ],
)
def test_meta_data_that_break_a_rule_are_refused(tmp_path, meta, message) -> None:
    folder = pairmeta_folder(tmp_path, 1)
    (folder / "pairmeta.txt").write_text(meta)
    with pytest.raises(InvalidTableError, match=message):
        list(read_pairmeta(folder, "m", {}))


def awkward_pairs() -> PairSet:
    rng = np.random.default_rng(4)
    extreme = np.array([5e-324, -0.0, 1.7976931348623157e308, 0.1, 1 / 3, *range(7)])
    items = (
        LabelledPair(Pair(extreme, rng.normal(size=12), key="a/1"), Direction.X_TO_Y, 1 / 3),
        LabelledPair(Pair(*rng.normal(size=(2, 30)), key="a/2"), Direction.Y_TO_X),
    )
    return PairSet("awkward", items, Source("own", "free"))


def test_what_is_written_reads_back_bit_by_bit(tmp_path) -> None:
    pairs = awkward_pairs()
    folder = write_pairmeta(pairs, tmp_path / "deep" / "made", readme="Hello.\n")
    again = read_pair_folder(folder)
    assert again.fingerprint == pairs.fingerprint
    assert np.signbit(again.items[0].pair.x[1])
    assert again.items[0].pair.key == "made/0001"
    assert (folder / "README.txt").read_text() == "Hello.\n"
    assert sorted(path.name for path in folder.parent.iterdir()) == ["made"]


def test_nothing_is_written_over(tmp_path) -> None:
    (tmp_path / "made").mkdir()
    write_pairmeta(awkward_pairs(), tmp_path / "made")
    with pytest.raises(InvalidSettingError, match=r"made must be a new or an empty folder"):
        write_pairmeta(awkward_pairs(), tmp_path / "made")
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidSettingError, match=r"file must be a new or an empty folder"):
        write_pairmeta(awkward_pairs(), tmp_path / "file")


def test_a_folder_appears_complete_or_not_at_all(tmp_path, monkeypatch) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bqcd.benchmark.datasets.pairmeta._write", fail)
    with pytest.raises(KeyboardInterrupt):
        write_pairmeta(awkward_pairs(), tmp_path / "made")
    assert list(tmp_path.iterdir()) == []
