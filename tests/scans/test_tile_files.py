"""Files of tiles: what goes in comes out, and what is not whole is not taken for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bqcd.assessments.holding import Held
from bqcd.errors import InvalidResultsError
from bqcd.scans.folder import ScanFolder
from bqcd.scans.tile_files import _fits
from tests.scans.stand_ins import NAMES, PAIRS, rows_of


@pytest.fixture
def folder(tmp_path):
    """A folder that is held, with three tiles in it."""
    folder = ScanFolder(tmp_path / "scan")
    with folder.held():
        folder.agree({"tiles": 6})
        for number in (4, 0, 2):
            folder.write_tile(rows_of(number), NAMES)
        yield folder


def test_a_tile_comes_back_as_it_went(folder):
    table = folder.read().slice(PAIRS, PAIRS)
    rows = rows_of(2)
    assert table.column_names == [
        "x", "y", "confidence", "n_rows",
        "spearman", "dependence", "p_value", "bound", "most", "limit", "status", "message",
    ]  # fmt: skip
    assert table["x"].to_pylist() == ["column 2", "column 3", "column 4", "column 5"]
    assert table["y"].to_pylist() == ["column 0", "column 1", "column 2", "column 3"]
    for name in ("confidence", "spearman", "dependence", "p_value"):
        kept = table[name].to_numpy()
        assert kept.tobytes() == getattr(rows, name).tobytes()
        assert table[name].null_count == 1
    assert table["n_rows"].to_pylist() == rows.n_rows.tolist()
    assert table["status"].to_pylist() == ["done", "done", "failed", "done"]
    assert table["message"].to_pylist() == [None, None, "tile 2 has a constant column", None]


def test_what_holds_a_claim_back_is_kept(folder):
    held = {1: Held("derived", 0.5), 3: Held("few values", 0.62)}
    folder.write_tile(replace(rows_of(5), held=held), NAMES)
    table = folder.read().slice(3 * PAIRS)
    assert table["most"].to_pylist() == [None, 0.5, None, 0.62]
    assert table["limit"].to_pylist() == [None, "derived", None, "few values"]


def test_the_sign_of_the_smallest_confidence_is_kept(folder):
    confidence = np.array([1e-300, -0.0, -1e-300, 5.0])
    folder.write_tile(replace(rows_of(5), confidence=confidence, messages={}), NAMES)
    table = folder.read().slice(3 * PAIRS)
    assert table["confidence"].to_numpy().tobytes() == confidence.tobytes()
    assert table["message"].null_count == PAIRS
    assert set(table["status"].to_pylist()) == {"done"}


def torn(path: Path, other: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def beheaded(path: Path, other: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


def emptied(path: Path, other: Path) -> None:
    path.write_bytes(b"")


def zeroed(path: Path, other: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def another_tile(path: Path, other: Path) -> None:
    path.write_bytes(other.read_bytes())


def foreign(path: Path, other: Path) -> None:
    pq.write_table(pa.table({"x": ["a"]}), path)


@pytest.mark.parametrize("harm", [torn, beheaded, emptied, zeroed, another_tile, foreign])
def test_a_file_that_is_not_this_tile_whole_is_not_done_and_is_made_anew(folder, harm):
    before = folder.read()
    harm(folder.tiles / "000002.parquet", folder.tiles / "000004.parquet")
    again = ScanFolder(folder.path)
    assert again.done_tiles() == {0, 4}
    with pytest.raises(InvalidResultsError, match=r"000002\.parquet is damaged, or belongs to"):
        again.read()
    again.write_tile(rows_of(2), NAMES)
    assert again.done_tiles() == {0, 2, 4}
    assert again.read().equals(before)


def test_every_flipped_bit_of_a_tile_is_found_before_anything_is_parsed(folder):
    path = folder.tiles / "000002.parquet"
    whole = path.read_bytes()
    assert _fits(whole, folder.digest, 2)
    for bit in range(8 * len(whole)):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        assert not _fits(bytes(data), folder.digest, 2), bit
    path.write_bytes(bytes(data))
    with pytest.raises(InvalidResultsError, match=r"000002\.parquet is damaged.* run the scan"):
        ScanFolder(folder.path).read()


def test_a_name_that_reads_like_a_stamp_is_no_stamp(folder):
    names = [f"blake2b:{place:032x}" for place in range(20)]
    folder.write_tile(rows_of(5), names)
    assert ScanFolder(folder.path).done_tiles() == {0, 2, 4, 5}
    assert folder.read()["y"].to_pylist()[-PAIRS:] == names[:PAIRS]
