"""What is no table, or can be read in two ways, is refused in one line, and never half read."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import bqcd
from bqcd.cli.commands import app
from bqcd.data.files.dates import dates_of
from bqcd.data.files.numerals import without_units
from tests.data.files.awkward import A, B

ROWS = "".join(f"{a},{b}\n" for a, b in zip(A, B, strict=True))
OPEN = "a,b,note\n" + "".join(f"{a},{a},{chr(34) + 'lost' if a == 15 else 'x'}\n" for a in A)
LONG = "a,b\n" + "1,2\n" * 30 + '3,"4\n' + "5,6\n" * 60_000

REFUSED = {
    "open quote.csv": (OPEN, "a quoted field in line 5 does not end"),
    "open quote of many rows.csv": (LONG, "a quoted field in line 32 does not end"),
    "head only.csv": ("a,b", "has column names but no rows"),
    "head and end.csv": ("a,b\n", "has column names but no rows"),
    "nothing.csv": ("", "is an empty file"),
    "mark only.csv": ("\ufeff", "holds nothing but white space"),
    "page.csv": ("<!DOCTYPE html><html><body>Sign in</body></html>", "is HTML or XML"),
    "page with lines.csv": ("\n<html>\n<body>a,b</body>\n</html>\n", "is HTML or XML"),
    "twice.json": (json.dumps([{"v": {"a": 1}, "v.a": 2}]), "'v.a' comes twice"),
    "two tables.json": (json.dumps({"one": [{"a": 1}], "two": [{"a": 1}]}), "no column 'a'"),
    "more behind.csv": ("a,b\n" + ROWS.replace("\n", ",\n"), "line 2 has 3 fields"),
    "total.csv": (f"a,b\n{ROWS}Total,9\n", "row 15 is 'Total'"),
    "below the limit.csv": ("a,b\n" + ROWS.replace("4,0.5", "4,<0.5"), "row 3 is '<0.5'"),
    "beyond.csv": ("a,b\n" + ROWS.replace("4,0.5", "4,1e309"), "1 infinite value"),
    "two names.csv": (f"a,a\n{ROWS}", "Column 'a' is ambiguous"),
    "thousands.csv": (
        "a,b\n" + "".join(f'"{a},000",{b}\n' for a, b in zip(A, B, strict=True)),
        "3000 with one for thousands; say which",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_in_one_line(tmp_path, name):
    content, why = REFUSED[name]
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    answer = CliRunner().invoke(app, ["decide", str(path), "a", "b"])
    assert answer.exit_code == 2
    assert len(answer.stderr.strip().splitlines()) == 1
    assert why in answer.stderr
    assert not answer.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["03/04/2020", "05/06/2020"],  # either may be the day
        ["13/04/2020", "04/13/2020"],
        ["31.02.2020", "01.02.2020"],
        ["01.02.2020", "2020-02-01"],
        ["01.02.20", "02.02.20"],
        ["1/2", "2/3"],
    ],
)
def test_what_is_no_date_for_sure_stays_a_word(words):
    assert dates_of(pa.array(words)) is None
    assert dates_of(pa.chunked_array([words[:1], words[1:]])) is None


@pytest.mark.parametrize(
    "words", [["5 kg", "6 kg"], ["5 %", "6"], ["$5", "6 €"], ["$", "$5"], ["% a", "% b"], []]
)
def test_units_are_left_out_only_where_all_numbers_have_the_same(words):
    assert without_units(pa.array(words, pa.string())) is None


def test_money_that_can_be_read_in_two_ways_is_refused_with_both(tmp_path):
    path = tmp_path / "money.csv"
    path.write_text("a;b\n" + "".join(f"{a};1.{100 + a} €\n" for a in A), encoding="utf-8")
    with pytest.raises(bqcd.errors.InvalidTableError, match="1103 with one for thousands"):
        bqcd.read_table(path)
    assert bqcd.read_table(path, thousands=".")["b"][0].as_py() == 1103.0


def test_words_of_two_pairs_are_no_answer():
    table = {"a": A, "b": ["ja", "yes"] * 7, "c": ["t", "n"] * 7}
    for name in "bc":
        with pytest.raises(bqcd.errors.InvalidPairError, match="without an order"):
            bqcd.decide("a", name, table=table)
