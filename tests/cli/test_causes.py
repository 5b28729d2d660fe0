"""The command that looks for causes in several environments."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from bqcd.cli.commands import app
from tests.graphs.test_invariance import table


@pytest.fixture(scope="module")
def sites(tmp_path_factory):
    columns = table(np.random.default_rng(0), n=300)
    path = tmp_path_factory.mktemp("causes") / "sites.csv"
    lines = [",".join(columns)]
    lines += [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def asked(*words):
    return CliRunner().invoke(app, ["causes", *words])


def test_causes_are_named_with_p_values_and_what_was_tested(sites):
    found = asked(sites, "y", "--environment", "site")
    assert found.exit_code == 0
    assert "Causes of y" in found.output
    assert "300 rows of 3 environments" in found.output


def test_json_has_all_sets_that_pass(sites):
    found = json.loads(asked(sites, "y", "-e", "site", "--predictor", "x", "--json").output)
    assert found["predictors"] == ["x"]
    assert found["n_sets"] == 2
    assert found["causes"] == ["x"]
    assert found["accepted"][0]["predictors"] == ["x"]


def test_an_absent_column_is_one_line_of_error(sites):
    found = asked(sites, "y", "--environment", "place")
    assert found.exit_code != 0
    assert "no column 'place'" in found.output
    assert "Traceback" not in found.output


def test_text_is_refused_with_the_option_that_takes_other_columns(sites, tmp_path):
    path = tmp_path / "named.csv"
    head, *rows = Path(sites).read_text(encoding="utf-8").splitlines()
    path.write_text(
        "\n".join([f"{head},word", *(f"{row},{'ab'[at % 2]}" for at, row in enumerate(rows))]),
        encoding="utf-8",
    )
    found = asked(str(path), "y", "--environment", "site")
    assert found.exit_code == 2
    told = " ".join(found.stderr.split())
    assert told.startswith("bqcd: Column 'word' must hold numbers")
    assert told.endswith("To take other columns: --predictor.")
