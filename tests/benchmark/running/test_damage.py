"""Bits that flip on the disk: never another result, always a word about it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

from bqcd.benchmark import Results, ResultsFolder, run_benchmark
from bqcd.errors import DamagedResultsWarning, InvalidResultsError
from tests.benchmark.running.odd_methods import Kept
from tests.benchmark.running.small_sets import small_set

pytestmark = pytest.mark.xdist_group("crew")

PAIRS = [small_set(count=3)]


def methods(diary: Path, obstacle: Path) -> list[object]:
    return ["coin", ("kept", Kept(str(diary), str(obstacle), "/2"))]


def rows_of(results: Results) -> dict[tuple, dict]:
    return {(row["pair"], row["method"]): row for row in results.table.to_pylist()}


def rows(folder: Path) -> dict[tuple, dict]:
    return rows_of(ResultsFolder(folder).results())


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """Folder of a benchmark in which one task has failed and was tried again with success."""
    path = tmp_path_factory.mktemp("damage")
    obstacle = path / "obstacle"
    obstacle.touch()
    arguments = methods(path / "diary", obstacle), PAIRS
    run_benchmark(*arguments, out=path / "out")
    obstacle.unlink()
    results = run_benchmark(*arguments, out=path / "out", retry=True)
    assert set(results.table["status"].to_pylist()) == {"done"}
    return path / "out"


def files(folder: Path) -> list[Path]:
    return [folder / "plan.json", *sorted((folder / "journal").iterdir())]


def flipped(path: Path, bit: int) -> bytes:
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    return bytes(content)


def every_bit(folder: Path) -> Iterator[tuple[Path, int]]:
    return ((path, bit) for path in files(folder) for bit in range(8 * path.stat().st_size))


def what_a_reader_gets(folder: Path) -> tuple[dict[tuple, dict], int, list[str]]:
    """Rows, the number of missing ones, and what is told."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = ResultsFolder(folder).results()
    assert found.origin is not None
    return rows_of(found), found.origin.missing, [str(one.message) for one in told]


def check_flip(folder: Path, path: Path, bit: int, whole: dict[tuple, dict]) -> None:
    """What is left of the rows is as it was, the rest is counted and named."""
    before = path.read_bytes()
    path.write_bytes(flipped(path, bit))
    if path.name == "plan.json":
        with pytest.raises(InvalidResultsError, match=re.escape(f"{path} is damaged")):
            ResultsFolder(folder).results()
    else:
        shown, missing, told = what_a_reader_gets(folder)
        assert shown.items() <= whole.items(), (path, bit)
        assert len(shown) + missing == len(whole), (path, bit)
        # A last line without its end was cut short: it is left out without a word.
        named = 0 if bit // 8 == len(before) - 1 else 1
        assert len(told) == named, (path, bit)
        assert all(f" of {path} " in text for text in told), (path, bit)
    path.write_bytes(before)


def test_a_flipped_bit_changes_no_row_and_is_named(finished):
    whole, bits = rows(finished), list(every_bit(finished))
    for place in np.random.default_rng(11).choice(len(bits), size=300, replace=False):
        check_flip(finished, *bits[place], whole)


@pytest.mark.slow
def test_no_bit_of_a_folder_changes_a_row_unnoticed(finished):
    whole = rows(finished)
    for path, bit in every_bit(finished):
        check_flip(finished, path, bit, whole)


def run_again(folder: Path, finished: Path) -> list[str]:
    """Run a folder again, with methods of the same settings; pairs that were judged anew."""
    diary = finished.parent / "diary"
    diary.write_text("")
    run_benchmark(methods(diary, finished.parent / "obstacle"), PAIRS, out=folder)
    return diary.read_text().split()


@pytest.mark.parametrize("line", [1, 2, 3])
def test_only_what_was_damaged_is_run_again(finished, tmp_path, line):
    copytree(finished, tmp_path / "out")
    path = tmp_path / "out" / "journal" / "000001.jsonl"
    lines = path.read_bytes().split(b"\n")
    number = [one.find(b'"kept"') > 0 for one in lines].index(True) + line
    lines[number - 1] = lines[number - 1].replace(b'"seconds": ', b'"seconds": 1')
    path.write_bytes(b"\n".join(lines))
    with pytest.warns(DamagedResultsWarning, match=re.escape(f"Line {number} of {path} is dam")):
        again = run_again(tmp_path / "out", finished)
    # The failure in line 2 was replaced by a later outcome, which is whole.
    assert again == ([] if line == 2 else [f"small/{line}"])
    assert without_seconds(rows(tmp_path / "out")) == without_seconds(rows(finished))


def test_a_damaged_second_try_does_not_bring_back_the_failure(finished, tmp_path):
    copytree(finished, tmp_path / "out")
    path = tmp_path / "out" / "journal" / "000003.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"done"', b'"dine"'))
    with pytest.warns(DamagedResultsWarning, match="Line 1 of"):
        results = ResultsFolder(tmp_path / "out").results()
    assert set(results.table["status"].to_pylist()) == {"done"}
    assert results.origin.missing == 1
    with pytest.warns(DamagedResultsWarning, match="Such lines are run again"):
        assert run_again(tmp_path / "out", finished) == ["small/2"]
    assert without_seconds(rows(tmp_path / "out")) == without_seconds(rows(finished))


def without_seconds(found: dict[tuple, dict]) -> dict[tuple, dict]:
    return {key: row | {"seconds": 0.0} for key, row in found.items()}
