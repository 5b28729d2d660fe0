from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from bqcd.cli.commands import app


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    path = tmp_path_factory.mktemp("tables") / "doses.csv"
    frame = {"dose": x, "[b]response[/b]": x**2 + 0.3 * rng.normal(size=400)}
    pd.DataFrame(frame).to_csv(path, index=False)
    return path


def run(*arguments: object):
    return CliRunner().invoke(app, ["assess", *map(str, arguments)], env={"COLUMNS": "80"})


def test_the_answer_is_a_short_table_and_a_paragraph_in_eighty_columns(table) -> None:
    result = run(table, "dose", "[b]response[/b]")
    assert result.exit_code == 0
    said = " ".join(result.stdout.replace("│", " ").split())
    assert "answer clear cause dose effect [b]response[/b] probability 0.9" in said
    assert "halves that agree 100% of 20" in said
    assert "method panel" in said
    assert "'dose' looks like the cause of '[b]response[/b]'" in said
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_json_is_one_object_with_every_number_and_the_table_if_asked_for(table) -> None:
    result = run(table, 0, 1, "--json", "--replicates", 20, "--method", "igci-g", "--sensitivity")
    told = json.loads(result.stdout)
    assert told["direction"] == "->"
    assert told["stability"]["replicates"] == 20
    assert told["probability"] is None
    assert len(told["table"]) == 6


def test_weights_are_a_column_of_the_table(table, tmp_path) -> None:
    frame = pd.read_csv(table).assign(count=1.0 + np.arange(400) % 3)
    frame.to_csv(tmp_path / "weighted.csv", index=False)
    result = run(tmp_path / "weighted.csv", 0, 1, "--weights", "count", "--replicates", 10)
    assert result.exit_code == 0
    said = " ".join(result.stdout.replace("│", " ").split())
    assert "weighted by count, worth 343 equally weighted rows" in said
    negative = frame.assign(count=-frame["count"])
    negative.to_csv(tmp_path / "negative.csv", index=False)
    refused = run(tmp_path / "negative.csv", 0, 1, "--weights", "count")
    assert refused.exit_code == 2
    assert "Weights 'count' must be finite and not negative" in refused.stderr


def test_a_limit_that_is_not_reached_leaves_the_pair_undecided(table) -> None:
    result = run(
        table,
        0,
        1,
        "--json",
        "--abstain",
        1e-300,
        "--abstain-by",
        "significance",
        "--method",
        "bqcd",
    )
    told = json.loads(result.stdout)
    assert (told["answer"], told["direction"]) == ("cannot tell", "--")
    assert told["cause"] is told["effect"] is None
    assert told["confidence"] > 0.0


def test_the_table_of_settings_is_shown(table) -> None:
    result = run(table, 0, 1, "--method", "igci-g", "--replicates", 20, "--sensitivity")
    assert "6 of 6 agree with the verdict on all rows." in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("dose", "nothing"), "has no column 'nothing'"),
        ((0, 1, "--abstain", "7"), "abstain of assess"),
        ((0, 1, "--replicates", "1"), "replicates of assess"),
        ((0, 1, "--method", "bqdc"), "No method is called 'bqdc'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(table, arguments, message) -> None:
    result = run(table, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.fixture
def trial(tmp_path):
    """Ten measurements of each of twenty persons."""
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(20), 10)
    x, y = rng.normal(size=(2, 20))[:, person] + 0.5 * rng.normal(size=(2, 200))
    frame = pd.DataFrame({"who": [f"p{at}" for at in person], "dose": x, "response": y})
    frame.sample(frac=1.0, random_state=0).to_csv(tmp_path / "trial.csv", index=False)
    return tmp_path / "trial.csv"


def test_units_are_a_column_of_the_table_given_or_found(trial) -> None:
    def numbers(*options):
        asked = run(
            trial, "dose", "response", "--json", "--replicates", 50, "--method", "bqcd", *options
        )
        return json.loads(asked.stdout)

    found, given, alone = numbers(), numbers("--units", "who"), numbers("--independent-rows")
    assert (found["units"]["kind"], given["units"]["kind"], alone["units"]) == (
        "column",
        "given",
        None,
    )
    assert found["units"]["count"] == given["units"]["count"] == 20
    assert found["confidence"] == given["confidence"] == alone["confidence"]
    assert found["p_bound"] == given["p_bound"] >= alone["p_bound"]
    [note] = found["notes"]
    assert (note["code"], note["kind"], note["name"]) == ("rows together", "column", "who")
    assert alone["notes"] == []


def test_a_column_of_units_that_is_not_there_is_refused_in_one_line(trial) -> None:
    result = run(trial, "dose", "response", "--units", "whom")
    assert result.exit_code == 2
    assert "whom" in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.fixture
def grouped(tmp_path):
    """Two columns whose link turns within groups, with numbers that have nothing to do with it."""
    rng = np.random.default_rng(3)
    group = rng.integers(3, size=450)
    within = rng.normal(size=450)
    frame = pd.DataFrame(
        {
            "length": 2.5 * group + within,
            "depth": -2.5 * group + 0.9 * within + 0.5 * rng.normal(size=450),
            "kind": np.array(["red", "green", "blue"])[group],
            "noise": rng.normal(size=450),
        }
    )
    frame.to_csv(tmp_path / "grouped.csv", index=False)
    return tmp_path / "grouped.csv"


def test_a_third_column_is_found_and_told_below_the_headline(grouped) -> None:
    result = run(grouped, "length", "depth", "--replicates", 20)
    said = " ".join(result.stdout.replace("│", " ").split())
    assert "length -- depth (cannot tell, probability 0.50)" in said
    assert "Within groups of 'kind' the link has the opposite sign" in said
    alone = run(grouped, "length", "depth", "--replicates", 20, "--pair-only")
    assert "kind" not in alone.stdout


def test_groups_are_told_one_by_one_and_pooled(grouped) -> None:
    result = run(grouped, "length", "depth", "--replicates", 20, "--by", "kind")
    said = " ".join(result.stdout.replace("│", " ").split())
    assert "within kind cannot tell, rank correlation +0.8" in said
    assert all(f"kind {name} cannot tell" in said for name in ("red", "green", "blue"))
    told = json.loads(
        run(grouped, "length", "depth", "--replicates", 20, "--by", "kind", "--json").stdout
    )
    assert told["survival"]["kind"] == "by"
    assert told["survival"]["outcome"] == "reverses"
    assert sum(group["n_rows"] for group in told["survival"]["groups"]) == 450
    assert told["aside"].startswith("Within groups of 'kind'")


def test_several_columns_may_be_given(grouped) -> None:
    arguments = ("--given", "noise", "--given", "kind", "--replicates", 20, "--json")
    told = json.loads(run(grouped, "length", "depth", *arguments).stdout)
    assert told["survival"]["columns"] == ["noise", "kind"]
    assert told["survival"]["outcome"] == "reverses"
    refused = run(grouped, "length", "depth", "--given", "noise", "--by", "kind")
    assert refused.exit_code == 2
    assert "takes by or given, not both" in refused.stderr
    assert "has no column 'colour'" in run(grouped, "length", "depth", "--by", "colour").stderr
