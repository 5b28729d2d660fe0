"""What a browser may ask, and what it is told may be asked."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.errors import InvalidSettingError, UnknownNameError
from bqcd.scans.sources import open_source
from bqcd.show.explorer.preview import preview
from bqcd.show.explorer.questions import MOST_COLUMNS, Question, choices

NAMES = [f"c{at}" for at in range(300)]


def test_a_question_as_it_is_sent_is_read():
    asked = {"columns": [3, 1], "regressor": "forest", "n_levels": 7, "missing": "raise", "seed": 2}
    asked["method"] = "bqcd"
    question = Question.read(asked, NAMES)
    assert question.columns == (3, 1)
    assert question.settings == {"regressor": "forest", "n_levels": 7}
    assert (question.method, question.missing, question.seed) == ("bqcd", "raise", 2)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ([], "A question has the entries columns, method"),
        ({"columns": [0, 1], "path": "/etc/passwd"}, "A question has the entries"),
        ({}, "columns must be a list of positions, got None"),
        ({"columns": "01"}, "columns must be a list of positions"),
        ({"columns": [0, True]}, "columns must be a list of positions"),
        ({"columns": [0, 300]}, "columns must be below 300"),
        ({"columns": [0, -1]}, "columns must be below 300"),
        ({"columns": [0]}, "columns must be from 2 to 200, got 1"),
        ({"columns": list(range(MOST_COLUMNS + 1))}, "got 201; bqcd scan judges more"),
        ({"columns": [4, 4]}, "columns must be different"),
        ({"columns": [0, 1], "method": "bqcd", "n_levels": 0}, "n_levels of BQCD must be"),
        ({"columns": [0, 1], "method": "bqcd", "n_levels": "3"}, "n_levels of BQCD must be"),
        ({"columns": [0, 1], "missing": "guess"}, "missing of Question must be"),
        ({"columns": [0, 1], "seed": -1}, "seed of Question must be"),
        ({"columns": [0, 1], "method": "anm", "n_levels": 3}, "n_levels"),
        ({"columns": [0, 1], "given": [300]}, "given must be below 300"),
        ({"columns": [0, 1], "given": 2}, "given must be a list of positions"),
        ({"columns": [0, 1], "by": "c2"}, "by must be a list of positions"),
        ({"columns": [0, 1], "by": 1}, "must be other columns than the two judged"),
        ({"columns": [0, 1], "by": 2, "given": [3]}, "by or given, not both"),
    ],
)
def test_anything_else_is_refused_with_the_rule(asked, told):
    with pytest.raises((InvalidSettingError, UnknownNameError), match=told):
        Question.read(asked, NAMES)


def test_an_unknown_method_is_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match="bqcd"):
        Question.read({"columns": [0, 1], "method": "bqdc"}, NAMES)


def test_choices_tell_which_columns_hold_numbers():
    table = {"a": [1.0, 2.0], "flag": [True, False], "<b>": ["x", "y"]}
    found = choices(open_source(table))
    assert [(column["name"], column["kind"], column["usable"]) for column in found["columns"]] == [
        ("a", "float", True),
        ("flag", "boolean", True),
        ("<b>", "text", False),
    ]
    assert [method["name"] for method in found["methods"] if method["quantiles"]] == ["bqcd"]
    assert found["rows"] == 2


def test_choices_show_the_table_before_anything_is_asked():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    table = {
        "id": np.arange(200),
        "x": x,
        "bent": x**2 + 0.1 * rng.normal(size=200),
        "other": rng.normal(size=200),
        "flat": np.ones(200),
        "word": ["a", "b"] * 100,
    }
    found = choices(open_source(table))
    seen = found["preview"]
    assert seen["names"] == list(table)
    assert seen["rows"][1][-2:] == ["1", "b"]
    # A bend counts as a link, though no line would find it.
    assert [(one["x"], one["y"]) for one in seen["suggestions"]] == [(1, 2)]
    assert [column.get("number") for column in found["columns"]] == [
        False, True, True, True, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (-2_604_321.5, "-2,604,320"),
        (72335.7, "72,335.7"),
        (2007.0, "2007"),
        (0.0813468, "0.0813468"),
        (6.1e11, "6.1e+11"),
    ],
)
def test_numbers_of_the_first_rows_are_written_out(value, told):
    shown = preview(open_source({"a": np.array([value, 1.5]), "b": ["Ann", "Bo"]}))
    assert shown["rows"][0] == [told, "Ann"]
    assert shown["numeric"] == [True, False]
