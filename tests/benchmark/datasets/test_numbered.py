from __future__ import annotations

import numpy as np
import pytest

from bqcd.benchmark.datasets.numbered import read_numbered
from bqcd.data.pair import Direction
from bqcd.errors import InvalidTableError
from tests.benchmark.datasets.small_folders import columns, numbered_folder


def test_pairs_come_by_number_with_their_labels(tmp_path) -> None:
    items = list(read_numbered(numbered_folder(tmp_path, 11), "AN", {"2": "not today"}))
    assert [getattr(item, "key", "") or item.pair.key for item in items][9:] == [
        "AN/0010",
        "AN/0011",
    ]
    np.testing.assert_array_equal(items[10].pair.x, columns(11)[:, 0])
    np.testing.assert_array_equal(items[10].pair.y, columns(11)[:, 1])
    assert items[0].truth is Direction.X_TO_Y
    assert items[1].reason == "not today"
    assert items[3].truth is Direction.Y_TO_X
    assert items[3].weight == 1.0


def test_the_headers_that_give_the_label_away_are_not_handed_on(tmp_path) -> None:
    for item in read_numbered(numbered_folder(tmp_path), "AN", {}):
        assert (item.pair.x_name, item.pair.y_name) == ("x", "y")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("1\n2\n0\n", r"pairs_gt\.txt line 2 must be 0 or 1, got '2'"),
        ("1\n0\nTRUE\n", r"pairs_gt\.txt line 3 must be 0 or 1, got 'TRUE'"),
        ("1\n0\n", r"there are 2 labels and 3 files: pair 3 has not got a label"),
        ("1\n0\n1\n1\n", r"there are 4 labels and 3 files: pair 4 has not got a file"),
        ("", r"must have a label for each pair, but is empty"),
    ],
)
def test_labels_that_break_a_rule_are_refused(tmp_path, labels, message) -> None:
    folder = numbered_folder(tmp_path)
    (folder / "pairs_gt.txt").write_text(labels)
    with pytest.raises(InvalidTableError, match=message):
        list(read_numbered(folder, "AN", {}))


def test_a_pair_file_of_another_shape_is_refused_by_name(tmp_path) -> None:
    folder = numbered_folder(tmp_path)
    (folder / "pair_2.txt").write_text('"","x_pa"\n"1",1.0\n')
    with pytest.raises(InvalidTableError, match=r"pair_2\.txt line 2 must have 3 columns or more"):
        list(read_numbered(folder, "AN", {}))
