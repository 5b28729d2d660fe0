"""Commands on penguins with species, and on patients with grades and yes or no."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from bqcd.cli.commands import app

RUN = CliRunner()


@pytest.fixture(scope="module")
def penguins(tmp_path_factory) -> Path:
    """Columns as the Palmer penguins have them, drawn anew."""
    rng = np.random.default_rng(0)
    kind = rng.choice(3, p=[0.44, 0.2, 0.36], size=333)
    mass = np.array([3700, 3730, 5080])[kind] + 450 * rng.normal(size=333)
    words = np.array(["Adelie", "Chinstrap", "Gentoo"])[kind]
    islands = np.array(["Biscoe", "Dream", "Torgersen"])[(kind + rng.integers(2, size=333)) % 3]
    rows = [f"{a},{b},{c:.0f}" for a, b, c in zip(words, islands, mass, strict=True)]
    path = tmp_path_factory.mktemp("penguins") / "penguins.csv"
    path.write_text("\n".join(["species,island,body_mass_g", *rows]))
    return path


@pytest.fixture(scope="module")
def patients(tmp_path_factory) -> Path:
    """Columns as GBSG2 has them, drawn anew."""
    rng = np.random.default_rng(1)
    nodes = rng.negative_binomial(1, 0.2, size=400) + 1
    grade = np.digitize(nodes + 3 * rng.normal(size=400), [0, 8])
    age = rng.integers(21, 80, size=400)
    therapy = rng.random(400) < 1 / (1 + np.exp(-(age - 55) / 10))
    rows = [
        f"{'yes' if t else 'no'},{a},{'I' * (g + 1)},{n}"
        for t, a, g, n in zip(therapy, age, grade, nodes, strict=True)
    ]
    path = tmp_path_factory.mktemp("patients") / "gbsg2.csv"
    path.write_text("\n".join(["horTh,age,tgrade,pnodes", *rows]))
    return path


def told(*words: str) -> dict:
    found = RUN.invoke(app, [*map(str, words), "--json"])
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


def test_species_are_refused_by_bqcd_in_one_line_that_names_other_methods(penguins):
    found = RUN.invoke(app, ["decide", str(penguins), "species", "body_mass_g"])
    assert found.exit_code != 0
    assert "'species' is categorical without an order, and bqcd needs one" in found.output.replace(
        "\n", " "
    )


def test_species_are_asked_about_by_auto(penguins):
    one = told("decide", penguins, "species", "body_mass_g", "--method", "auto")
    assert one["choice"] == {"method": "hcr", "reason": "mixed", "withheld": True}
    assert one["direction"] == "--"
    other = told("decide", penguins, "species", "island", "--method", "auto")
    assert other["choice"]["reason"] == "no order"
    assert other["method"] == "hcr"


def test_an_assessment_of_species_says_why_nothing_is_told(penguins):
    found = told("assess", penguins, "species", "island", "--method", "auto", "--replicates", "10")
    assert found["answer"] == "cannot tell"
    assert found["probability"] is None
    assert "no order" in [limit["code"] for limit in found["limits"]]


def test_grades_and_yes_or_no_have_an_order_once_it_is_said(patients):
    order = "--order=tgrade=I,II,III"
    graded = told("decide", patients, "pnodes", "tgrade", order, "--method", "auto")
    assert graded["choice"]["reason"] == "few values"
    assert graded["method"] == "panel"
    therapy = told("decide", patients, "age", "horTh", "--method", "bqcd")
    assert therapy["choice"] is None
    ungraded = told("decide", patients, "pnodes", "tgrade", "--method", "auto")
    assert ungraded["choice"]["reason"] == "mixed"


def test_numbers_are_names_where_that_is_said(patients):
    named = told("decide", patients, "pnodes", "age", "--nominal", "pnodes", "--method", "auto")
    assert named["choice"]["reason"] == "mixed"
