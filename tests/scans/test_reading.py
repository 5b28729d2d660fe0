from __future__ import annotations

import json
from shutil import copytree

import numpy as np
import pytest

from bqcd.errors import InvalidResultsError
from bqcd.runtime.seals import sealed, unsealed
from bqcd.scans.reading import read_scan, unusual_settings
from bqcd.scans.scanning import scan


def table() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    columns = dict(zip("abcdefghij", rng.normal(size=(10, 60)), strict=True))
    return columns | {"flat": np.ones(60)}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return scan(table(), out=tmp_path_factory.mktemp("scan") / "genes.scan", n_levels=5)


def test_a_finished_scan_is_read_as_it_was_returned(found):
    read = read_scan(str(found.folder))
    assert read.table.equals(found.table)
    assert (read.columns, read.n_rows) == (found.columns, 60)
    assert (
        (read.method, read.settings) == (found.method, found.settings) == ("bqcd", {"n_levels": 5})
    )
    assert "Judged by bqcd(n_levels=5): 45 of 45 pairs" in read.summary()
    assert read.complete
    assert (read.label, read.folder) == ("genes.scan", found.folder)


def test_an_unfinished_scan_is_what_is_finished_of_it(tmp_path):
    # Slow methods have small tiles.
    whole = scan(table(), method="anm", out=tmp_path)
    (tmp_path / "tiles" / "000001.parquet").unlink()
    half = read_scan(tmp_path)
    assert 0 < len(half) < len(whole)
    assert not half.complete
    rows = whole.pairs.to_pylist()
    assert all(row in rows for row in half.pairs.to_pylist())
    assert scan(table(), method="anm", out=tmp_path).table.equals(whole.table)
    assert read_scan(tmp_path).complete


def test_a_scan_that_has_read_no_column_yet_has_no_pairs(found, tmp_path):
    manifest = json.loads((found.folder / "manifest.json").read_text(encoding="utf-8"))
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    begun = read_scan(tmp_path)
    assert (len(begun), begun.complete) == (0, False)
    assert begun.names == tuple(table())


def test_a_list_of_pairs_is_finished_when_all_of_them_are_there(tmp_path):
    pairs = [("a", "b"), ("c", "a"), ("flat", "a")]
    listed = scan(table(), pairs=pairs, out=tmp_path)
    read = read_scan(tmp_path)
    assert read.table.equals(listed.table)
    assert read.complete


def test_a_folder_without_a_scan_is_refused(tmp_path):
    with pytest.raises(InvalidResultsError, match="There is no scan in"):
        read_scan(tmp_path)
    (tmp_path / "manifest.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InvalidResultsError, match=r"manifest\.json cannot be read: its checksum"):
        read_scan(tmp_path)
    (tmp_path / "manifest.json").write_bytes(sealed({"format": "bqcd scan"}))
    with pytest.raises(InvalidResultsError, match=r"The scan in .* cannot be read"):
        read_scan(tmp_path)


def test_a_scan_of_another_layout_is_refused_before_its_tiles_are_read(found, tmp_path):
    folder = tmp_path / "older"
    copytree(found.folder, folder)
    manifest = folder / "manifest.json"
    told = unsealed(manifest.read_bytes())
    assert told["layout"] == 7
    manifest.write_bytes(sealed({**told, "layout": 6}))
    with pytest.raises(InvalidResultsError, match=r"layout is 6, not 7.*fresh"):
        read_scan(folder)


def test_only_settings_that_are_not_the_usual_ones_are_told():
    assert unusual_settings("igci-u", {}) == {}
    told = {"depth": 3, "kind": "a"}
    assert unusual_settings("my:Method", told) == told
