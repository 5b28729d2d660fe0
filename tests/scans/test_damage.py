"""One flipped bit anywhere in the folder of a scan: the same numbers, or a clear word."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from bqcd.errors import InvalidResultsError
from bqcd.scans.reading import read_scan
from bqcd.scans.results import Scan
from bqcd.scans.scanning import scan
from tests.scans.test_scanning import Guessing, Interrupting


def table() -> dict[str, np.ndarray]:
    columns = dict(zip(["a", "b", "ç"], np.random.default_rng(8).normal(size=(3, 30)), strict=True))
    return columns | {"flat": np.ones(30)}


def kept(path: Path, **how) -> Scan:
    return scan(table(), method=Guessing(), out=path, **how)


def facts(found: Scan) -> tuple[object, ...]:
    return found.table.to_pylist(), found.columns, found.method, found.n_rows, found.complete


def bits(folder: Path) -> Iterator[tuple[Path, int]]:
    """Every bit of every file that a scan has written, the lock left out."""
    for path in sorted(folder.rglob("*.*")):
        if path.is_file():
            yield from ((path, bit) for bit in range(8 * path.stat().st_size))


def outcome(folder: Path, path: Path, bit: int, ask: Callable[[Path], Scan], expected) -> str:
    """What comes of asking a folder in which one bit of one file is flipped."""
    whole = path.read_bytes()
    data = bytearray(whole)
    data[bit // 8] ^= 1 << bit % 8
    path.write_bytes(bytes(data))
    try:
        return "the same" if facts(ask(folder)) == expected else "other numbers"
    except InvalidResultsError as error:
        return "a clear word" if str(folder) in str(error) else "a word without the place"
    except Exception as error:
        return type(error).__name__
    finally:
        path.write_bytes(whole)


@pytest.fixture(scope="module")
def expected():
    return facts(scan(table(), method=Guessing()))


def test_a_finished_scan_is_read_as_it_was_or_refused(tmp_path, expected):
    kept(tmp_path / "scan")
    assert facts(read_scan(tmp_path / "scan")) == expected
    everywhere = list(bits(tmp_path / "scan"))
    assert {path.name for path, _ in everywhere} == {
        "manifest.json", "columns.json", "000000.parquet", "000001.parquet", "000002.parquet",
    }  # fmt: skip
    found = {
        outcome(tmp_path / "scan", path, bit, read_scan, expected)
        for path, bit in random.Random(1).sample(everywhere, 400)
    }
    assert found <= {"the same", "a clear word"}


@pytest.mark.parametrize("finished", [False, True], ids=["begun", "finished"])
def test_a_scan_goes_on_as_if_nothing_were_wrong_or_is_refused_for_its_manifest(
    tmp_path, expected, finished
):
    begun = tmp_path / "begun"
    if finished:
        kept(begun)
    else:
        with pytest.raises(KeyboardInterrupt):
            kept(begun, progress=Interrupting(1))
        assert (begun / "work" / "columns.data").exists()
    everywhere = list(bits(begun))
    for path in {path for path, _ in everywhere}:
        some = [one for one in everywhere if one[0] == path]
        for _, bit in random.Random(2).sample(some, 12):
            shutil.copytree(begun, tmp_path / "scan")
            damaged = tmp_path / "scan" / path.relative_to(begun)
            said = outcome(tmp_path / "scan", damaged, bit, kept, expected)
            allowed = {"the same"} | ({"a clear word"} if path.name == "manifest.json" else set())
            assert said in allowed, (path, bit)
            shutil.rmtree(tmp_path / "scan")
