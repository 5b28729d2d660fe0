"""What is in a file, told by its suffix or, if that is unknown, by its first bytes."""

from __future__ import annotations

from bqcd.data.files.text import is_binary

TEXTS = ("text", "JSON", "JSON lines")
"""Formats that are read from a stream of bytes; the others need a file."""

SUFFIXES = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt", ".dat"), "text"),
    **dict.fromkeys((".parquet", ".pq"), "Parquet"),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), "Arrow"),
    ".npy": "NumPy",
    ".json": "JSON",
    **dict.fromkeys((".jsonl", ".ndjson"), "JSON lines"),
    **dict.fromkeys((".xlsx", ".xlsm"), "Excel"),
    ".dta": "Stata",
    ".sas7bdat": "SAS",
    ".xpt": "SAS transport",
    **dict.fromkeys((".sav", ".zsav"), "SPSS"),
    ".por": "SPSS portable",
    **dict.fromkeys((".sqlite", ".sqlite3", ".db"), "SQLite"),
    **dict.fromkeys((".duckdb", ".ddb"), "DuckDB"),
}
"""Formats by suffix."""

_HEADS = {
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
    b"\x93NUMPY": "NumPy",
    b"PK\x03\x04": "Excel",
    b"SQLite format 3\0": "SQLite",
    b"$FL2@(#)": "SPSS",
    b"$FL3@(#)": "SPSS",
    b"<stata_dta>": "Stata",
    b"HEADER RECORD*******LIBRARY": "SAS transport",
    b"\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60\xb3\x14\x11\xcf": "SAS",
}


def format_of(suffix: str, head: bytes) -> str:
    """Format of a file; empty if it is unknown.

    Parameters
    ----------
    suffix : str
        Of its name, in lower case, without that of a compression.
    head : bytes
        Its first bytes, decompressed.

    Examples
    --------
    >>> format_of(".csv", b"a,b"), format_of("", b"PAR1"), format_of("", b"<html>")
    ('text', 'Parquet', '')
    """
    told = _by_content(head)
    # A database may be of either kind, whatever it is called.
    if suffix == ".db" and told in ("DuckDB", "SQLite"):
        return told
    return SUFFIXES.get(suffix) or told


def _by_content(head: bytes) -> str:
    if head[8:12] == b"DUCK":
        return "DuckDB"
    found = next((name for start, name in _HEADS.items() if head.startswith(start)), "")
    if found or is_binary(head):
        return found
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    # A page of the web is text too, but no table.
    return {b"{": "JSON", b"[": "JSON", b"<": ""}.get(start, "text")


def is_foreign(head: bytes) -> bool:
    """Whether bytes begin neither a text nor a file of a format that is known."""
    return is_binary(head) and not _by_content(head)
