"""Downloads from a server of our own, on the loopback, that also misbehaves."""

from __future__ import annotations

import dataclasses
import json
import socket
import time
from collections.abc import Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import SimpleNamespace

import pytest

from bqcd.benchmark.datasets import PAIRSETS, Download, load_pairs, read_pair_folder
from bqcd.benchmark.datasets.fetching import fetch_pairs
from bqcd.errors import (
    InvalidSettingError,
    InvalidTableError,
    MissingPackageError,
    UnknownNameError,
)
from tests.benchmark.datasets.publisher import Publisher, archive_of, failing, whole
from tests.benchmark.datasets.small_folders import kaggle_folder, numbered_folder, pairmeta_folder

pytest.importorskip("pooch")


@pytest.fixture
def publisher(monkeypatch) -> Iterator[Publisher]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    # pooch waits a second or two before it tries again.
    monkeypatch.setattr("pooch.core.time", SimpleNamespace(sleep=lambda _: None))
    server = Publisher()
    yield server
    server.close()


@pytest.fixture(scope="module")
def ce_bundle(tmp_path_factory) -> bytes:
    """Three sets in a folder of one bundle, as Dataverse hands them out."""
    folder = tmp_path_factory.mktemp("bundle")
    for name in ("CE-Net", "CE-Cha", "CE-Multi"):
        kaggle_folder(folder / "Pairwise datasets", name, count=300)
    (folder / "MANIFEST.TXT").write_text("files\n")
    return archive_of(folder)


@pytest.fixture
def home(tmp_path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def known(tmp_path, monkeypatch) -> tuple[Path, bytes]:
    """Cards of two small sets whose fingerprints are known, and the archive they come in."""
    source = tmp_path / "published"
    pairmeta_folder(source / "repo" / "SIM_pairs" / "SIM")
    numbered_folder(source / "repo" / "ANLSMN_pairs" / "AN")
    (source / "repo" / "SIM_pairs" / "SIM" / "notes").mkdir()
    cards = dict(PAIRSETS)
    for name in ("SIM", "AN"):
        pairs = read_pair_folder(source / "repo" / cards[name].folder)
        cards[name] = dataclasses.replace(
            cards[name], n_pairs=len(pairs), fingerprint=pairs.fingerprint
        )
    for module in ("benchmarks", "fetching"):
        monkeypatch.setattr(f"bqcd.benchmark.datasets.{module}.PAIRSETS", cards)
    return source, archive_of(source)


def test_a_set_is_downloaded_checked_and_put_in_its_place(publisher, home, known) -> None:
    source, archive = known
    publisher.answers = [whole(archive)]
    (done,) = fetch_pairs("SIM", data_home=home, address=publisher.address)
    assert (done.card.name, done.folder, done.is_new) == ("SIM", home / "SIM_pairs/SIM", True)
    pairs = load_pairs("SIM", data_home=home)
    assert pairs.fingerprint == read_pair_folder(source / "repo/SIM_pairs/SIM").fingerprint
    record = json.loads((done.folder / "fetched.json").read_text())
    assert record == {
        "address": publisher.address,
        "fingerprints": {"SIM": pairs.fingerprint},
    }
    # Only what was asked for, and nothing of the way it came.
    assert [path.name for path in home.iterdir()] == ["SIM_pairs"]
    assert len(publisher.requests) == 1
    assert publisher.requests[0].headers["User-Agent"].startswith("bqcd")


def test_sets_of_one_archive_are_downloaded_once(publisher, home, known) -> None:
    publisher.answers = [whole(known[1])]
    done = fetch_pairs("SIM", "AN", "SIM", data_home=home, address=publisher.address)
    assert [one.card.name for one in done] == ["SIM", "AN", "SIM"]
    assert len(publisher.requests) == 1
    assert len(load_pairs("AN", data_home=home)) == 3


def test_what_is_on_disk_is_checked_and_not_downloaded(home, known, monkeypatch) -> None:
    numbered_folder(home / "ANLSMN_pairs" / "AN")

    def refuse(*_: object) -> None:
        raise AssertionError("nothing is to be downloaded")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    (done,) = fetch_pairs("AN", data_home=home)
    assert not done.is_new
    (home / "ANLSMN_pairs" / "AN" / "pairs_gt.txt").write_text("1\n1\n1\n")
    with pytest.raises(InvalidTableError, match=r"must be the published ones.*fetch AN --replace"):
        fetch_pairs("AN", data_home=home)


def test_damaged_files_are_replaced_on_request(publisher, home, known) -> None:
    folder = numbered_folder(home / "ANLSMN_pairs" / "AN")
    (folder / "pairs_gt.txt").write_text("1\n1\n1\n")
    publisher.answers = [whole(known[1])]
    fetch_pairs("AN", data_home=home, address=publisher.address, replace=True)
    assert [item.truth.sign for item in load_pairs("AN", data_home=home)] == [1, -1, 1]
    assert [path.name for path in home.iterdir()] == ["ANLSMN_pairs"]


def test_a_copy_on_disk_is_checked_like_a_download(home, known, tmp_path) -> None:
    (tmp_path / "copy.zip").write_bytes(known[1])
    fetch_pairs("SIM", data_home=home, address=str(tmp_path / "copy.zip"))
    assert len(load_pairs("SIM", data_home=home)) == 4
    assert (tmp_path / "copy.zip").exists()


def test_one_set_of_a_bundle_is_told_apart_by_the_names_of_its_files(
    publisher, home, ce_bundle
) -> None:
    publisher.answers = [whole(ce_bundle)]
    (done,) = fetch_pairs("CE-Cha", data_home=home, address=publisher.address)
    names = sorted(path.name for path in done.folder.iterdir())
    assert names == ["CE-Cha_pairs.csv", "CE-Cha_targets.csv", "fetched.json"]
    assert len(load_pairs("CE-Cha", data_home=home)) == 300


def test_a_set_of_unknown_fingerprint_must_stay_as_at_first_download(
    publisher, home, ce_bundle, tmp_path
) -> None:
    publisher.answers = [whole(ce_bundle)]
    fetch_pairs("CE-Net", data_home=home, address=publisher.address)
    before = load_pairs("CE-Net", data_home=home).fingerprint
    other = kaggle_folder(tmp_path / "other", count=300)
    path = other / "CE-Net_targets.csv"
    path.write_text(path.read_text().replace("pair9,1.0", "pair9,-1.0"))
    publisher.answers = [whole(archive_of(other))]
    with pytest.raises(InvalidTableError, match=r"must be those of the first download"):
        fetch_pairs("CE-Net", data_home=home, address=publisher.address, replace=True)
    assert load_pairs("CE-Net", data_home=home).fingerprint == before


def expect_nothing_left(home: Path) -> None:
    assert not home.exists() or list(home.iterdir()) == []


def test_a_server_that_fails_for_a_while_is_asked_again(publisher, home, known) -> None:
    publisher.answers = [failing(500), failing(503), whole(known[1])]
    fetch_pairs("SIM", data_home=home, address=publisher.address)
    assert len(publisher.requests) == 3
    assert len(load_pairs("SIM", data_home=home)) == 4


@pytest.mark.parametrize(
    ("status", "reason"), [(404, "404 Not Found"), (500, "500 Internal Server Error")]
)
def test_a_server_that_goes_on_failing_is_given_up(publisher, home, known, status, reason) -> None:
    publisher.answers = [failing(status)]
    with pytest.raises(ConnectionError) as caught:
        fetch_pairs("SIM", data_home=home, address=publisher.address)
    assert str(caught.value).startswith(
        f"{publisher.address} cannot be downloaded: the server answers {reason} (3 attempts)."
    )
    assert len(publisher.requests) == 3
    expect_nothing_left(home)


def test_a_server_that_is_silent_is_given_up(publisher, home, known) -> None:
    publisher.answers = [lambda _: publisher.silence.wait(20) and None]
    start = time.perf_counter()
    with pytest.raises(ConnectionError, match=r"the server is silent for 0\.2 seconds"):
        fetch_pairs("SIM", data_home=home, address=publisher.address, timeout=0.2)
    assert time.perf_counter() - start < 10.0
    expect_nothing_left(home)


def test_a_server_that_falls_silent_half_way_is_given_up(publisher, home, known) -> None:
    archive = known[1]

    def half(request: BaseHTTPRequestHandler) -> None:
        whole(archive[: len(archive) // 2], size=len(archive))(request)
        request.wfile.flush()
        publisher.silence.wait(20)

    publisher.answers = [half]
    with pytest.raises(ConnectionError, match=r"the server is silent for 0\.2 seconds"):
        fetch_pairs("SIM", data_home=home, address=publisher.address, timeout=0.2)
    expect_nothing_left(home)


def test_an_archive_cut_short_is_refused(publisher, home, known) -> None:
    archive = known[1]
    publisher.answers = [whole(archive[:-100], size=len(archive))]
    with pytest.raises(ConnectionError, match=r"the connection breaks off before the end"):
        fetch_pairs("SIM", data_home=home, address=publisher.address)
    expect_nothing_left(home)


def test_an_archive_cut_short_that_nobody_told_the_size_of_is_refused(
    publisher, home, known
) -> None:
    publisher.answers = [whole(known[1][:-100], told=False)]
    with pytest.raises(InvalidTableError, match=r"is refused, nothing of it is kept: archive\.zip"):
        fetch_pairs("SIM", data_home=home, address=publisher.address)
    expect_nothing_left(home)


def test_a_page_in_place_of_an_archive_is_refused(publisher, home, known) -> None:
    publisher.answers = [whole(b"<html>We have moved.</html>")]
    with pytest.raises(InvalidTableError, match=r"is no intact zip archive"):
        fetch_pairs("SIM", data_home=home, address=publisher.address)
    expect_nothing_left(home)


def test_a_download_without_end_is_broken_off_at_once(publisher, home, known, monkeypatch) -> None:
    monkeypatch.setattr("bqcd.benchmark.datasets.unpacking.MOST_BYTES", 1000)
    publisher.answers = [whole(bytes(1001))]
    with pytest.raises(InvalidTableError, match="must have 1,000 bytes at most, but sends more"):
        fetch_pairs("SIM", data_home=home, address=publisher.address)
    assert len(publisher.requests) == 1
    expect_nothing_left(home)


def test_an_archive_with_other_numbers_is_refused(publisher, home, known) -> None:
    source, _ = known
    path = source / "repo" / "SIM_pairs" / "SIM" / "pair0002.txt"
    path.write_text(path.read_text().replace("1", "2", 1))
    publisher.answers = [whole(archive_of(source))]
    with pytest.raises(InvalidTableError) as caught:
        fetch_pairs("SIM", data_home=home, address=publisher.address)
    message = str(caught.value)
    assert message.startswith(f"{publisher.address} is refused, nothing of it is kept: ")
    assert "must be the published ones" in message
    assert ".fetching" not in message
    expect_nothing_left(home)


def test_a_broken_file_in_an_archive_is_named(publisher, home, known) -> None:
    source, _ = known
    path = source / "repo" / "SIM_pairs" / "SIM" / "pair0002.txt"
    path.write_text("1 2\nthree four\n")
    publisher.answers = [whole(archive_of(source))]
    with pytest.raises(
        InvalidTableError,
        match=r"kept: SIM_pairs.SIM.pair0002\.txt line 2 column 1 must be a number, got 'three'",
    ):
        fetch_pairs("SIM", data_home=home, address=publisher.address)
    expect_nothing_left(home)


def test_an_archive_with_another_checksum_is_refused_and_removed(
    publisher, home, known, tmp_path, monkeypatch
) -> None:
    archive = known[1]
    right = sha256(archive).hexdigest()
    from bqcd.benchmark.datasets import fetching

    card = fetching.PAIRSETS["SIM"]
    download = Download(publisher.address, card.download.inside, sha256=right)
    cards = dict(fetching.PAIRSETS) | {"SIM": dataclasses.replace(card, download=download)}
    monkeypatch.setattr("bqcd.benchmark.datasets.fetching.PAIRSETS", cards)
    damaged = bytearray(archive)
    damaged[len(damaged) // 2] ^= 1
    publisher.answers = [whole(bytes(damaged))]
    with pytest.raises(InvalidTableError, match=f"must have the SHA-256 {right}, but"):
        fetch_pairs("SIM", data_home=home)
    expect_nothing_left(home)
    (tmp_path / "copy.zip").write_bytes(damaged)
    with pytest.raises(InvalidTableError, match=rf"copy\.zip must have the SHA-256 {right}"):
        fetch_pairs("SIM", data_home=home, address=str(tmp_path / "copy.zip"))
    publisher.answers = [whole(archive)]
    fetch_pairs("SIM", data_home=home)
    assert len(load_pairs("SIM", data_home=home)) == 4


def test_an_archive_without_the_set_or_with_two_is_refused(publisher, home, known) -> None:
    source, archive = known
    publisher.answers = [whole(archive)]
    with pytest.raises(InvalidTableError, match=r"below SIM_pairs/SIM-c in the archive, found 0"):
        fetch_pairs("SIM-c", data_home=home, address=publisher.address)
    pairmeta_folder(source / "again" / "SIM_pairs" / "SIM")
    publisher.answers = [whole(archive_of(source))]
    with pytest.raises(InvalidTableError, match=r"below SIM_pairs/SIM in the archive, found 2"):
        fetch_pairs("SIM", data_home=home, address=publisher.address)
    expect_nothing_left(home)


def test_one_bad_set_of_an_archive_keeps_the_others_out_too(publisher, home, known) -> None:
    source, _ = known
    (source / "repo" / "ANLSMN_pairs" / "AN" / "pairs_gt.txt").write_text("1\n1\n1\n")
    publisher.answers = [whole(archive_of(source))]
    with pytest.raises(InvalidTableError, match="The pairs of 'AN'"):
        fetch_pairs("SIM", "AN", data_home=home, address=publisher.address)
    expect_nothing_left(home)


def test_an_interrupted_download_leaves_nothing_behind(publisher, home, known) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    publisher.answers = [whole(known[1])]
    with pytest.raises(KeyboardInterrupt):
        fetch_pairs("SIM", data_home=home, address=publisher.address, progress=stop)
    expect_nothing_left(home)
    fetch_pairs("SIM", data_home=home, address=publisher.address)
    assert len(load_pairs("SIM", data_home=home)) == 4


def test_a_failed_download_leaves_what_was_there(publisher, home, known) -> None:
    folder = pairmeta_folder(home / "SIM_pairs" / "SIM")
    publisher.answers = [whole(b"junk")]
    with pytest.raises(InvalidTableError):
        fetch_pairs("SIM", data_home=home, address=publisher.address, replace=True)
    assert len(load_pairs("SIM", data_home=home)) == 4
    assert [path.name for path in home.iterdir()] == ["SIM_pairs"]
    assert [path.name for path in folder.parent.iterdir()] == ["SIM"]


@pytest.mark.parametrize("told", [True, False])
def test_progress_is_told(publisher, home, known, told) -> None:
    size = len(known[1])
    publisher.answers = [whole(known[1], told=told)]
    seen: list[tuple[int, int | None]] = []
    fetch_pairs(
        "SIM",
        data_home=home,
        address=publisher.address,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen[-1] == (size, size if told else None)
    assert seen == sorted(seen)


def test_nobody_there_is_no_connection(home, known, monkeypatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("pooch.core.time", SimpleNamespace(sleep=lambda _: None))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ConnectionError, match=r"cannot be downloaded: there is no connection"):
        fetch_pairs("SIM", data_home=home, address=f"http://127.0.0.1:{port}/pairs.zip")
    expect_nothing_left(home)


def test_what_cannot_be_meant_is_refused_before_anything_is_done(home) -> None:
    with pytest.raises(UnknownNameError, match=r"No benchmark is called 'SIM-d'. Nearest: 'SIM"):
        fetch_pairs("SIM", "SIM-d", data_home=home)
    with pytest.raises(InvalidSettingError, match=r"must be of one archive, but SIM and CE-Net"):
        fetch_pairs("SIM", "CE-Net", data_home=home, address="http://127.0.0.1/x.zip")
    with pytest.raises(InvalidSettingError, match=r"must begin with https:// or http://, or be a"):
        fetch_pairs("SIM", data_home=home, address="ftp://127.0.0.1/x.zip")
    with pytest.raises(InvalidSettingError, match=r"timeout of fetch_pairs must be a number > 0"):
        fetch_pairs("SIM", data_home=home, timeout=0)
    expect_nothing_left(home)


def test_without_pooch_the_message_says_what_to_install(home, monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pooch", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'bqcd\[bench\]'"):
        fetch_pairs("SIM", data_home=home, address="http://127.0.0.1/x.zip")
    expect_nothing_left(home)


def test_downloads_go_to_the_folder_in_the_variable(publisher, home, known, monkeypatch) -> None:
    monkeypatch.setenv("BQCD_DATA", str(home))
    publisher.answers = [whole(known[1])]
    fetch_pairs("SIM", address=publisher.address)
    assert (home / "SIM_pairs" / "SIM" / "pairmeta.txt").exists()
