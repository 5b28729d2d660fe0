from __future__ import annotations

import json
import shutil
import socket
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from bqcd.benchmark.datasets import PAIRSETS, load_pairs
from bqcd.benchmark.datasets.benchmarks import RECORD, record_fingerprint, recorded_fingerprint
from bqcd.data.pair import Direction
from bqcd.errors import InvalidTableError, UnknownNameError
from tests.benchmark.datasets.small_folders import kaggle_folder, pairmeta_folder


@pytest.fixture(autouse=True)
def _no_network(monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("load_pairs must not open a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture
def empty(tmp_path, monkeypatch) -> Path:
    """A machine without any benchmark files."""
    monkeypatch.delenv("BQCD_DATA", raising=False)
    monkeypatch.setattr("bqcd.benchmark.datasets.homes.cache_home", lambda: tmp_path / "cache")
    return tmp_path


def test_an_unknown_set_is_refused_with_the_nearest_names(empty) -> None:
    with pytest.raises(UnknownNameError, match=r"No benchmark is called 'tubingen'.*'tuebingen'"):
        load_pairs("tubingen")


def test_files_that_are_not_there_are_asked_for_by_folder_and_command(empty) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        load_pairs("LS-s", data_home=empty)
    assert str(empty / "ANLSMN_pairs" / "LS-s") in str(caught.value)
    assert str(caught.value).endswith("bqcd datasets fetch LS-s")


def test_every_folder_that_was_looked_in_is_named(empty, monkeypatch) -> None:
    monkeypatch.setenv("BQCD_DATA", str(empty / "named"))
    with pytest.raises(FileNotFoundError) as caught:
        load_pairs("tuebingen")
    for home in ("named", "cache"):
        assert str(empty / home / "tuebingen") in str(caught.value)


@pytest.mark.parametrize("home", ["named", "cache"])
def test_files_are_found_in_the_named_folder_and_in_the_cache(empty, monkeypatch, home) -> None:
    monkeypatch.setenv("BQCD_DATA", str(empty / "named"))
    kaggle_folder(empty / home / "CE_pairs" / "CE-Net", count=300)
    assert len(load_pairs("CE-Net")) == 300
    with pytest.raises(FileNotFoundError):
        load_pairs("CE-Net", data_home=empty / "given")


def test_any_folder_is_read_by_its_path(empty, monkeypatch) -> None:
    folder = pairmeta_folder(empty / "mine")
    assert load_pairs(folder).fingerprint == load_pairs(str(folder)).fingerprint
    monkeypatch.chdir(empty)
    assert len(load_pairs("mine")) == 4
    for missing in (empty / "yours", "./yours"):
        with pytest.raises(FileNotFoundError, match=r"No folder .*yours"):
            load_pairs(missing)


def test_a_benchmark_with_another_number_of_pairs_is_refused(empty) -> None:
    kaggle_folder(empty / "CE_pairs" / "CE-Cha", "CE-Cha", count=299)
    with pytest.raises(InvalidTableError, match=r"'CE-Cha' must have 300 pairs, but 299 were read"):
        load_pairs("CE-Cha", data_home=empty)


def test_a_benchmark_with_other_numbers_than_the_published_is_refused(empty) -> None:
    folder = pairmeta_folder(empty / "SIM_pairs" / "SIM", 100)
    with pytest.raises(InvalidTableError) as caught:
        load_pairs("SIM", data_home=empty)
    assert "The pairs of 'SIM'" in str(caught.value)
    assert PAIRSETS["SIM"].fingerprint[:12] in str(caught.value)
    assert "bqcd datasets fetch SIM --replace" in str(caught.value)
    assert len(load_pairs(folder)) == 100


def test_a_set_without_a_published_fingerprint_is_held_to_the_first_download(empty) -> None:
    folder = kaggle_folder(empty / "CE_pairs" / "CE-Net", count=300)
    fingerprint = load_pairs("CE-Net", data_home=empty).fingerprint
    record = {"address": "here", "fingerprints": {"CE-Net": fingerprint}}
    (folder / "fetched.json").write_text(json.dumps(record))
    assert load_pairs("CE-Net", data_home=empty).fingerprint == fingerprint
    path = folder / "CE-Net_targets.csv"
    path.write_text(path.read_text().replace("pair7,1.0", "pair7,-1.0"))
    with pytest.raises(InvalidTableError, match=r"must be those once downloaded"):
        load_pairs("CE-Net", data_home=empty)


def test_a_damaged_record_is_refused_by_name(tmp_path) -> None:
    assert recorded_fingerprint(tmp_path, "CE-Net") is None
    for text in ("not JSON", "[]", '{"fingerprints": 3}', "{}"):
        (tmp_path / "fetched.json").write_text(text)
        with pytest.raises(InvalidTableError, match=r"fetched\.json must be JSON with finger"):
            recorded_fingerprint(tmp_path, "CE-Net")


@pytest.mark.data
def test_a_copy_with_other_white_space_has_the_published_fingerprint(data_home, tmp_path) -> None:
    folder = shutil.copytree(data_home / "SIM_pairs" / "SIM", tmp_path / "SIM_pairs" / "SIM")
    for path in folder.glob("pair0*.txt"):
        rows = np.loadtxt(path).tolist()
        path.write_text("".join(f"\t{x!r}\t\t{y!r} \r\n" for x, y in rows), newline="")
    assert load_pairs("SIM", data_home=tmp_path).fingerprint == PAIRSETS["SIM"].fingerprint


@pytest.mark.data
def test_a_pair_reads_as_it_stands_in_its_file(data_home) -> None:
    first = load_pairs("AN", data_home=data_home).items[0]
    assert first.pair.x[0] == -1.24334648944363
    assert first.pair.y[0] == 0.954846448381946
    assert first.truth is Direction.X_TO_Y


@pytest.mark.parametrize("record", ["{", "[]", "[" * 100_000, '{"fingerprints": 3}', " " * 2**21])
def test_a_record_that_is_none_is_refused_in_one_line(tmp_path, record):
    (tmp_path / RECORD).write_text(record)
    for read in (recorded_fingerprint, partial(record_fingerprint, fingerprint="f", address="a")):
        with pytest.raises(InvalidTableError, match="must be JSON with fingerprints"):
            read(tmp_path, name="LS")
