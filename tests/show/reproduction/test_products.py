"""Numbers beside the paper's: differences, agreement, words for what is not reached."""

from __future__ import annotations

import pytest

from bqcd.show.reproduction.products import Product, beside, write_product
from bqcd.show.sheets import Sheet


def test_each_row_comes_with_the_printed_one_and_the_difference():
    sheet = beside("t", ["A", "B"], {("m", "A"): 0.62, ("m", "B"): 1.0}, {("m", "A"): 0.6})
    assert sheet.rows == (
        ("m", "here", 0.62, 1.0),
        ("", "paper", 0.6, None),
        ("", "+/-", "+0.02", None),
    )


def test_a_row_the_paper_does_not_print_stands_alone():
    sheet = beside("t", ["A"], {("m", "A"): 0.5, ("new", "A"): 0.7}, {("m", "A"): 0.5})
    assert [row[:2] for row in sheet.rows] == [
        ("m", "here"),
        ("", "paper"),
        ("", "+/-"),
        ("new", "here"),
    ]


def test_a_printed_row_without_a_method_is_left_out():
    sheet = beside("t", ["A"], {("m", "A"): 0.5}, {("m", "A"): 0.5, ("gone", "A"): 0.9})
    assert "gone" not in {row[0] for row in sheet.rows}


@pytest.mark.parametrize(
    ("here", "agrees"),
    [(0.60, True), (0.62, True), (0.624, True), (0.626, False), (0.63, False), (0.57, False)],
)
def test_agreement_is_two_hundredths_of_rounded_numbers(here, agrees):
    sheet = beside("t", ["A"], {("m", "A"): here}, {("m", "A"): 0.60}, {("m", "A"): "known"})
    head, *apart = sheet.notes
    assert head.startswith(f"{int(agrees)} of 1 numbers agree")
    assert apart == ([] if agrees else [f"m, A: {here:.2f} here, 0.60 in the paper: known."])


def test_a_row_printed_elsewhere_says_so():
    sheet = beside("t", ["A"], {("m", "A"): 0.5}, {("m", "A"): 0.9}, origins={"m": "published"})
    assert [row[1] for row in sheet.rows] == ["here", "published", "+/-"]
    assert sheet.notes[1] == "m, A: 0.50 here, 0.90 published."


def test_nothing_printed_is_said():
    sheet = beside("t", ["A"], {("m", "A"): 0.5}, {})
    assert sheet.notes == ("The paper prints no numbers for these.",)


def test_a_product_is_written_in_every_format_and_shown_in_one_page(tmp_path):
    matplotlib = pytest.importorskip("matplotlib.figure")
    first, second = Sheet("One", ("a",), ((1,),)), Sheet("Two", ("b",), ((2.5,),))
    product = Product((first, second), {"picture": matplotlib.Figure()})
    page = write_product(product, tmp_path, "target")
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {
        *(f"target{suffix}" for suffix in (".md", ".tex", ".csv")),
        *(f"target-2{suffix}" for suffix in (".md", ".tex", ".csv")),
        "picture.png",
        "picture.pdf",
    }
    assert "**One**" in page
    assert "**Two**" in page
    assert "![picture](picture.png)" in page
