"""Sheets of Excel workbooks: values only, never a formula."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from bqcd.data.files.archives import check_archive
from bqcd.data.files.numerals import Context
from bqcd.data.files.opened import Opened, reading_as, values_table
from bqcd.data.files.switches import Reading
from bqcd.data.files.values import named_columns_of, typed_column
from bqcd.errors import InvalidTableError
from bqcd.runtime.optional import require

MOST_CELLS = 50_000_000

# Names stand among the first rows.
_MOST_TITLES = 20


def open_excel(path: Path, label: str, reading: Reading) -> Opened:
    """Sheet of a workbook: the only one, or the one asked for by name or number from 0.

    Values that formulas had when the workbook was saved are taken; nothing is computed.

    Raises
    ------
    InvalidTableError
        If there are several sheets and none is asked for, a formula was never computed, or the
        workbook refers to others.
    MissingPackageError
        If openpyxl is not installed.
    """
    reading.check_used("Excel", ("sheet", "header", "decimal", "thousands"))
    openpyxl = require("openpyxl", extra="files", needed_by="An Excel file")
    parts = check_archive(path, label)
    if any(part.startswith("xl/externalLinks/") for part in parts):
        raise InvalidTableError(
            f"{label} is refused: it refers to other workbooks; save its values alone."
        )
    errors = (
        openpyxl.utils.exceptions.InvalidFileException,
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        SyntaxError,
        ArithmeticError,
    )
    with reading_as(label, "Excel", *errors), warnings.catch_warnings():
        # What is left out, such as pictures, is nothing to the user.
        warnings.simplefilter("ignore")
        values = _rows(openpyxl, path, label, reading, values=True)
        formulas = _rows(openpyxl, path, label, reading, values=False)
    _check_formulas(values, formulas, label)
    return Opened.of_table(label, _table(values, label, reading))


def _rows(openpyxl: Any, path: Path, label: str, reading: Reading, *, values: bool) -> list[Any]:
    """Rows of the sheet: what cells show, or what is typed in them."""
    # By its content: a name without a suffix would be refused.
    with path.open("rb") as file:
        book = openpyxl.load_workbook(file, read_only=True, data_only=values, keep_links=False)
        sheet = _sheet(book, label, reading.sheet)
        # What a file says of its size may be wrong.
        sheet.reset_dimensions()
        rows, cells = [], 0
        for row in sheet.iter_rows(values_only=True):
            cells += len(row)
            if cells > MOST_CELLS:
                raise InvalidTableError(f"{label} has more than {MOST_CELLS:,} cells.")
            rows.append(row)
        return rows


def _sheet(book: Any, label: str, asked: str | int | None) -> Any:
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    shown = [s for s in book.worksheets if s.sheet_state == "visible"]
    listed = ", ".join(map(repr, sheets))
    if asked is None:
        if len(shown) != 1:
            raise InvalidTableError(
                f"{label} has {len(shown)} sheets, {listed}; say which: sheet (--sheet)."
            )
        return shown[0]
    if str(asked) in sheets:
        return sheets[str(asked)]
    number = int(asked) if str(asked).isdecimal() and len(str(asked)) < 6 else -1
    if not 0 <= number < len(book.worksheets):
        raise InvalidTableError(f"{label} has no sheet {asked!r}; it has {listed}.")
    return book.worksheets[number]


def _check_formulas(values: list[Any], formulas: list[Any], label: str) -> None:
    """Refuse formulas whose values are not in the file."""
    for number, (row, typed) in enumerate(zip(values, formulas, strict=False), 1):
        for at, cell in enumerate(typed):
            is_formula = isinstance(cell, str) and cell.startswith("=")
            is_formula = is_formula or type(cell).__name__ in ("ArrayFormula", "DataTableFormula")
            if is_formula and (at >= len(row) or row[at] is None):
                raise InvalidTableError(
                    f"{label} has a formula without a value in row {number}, column {at + 1}; "
                    "open and save it in Excel, or save its values."
                )


def _table(rows: list[Any], label: str, reading: Reading) -> Any:
    filled = [row for row in rows if any(cell is not None for cell in row)]
    if not filled:
        raise InvalidTableError(f"{label} has an empty sheet.")
    width = max(_width(row) for row in filled)
    header = reading.header
    titles = _title_rows(filled[:_MOST_TITLES]) if header is None else 0
    first, below = filled[titles], filled[titles + 1 :]
    if header is None:
        header = any(isinstance(cell, str) for cell in first)
    names = (_told_apart(first, filled[titles - 1]) if titles else first) if header else None
    columns = named_columns_of(names, below if header else filled, width)
    context = Context(reading)
    typed = [
        (name, typed_column(_plain(cells), name, label, context))
        for at, (name, cells) in enumerate(columns)
        if _has(names, at) or any(cell is not None for cell in cells)
    ]
    return values_table(label, typed)


def _title_rows(rows: list[Any]) -> int:
    """Rows before the one with the names: titles, and names of groups over merged cells.

    The names are the first row of words without a gap, if all rows before it have gaps and numbers
    or dates come after it; else the first row has them.
    """
    used = [at for at in range(max(map(_width, rows))) if any(_has(row, at) for row in rows[1:])]
    for place, row in enumerate(rows):
        if all(_has(row, at) for at in used):
            words = all(isinstance(row[at], str) for at in used)
            others = (cell for later in rows[place + 1 :] for cell in later if cell is not None)
            return place if words and any(not isinstance(cell, str) for cell in others) else 0
    return 0


def _told_apart(names: Any, groups: Any) -> list[Any]:
    """Names, each after its group in the row above where one name comes twice."""
    told = [name for name in names if name is not None]
    if len(set(told)) == len(told):
        return list(names)
    group, found = None, []
    for at, name in enumerate(names):
        group = groups[at] if _has(groups, at) else group
        found.append(name if name is None or group is None else f"{group} {name}")
    return found


def _has(row: Any, at: int) -> bool:
    return row is not None and at < len(row) and row[at] is not None


def _width(row: Any) -> int:
    return max((at + 1 for at, cell in enumerate(row) if cell is not None), default=0)


def _plain(cells: list[Any]) -> list[Any]:
    """Cells with errors such as #DIV/0! as missing."""
    return [None if isinstance(c, str) and c.startswith("#") and c.isupper() else c for c in cells]
