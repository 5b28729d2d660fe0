"""Files and queries that mean harm, or do it: refused in one line, and nothing is done."""

from __future__ import annotations

import bz2
import gzip
import http.server
import io
import json
import lzma
import os
import sqlite3
import threading
import time
import zipfile
from pathlib import Path

import duckdb
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bqcd.data.files import archives, databases, remote, text
from bqcd.data.reading import read_table
from bqcd.errors import BqcdError, InvalidSettingError, InvalidTableError
from tests.data.files.awkward import lines, write_duckdb, write_excel, write_sqlite


def refusal(path: object, error: type[BqcdError] = InvalidTableError, **said: object) -> str:
    with pytest.raises(error) as caught:
        read_table(path, **said)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


# -- archives --

BOMBS = {"bomb.csv.gz": gzip.compress, "bomb.csv.bz2": bz2.compress, "bomb.csv.xz": lzma.compress}


@pytest.fixture(scope="module")
def zeros() -> bytes:
    return b"a,b\n" + b"0,0\n" * (1 << 20)


@pytest.mark.parametrize("name", [*BOMBS, "bomb.zip", "bomb.csv.zst"])
def test_what_grows_without_measure_is_refused(tmp_path, zeros, name, monkeypatch):
    monkeypatch.setattr(text, "FREE_RATIO_BYTES", 1 << 20)
    path = tmp_path / name
    if name in BOMBS:
        path.write_bytes(BOMBS[name](zeros))
    elif name == "bomb.zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("t.csv", zeros)
    else:
        with pa.CompressedOutputStream(pa.OSFile(str(path), "wb"), "zstd") as stream:
            stream.write(zeros)
    assert "must be at most 200 times as large as its compressed bytes" in refusal(path)


@pytest.mark.parametrize(("members", "count"), [([], 0), (["a.csv", "b.csv"], 2)])
def test_an_archive_of_none_or_several_is_refused(tmp_path, members, count):
    path = tmp_path / "t.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in members:
            archive.writestr(name, lines())
    piece = f"holds {count}" if count else "cannot be read|holds 0|unknown format"
    assert any(one in refusal(path) for one in piece.split("|"))


def test_what_a_mac_adds_to_an_archive_is_passed_over(tmp_path):
    path = tmp_path / "t.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data/t.csv", lines())
        archive.writestr("__MACOSX/data/._t.csv", b"\0\1")
    assert read_table(path).num_rows == 14


# -- spreadsheets --


def altered(path: Path, change: dict[str, bytes]) -> None:
    """Replace or add parts of an archive."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()} | change
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "t.xlsx"
    write_excel(path)
    return path


def test_a_formula_that_was_never_computed_is_refused_with_its_place(tmp_path):
    path = tmp_path / "t.xlsx"
    workbook = openpyxl.Workbook()
    workbook.active.append(["a", "b"])
    workbook.active.append([1, "=A2*2"])
    workbook.save(path)
    assert "has a formula without a value in row 2, column 2" in refusal(path)


def test_the_value_of_a_formula_is_taken_and_nothing_is_computed(book):
    with zipfile.ZipFile(book) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml")
    assert b'<c r="A2" t="n"><v>3</v>' in sheet
    formula = sheet.replace(b'<c r="A2" t="n"><v>3</v>', b'<c r="A2"><f>1+1</f><v>7</v>')
    altered(book, {"xl/worksheets/sheet1.xml": formula})
    assert read_table(book)["a"][0].as_py() == 7


def test_links_to_other_workbooks_are_refused(book):
    altered(book, {"xl/externalLinks/externalLink1.xml": b"<externalLink/>"})
    assert "refers to other workbooks" in refusal(book)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_definitions_in_xml_are_refused(book, encoding):
    laughs = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><a>&c;</a>'
    altered(book, {"xl/sharedStrings.xml": laughs.encode(encoding)})
    assert "has definitions of its own" in refusal(book)


def test_a_spreadsheet_that_grows_without_measure_is_refused(book, monkeypatch):
    monkeypatch.setattr(archives, "FREE_RATIO_BYTES", 1 << 20)
    altered(book, {"xl/worksheets/sheet1.xml": b" " * (2 << 20)})
    assert "must be at most 200 times as large" in refusal(book)


def test_sheets_are_listed_where_it_is_not_said_which(tmp_path):
    path = tmp_path / "t.xlsx"
    write_excel(path, sheets=2)
    assert "has 2 sheets, 'Sheet 1', 'Sheet 2'; say which: sheet (--sheet)" in refusal(path)
    assert "has no sheet 'Sheet 9'; it has 'Sheet 1'" in refusal(path, sheet="Sheet 9")
    assert "has an empty sheet" in refusal(path, sheet=0)


# -- databases --

WRITES = (
    "DELETE FROM cities", "DROP TABLE cities", "UPDATE cities SET a = 1",
    "INSERT INTO cities VALUES (1, 2, '', '', '')", "CREATE TABLE x (a)",
    "ATTACH DATABASE 'FOLDER/other.db' AS other", "PRAGMA writable_schema=ON", "VACUUM",
    "VACUUM INTO 'FOLDER/copy.db'", "SELECT load_extension('x')", "BEGIN", "SELECT 1; SELECT 2",
    "no SQL", "SELECT * FROM nothing",
    "WITH x AS (SELECT 1) DELETE FROM cities",
)  # fmt: skip


@pytest.mark.parametrize("query", WRITES)
def test_a_query_of_sqlite_that_does_not_only_read_is_refused(tmp_path, query):
    path = tmp_path / "t.db"
    write_sqlite(path)
    before = path.read_bytes()
    refusal(path, query=query.replace("FOLDER", str(tmp_path)))
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["t.db"]


def test_a_query_without_end_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "t.db"
    write_sqlite(path)
    monkeypatch.setattr(databases, "MOST_SECONDS", 0.05)
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"
    assert "takes more than 0 seconds" in refusal(path, query=endless)


DUCKDB_WRITES = (
    "DELETE FROM t0", "DROP TABLE t0", "CREATE TABLE x AS SELECT 1", "ATTACH 'FOLDER/x.db' AS x",
    "COPY t0 TO 'FOLDER/t.csv'", "INSTALL httpfs", "SET enable_external_access = true",
    "SELECT * FROM read_csv('FOLDER/secret.csv')", "SELECT * FROM 'FOLDER/secret.csv'",
    "SELECT content FROM read_text('FOLDER/secret.csv')", "SELECT 1; SELECT 2", "no SQL",
    "EXPORT DATABASE 'FOLDER'", "SELECT * FROM glob('FOLDER/*')",
)  # fmt: skip


@pytest.mark.parametrize("query", DUCKDB_WRITES)
def test_a_query_of_duckdb_that_does_not_only_read_its_file_is_refused(tmp_path, query):
    path = tmp_path / "t.duckdb"
    write_duckdb(path)
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n")
    before = path.read_bytes()
    refusal(path, query=query.replace("FOLDER", str(tmp_path)))
    assert path.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["secret.csv", "t.duckdb"]


def test_tables_are_listed_where_it_is_not_said_which(tmp_path):
    write_sqlite(tmp_path / "t.db", tables=2)
    write_duckdb(tmp_path / "t.duckdb", tables=2)
    assert "has 2 tables ('cities', 'other 1'); say which" in refusal(tmp_path / "t.db")
    assert "has 2 tables ('t0', 't1'); say which" in refusal(tmp_path / "t.duckdb")
    assert "no table 'x'; it has 'cities'" in refusal(tmp_path / "t.db", table="x")
    assert "no table" in refusal(tmp_path / "t.db", table='x"; DROP TABLE cities; --')


def test_a_view_that_runs_forever_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "t.db"
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) "
            "SELECT count(*) AS n FROM c"
        )
    connection.close()
    monkeypatch.setattr(databases, "MOST_SECONDS", 0.05)
    assert "takes more than" in refusal(path)


# -- addresses --


class Server(http.server.BaseHTTPRequestHandler):
    """Answers of all kinds."""

    def do_GET(self) -> None:
        content = lines().encode()
        kind = self.path.partition("?")[0].rpartition("/")[2]
        if kind == "moved.csv":
            self.send_response(302)
            self.send_header("Location", "/t.csv")
            self.end_headers()
            return
        if kind in ("file.csv", "ftp.csv"):
            self.send_response(302)
            place = "file:///etc/passwd" if kind == "file.csv" else "ftp://localhost/x.csv"
            self.send_header("Location", place)
            self.end_headers()
            return
        if kind == "absent.csv":
            self.send_error(404)
            return
        if kind == "t.parquet":
            sink = io.BytesIO()
            pq.write_table(pa.table({"a": [1, 2], "b": [3, 4]}), sink)
            content = sink.getvalue()
        if kind == "t.json":
            content = json.dumps({"a": [1, 2], "b": [3, 4]}).encode()
        self.send_response(200)
        if kind == "large.csv":
            self.send_header("Content-Length", str(5 << 30))
        self.end_headers()
        if kind == "slow.csv":
            time.sleep(1.5)
        elif kind == "endless.csv":
            while True:
                try:
                    self.wfile.write(b"1,2\n" * 20_000)
                except OSError:
                    return
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def address():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_tables_are_read_from_addresses(address):
    assert read_table(f"{address}/data/t.csv?version=1", ["b", "a"]).num_rows == 14
    assert read_table(f"{address}/moved.csv").num_rows == 14
    assert read_table(f"{address}/t.parquet").to_pydict() == {"a": [1, 2], "b": [3, 4]}
    assert read_table(f"{address}/t.json").to_pydict() == {"a": [1, 2], "b": [3, 4]}


def test_what_cannot_be_fetched_is_told_in_one_line(address, monkeypatch):
    assert "the server says 404" in refusal(f"{address}/absent.csv")
    assert "5 GB, more than 1" in refusal(f"{address}/large.csv")
    assert "cannot be fetched" in refusal(f"{address}/file.csv")
    assert "cannot be fetched" in refusal(f"{address}/ftp.csv")
    assert "cannot be fetched" in refusal("http://127.0.0.1:9/t.csv")
    monkeypatch.setattr(remote, "TIMEOUT", 0.2)
    assert "takes too long" in refusal(f"{address}/slow.csv")
    monkeypatch.setattr(remote, "MOST_BYTES", 1 << 20)
    assert "has more than" in refusal(f"{address}/endless.csv")


def test_addresses_of_other_protocols_go_through_fsspec_or_are_refused(tmp_path):
    import fsspec

    with fsspec.open("memory://folder/t.csv", "wb") as file:
        file.write(lines().encode())
    assert read_table("memory://folder/t.csv").num_rows == 14
    assert "cannot be fetched: nothing is there" in refusal("memory://folder/absent.csv")
    assert "cannot be fetched" in refusal("nonsense://t.csv")
    assert "is no address of a table" in refusal("simplecache::memory://folder/t.csv".replace(
        "simplecache::", "zip://x.csv::"))  # fmt: skip
    path = tmp_path / "t.csv"
    path.write_text(lines())
    assert read_table(path.as_uri()).num_rows == 14


# -- switches that do not belong --


def test_switches_that_say_nothing_of_a_file_are_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(lines())
    parquet = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [1], "b": [2]}), parquet)
    assert "sheet (--sheet) says nothing of text" in refusal(path, InvalidSettingError, sheet="x")
    message = refusal(parquet, InvalidSettingError, decimal=",")
    assert "decimal (--decimal) says nothing of Parquet" in message
    for said in ({"decimal": ";"}, {"thousands": "x"}, {"delimiter": "ab"}, {"encoding": "none"},
                 {"decimal": ",", "thousands": ","}, {"table": "a", "query": "b"},
                 {"header": "x"}, {"order": {"a": ["x"]}}, {"order": ["a"]},
                 {"encoding": "base64"}):  # fmt: skip
        refusal(path, InvalidSettingError, **said)
    assert "no column 'x'" in refusal(path, nominal="x")
    assert "nominal and to have an order" in refusal(path, nominal="a", order=["a=1,2"])
    assert "but row 1 is '3'" in refusal(path, order=["a=1,2"])


def test_a_database_in_use_by_its_owner_is_told(tmp_path):
    path = tmp_path / "t.duckdb"
    write_duckdb(path)
    connection = duckdb.connect(str(path))
    try:
        assert "cannot be read as DuckDB" in refusal(path)
    finally:
        connection.close()
