from __future__ import annotations

import pytest

from bqcd.benchmark.datasets import FORMATS, read_pair_folder
from bqcd.errors import InvalidTableError
from tests.benchmark.datasets.small_folders import kaggle_folder, numbered_folder, pairmeta_folder

MAKERS = {"pairmeta": pairmeta_folder, "numbered": numbered_folder, "kaggle": kaggle_folder}


def test_every_layout_has_a_small_folder_here() -> None:
    assert set(MAKERS) == set(FORMATS)


@pytest.mark.parametrize("layout", FORMATS)
def test_a_folder_is_read_by_whatever_layout_it_is_in(tmp_path, layout, monkeypatch) -> None:
    folder = MAKERS[layout](tmp_path / "mine")
    assert [name for name in FORMATS if FORMATS[name].is_in(folder)] == [layout]
    pairs = read_pair_folder(folder)
    assert pairs.name == "mine"
    assert len(pairs) >= 3
    assert {item.pair.key.partition("/")[0] for item in pairs} == {"mine"}
    monkeypatch.chdir(folder)
    assert read_pair_folder(".").fingerprint == pairs.fingerprint
    assert read_pair_folder(".").name == "mine"


def test_the_same_pairs_in_two_layouts_have_one_fingerprint(tmp_path) -> None:
    numbered = read_pair_folder(numbered_folder(tmp_path / "a"))
    kaggle = read_pair_folder(kaggle_folder(tmp_path / "b"))
    assert numbered.fingerprint == kaggle.fingerprint


def test_a_folder_of_anything_else_is_refused(tmp_path) -> None:
    (tmp_path / "notes.txt").write_text("1 2\n")
    with pytest.raises(
        InvalidTableError, match=r"must hold one of the files pairmeta.txt, pairs_gt.txt, \*_pairs"
    ):
        read_pair_folder(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"No folder .*nowhere"):
        read_pair_folder(tmp_path / "nowhere")
