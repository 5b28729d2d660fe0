from __future__ import annotations

import json
import shlex

import numpy as np
import pytest

from bqcd.cli.console import chosen_settings
from bqcd.methods.igci import IGCI
from bqcd.methods.table import METHODS
from bqcd.show.reports.colophon import PAPER, bibtex_of, fingerprint_of, recipe

A, B = np.array([1.0, np.nan, 0.0]), np.array([2.0, 3.0, 4.0])


def test_a_fingerprint_does_not_depend_on_order_or_on_bits_that_mean_the_same():
    other_nan = np.frombuffer(b"\x01\x00\x00\x00\x00\x00\xf8\xff", "<f8")[0]
    same = [("b", B), ("a", np.array([1.0, other_nan, -0.0]))]
    assert fingerprint_of([("a", A), ("b", B)]) == fingerprint_of(same)


@pytest.mark.parametrize(
    "other",
    [
        [("a", A)],
        [("a", B), ("b", A)],
        [("a", A), ("c", B)],
        [("a", A), ("b", B + np.array([0.0, 0.0, 1e-15]))],
    ],
)
def test_other_numbers_or_names_have_another_fingerprint(other):
    assert fingerprint_of([("a", A), ("b", B)]) != fingerprint_of(other)


def test_a_command_reads_as_what_was_asked():
    names = ("it's <b>", "=cmd()")
    settings = {"levels": [0.1, 0.9], "regressor": "copula", "word": "true"}
    command, python = recipe("a b.csv", {"pairs": [names], "missing": "drop"}, settings)
    words = shlex.split(command)
    assert words[:5] == ["bqcd", "report", "a b.csv", *names]
    assert words[5:7] == ["--missing", "drop"]
    given = [words[at + 1] for at, word in enumerate(words) if word == "--set"]
    assert chosen_settings(given) == settings
    assert words[-2:] == ["-o", "report.html"]
    assert python.startswith(
        "import bqcd\n\nbqcd.report('a b.csv', pairs=[(\"it's <b>\", '=cmd()')], missing="
    )


def test_names_that_look_like_options_stand_behind_two_dashes():
    command, _ = recipe("t.csv", {"pairs": [("-x", "y")], "seed": 2}, {})
    assert command == "bqcd report --seed 2 -o report.html -- t.csv -x y"


@pytest.mark.parametrize(
    ("table", "asked", "settings"),
    [
        ({"a": A}, {}, {}),
        ("t.csv", {"pairs": [("a", "b"), ("a", "c")]}, {}),
        ("t.csv", {"graph": object()}, {}),
        ("t.csv", {"method": IGCI()}, {}),
        ("t.csv", {}, {"regressor": object()}),
    ],
)
def test_what_a_shell_cannot_say_has_no_command(table, asked, settings):
    command, python = recipe(table, asked, settings)
    assert command == ""
    assert python.startswith("import bqcd\n\nbqcd.report(")


@pytest.mark.parametrize("name", sorted(set(METHODS) - {"auto", "coin", "margins"}))
def test_every_method_but_the_floors_has_an_entry_to_cite(name):
    entry = bibtex_of(name)
    assert entry.count("{") == entry.count("}") > 1
    assert entry == PAPER if name == "bqcd" else METHODS[name].reference in entry
    assert json.loads(json.dumps(entry)) == entry
