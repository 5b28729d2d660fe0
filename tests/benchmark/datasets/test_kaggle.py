from __future__ import annotations

import numpy as np
import pytest

from bqcd.benchmark.datasets.kaggle import read_kaggle
from bqcd.data.pair import Direction
from bqcd.errors import InvalidTableError
from tests.benchmark.datasets.small_folders import columns, kaggle_folder


def rewrite(folder, name: str, text: str) -> None:
    (folder / f"CE-Net_{name}").write_text(text)


def test_pairs_come_by_line_with_their_targets(tmp_path) -> None:
    first, second, _ = read_kaggle(kaggle_folder(tmp_path), "CE-Net", {})
    assert first.pair.key == "CE-Net/pair1"
    np.testing.assert_array_equal(first.pair.x, columns(1)[:, 0])
    np.testing.assert_array_equal(first.pair.y, columns(1)[:, 1])
    assert first.truth is Direction.X_TO_Y
    assert second.truth is Direction.Y_TO_X


def test_targets_are_found_by_sample_and_not_by_line(tmp_path) -> None:
    folder = kaggle_folder(tmp_path)
    rewrite(folder, "targets.csv", "SampleID,Target\npair3,1.0\npair1,-1.0\npair2,-1.0\n")
    truths = [item.truth.sign for item in read_kaggle(folder, "CE-Net", {})]
    assert truths == [-1, -1, 1]


def test_the_names_of_the_challenge_are_known(tmp_path) -> None:
    folder = kaggle_folder(tmp_path, "CEdata_train")
    (folder / "CEdata_train_targets.csv").unlink()
    (folder / "CEdata_train_target.csv").write_text(
        "SampleID,Target [1,0,-1],Details [1,2,3,4]\npair1,1,1\npair2,0,3\npair3,-1,2\n"
    )
    (folder / "CEdata_train_publicinfo.csv").write_text(
        "SampleID,A type,B type\npair1,Numerical,Binary\npair2,Numerical,Numerical\n"
        "pair3,Numerical,Categorical\n"
    )
    first, second, third = read_kaggle(folder, "challenge", {})
    assert first.truth is Direction.X_TO_Y
    assert second.reason == "the target is 0: neither column causes the other"
    assert third.reason == "column B holds categories, not numbers"


def test_tables_from_dataverse_with_tabs_and_quotes_are_read_alike(tmp_path) -> None:
    plain = list(read_kaggle(kaggle_folder(tmp_path / "csv"), "CE-Net", {}))
    folder = tmp_path / "tab"
    folder.mkdir()
    for part in ("pairs", "targets"):
        text = (tmp_path / "csv" / f"CE-Net_{part}.csv").read_text()
        rows = ([f'"{field}"' for field in line.split(",")] for line in text.splitlines())
        rewrite(folder, f"{part}.tab", "".join("\t".join(row) + "\n" for row in rows))
    for one, other in zip(plain, read_kaggle(folder, "CE-Net", {}), strict=True):
        np.testing.assert_array_equal(one.pair.x, other.pair.x)
        np.testing.assert_array_equal(one.pair.y, other.pair.y)
        assert one.truth is other.truth


def test_columns_of_two_lengths_are_listed_as_refused(tmp_path) -> None:
    folder = kaggle_folder(tmp_path, count=1)
    cells = " ".join(map(str, range(12)))
    rewrite(folder, "pairs.csv", f"SampleID,A,B\npair1,{cells},{cells} 12\n")
    (item,) = read_kaggle(folder, "CE-Net", {})
    assert "must have the same length, got 12 and 13 rows" in item.reason


@pytest.mark.parametrize(
    ("part", "text", "message"),
    [
        ("targets.csv", "SampleID,Target\npair1,2\n", r"line 2 must have the target 1, -1 or 0"),
        ("targets.csv", "SampleID,Target\npair1,up\n", r"target 1, -1 or 0, got 'up'"),
        ("targets.csv", "SampleID,Target\npair1\n", r"line 2 must have 2 columns, but has 1"),
        ("targets.csv", "SampleID,Target\npair1,1\n", r"line 3 must have a target, but 'pair2'"),
        ("targets.csv", "Target\n1\n", r"line 1 must begin with SampleID, got 'Target'"),
        (
            "targets.csv",
            "SampleID,Target\npair1,1\npair2,1\npair3,1\npair4,1\n",
            r"must have a line for each of the 4 targets, but 'pair4' has none",
        ),
        ("targets.csv", "SampleID,Target\npair1,1\npair1,1\n", r"of another sample, 'pair1' was"),
        ("publicinfo.csv", "SampleID,A,B\npair1,Text,Binary\n", r"Numerical, .*, got 'Text'"),
        ("pairs.csv", "SampleID,A,B\npair1,1 2 3\n", r"line 2 must have 3 columns, but has 2"),
        ("pairs.csv", "SampleID,A,B\npair1,1 x,2 3\n", r"line 2 column A .* value 2 is 'x'"),
        ("pairs.csv", "SampleID,A,B\npair1,1 2,\n", r"line 2 column B must hold numbers, but is"),
        ("pairs.csv", "", r"line 1 must begin with SampleID, got ''"),
    ],
)
def test_tables_that_break_a_rule_are_refused(tmp_path, part, text, message) -> None:
    folder = kaggle_folder(tmp_path)
    rewrite(folder, part, text)
    with pytest.raises(InvalidTableError, match=message):
        list(read_kaggle(folder, "CE-Net", {}))


def test_a_folder_with_two_sets_or_without_targets_is_refused(tmp_path) -> None:
    folder = kaggle_folder(tmp_path)
    (folder / "CE-Net_targets.csv").unlink()
    with pytest.raises(InvalidTableError, match=r"must have its targets beside it"):
        list(read_kaggle(folder, "CE-Net", {}))
    kaggle_folder(tmp_path, "CE-Cha")
    with pytest.raises(InvalidTableError, match=r"found CE-Cha_pairs.csv, CE-Net_pairs.csv"):
        list(read_kaggle(folder, "CE-Net", {}))
