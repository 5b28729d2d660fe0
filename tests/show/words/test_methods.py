"""What tables of accuracies say of the methods in them."""

from __future__ import annotations

import pytest

from bqcd import METHODS
from bqcd.benchmark.running.contenders import contender
from bqcd.benchmark.summary import answers
from bqcd.methods.verdict import settings_of
from bqcd.show.sheets.benchmarks import sheets
from bqcd.show.words.methods import MARK, VERSION, counted_answers, marked, table_notes
from tests.benchmark.test_summary import confidences, results_of


def test_a_card_that_tells_how_a_default_was_chosen_names_a_setting_that_exists() -> None:
    told = {name: card.chosen for name, card in METHODS.items() if card.chosen}
    assert {"pnl", "gpi", "sloppy", "panel"} <= set(told)
    for name, chosen in told.items():
        assert set(chosen) - {VERSION} <= set(settings_of(METHODS[name].build())), name


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("pnl", "pnl †"),
        ("pnl:steps=100", "pnl:steps=100"),
        ("sloppy:criterion=aic", "sloppy:criterion=aic †"),
        ("sloppy:criterion=aic:scaling=range", "sloppy:criterion=aic:scaling=range"),
        ("bqcd", "bqcd"),
        ("panel", "panel †"),
        ("panel:depth=quick", "panel:depth=quick †"),
    ],
)
def test_a_method_is_marked_as_long_as_such_a_default_is_in_force(spec, expected) -> None:
    one = contender(spec)
    assert marked(spec, one.name, one.settings) == expected


def test_notes_name_the_settings_once_and_every_order_of_ties() -> None:
    asked = [contender(spec) for spec in ("gpi", "gpi:draws=1", "bqcd", "bqcd:jitters=4")]
    chosen, ties = table_notes((one.name, one.settings) for one in asked)
    assert "gpi (max_steps, preconditioned)." in chosen
    assert chosen.count("gpi") == 1
    assert "fixed orders of the ties (its default); or the mean over random orders" in ties


def test_notes_name_what_was_chosen_of_the_panel_by_its_settings() -> None:
    for spec, named in {"panel": "version, depth", "panel:depth=quick": "version"}.items():
        one = contender(spec)
        (note,) = table_notes([(one.name, one.settings)])
        assert f"files: panel ({named})." in note


def test_every_sheet_of_scores_marks_them_and_says_so() -> None:
    results = results_of({"sloppy": confidences(1), "bqcd": confidences(1)})
    assert {one.label for one in answers(results)} == {"sloppy", "bqcd"}
    assert {one.label for one in counted_answers(results)} == {"sloppy †", "bqcd"}
    for sheet in list(sheets(results))[:2]:
        assert any("sloppy †" in row for row in sheet.rows), sheet.title
        assert any(note.startswith(MARK) for note in sheet.notes), sheet.title
        assert any("fixed orders of the ties" in note for note in sheet.notes), sheet.title
