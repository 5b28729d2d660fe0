"""Small files as people have them: one table in many formats, separators, encodings and types."""

from __future__ import annotations

import bz2
import datetime as dt
import gzip
import json
import lzma
import sqlite3
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
from pyarrow import feather, ipc

N = 14
A = [3, 1, 4, 15, 9, 2, 6, 5, 35, 8, 97, 93, 23, 84]
B = [1.5, -2.25, 0.5, 1234.75, -0.625, 7.5, 12.5, 2.75, -1000.5, 8.25, 31.5, 4.5, 0.25, 99.5]
DAYS = [dt.date(2020, 1, 31) + dt.timedelta(days=40 * at) for at in range(N)]
OK = ["yes", "no", "no", "yes", "yes", "no", "yes"] * 2
NAME = ["Zürich", "Genève", "Bern", "São Paulo", "Köln", "Åbo", "Łódź"] * 2
LATIN = ["Zürich", "Genève", "Bern", "São Paulo", "Köln", "Åbo", "Málaga"] * 2
EXPECTED = {"a": [float(a) for a in A], "b": B, "day": [str(day) for day in DAYS], "ok": OK,
            "name": NAME}  # fmt: skip
IN_LATIN = {**EXPECTED, "name": LATIN}
NUMBERS = {"a": EXPECTED["a"], "b": B}
UNNAMED = {"column 0": EXPECTED["a"], "column 1": B}

Write = Callable[[Path], None]


@dataclass(frozen=True)
class Awkward:
    """A file, how it is written, what is said of it, and what must be read."""

    name: str
    write: Write
    expected: Mapping[str, list[Any]] = field(default_factory=lambda: EXPECTED)
    said: Mapping[str, Any] = field(default_factory=dict)


def point(value: float) -> str:
    return repr(value)


def comma(value: float) -> str:
    return repr(value).replace(".", ",")


def german(value: float) -> str:
    return f"{value:,}".translate(str.maketrans(",.", ".,"))


def swiss(value: float) -> str:
    return f"{value:,}".replace(",", "'")


def english(value: float) -> str:
    return f"{value:,}"


def lines(
    by: str = ",",
    *,
    number: Callable[[float], str] = point,
    names: list[str] | None = NAME,
    head: bool = True,
    quote: str = "",
    gap: str = "",
) -> str:
    """Rows of the table, or of its numbers only if there are no names."""
    rows = [["a", "b", "day", "ok", "name"][: 5 if names else 2]] if head else []
    for at in range(N):
        cells = [str(A[at]), number(B[at])]
        cells += [] if names is None else [str(DAYS[at]), OK[at], names[at]]
        rows.append(cells)
    return "".join(by.join(f"{gap}{quote}{cell}{quote}" for cell in row) + "\n" for row in rows)


def text(content: str, encoding: str = "utf-8") -> Write:
    return lambda path: path.write_bytes(content.encode(encoding)) and None


def packed(pack: Callable[[bytes], bytes], content: str) -> Write:
    return lambda path: path.write_bytes(pack(content.encode())) and None


def zipped(member: str, content: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(member, content)

    return write


def zstd(content: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


def arrow_table() -> pa.Table:
    return pa.table({"a": A, "b": B, "day": DAYS, "ok": OK, "name": NAME})


def records() -> list[dict[str, Any]]:
    days = map(str, DAYS)
    return [dict(zip(["a", "b", "day", "ok", "name"], row, strict=True))
            for row in zip(A, B, days, OK, NAME, strict=True)]  # fmt: skip


def columns() -> dict[str, list[Any]]:
    return {"a": A, "b": B, "day": [str(day) for day in DAYS], "ok": OK, "name": NAME}


def write_hive(path: Path) -> None:
    for ok in ("yes", "no"):
        folder = path / f"ok={ok}"
        folder.mkdir(parents=True)
        chosen = [at for at in range(N) if OK[at] == ok]
        pq.write_table(arrow_table().drop_columns("ok").take(chosen), folder / "part-0.parquet")


HIVE_ORDER = [at for ok in ("no", "yes") for at in range(N) if OK[at] == ok]
HIVE = {name: [values[at] for at in HIVE_ORDER]
        for name, values in EXPECTED.items() if name != "ok"}  # fmt: skip
HIVE = {**HIVE, "ok": [OK[at] for at in HIVE_ORDER]}


def write_parts(path: Path) -> None:
    path.mkdir()
    pq.write_table(arrow_table().slice(0, 6), path / "0.parquet")
    pq.write_table(arrow_table().slice(6), path / "1.pq")


def write_stream(path: Path) -> None:
    with ipc.new_stream(path, arrow_table().schema) as writer:
        writer.write_table(arrow_table(), max_chunksize=5)


def write_excel(path: Path, *, sheets: int = 1, as_text: bool = False, head: bool = True) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Sheet 1"
    for number in range(1, sheets):
        book.create_sheet(f"Sheet {number + 1}")
    sheet = book.worksheets[-1]
    if head:
        sheet.append(["a", "b", "day", "ok", "name"])
    for row in zip(A, B, DAYS, OK, NAME, strict=True):
        sheet.append([str(cell) if as_text else cell for cell in row])
    if not head:
        sheet.delete_cols(3, 3)
    book.save(path)


def write_sqlite(path: Path, *, tables: int = 1) -> None:
    with sqlite3.connect(path) as connection:
        for number in range(tables):
            name = "cities" if not number else f"other {number}"
            connection.execute(f'CREATE TABLE "{name}" (a INT, b REAL, day TEXT, ok TEXT, name)')
            rows = [tuple(record.values()) for record in records()]
            connection.executemany(f'INSERT INTO "{name}" VALUES (?, ?, ?, ?, ?)', rows)
    connection.close()


def write_duckdb(path: Path, *, tables: int = 1) -> None:
    connection = duckdb.connect(str(path))
    frame = arrow_table()
    connection.register("frame", frame)
    for number in range(tables):
        connection.execute(f'CREATE TABLE "t{number}" AS SELECT * FROM frame')
    connection.close()


def write_stata(path: Path, **how: Any) -> None:
    frame = arrow_table().to_pandas()
    frame["day"] = pd.to_datetime(frame["day"])
    frame.to_stata(path, write_index=False, convert_dates={"day": "td"}, version=118, **how)


LABELS = {"yes": 2, "no": 1}


def labelled_frame() -> pd.DataFrame:
    frame = arrow_table().to_pandas()
    frame["ok"] = [LABELS[ok] for ok in OK]
    return frame


def write_spss(path: Path) -> None:
    pyreadstat.write_sav(
        labelled_frame(), str(path), variable_value_labels={"ok": {1: "no", 2: "yes"}},
        compress=path.suffix == ".zsav",
    )  # fmt: skip


def write_xport(path: Path) -> None:
    frame = pd.DataFrame({"a": A, "b": B, "ok": OK})
    pyreadstat.write_xport(frame, str(path), file_format_version=8)


def write_array(path: Path, **how: Any) -> None:
    np.save(path, np.column_stack([A, B]), **how)


def split_json() -> str:
    rows = [list(record.values()) for record in records()]
    return json.dumps({"columns": list(columns()), "index": list(range(N)), "data": rows})


COMMENTED = "# measured in 2020\n# by us\n"
PREAMBLE = f"{COMMENTED}{lines()}# the end\n"
WITH_GAPS = [[*values] for values in (EXPECTED["a"], B)]
WITH_GAPS[0][2] = WITH_GAPS[1][5] = None


def gappy(word: str, by: str = ",") -> str:
    rows = [f"a{by}b"]
    for at in range(N):
        a = word if at == 2 else str(A[at])
        rows.append(f"{a}{by}{word if at == 5 else B[at]}")
    return "\n".join(rows) + "\n"


GAPPY = {"a": WITH_GAPS[0], "b": WITH_GAPS[1]}
MOMENTS = [f"{day} 0{at % 10}:30:00" for at, day in enumerate(DAYS)]

FILES = (
    # Separators, quotes, line ends.
    Awkward("comma.csv", text(lines())),
    Awkward("semicolon.csv", text(lines(";"))),
    Awkward("tab.tsv", text(lines("\t"))),
    Awkward("tab.csv", text(lines("\t"))),
    Awkward("bar.txt", text(lines("|"))),
    Awkward("blanks.dat", text(lines("   ", names=None, gap=" ")), NUMBERS),
    Awkward("crlf.csv", text(lines().replace("\n", "\r\n"))),
    Awkward("cr.csv", text(lines().replace("\n", "\r"))),
    Awkward("quoted.csv", text(lines(quote='"'))),
    Awkward("blank before.csv", text(lines(", "))),
    Awkward("no suffix", text(lines())),
    Awkward("odd.suffix", text(lines(";", number=comma))),
    Awkward("colon.csv", text(lines(":")), said={"delimiter": ":"}),
    Awkward("asked tab.csv", text(lines("\t")), said={"delimiter": "tab"}),
    Awkward("blank lines.csv", text("\n\n" + lines() + "\n\n")),
    # Headers and comments.
    Awkward("no header.csv", text(lines(names=None, head=False)), UNNAMED),
    Awkward("said header.csv", text("1,2\n" + lines(names=None, head=False)),
            {"1": EXPECTED["a"], "2": B}, {"header": True}),
    Awkward("said no header.csv", text(lines(names=None, head=False)), UNNAMED, {"header": False}),
    Awkward("comments.csv", text(PREAMBLE)),
    Awkward("comments in latin.csv", text("# é\n" + lines(names=LATIN), "latin-1"), IN_LATIN),
    Awkward("savetxt.txt", text("# a b\n" + lines(" ", names=None, head=False)), NUMBERS),
    Awkward("percent.csv", text("% note\n" + lines()), said={"comment": "%"}),
    Awkward("slashes.csv", text("// note\n" + lines()), said={"comment": "//"}),
    # Encodings.
    Awkward("bom.csv", text("\ufeff" + lines())),
    Awkward("utf16.csv", text(lines(), "utf-16")),
    Awkward("utf16 tab.txt", text(lines("\t"), "utf-16")),
    Awkward("utf32.csv", text(lines(), "utf-32")),
    Awkward("latin.csv", text(lines(names=LATIN), "latin-1"), IN_LATIN),
    Awkward("windows.csv", text(lines(";", names=LATIN, number=comma), "cp1252"), IN_LATIN),
    Awkward("said utf16.csv", text(lines(), "utf-16-le"), said={"encoding": "utf-16-le"}),
    Awkward("mac.csv", text(lines(names=LATIN), "mac-roman"), IN_LATIN, {"encoding": "mac-roman"}),
    # Numbers.
    Awkward("decimal comma.csv", text(lines(";", number=comma))),
    Awkward("decimal comma.tsv", text(lines("\t", number=comma))),
    Awkward("german.csv", text(lines(";", number=german))),
    Awkward("swiss.csv", text(lines(number=swiss))),
    Awkward("english.tsv", text(lines("\t", number=english))),
    Awkward("english quoted.csv", text(lines(quote='"', number=english))),
    Awkward("said decimal.csv", text(lines(quote='"', number=comma)), said={"decimal": ","}),
    Awkward("said thousands.csv", text("a;b\n" + "".join(f"{a};{1000 + a}\n".replace(";1", ";1.")
            for a in A)), {"a": EXPECTED["a"], "b": [1000.0 + a for a in A]}, {"thousands": "."}),
    Awkward("said point.csv", text("a;b\n" + "".join(f"{a};1.{a + 100}\n" for a in A)),
            {"a": EXPECTED["a"], "b": [float(f"1.{a + 100}") for a in A]}, {"decimal": "."}),
    Awkward("exponents.csv", text(lines(names=None, number=lambda b: f"{b:e}")), NUMBERS),
    # Missing values.
    Awkward("na.csv", text(gappy("NA")), GAPPY),
    Awkward("pandas na.csv", text(gappy("<NA>")), GAPPY),
    Awkward("excel na.csv", text(gappy("#N/A")), GAPPY),
    Awkward("empty.csv", text(gappy("")), GAPPY),
    Awkward("said na.csv", text(gappy("-999")), GAPPY, {"na": "-999"}),
    Awkward("said words.csv", text(gappy("lost", ";")), GAPPY, {"na": ["lost", "gone"]}),
    # Types.
    Awkward("moments.csv", text("t,a\n" + "".join(f"{t},{a}\n" for t, a in
            zip(MOMENTS, A, strict=True))), {"t": MOMENTS, "a": EXPECTED["a"]}),
    Awkward("months.csv", text("t,a\n" + "".join(f"{str(t)[:7]},{a}\n" for t, a in
            zip(DAYS, A, strict=True))),
            {"t": [f"{str(t)[:7]}-01" for t in DAYS], "a": EXPECTED["a"]}),
    Awkward("truth.csv", text("t,a\n" + "".join(f"{'TRUE' if a % 2 else 'FALSE'},{a}\n"
            for a in A)), {"t": ["true" if a % 2 else "false" for a in A], "a": EXPECTED["a"]}),
    Awkward("grades.csv", text("g,a\n" + "".join(f"{'I' * (1 + a % 3)},{a}\n" for a in A)),
            {"g": ["I" * (1 + a % 3) for a in A], "a": EXPECTED["a"]},
            {"order": {"g": ["I", "II", "III"]}}),
    # Compressed.
    Awkward("t.csv.gz", packed(gzip.compress, lines())),
    Awkward("t.tsv.bz2", packed(bz2.compress, lines("\t"))),
    Awkward("t.csv.xz", packed(lzma.compress, lines(";", number=comma))),
    Awkward("t.csv.zst", packed(zstd, lines())),
    Awkward("t.zip", zipped("inner.tsv", lines("\t").encode())),
    Awkward("gz without suffix.csv", packed(gzip.compress, lines())),
    Awkward("t.json.gz", packed(gzip.compress, json.dumps(records()))),
    Awkward("t.jsonl.xz", packed(lzma.compress, "\n".join(map(json.dumps, records())))),
    # JSON.
    Awkward("records.json", text(json.dumps(records()))),
    Awkward("columns.json", text(json.dumps(columns()))),
    Awkward("split.json", text(split_json())),
    Awkward("pandas.json", lambda path: pd.DataFrame(columns()).to_json(path)),
    Awkward("schema.json", lambda path: pd.DataFrame(columns()).to_json(
        path, orient="table", index=False)),
    Awkward("pretty.json", text(json.dumps(records(), indent=2, ensure_ascii=False))),
    Awkward("lines.jsonl", text("\n".join(map(json.dumps, records())) + "\n")),
    Awkward("lines.json", text("\n".join(map(json.dumps, records())))),
    Awkward("bom.json", text("\ufeff" + json.dumps(records()))),
    Awkward("json without suffix", text(json.dumps(columns()))),
    Awkward("numbers in quotes.json", text(json.dumps({"a": [str(a) for a in A], "b": B})),
            NUMBERS),
    Awkward("gaps.json", text(json.dumps({"a": WITH_GAPS[0], "b": WITH_GAPS[1]})), GAPPY),
    # Columnar.
    Awkward("t.parquet", lambda path: pq.write_table(arrow_table(), path)),
    Awkward("groups.parquet", lambda path: pq.write_table(arrow_table(), path, row_group_size=5)),
    Awkward("parquet without suffix", lambda path: pq.write_table(arrow_table(), path)),
    Awkward("polars.parquet", lambda path: pl.DataFrame(arrow_table()).write_parquet(path)),
    Awkward("parts", write_parts),
    Awkward("hive", write_hive, HIVE),
    Awkward("t.feather", lambda path: feather.write_feather(arrow_table(), str(path))),
    Awkward("t.arrow", write_stream),
    Awkward("t.npy", write_array, UNNAMED),
    Awkward("said na.parquet", lambda path: pq.write_table(
        pa.table({"a": [-999 if a is None else int(a) for a in WITH_GAPS[0]],
                  "b": [-999.0 if b is None else b for b in WITH_GAPS[1]]}), path),
            GAPPY, {"na": "-999"}),
    Awkward("levels.parquet", lambda path: pq.write_table(pa.Table.from_pandas(pd.DataFrame({
        "g": pd.Categorical(["I" * (1 + a % 3) for a in A], ["III", "II", "I"], ordered=True),
        "a": A}), preserve_index=False), path, row_group_size=4),
        {"g": ["I" * (1 + a % 3) for a in A], "a": EXPECTED["a"]}),
    # Spreadsheets.
    Awkward("t.xlsx", write_excel),
    Awkward("excel without suffix", write_excel),
    Awkward("text.xlsx", lambda path: write_excel(path, as_text=True)),
    Awkward("sheets.xlsx", lambda path: write_excel(path, sheets=3), said={"sheet": "Sheet 3"}),
    Awkward("sheet number.xlsx", lambda path: write_excel(path, sheets=2), said={"sheet": 1}),
    Awkward("no header.xlsx", lambda path: write_excel(path, head=False), UNNAMED),
    # Statistics packages.
    Awkward("t.dta", write_stata),
    Awkward("t.sav", write_spss),
    Awkward("t.zsav", write_spss),
    Awkward("t.xpt", write_xport, {"a": EXPECTED["a"], "b": B, "ok": OK}),
    # Databases.
    Awkward("t.sqlite", write_sqlite),
    Awkward("tables.db", lambda path: write_sqlite(path, tables=2), said={"table": "cities"}),
    Awkward("query.sqlite3", write_sqlite, NUMBERS,
            {"query": "SELECT a, b FROM cities ORDER BY rowid"}),
    Awkward("t.duckdb", write_duckdb),
    Awkward("tables.duckdb", lambda path: write_duckdb(path, tables=2), said={"table": "t1"}),
    Awkward("query.ddb", write_duckdb, NUMBERS, {"query": "SELECT a, b FROM t0"}),
)  # fmt: skip
"""At least sixty of them, each with what must be read."""
