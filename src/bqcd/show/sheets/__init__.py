"""Tables for reading, of whatever was found."""

from bqcd.show.sheets.sheet import (
    SUFFIXES,
    Cell,
    Sheet,
    as_csv,
    as_latex,
    as_markdown,
    as_one_table,
    as_terminal,
    duration,
    write_sheet,
)

__all__ = [
    "SUFFIXES",
    "Cell",
    "Sheet",
    "as_csv",
    "as_latex",
    "as_markdown",
    "as_one_table",
    "as_terminal",
    "duration",
    "write_sheet",
]
