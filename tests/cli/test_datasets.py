"""`bqcd datasets` as a user runs it: what it prints, writes, downloads and refuses."""

from __future__ import annotations

from subprocess import CompletedProcess

import pytest

from bqcd.benchmark.datasets import PAIRSETS, load_pairs, simulate_pairs
from tests.benchmark.datasets.publisher import Publisher, archive_of, whole
from tests.benchmark.datasets.small_folders import kaggle_folder
from tests.cli import commanding

# One process, as the one that becomes the command takes a while to load.
pytestmark = pytest.mark.xdist_group("command")


def run(*arguments: object, cold: bool = False, **more: str) -> CompletedProcess[str]:
    names = {"BQCD_DATA": None, "COLUMNS": "80", "NO_PROXY": "127.0.0.1"} | more
    return commanding.run("datasets", *arguments, cold=cold, **names)


def refusal(*arguments: object, **environment: str) -> str:
    """The one line on standard error of a command that is refused."""
    done = run(*arguments, **environment)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("bqcd: ")
    return line


@pytest.fixture
def publisher():
    pytest.importorskip("pooch")
    server = Publisher()
    yield server
    server.close()


def test_the_list_fits_a_terminal_and_names_every_set(tmp_path) -> None:
    kaggle_folder(tmp_path / "CE_pairs" / "CE-Net", count=2)
    done = run("list", "--data-home", tmp_path, cold=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    rows = {row[0]: row for row in (line.strip("│ ").split() for line in lines) if row}
    for name, card in PAIRSETS.items():
        assert str(card.n_pairs) in rows[name]
        assert ("yes" in rows[name]) == (name == "CE-Net")
    assert "bqcd datasets fetch NAME" in done.stdout


def test_info_of_a_set_that_is_not_on_disk_says_where_it_comes_from(tmp_path) -> None:
    done = run("info", "CE-Net", "--data-home", tmp_path, COLUMNS="200")
    assert done.returncode == 0, done.stderr
    for text in (
        "Goudet",
        "terms of the Harvard Dataverse page",
        str(tmp_path / "CE_pairs" / "CE-Net"),
        "doi:10.7910/DVN/3757KX",
        "no published fingerprint is known",
        "bqcd datasets fetch CE-Net",
    ):
        assert text in done.stdout


@pytest.mark.data
def test_info_of_a_set_on_disk_counts_pairs_labels_weights_and_refusals(data_home) -> None:
    done = run("info", "tuebingen", BQCD_DATA=str(data_home))
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    for text in (
        "99, and 9 refused",
        "94 to 16,382",
        "73 x -> y, 26 x <- y",
        "0.083 to 1, 35.4979 in all",
        "tuebingen/0105: one of the variables is a vector",
    ):
        assert text in done.stdout
    assert PAIRSETS["tuebingen"].fingerprint in done.stdout
    assert "with that fingerprint" in " ".join(done.stdout.split())


def test_a_misspelt_name_is_refused_with_the_nearest(tmp_path) -> None:
    assert "'tubingen'" in refusal("info", "tubingen")
    assert "Nearest: 'tuebingen'" in refusal("fetch", "tubingen")
    assert "No generator is called 'LSs'" in refusal("generate", "LSs", "-o", tmp_path / "out")


def test_fetch_downloads_once_and_then_finds_the_files(publisher, tmp_path) -> None:
    bundle = kaggle_folder(tmp_path / "bundle", count=300)
    publisher.answers = [whole(archive_of(bundle))]
    home = tmp_path / "home"
    done = run("fetch", "CE-Net", "--from", publisher.address, BQCD_DATA=str(home), cold=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    first, *rest = done.stdout.splitlines()
    assert first == f"CE-Net: 300 pairs downloaded and checked, {home / 'CE_pairs' / 'CE-Net'}"
    assert "no published fingerprint is known" in " ".join(rest)
    again = run("fetch", "CE-Net", "--from", publisher.address, BQCD_DATA=str(home))
    assert again.stdout.startswith("CE-Net: 300 pairs there already and checked")
    assert len(publisher.requests) == 1


def test_fetch_that_fails_says_why_in_one_line(publisher, tmp_path) -> None:
    publisher.answers = [whole(b"junk")]
    home = tmp_path / "home"
    message = refusal("fetch", "AN", "--from", publisher.address, "--data-home", home)
    assert f"{publisher.address} is refused, nothing of it is kept" in message
    assert "archive.zip is no intact zip archive" in message
    assert not home.exists()


def test_generated_pairs_read_back_as_they_were_drawn(tmp_path) -> None:
    out = tmp_path / "more"
    options = ("--pairs", 3, "--rows", 40, "--seed", 5, "--set", "noise_scale=0.3")
    done = run("generate", "LS", *options, "-o", out)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"LS: 3 pairs written to {out}\n"
    drawn = simulate_pairs("LS", n_pairs=3, n_rows=40, seed=5, noise_scale=0.3)
    assert load_pairs(out).fingerprint == drawn.fingerprint
    readme = (out / "README.txt").read_text()
    command = "generate LS --pairs 3 --rows 40 --seed 5 --set noise_scale=0.3"
    assert f"Made by: bqcd datasets {command}\n" in readme
    assert f"Fingerprint: {drawn.fingerprint}\n" in readme
    told = run("info", out)
    assert told.returncode == 0, told.stderr
    assert drawn.fingerprint in told.stdout
    assert "40 each" in told.stdout


def test_generate_refuses_what_cannot_be_meant(tmp_path) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    assert "must be a new or an empty folder" in refusal("generate", "AN", "-o", tmp_path)
    message = refusal("generate", "AN", "--pairs", 0, "-o", tmp_path / "out")
    assert "n_pairs of simulate_pairs must be an integer from 1 to 1,000,000, got 0" in message
    message = refusal("generate", "AN", "--set", "colour=3", "-o", tmp_path / "out")
    assert "'AN' has no setting 'colour'" in message
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]
