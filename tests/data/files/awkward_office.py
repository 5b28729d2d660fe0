"""More small files, as people have them: titles, signs of money, dates, wrapped JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import openpyxl

from tests.data.files.awkward import DAYS, EXPECTED, NUMBERS, A, Awkward, B, N, comma, text

PLAIN = [{"a": a, "b": b} for a, b in zip(A, B, strict=True)]
DATED = {"a": EXPECTED["a"], "day": EXPECTED["day"]}
MOMENTS = {"a": EXPECTED["a"], "day": [f"{day} 12:30:00" for day in DAYS]}
NOT_NEGATIVE = {"a": EXPECTED["a"], "b": [abs(b) for b in B]}


def rows(cell: Callable[[int], str], names: str = "a;b", by: str = ";") -> str:
    """Text of two columns, of which the second is told cell by cell."""
    body = "".join(f"{A[at]}{by}{cell(at)}\n" for at in range(N))
    return f"{names}\n{body}"


def sheet(
    above: Sequence[Sequence[Any]],
    cells: Callable[[int], Sequence[Any]],
    *,
    left: int = 0,
    merged: Sequence[str] = (),
) -> Callable[[Path], None]:
    """How a workbook is written: rows above the numbers, and these, some columns to the right."""

    def write(path: Path) -> None:
        book = openpyxl.Workbook()
        page = book.active
        for row in (*above, *map(cells, range(N))):
            page.append([None] * left + list(row))
        for area in merged:
            page.merge_cells(area)
        book.save(path)

    return write


def pair(at: int) -> tuple[int, float]:
    return A[at], B[at]


def answers(low: str, high: str) -> dict[str, list[Any]]:
    return {"a": EXPECTED["a"], "b": [low if a % 2 else high for a in A]}


def said_in(low: str, high: str) -> Callable[[Path], None]:
    return text(rows(lambda at: (low if A[at] % 2 else high).capitalize()))


OFFICE = (
    # Text.
    Awkward("sep line.csv", text("sep=;\n" + rows(lambda at: comma(B[at]))), NUMBERS),
    Awkward("sep line bom.csv", text("\ufeffsep=,\r\n" + rows(lambda at: str(B[at]), "a,b", ",")),
            NUMBERS),
    Awkward("inches.csv", text('a,note,b\n' + "".join(f'{a},6" pipe,{b}\n' if at == 3 else
            f"{a},none,{b}\n" for at, (a, b) in enumerate(zip(A, B, strict=True)))),
            {"a": EXPECTED["a"], "note": ['6" pipe' if at == 3 else "none" for at in range(N)],
             "b": B}, {"na": "lost"}),
    Awkward("percent signs.csv", text(rows(lambda at: f"{B[at]}%")), NUMBERS),
    Awkward("percent and blank.csv", text(rows(lambda at: f"{comma(B[at])} %")), NUMBERS),
    Awkward("dollars.csv", text(rows(lambda at: f'"${abs(B[at]):,.3f}"', "a,b", ",")),
            NOT_NEGATIVE),
    Awkward("debts.csv", text(rows(lambda at: f"-${-B[at]}" if B[at] < 0 else f"${B[at]}")),
            NUMBERS),
    Awkward("euros.csv", text(rows(lambda at: f"{comma(B[at])} €"), "cp1252"), NUMBERS),
    Awkward("long minus.csv", text(rows(lambda at: str(B[at]).replace("-", "\u2212"))), NUMBERS),
    # Dates and answers.
    Awkward("german dates.csv", text(rows(lambda at: f"{DAYS[at]:%d.%m.%Y}", "a;day")), DATED),
    Awkward("short dates.csv", text(rows(lambda at: f"{DAYS[at].day}.{DAYS[at].month}."
            f"{DAYS[at].year}", "a;day")), DATED),
    Awkward("american dates.csv", text(rows(lambda at: f"{DAYS[at]:%m/%d/%Y}", "a;day")), DATED),
    Awkward("british dates.csv", text(rows(lambda at: f"{DAYS[at]:%d/%m/%Y}", "a;day")), DATED),
    Awkward("german moments.csv", text(rows(lambda at: f"{DAYS[at]:%d.%m.%Y} 12:30", "a;day")),
            MOMENTS),
    Awkward("ja.csv", said_in("nein", "ja"), answers("nein", "ja")),
    Awkward("oui.csv", said_in("non", "oui"), answers("non", "oui")),
    Awkward("y.csv", said_in("n", "y"), answers("n", "y")),
    Awkward("t.csv", said_in("f", "t"), answers("f", "t")),
    # JSON.
    Awkward("wrapped.json", text(json.dumps({"data": PLAIN, "meta": {"rows": N}})), NUMBERS),
    Awkward("nested.json", text(json.dumps([{"v": one, "id": {"n": {"m": at}}} for at, one in
            enumerate(PLAIN)])), {"v.a": EXPECTED["a"], "v.b": B,
            "id.n.m": [float(at) for at in range(N)]}),
    Awkward("nested gaps.jsonl", text("\n".join(json.dumps({"v": None if at == 3 else one})
            for at, one in enumerate(PLAIN))),
            {"v.a": [None if at == 3 else float(a) for at, a in enumerate(A)],
             "v.b": [None if at == 3 else b for at, b in enumerate(B)]}),
    # Workbooks.
    Awkward("titled.xlsx", sheet([["Study 12"], [], ["a", "b"]], pair), NUMBERS),
    Awkward("merged head.xlsx", sheet([["measures"], ["a", "b"]], pair, merged=["A1:B1"]),
            NUMBERS),
    Awkward("merged groups.xlsx", sheet([["before", None, "after"], ["a", "b", "a", "b"]],
            lambda at: (*pair(at), A[at] + 1, B[at] + 1), merged=["A1:B1", "C1:D1"]),
            {"before a": EXPECTED["a"], "before b": B, "after a": [a + 1.0 for a in A],
             "after b": [b + 1.0 for b in B]}),
    Awkward("to the right.xlsx", sheet([[], ["a", "b"]], pair, left=2), NUMBERS),
    Awkward("blank column.xlsx", sheet([["a", None, "b"]], lambda at: (A[at], None, B[at])),
            NUMBERS),
    Awkward("unnamed column.xlsx", sheet([["a", None]], pair),
            {"a": EXPECTED["a"], "column 1": B}),
    Awkward("words only.xlsx", sheet([["q", None]], lambda at: (f"one {A[at]}", f"two {A[at]}")),
            {"q": [f"one {a}" for a in A], "column 1": [f"two {a}" for a in A]}),
)  # fmt: skip
"""What was not among the first ones, each with what must be read."""
