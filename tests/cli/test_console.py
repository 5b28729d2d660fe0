"""What all commands share: settings given as text, and errors in one line."""

from __future__ import annotations

import pytest
import typer

from bqcd.cli.console import chosen_settings, errors_in_one_line
from bqcd.errors import InvalidSettingError


def test_settings_are_json_or_text():
    given = ["a=1", "b=[0.5]", "c=word", "d=x=y", "e="]
    assert chosen_settings(given) == {"a": 1, "b": [0.5], "c": "word", "d": "x=y", "e": ""}


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 5_000])
def test_settings_too_deep_or_too_long_for_json_are_text(text):
    assert chosen_settings([f"a={text}"]) == {"a": text}


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (InvalidSettingError("a must be\n b."), "bqcd: a must be b."),
        (OSError("no such thing"), "bqcd: no such thing"),
        (MemoryError(), "bqcd: there is too little memory for this (no more)."),
        (
            MemoryError("malloc failed"),
            "bqcd: there is too little memory for this (malloc failed).",
        ),
        (
            UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogates not allowed"),
            "bqcd: names must be UTF-8 text, got '\\udcff'.",
        ),
    ],
)
def test_what_a_user_can_mend_is_told_in_one_line(capsys, error, told):
    with pytest.raises(typer.Exit) as ended, errors_in_one_line():
        raise error
    assert ended.value.exit_code == 2
    assert capsys.readouterr().err.splitlines() == [told]


def test_other_errors_are_not_hidden():
    with pytest.raises(ZeroDivisionError), errors_in_one_line():
        raise ZeroDivisionError
