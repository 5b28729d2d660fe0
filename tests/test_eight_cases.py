"""Answers that outputs once gave and must not give again, as a new user would ask for them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bqcd
from benchmarks.hidden_causes import hidden
from bqcd.cli.commands import app
from bqcd.methods.answers import BARS
from bqcd.show.words.assessments import REAL_PAIRS


def command(*arguments: object) -> str:
    result = CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "100"})
    assert result.exit_code == 0, result.output
    return result.stdout


def linear(n: int, seed: int) -> pd.DataFrame:
    """Two columns of a straight line with Gaussian noise: no direction can be known."""
    rng = np.random.default_rng(seed)
    age = rng.normal(48.0, 13.0, n).round()
    pressure = 0.3 * (age - 48.0) + rng.normal(95.0, 13.0, n)
    return pd.DataFrame({"age": age, "bp": pressure.round(1)})


def places(n: int, seed: int) -> pd.DataFrame:
    """Towns along a coast: latitude and longitude go together, and none causes the other."""
    rng = np.random.default_rng(seed)
    along = rng.beta(2.0, 1.5, n)
    return pd.DataFrame(
        {
            "latitude": (32.5 + 9.5 * along + 0.8 * rng.normal(size=n)).round(2),
            "longitude": (-114.0 - 10.0 * along + 0.9 * rng.normal(size=n)).round(2),
        }
    )


def hidden_causes(n: int, columns: int, seed: int) -> dict[str, np.ndarray]:
    """Columns that have nothing but hidden causes in common."""
    rng = np.random.default_rng(seed)
    causes = rng.normal(size=(columns // 5, n))
    return {
        f"c{number:02d}": causes[number % len(causes)]
        + rng.choice([-1.0, 1.0]) * causes[(3 * number + 1) % len(causes)]
        + rng.uniform(0.3, 1.0) * rng.normal(size=n)
        for number in range(columns)
    }


def test_what_is_held_back_names_no_cause(tmp_path):
    linear(300, 0).to_csv(tmp_path / "diabetes.csv", index=False)
    asked = ("assess", tmp_path / "diabetes.csv", "age", "bp", "--abstain", 0.9)
    told = json.loads(command(*asked, "--json"))
    assert (told["direction"], told["cause"], told["effect"]) == ("--", None, None)
    said = command(*asked)
    assert "age -- bp" in said
    assert "looks like the cause" not in said


@pytest.mark.parametrize("kind", [linear, places])
def test_columns_without_a_direction_get_no_clear_arrow(kind):
    answers = []
    for seed in range(6):
        table = kind(400, seed)
        answers.append(bqcd.assess(*table.columns, table=table, replicates=10).answer)
    assert "clear" not in answers
    assert answers.count("leaning") <= 2


def test_an_arrow_stands_at_no_probability_near_one_half():
    for seed in range(4):
        table = linear(300, seed)
        found = bqcd.assess("age", "bp", table=table, replicates=10)
        if found.probability < 0.65:
            assert found.direction.value == "--"
            assert found.cause is None
            assert "looks like the cause" not in found.explain()


def test_hidden_common_causes_are_not_called_causes():
    """Of dependent pairs, at most one in twenty is called clear, and three in twenty leaning."""
    found = bqcd.scan(hidden_causes(500, 20, 0), then="panel").where(max_q=0.05)
    answers = found.table["answer"].to_pylist()
    assert len(answers) > 30
    assert answers.count("clear") <= 0.05 * len(answers)
    assert answers.count("leaning") <= 0.15 * len(answers)


def test_what_a_scan_does_not_ask_the_panel_about_is_not_told_either():
    """Of such pairs bqcd exceeds what is common for linear Gaussian data in more than half."""
    table = hidden("squared", 500, np.random.default_rng(3))
    found = bqcd.scan(table, then="panel", then_pairs=30).where(max_q=0.05)
    answers, limits = (found.table[name].to_pylist() for name in ("answer", "limit"))
    assert len(answers) > 300
    assert answers.count("clear") <= 0.05 * len(answers)
    assert answers.count("leaning") <= 0.15 * len(answers)
    assert limits.count("no probability") > 0.3 * len(answers)


def test_rows_that_are_worth_few_change_the_number():
    """Thirty stones, each measured a hundred times: 3,000 rows that tell what thirty do."""
    rng = np.random.default_rng(4)
    size = np.repeat(rng.normal(size=30), 100)
    price = np.tanh(size) + 0.5 * size**2 + np.repeat(0.3 * rng.normal(size=30), 100)
    table = {"carat": size, "price": price}
    table = {name: column + 0.002 * rng.normal(size=3000) for name, column in table.items()}
    asked = {"table": table, "replicates": 10}
    taken, counted = (
        bqcd.assess("carat", "price", find_units=look, **asked) for look in (False, True)
    )
    assert counted.together.effective_rows < 100
    assert counted.probability < taken.probability - 0.1
    assert counted.answer != "clear"
    assert "3,000 rows are worth about" in counted.explain()


def test_a_column_that_explains_the_link_is_named_below_the_headline(tmp_path):
    rng = np.random.default_rng(5)
    kind, within = rng.integers(3, size=330), rng.normal(size=330)
    length = np.array([39.0, 49.0, 47.5])[kind] + 2.8 * within
    depth = np.array([18.3, 18.4, 15.0])[kind] + 0.7 * within + 0.8 * rng.normal(size=330)
    table = {"species": np.array(["Adelie", "Chinstrap", "Gentoo"])[kind],
             "bill_length": length.round(1), "bill_depth": depth.round(1)}  # fmt: skip
    pd.DataFrame(table).to_csv(tmp_path / "penguins.csv", index=False)
    said = command("assess", tmp_path / "penguins.csv", "bill_length", "bill_depth")
    headline, aside, *_ = [line for line in said.splitlines() if line.strip("│╭─╮╰╯ ")]
    assert "clear" not in headline
    assert "species" in aside


@pytest.mark.parametrize("depth", ["quick", "deep"])
def test_arrows_on_real_pairs_are_right_as_often_as_their_word_says(depth):
    for answer, least in (("clear", BARS.clear), ("leaning", BARS.leaning)):
        pairs, right = REAL_PAIRS[depth][answer]
        assert right / pairs >= least
