"""Tables written in random ways: read as they were meant, or refused; never a wrong number."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections import Counter
from typing import Any

import numpy as np
import pytest

from bqcd.data.reading import read_table
from bqcd.data.vector import as_column
from bqcd.errors import BqcdError, InvalidPairError
from tests.fuzz.cases import Case, check_cases, every_case

GAPS = ("", "NA", "NaN", "null", "<NA>", "#N/A", "?")
NAMES = ("Größe", "a", "b c", "x1", "2020", "Preis (CHF)", "t", "été", "y_", "Änderung")
STYLES = {
    "point": ("", "."),
    "comma": ("", ","),
    "German": (".", ","),
    "English": (",", "."),
    "Swiss": ("'", "."),
    "French": ("\u202f", ","),
}


def written_number(value: float, digits: int, style: tuple[str, str]) -> str:
    group, decimal = style
    plain = f"{value:,.{digits}f}" if group else f"{value:.{digits}f}"
    return plain.translate({ord(","): group, ord("."): decimal})


def columns_of(case: Case, style: tuple[str, str]) -> tuple[dict[str, list[str]], dict[str, Any]]:
    """Columns as words, and as what they mean."""
    n_rows = int(case.rng.integers(3, 30))
    words: dict[str, list[str]] = {}
    meant: dict[str, Any] = {}
    for name in case.rng.permutation(NAMES)[: int(case.rng.integers(2, 6))].tolist():
        kind = case.pick(("number", "number", "whole", "date", "yes", "text"))
        gaps = case.rng.random(n_rows) < case.pick((0.0, 0.0, 0.2))
        gap = case.pick(GAPS)
        if kind in ("number", "whole"):
            digits = 0 if kind == "whole" else int(case.pick((1, 2, 3, 3, 4)))
            size = 10.0 ** case.rng.uniform(-1.0, 5.0)
            values = np.round(case.rng.normal(size=n_rows) * size, digits) + 0.0
            told = [written_number(value, digits, style) for value in values]
            expected = [float(f"{value:.{digits}f}") for value in values]
        elif kind == "date":
            days = case.rng.integers(10_000, 20_000, n_rows)
            told = [str(day) for day in days.astype("datetime64[D]")]
            expected = told
        elif kind == "yes":
            told = expected = [case.pick(("yes", "no")) for _ in range(n_rows)]
        else:
            told = expected = [f"{case.pick(('Zürich', 'Bern', 'São Paulo'))} {at}"
                               for at in range(n_rows)]  # fmt: skip
        words[name] = [gap if absent else word for word, absent in zip(told, gaps, strict=True)]
        meant[name] = [None if absent else v for v, absent in zip(expected, gaps, strict=True)]
    return words, meant


def delimited(case: Case, words: dict[str, list[str]], style: tuple[str, str]) -> str:
    by = case.pick((",", ";", "\t", "|"))
    quote = '"' if by in "".join(style) or case.chance(0.2) else ""
    end = case.pick(("\n", "\n", "\r\n"))
    rows = [list(words), *zip(*words.values(), strict=True)]
    before = case.pick(("", "", "# made by hand\n", "\n", "# a, b; c\n#\n"))
    return before + "".join(by.join(f"{quote}{c}{quote}" for c in row) + end for row in rows)


def as_bytes(case: Case, text: str) -> tuple[bytes, str]:
    encoding = case.pick(("utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"))
    content = text.encode(encoding if "\u202f" not in text else "utf-8")
    pack, suffix = case.pick(
        ((lambda raw: raw, ""), (lambda raw: raw, ""), (gzip.compress, ".gz"),
         (bz2.compress, ".bz2"), (lzma.compress, ".xz"))
    )  # fmt: skip
    return pack(content), suffix


def seen(column: Any) -> list[Any]:
    try:
        found = as_column(column, "column")
    except InvalidPairError:
        return column.to_pylist()
    show = (lambda value: value) if found.scale is None else found.scale.label
    return [None if np.isnan(value) else show(value) for value in found.values.tolist()]


OUTCOMES: Counter[str] = Counter()


def read_one(case: Case) -> None:
    style = STYLES[case.pick(list(STYLES))]
    words, meant = columns_of(case, style)
    if case.chance(0.2):
        rows = zip(*words.values(), strict=True)
        content = json.dumps([dict(zip(words, row, strict=True)) for row in rows]).encode()
        suffix = ".json"
    else:
        content, suffix = as_bytes(case, delimited(case, words, style))
        suffix = f".csv{suffix}"
    path = case.file(suffix, content)
    try:
        table = read_table(path)
    except BqcdError:
        OUTCOMES["refused"] += 1
        raise
    OUTCOMES["read"] += 1
    assert table.column_names == list(words)
    for name, expected in meant.items():
        found = seen(table[name])
        # A number may stay a word, which nobody takes for one; it may not become another number.
        if found != expected and [v for v in found if v is not None]:
            assert all(isinstance(value, str | None) for value in found), (name, found, expected)
            assert words_of(found) == words_of(words[name]), (name, found, words[name])


def words_of(values: list[Any]) -> list[str]:
    return [value for value in values if value not in (None, *GAPS)]


@every_case("written", share=20.0)
def test_tables_are_read_as_they_were_meant_or_refused(target, numbers, tmp_path):
    check_cases(target, numbers, tmp_path, read_one)


@every_case("written", share=20.0)
def test_most_tables_are_read(target, numbers, tmp_path):
    OUTCOMES.clear()
    check_cases(target, numbers, tmp_path, read_one)
    assert OUTCOMES["read"] > 2 * OUTCOMES["refused"], OUTCOMES


@pytest.mark.parametrize("by", [";", "\t"])
@pytest.mark.parametrize("row", [("1.983", "-0,68"), ("-0,68", "1.983"), ("0.5", "1,983")])
def test_a_number_of_two_readings_is_refused_with_both(tmp_path, row, by):
    path = tmp_path / "t.csv"
    path.write_text(f"x{by}y\n" + f"{by.join(row)}\n" * 12)
    with pytest.raises(BqcdError) as caught:
        read_table(path)
    for piece in ("1.983", "1983", "--decimal", "--thousands"):
        assert piece in str(caught.value)
