"""Sheets in every format: what people read is rounded, what machines read is not."""

from __future__ import annotations

import csv
import io
import re

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.console import Console

from bqcd.data.files.cells import guarded, guarded_text, unguarded, unguarded_text
from bqcd.errors import InvalidSettingError, printable
from bqcd.show.sheets import (
    SUFFIXES,
    Sheet,
    as_csv,
    as_latex,
    as_markdown,
    as_terminal,
    write_sheet,
)

NASTY = [
    "plain",
    "a|b",
    "a\\|b",
    "back\\slash",
    "trailing\\",
    "*stars* and `ticks`",
    "_private_ n_levels __init__",
    "<class 'str'>",
    "[red]bold[/red] [link](x)",
    "[/bold]",
    "&lt; &amp; &#33; a&b",
    "~~struck~~",
    "100 % & $5 #1 {x} ~y ^z",
    ":smile: :warning:",
    "größe \N{SNOWMAN}",
    "-0.0",
]

SCORES = Sheet(
    "Scores",
    ("method", "share", "pairs", "note"),
    (("bqcd", 0.123456789, 1234567, "good"), ("coin", None, 7, None), ("nan", float("nan"), 0, "")),
    ("Two & a half.", "A second note."),
    digits=3,
)


def shown(sheet: Sheet, width: int = 80) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(as_terminal(sheet, width))
    return console.file.getvalue()


def markdown_cells(text: str) -> list[list[str]]:
    """Rows of the table as a reader of Markdown sees them, entities and markup resolved."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        if token.type == "inline" and rows and token.children is not None:
            kinds = {child.type for child in token.children}
            assert kinds <= {"text", "text_special"}, (token.content, kinds)
            rows[-1].append("".join(child.content for child in token.children))
    return rows


def test_rows_must_fit_the_head():
    with pytest.raises(InvalidSettingError, match="Rows of the sheet 'T' must have 2 cells"):
        Sheet("T", ("a", "b"), (("x", 1), ("y",)))


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (0.125, "0.12"),
        (2 / 3, "0.67"),
        (-0.001, "0.00"),
        (-0.005001, "-0.01"),
        (0.0, "0.00"),
        (1234.5, "1234.50"),
        (1234567, "1,234,567"),
        (-5, "-5"),
        (0, "0"),
        (None, ""),
        (float("nan"), ""),
        ("", ""),
        ("1234567", "1234567"),
    ],
)
def test_cells_as_people_read_them(cell, text):
    assert Sheet("T", ("a",), ((cell,),)).text(cell) == text


def test_markdown_is_a_table_with_numbers_to_the_right():
    lines = as_markdown(SCORES).splitlines()
    assert lines == [
        "**Scores**",
        "",
        "| method | share | pairs | note |",
        "|---|---:|---:|---|",
        "| bqcd | 0.123 | 1,234,567 | good |",
        "| coin |  | 7 |  |",
        "| nan |  | 0 |  |",
        "",
        "Two & a half.",
        "",
        "A second note.",
    ]


def test_any_text_is_only_text_in_markdown():
    sheet = Sheet("T", ("|head|", "b"), tuple((text, text) for text in NASTY))
    rows = markdown_cells(as_markdown(sheet))
    assert rows[0] == ["|head|", "b"]
    assert rows[1:] == [[text, text] for text in NASTY]


def test_names_with_underscores_stay_legible_in_markdown():
    assert "bqcd:n_levels=7" in as_markdown(Sheet("T", ("m",), (("bqcd:n_levels=7",),)))


@pytest.mark.parametrize("render", SUFFIXES.values(), ids=SUFFIXES)
def test_a_line_break_in_a_cell_breaks_no_row(render):
    one, two = (
        Sheet("T", ("a", "b"), ((text, 1.0), ("z", 2.0))) for text in ("x\ny\r\nz\u2028w", "x y")
    )
    if render is as_csv:
        assert len(list(csv.reader(io.StringIO(render(one), newline="")))) == 3
    else:
        assert len(render(one).splitlines()) == len(render(two).splitlines())


def test_latex_is_a_table_with_the_rules_of_booktabs():
    assert as_latex(SCORES).splitlines() == [
        r"\begin{table}",
        r"\centering",
        r"\caption{Scores}",
        r"\begin{tabular}{lrrl}",
        r"\toprule",
        r"method & share & pairs & note \\",
        r"\midrule",
        r"bqcd & 0.123 & 1,234,567 & good \\",
        r"coin &  & 7 &  \\",
        r"nan &  & 0 &  \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\par\small Two \& a half.",
        r"\par\small A second note.",
        r"\end{table}",
    ]


COMMANDS = {
    "textbackslash": "\\",
    "textasciitilde": "~",
    "textasciicircum": "^",
    "textless": "<",
    "textgreater": ">",
    "textbar": "|",
}


def from_latex(text: str) -> str:
    """What LaTeX prints for such a cell; anything with a meaning of its own is an error."""
    printed, rest = "", text
    while rest:
        if match := re.match(r"\\([a-z]+)\{\}", rest):
            printed += COMMANDS[match[1]]
        elif match := re.match(r"\\([&%$#_{}])|\{(\[)\}", rest):
            printed += match[1] or match[2]
        else:
            match = re.match(r"[^\\~^<>|\[&%$#_{}]", rest)
            assert match, rest
            printed += match[0]
        rest = rest[match.end() :]
    return printed


@pytest.mark.parametrize("text", NASTY)
def test_any_text_is_only_text_in_latex(text):
    lines = as_latex(Sheet(text, (text,), ((text,),), (text,))).splitlines()
    caption, head, cell, note = lines[2], lines[5], lines[7], lines[10]
    assert from_latex(caption.removeprefix(r"\caption{").removesuffix("}")) == text
    assert from_latex(head.removesuffix(r" \\")) == text
    assert from_latex(cell.removesuffix(r" \\")) == text
    assert from_latex(note.removeprefix(r"\par\small ")) == text


def test_comma_separated_values_have_every_digit_and_no_title():
    rows = list(csv.reader(io.StringIO(as_csv(SCORES))))
    assert rows == [
        ["method", "share", "pairs", "note"],
        ["bqcd", "0.123456789", "1234567", "good"],
        ["coin", "", "7", ""],
        ["nan", "", "0", ""],
    ]


def test_any_text_comes_back_from_comma_separated_values():
    texts = [*NASTY, 'quotes "', "line\nbreak", "comma, here"]
    sheet = Sheet("T", ("a",), tuple((text,) for text in texts))
    rows = list(csv.reader(io.StringIO(as_csv(sheet), newline="")))
    assert [row[0] for row in rows[1:]] == texts


@pytest.mark.parametrize("text", NASTY)
def test_any_text_is_only_text_in_the_terminal(text):
    printed = shown(Sheet(text, ("x", text), (("y", text),), (text,)), 200)
    assert printed.count(text) == 4


def test_columns_that_do_not_fit_come_below_with_the_names_beside_them():
    columns = ("method", *(f"number {letter}" for letter in "abcdefghijkl"))
    rows = tuple((name, *(0.5 for _ in columns[1:])) for name in ("bqcd", "coin"))
    printed = shown(Sheet("T", columns, rows), 60)
    assert max(len(line.rstrip()) for line in printed.splitlines()) <= 60
    assert printed.count("0.50") == 24
    assert "…" not in printed
    assert printed.count("bqcd") == printed.count("coin") == printed.count("method") > 1
    for name in columns[1:]:
        assert printed.count(name) == 1
    assert shown(Sheet("T", columns, rows), 200).count("bqcd") == 1


def test_long_words_are_folded_and_leave_room_for_the_numbers():
    name = "a.package.with.a.long.name:Method:and=its:settings=too"
    row = (name, name, *(0.123 for _ in range(6)))
    sheet = Sheet("T", ("set", "method", *"abcdef"), (row,), digits=3)
    printed = shown(sheet, 80)
    assert max(len(line.rstrip()) for line in printed.splitlines()) <= 80
    assert "…" not in printed
    # Seven columns of five digits and two of names need two blocks at most, not one each.
    assert printed.count("set ") <= 2
    assert printed.count("0.123") == 6


def test_a_sheet_of_words_alone_fits_too():
    words = Sheet("T", ("a", "b"), (("x " * 50, "y " * 50),))
    printed = shown(words, 40)
    assert max(len(line.rstrip()) for line in printed.splitlines()) <= 40
    assert printed.count("x") == printed.count("y") == 50


def test_files_are_written_in_every_format(tmp_path):
    paths = write_sheet(SCORES, tmp_path / "scores.of.today")
    names = ["scores.of.today.md", "scores.of.today.tex", "scores.of.today.csv"]
    assert [path.name for path in paths] == names
    for path, render in zip(paths, SUFFIXES.values(), strict=True):
        assert path.read_text(encoding="utf-8") == render(SCORES) + "\n"


SIGNS = "=+-@\t\r\n\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}"
HARMLESS = re.compile(r"[+-]?\d+(\.\d*)?(e[+-]?\d+)?|-+>?")


@given(st.text(f"'{SIGNS} >1.eab", max_size=6))
@settings(deadline=None)
def test_no_text_starts_like_a_formula_and_reading_gives_it_back(cell):
    kept = str(guarded(cell))
    assert unguarded(kept) == cell
    assert kept.lstrip(" ")[:1] not in set(SIGNS) or HARMLESS.fullmatch(kept)


UNSEEN = (
    "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u202e\u2066\u061c\u180e\x00\x1b\xa0\u3000\u2028"
    "\u034f\ufe0f"
)


@given(st.text(UNSEEN + " \v", min_size=1, max_size=4), st.sampled_from(SIGNS), st.text(max_size=3))
@settings(deadline=None)
def test_letters_that_are_not_seen_do_not_hide_a_formula(unseen, sign, rest):
    cell = unseen + sign + rest
    assert guarded(cell) == "'" + cell
    assert unguarded("'" + cell) == cell


@given(st.text(), st.integers(0, 3))
@settings(deadline=None)
def test_any_text_is_given_back(text, apostrophes):
    cell = "'" * apostrophes + text
    assert unguarded(str(guarded(cell))) == cell


@pytest.mark.parametrize(
    "cell",
    [
        "=1+1",
        "=cmd|' /C calc'!A0",
        "+x",
        "-x",
        "-1+1",
        "-1e5e",
        "@SUM(A1:A9)",
        "\t=1",
        "\rx",
        " =1+1",
        "\N{FULLWIDTH COMMERCIAL AT}x",
        "'=1",
        "--x",
        "->=1",
        "\u200b=1",
        "\ufeff-1.5",
        "\N{SMALL EQUALS SIGN}1",
        "\N{HANGUL FILLER}@x",
    ],
)
def test_what_a_spreadsheet_would_compute_gets_an_apostrophe(cell):
    assert guarded(cell) == "'" + cell


@pytest.mark.parametrize(
    "cell",
    [
        -1.5,
        -3,
        0,
        None,
        "",
        "-1.5",
        "+2",
        "-.5e-7",
        "->",
        "--",
        "<-",
        "a=b",
        "'tis",
        "x-y",
        "\u200bx",
    ],
)
def test_numbers_arrows_and_plain_words_stay_as_they_are(cell):
    assert guarded(cell) == cell


def test_csv_is_safe_in_spreadsheets_and_negative_numbers_stay_numbers():
    sheet = Sheet("T", ("=head", "share"), (("@x", -0.25), ("->", -3)))
    rows = list(csv.reader(io.StringIO(as_csv(sheet))))
    assert rows == [["'=head", "share"], ["'@x", "-0.25"], ["->", "-3"]]


def test_text_of_arrow_tables_is_guarded_and_given_back():
    words = ["=a", None, "'-b", "c", "=a"]
    table = pa.table(
        {
            "+x": pa.array(words),
            "y": pa.array(words).dictionary_encode(),
            "n": pa.array([-1.5, None, 0.0, 1.0, 2.0]),
        }
    )
    kept = guarded_text(table)
    assert kept.column_names == ["'+x", "y", "n"]
    for name in ("'+x", "y"):
        assert kept[name].to_pylist() == ["'=a", None, "''-b", "c", "'=a"]
    assert kept["n"].equals(table["n"])
    assert unguarded_text(kept).equals(table)
    empty = table.slice(0, 0)
    assert unguarded_text(guarded_text(empty)).equals(empty)


CONTROL = "\x1b[31mred\x07\r\n\t\x9b\u202egnp\u200b\u2028\ufeff\x7f"


def test_no_view_holds_a_letter_that_a_terminal_obeys():
    assert printable("größe [red] \N{SNOWMAN}") == "größe [red] \N{SNOWMAN}"
    sheet = Sheet(CONTROL, (CONTROL, "b"), ((CONTROL, 1),), (CONTROL,))
    for text in (shown(sheet, 200), as_markdown(sheet), as_latex(sheet)):
        assert all(letter.isprintable() or letter == "\n" for letter in text)
        assert text.replace("\\textbackslash{}", "\\").count("x1b") == 4


def test_what_is_smaller_than_the_least_that_is_told_is_only_said_to_be_so():
    sheet = Sheet("t", ("q", "size"), ((0.0, 0.0), (0.0312, 3e-7)), least={"q": 0.001}, digits=3)
    assert [sheet.line(row) for row in sheet.rows] == [["< 0.001", "0.000"], ["0.031", "0.000"]]
    assert as_csv(sheet).splitlines()[1:] == ["0.0,0.0", "0.0312,3e-07"]
