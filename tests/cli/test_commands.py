"""What the command prints, writes and refuses: run in its own process, some from nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bqcd
from tests.cli.commanding import COMMAND, PLAIN, run

# One process, as the one that becomes the command takes a while to load.
pytestmark = pytest.mark.xdist_group("command")

PNG = b"\x89PNG\r\n\x1a\n"


def answer(*arguments: object, cold: bool = False) -> dict:
    return told(run("decide", *arguments, "--json", cold=cold))


def told(done: subprocess.CompletedProcess[str]) -> dict:
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1
    return json.loads(done.stdout)


def columns(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    dose = rng.normal(size=n)
    return dose, dose**2 + 0.3 * rng.normal(size=n)


def delimited(names: list[str], *values: object, by: str = ",") -> str:
    rows = zip(*values, strict=True)
    lines = [by.join(map(str, row)) for row in rows]
    return "\n".join([by.join(names), *lines]) + "\n"


def test_the_package_can_be_run_as_the_command():
    asked = [sys.executable, "-m", "bqcd", "--version"]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    assert bqcd.__version__ in done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    dose, response = columns()
    ids = range(len(dose))
    names = ["id", "dose", "response"]
    (folder / "t.csv").write_text(delimited(names, ids, dose, response))
    (folder / "t.tsv").write_text(delimited(names, ids, dose, response, by="\t"))
    table = pa.table({"id": list(ids), "dose": dose, "response": response})
    pq.write_table(table, folder / "t.parquet")
    return folder


@pytest.fixture(scope="module")
def decided() -> float:
    return bqcd.decide(*columns()).confidence


@pytest.fixture(scope="module")
def as_json(folder) -> dict:
    return answer(folder / "t.csv", "dose", "response", cold=True)


def test_an_answer_names_cause_confidence_and_assumptions(folder, decided):
    picture = folder / "answer.png"
    done = run("decide", folder / "t.csv", "dose", "response", "--plot", picture, cold=True)
    assert done.returncode == 0, done.stderr
    assert f"dose -> response (leaning, confidence {decided:+.4g})" in done.stdout
    assert "The data lean towards 'dose' as the cause of 'response'" in done.stdout
    assert "This assumes that one column" in done.stdout
    assert f"Picture: {picture}" in done.stdout
    assert picture.read_bytes().startswith(PNG)


def test_json_is_one_object_with_the_facts_of_the_verdict(as_json):
    assert as_json["x"] == "dose"
    assert as_json["y"] == "response"
    assert as_json["direction"] == "->"
    assert as_json["cause"] == "dose"
    assert as_json["n_rows"] == 300
    assert as_json["dropped_rows"] == 0
    assert as_json["method"] == "bqcd"
    assert as_json["settings"]["regressor"] == "copula"
    assert as_json["settings"]["n_levels"] == 3
    assert as_json["seconds"] > 0.0


def test_json_has_every_digit_of_the_confidence_python_gets(as_json, decided):
    assert as_json["confidence"] == decided


def test_weights_are_a_column_of_the_table(folder):
    weighted = answer(folder / "t.csv", "dose", "response", "--weights", "id")
    expected = bqcd.decide(*columns(), weights=np.arange(300))
    assert weighted["confidence"] == expected.confidence
    assert weighted["weighting"] == expected.weighting.as_dict() | {"column": "id"}
    done = run("decide", folder / "t.csv", "dose", "response", "--weights", "dose")
    assert done.returncode == 2
    assert "'dose' is asked for twice" in done.stderr


def test_json_stays_one_object_when_a_picture_is_saved(folder):
    picture = folder / "beside.svg"
    answer(folder / "t.csv", "dose", "response", "--plot", picture)
    assert "<svg" in picture.read_text()


def test_swapping_the_columns_flips_the_sign_exactly(folder, as_json):
    swapped = answer(folder / "t.csv", "response", "dose")
    assert swapped["confidence"] == -as_json["confidence"]
    assert swapped["direction"] == "<-"
    assert swapped["cause"] == "dose"


@pytest.mark.parametrize("file", ["t.tsv", "t.parquet"])
def test_the_file_format_does_not_change_the_number(folder, file, as_json):
    assert answer(folder / file, "dose", "response")["confidence"] == as_json["confidence"]


def test_standard_input_and_column_positions_give_the_same_number(folder, as_json):
    command = [COMMAND, "decide", "-", "1", "2", "--json"]
    content = (folder / "t.csv").read_text()
    done = subprocess.run(
        command, input=content, capture_output=True, text=True, env=os.environ | PLAIN, check=False
    )
    by_position = told(done)
    assert by_position["confidence"] == as_json["confidence"]
    assert (by_position["x"], by_position["y"]) == ("dose", "response")


def test_missing_values_are_refused_unless_dropped(tmp_path, decided):
    dose, response = columns()
    with_gaps = delimited(["dose", "response"], ["NA", *dose, 0.5], [1.0, *response, ""])
    (tmp_path / "gaps.csv").write_text(with_gaps)
    refused = run("decide", tmp_path / "gaps.csv", "dose", "response")
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert "--missing drop" in refused.stderr
    kept = answer(tmp_path / "gaps.csv", "dose", "response", "--missing", "drop")
    assert kept["confidence"] == decided
    assert (kept["n_rows"], kept["dropped_rows"]) == (300, 2)


def test_options_reach_the_method(tmp_path):
    dose, response = (column.round(1) for column in columns(60))
    (tmp_path / "t.csv").write_text(delimited(["dose", "response"], dose, response))
    options = ["--levels", 5, "--seed", 3, "--jitters", 2, "--set", "small_n=0"]
    printed = answer(tmp_path / "t.csv", "dose", "response", "--regressor", "forest", *options)
    settings = {"regressor": "forest", "n_levels": 5, "jitters": 2, "small_n": 0}
    expected = bqcd.decide(dose, response, seed=3, **settings)
    assert printed["confidence"] == expected.confidence
    assert printed["seed"] == 3
    assert printed["settings"].items() >= settings.items()
    assert len(printed["evidence"]["scores"]["levels"]) == 5


def test_identical_columns_are_undecided_and_no_error(tmp_path):
    dose, _ = columns(50)
    (tmp_path / "t.csv").write_text(delimited(["a", "b"], dose, dose))
    undecided = answer(tmp_path / "t.csv", "a", "b")
    assert undecided["direction"] == "--"
    assert undecided["confidence"] == 0.0
    assert undecided["cause"] is None


def test_names_are_printed_as_text_not_read_as_markup(tmp_path):
    first, second = "[/bold] a=b", "<script>[red]x"
    (tmp_path / "t.csv").write_text(delimited([first, second], *columns(50)))
    done = run("decide", tmp_path / "t.csv", first, second, "--verbose")
    assert done.returncode == 0, done.stderr
    assert f"{first} -> {second} (leaning, confidence" in done.stdout
    assert f"code length {second} -> {first}" in done.stdout
    assert f"lean towards '{first}' as the cause of '{second}'" in done.stdout


DIGITS = "\n".join(f"{i},{i * i}" for i in range(20)) + "\n"

BAD_FILES = {
    "good.csv": "a,b\n" + DIGITS,
    "words.csv": "a,b\n" + DIGITS + "tall,5\n",
    "infinite.csv": "a,b\n" + DIGITS + "inf,5\n",
    "constant.csv": "a,b\n" + "".join(f"1,{i}\n" for i in range(20)),
    "short.csv": "a,b\n1,2\n2,3\n3,5\n",
    "empty.csv": "",
    "header.csv": "a,b\n",
    "notes.json": '{"a": {"b": [3, 4]}}',
    "picture.csv": PNG + bytes(range(256)) * 4,
    "latin.csv": b"gr\x81\x90e,b\n" + DIGITS.encode(),
}

BAD_INPUTS = {
    "an unknown column": (["good.csv", "aa", "b"], "no column 'aa'"),
    "a column that looks like markup": (["good.csv", "[/red]a", "b"], "no column '[/red]a'"),
    "the same column twice": (["good.csv", "a", "a"], "two different columns"),
    "words": (["words.csv", "a", "b"], "'tall'"),
    "infinite values": (["infinite.csv", "a", "b"], "must be finite"),
    "a constant column": (["constant.csv", "a", "b"], "constant"),
    "too few rows": (["short.csv", "a", "b"], "at least 10"),
    "a missing file": (["god.csv", "a", "b"], "no file"),
    "an empty file": (["empty.csv", "a", "b"], "empty"),
    "a header alone": (["header.csv", "a", "b"], "no rows"),
    "no table": (["notes.json", "a", "b"], "'b'"),
    "binary content": (["picture.csv", "a", "b"], "picture.csv"),
    "another encoding": (["latin.csv", "0", "b"], "UTF-8"),
    "an unknown method": (["good.csv", "a", "b", "--method", "bqdc"], "'bqcd'"),
    "an unknown regressor": (["good.csv", "a", "b", "--regressor", "coupla"], "'copula'"),
    "no levels": (["good.csv", "a", "b", "--levels", "0"], "n_levels"),
    "a negative seed": (["good.csv", "a", "b", "--seed", "-1"], "seed"),
    "a setting without a value": (["good.csv", "a", "b", "--set", "jitters"], "NAME=VALUE"),
    "an unknown setting": (["good.csv", "a", "b", "--set", "n_level=3"], "'n_levels'"),
    "an argument as setting": (["good.csv", "a", "b", "--set", "seed=3"], "seed"),
    "a word for a claim": (["good.csv", "a", "b", "--set", "published_ties=No"], "published_ties"),
    "an unknown picture": (["good.csv", "a", "b", "--plot", "t.bmp"], ".png"),
}


@pytest.fixture(scope="module")
def bad_files(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("bad")
    for name, content in BAD_FILES.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@pytest.mark.parametrize(("arguments", "word"), BAD_INPUTS.values(), ids=BAD_INPUTS)
def test_bad_input_is_refused_in_one_line(bad_files, arguments, word):
    file, *others = arguments
    done = run("decide", bad_files / file, *others)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("bqcd: ")
    assert word in done.stderr


def test_the_methods_are_listed_with_what_they_assume():
    done = run("methods", cold=True)
    assert done.returncode == 0, done.stderr
    for card in bqcd.METHODS.values():
        assert card.name in done.stdout
        assert card.assumes in done.stdout


def test_a_method_is_described_with_its_settings():
    done = run("methods", "slope")
    assert done.returncode == 0, done.stderr
    card = bqcd.METHODS["slope"]
    for told in (card.assumes, card.reference, "shift and scale", "library='published'"):
        assert told in done.stdout


def test_an_unknown_method_is_not_described():
    done = run("methods", "slop")
    assert done.returncode == 2
    assert "'slope'" in done.stderr


def test_the_demo_decides_two_tables_and_draws_both(tmp_path):
    done = run("demo", "--folder", tmp_path, cold=True)
    assert done.returncode == 0, done.stderr
    assert "milliseconds -> acceleration" in done.stdout
    assert "weak, and should not be relied on" in done.stdout
    pictures = sorted(tmp_path.iterdir())
    assert [picture.name for picture in pictures] == ["demo-engel.png", "demo-mcycle.png"]
    for picture in pictures:
        assert picture.read_bytes().startswith(PNG)
        assert str(picture) in done.stdout


def test_help_names_the_commands_and_every_argument_of_decide():
    root = run("--help").stdout
    for command in ("decide", "methods", "demo"):
        assert command in root
    shown = run("decide", "--help").stdout
    options = ["--method", "--regressor", "--levels", "--seed", "--jitters", "--missing"]
    for argument in ["TABLE", " X ", " Y ", *options, "--set", "--plot", "--json"]:
        assert argument in shown


def test_the_version_is_that_of_the_package():
    assert run("--version", cold=True).stdout.strip() == bqcd.__version__
