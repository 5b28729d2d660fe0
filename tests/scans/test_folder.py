"""The folder of a scan: what it agrees to, what it keeps, what it refuses."""

from __future__ import annotations

import errno
import json
import os

import pyarrow.parquet as pq
import pytest

from bqcd.errors import InvalidResultsError
from bqcd.scans.folder import ScanFolder
from bqcd.scans.tile_files import schema
from tests.scans.stand_ins import NAMES, PAIRS, rows_of

MANIFEST = {
    "fingerprint": "ab12",
    "rows": 50,
    "columns": ["a", "b", "c"],
    "settings": {"method": "bqcd", "method_settings": {"n_levels": 3}, "seed": 0},
    "tiles": 6,
}


def begin(path, **changes) -> ScanFolder:
    folder = ScanFolder(path)
    with folder.held():
        folder.agree(MANIFEST | changes)
    return folder


@pytest.fixture
def folder(tmp_path):
    """A folder that is held, with three of six tiles in it."""
    folder = begin(tmp_path / "scan")
    with folder.held():
        for number in (4, 0, 2):
            folder.write_tile(rows_of(number), NAMES)
        yield folder


def test_tiles_are_read_in_their_order_and_as_one_dataset(folder):
    table = folder.read()
    assert table["x"].to_pylist()[::PAIRS] == ["column 0", "column 2", "column 4"]
    assert [one.num_rows for one in folder.tables()] == [PAIRS] * 3
    assert pq.read_table(folder.tiles).num_rows == table.num_rows
    assert table.schema == schema()
    assert len({tuple(chunk.dictionary.to_pylist()) for chunk in table["x"].chunks}) == 1


def test_a_scan_without_tiles_is_an_empty_table(tmp_path):
    folder = begin(tmp_path)
    assert folder.read().num_rows == 0
    assert folder.read().schema == schema()
    assert folder.done_tiles() == set()


def test_done_tiles_are_counted_here_and_by_whoever_comes_next(folder):
    assert folder.done_tiles() == {0, 2, 4}
    folder.write_tile(rows_of(1), NAMES)
    folder.write_tile(rows_of(1), NAMES)
    assert folder.n_done == 4
    assert ScanFolder(folder.path).done_tiles() == {0, 1, 2, 4}
    assert ScanFolder(folder.path).read().num_rows == 4 * PAIRS
    assert {path.name for path in folder.path.iterdir()} == {
        "lock",
        "manifest.json",
        "tiles",
        "work",
    }


def test_what_was_agreed_on_is_written_down_with_the_version(tmp_path):
    manifest = begin(tmp_path).manifest()
    assert list(manifest)[:3] == ["format", "layout", "version"]
    assert MANIFEST.items() <= manifest.items()


def test_the_same_scan_again_changes_nothing(tmp_path):
    begin(tmp_path)
    before = (tmp_path / "manifest.json").stat()
    begin(tmp_path, columns=("a", "b", "c"))
    assert (tmp_path / "manifest.json").stat().st_mtime_ns == before.st_mtime_ns


DIFFERENT = [
    ({"fingerprint": "cd34"}, 'fingerprint is "ab12", not "cd34"'),
    ({"rows": 51}, "rows is 50, not 51"),
    ({"columns": ["a", "c", "b"]}, r'columns\[1\] is "b", not "c"'),
    ({"columns": ["a", "b"]}, "the length of columns is 3, not 2"),
    ({"settings": MANIFEST["settings"] | {"seed": 1}}, r"settings\.seed is 0, not 1"),
    (
        {"settings": MANIFEST["settings"] | {"method_settings": {"n_levels": 3.0}}},
        r"settings\.method_settings\.n_levels is 3, not 3\.0",
    ),
    ({"settings": {"method": "bqcd", "seed": 0}}, r"method_settings is .*, not absent"),
    ({"missing": "drop"}, 'missing is absent, not "drop"'),
    ({"rows": "9" * 200}, r'rows is 50, not "9{76}\.\.\.'),
    ({"version": "0.0.1"}, r'version is "[\d.]+", not "0\.0\.1"'),
]


@pytest.mark.parametrize(("changes", "words"), DIFFERENT)
def test_another_scan_is_refused_and_named_and_changes_nothing(tmp_path, changes, words):
    begin(tmp_path)
    before = (tmp_path / "manifest.json").read_bytes()
    with pytest.raises(InvalidResultsError, match=words + r"\. .*--fresh .*fresh=True"):
        begin(tmp_path, **changes)
    assert (tmp_path / "manifest.json").read_bytes() == before


def test_a_setting_that_is_not_a_number_equals_itself(tmp_path):
    begin(tmp_path, limit=float("nan"))
    before = (tmp_path / "manifest.json").read_bytes()
    begin(tmp_path, limit=float("nan"))
    assert (tmp_path / "manifest.json").read_bytes() == before


def test_a_fresh_start_removes_what_a_scan_wrote_and_nothing_else(folder):
    (folder.path / "notes.txt").write_text("mine")
    (folder.tiles / "map.png").write_text("mine too")
    (folder.work / "ranks.bin").write_bytes(b"123")
    folder.start_afresh()
    folder.agree(MANIFEST | {"rows": 51})
    assert folder.done_tiles() == set()
    assert {str(path.relative_to(folder.path)) for path in folder.path.rglob("*")} == {
        "lock", "manifest.json", "notes.txt", "tiles", "tiles/map.png", "work",
    }  # fmt: skip


def test_a_folder_of_other_things_is_refused_and_left_alone(tmp_path):
    for names in (["thesis.tex"], ["tiles"], ["work"], ["manifest.json"], ["lock", "thesis.tex"]):
        home = tmp_path / "-".join(names)
        home.mkdir()
        for name in names:
            (home / name).write_text('{"name": "a web page"}')
        with pytest.raises(InvalidResultsError, match="holds other things than a scan"):
            begin(home)
        assert sorted(path.name for path in home.iterdir()) == sorted(names)


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(InvalidResultsError, match="out is a file"):
        begin(tmp_path / "out")


@pytest.mark.parametrize("left", [[], ["lock"], ["lock", "tiles"], ["lock", "tiles", "work"]])
def test_a_folder_that_was_just_begun_is_gone_on_with(tmp_path, left):
    for name in left:
        (tmp_path / name).write_text("") if name == "lock" else (tmp_path / name).mkdir()
    if left:
        (tmp_path / ".manifest.json.4f2a.part").write_text("{")
    assert begin(tmp_path).n_done == 0
    assert not (tmp_path / ".manifest.json.4f2a.part").exists()


def test_a_manifest_that_was_damaged_is_named_and_can_be_started_anew(tmp_path):
    folder = begin(tmp_path)
    whole = (tmp_path / "manifest.json").read_bytes()
    (tmp_path / "manifest.json").write_bytes(whole[:80])
    with pytest.raises(InvalidResultsError, match=r"manifest\.json cannot be read.*--fresh"):
        folder.manifest()
    with folder.held():
        folder.start_afresh()
        folder.agree(MANIFEST)


def test_a_folder_without_a_scan_says_so(tmp_path):
    for ask in (ScanFolder.read, ScanFolder.done_tiles, ScanFolder.manifest):
        with pytest.raises(InvalidResultsError, match="There is no scan in"):
            ask(ScanFolder(tmp_path / "nowhere"))


def test_what_was_left_half_written_is_removed_by_the_next_holder_only(tmp_path):
    folder = begin(tmp_path)
    parts = [folder.tiles / ".000003.parquet.4f2a.part", folder.work / ".columns.data.77ab.part"]
    for part in parts:
        part.write_bytes(b"PAR1")
    assert folder.done_tiles() == set()
    assert all(part.exists() for part in parts)
    with folder.held():
        assert not any(part.exists() for part in parts)


def test_tiles_of_an_earlier_scan_do_not_count_for_the_next(folder):
    kept = (folder.tiles / "000002.parquet").read_bytes()
    folder.start_afresh()
    folder.agree(MANIFEST | {"settings": {"method": "anm"}})
    (folder.tiles / "000002.parquet").write_bytes(kept)
    assert folder.done_tiles() == set()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("where", ["fsync", "replace"])
def test_without_room_a_tile_is_not_there_at_all(folder, monkeypatch, code, where):
    def full(*_):
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(os, where, full)
        with pytest.raises(
            InvalidResultsError, match=r"no room for .*000005.* are kept: make room"
        ):
            folder.write_tile(rows_of(5), NAMES)
    assert list(folder.tiles.glob(".*")) == []
    assert folder.done_tiles() == ScanFolder(folder.path).done_tiles() == {0, 2, 4}
    folder.write_tile(rows_of(5), NAMES)
    assert folder.n_done == 4


def test_other_troubles_of_the_disk_are_told_as_they_are(folder, monkeypatch):
    def broken(*_):
        raise OSError(errno.EIO, "the disk is broken")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", broken)
        with pytest.raises(OSError, match="the disk is broken"):
            folder.write_tile(rows_of(5), NAMES)
    assert list(folder.tiles.glob(".*")) == []


def test_a_tile_is_on_the_disk_before_it_has_its_name(folder, monkeypatch):
    steps = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)
        monkeypatch.setattr(
            os, name, lambda *given, _n=name, _r=real: (steps.append(_n), _r(*given))[1]
        )
    folder.write_tile(rows_of(5), NAMES)
    assert steps == ["fsync", "replace", "fsync"]


def test_the_manifest_can_be_read_by_anyone(folder):
    assert json.loads((folder.path / "manifest.json").read_text())["format"] == "bqcd scan"


def test_a_manifest_with_another_word_in_it_is_not_believed(folder):
    path = folder.path / "manifest.json"
    path.write_text(path.read_text().replace('"rows": 50', '"rows": 51'))
    for ask in (ScanFolder.read, ScanFolder.done_tiles, ScanFolder.manifest):
        with pytest.raises(InvalidResultsError, match=r"manifest\.json cannot be read: its check"):
            ask(ScanFolder(folder.path))


def test_what_lies_in_a_folder_without_a_manifest_belongs_to_no_scan(folder):
    (folder.path / "manifest.json").unlink()
    (folder.work / "columns.json").write_text("{}")
    folder.agree(MANIFEST)
    assert folder.done_tiles() == set()
    assert list(folder.tiles.iterdir()) == list(folder.work.iterdir()) == []


def test_the_manifest_is_the_last_to_go(folder, monkeypatch):
    (folder.work / "columns.json").write_text("{}")
    gone = []
    real = os.unlink
    monkeypatch.setattr(
        os, "unlink", lambda path, **more: (gone.append(os.path.basename(path)), real(path, **more))
    )
    folder.start_afresh()
    assert gone == ["columns.json", *(f"00000{k}.parquet" for k in (0, 2, 4)), "manifest.json"]


def test_files_called_like_tiles_that_are_none_are_removed_when_a_scan_goes_on(folder):
    whole = (folder.tiles / "000002.parquet").read_bytes()
    (folder.tiles / "000002.parquet").write_bytes(whole[:-1])
    (folder.tiles / "000099.parquet").write_bytes(whole)
    folder.agree(MANIFEST)
    assert sorted(path.name for path in folder.tiles.iterdir()) == [
        "000000.parquet",
        "000004.parquet",
    ]


def test_tiles_with_a_pair_that_failed_are_known(folder):
    assert folder.failed_tiles() == {0, 2, 4}
    whole = rows_of(3)
    for values in (whole.confidence, whole.spearman, whole.dependence, whole.p_value):
        values[2] = 0.5
    folder.write_tile(whole, NAMES)
    assert folder.failed_tiles() == {0, 2, 4}


def test_a_folder_stays_the_same_wherever_the_process_goes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = ScanFolder("scan")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with folder.held():
        folder.agree(MANIFEST)
    assert folder.path == tmp_path / "scan"
    assert (tmp_path / "scan" / "manifest.json").is_file()
