"""Files of Stata, SAS and SPSS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bqcd.data.files.arrow import check_room
from bqcd.data.files.numerals import Context
from bqcd.data.files.opened import Opened, reading_as, values_table
from bqcd.data.files.switches import Reading
from bqcd.data.files.values import typed_column
from bqcd.errors import InvalidTableError
from bqcd.runtime.optional import require

_READERS = {"Stata": "read_dta", "SAS": "read_sas7bdat", "SAS transport": "read_xport",
            "SPSS": "read_sav", "SPSS portable": "read_por"}  # fmt: skip


def open_labelled(path: Path, label: str, file_format: str, reading: Reading) -> Opened:
    """Table of a statistics package.

    Columns all of whose values have labels become categories, in the order of their codes; in
    SPSS those of more than two that are called nominal have no order.

    Raises
    ------
    InvalidTableError
        If the file is damaged.
    MissingPackageError
        If pyreadstat is not installed.
    """
    reading.check_used(file_format, ("encoding",))
    pyreadstat = require("pyreadstat", extra="files", needed_by=f"A file of {file_format}")
    read = getattr(pyreadstat, _READERS[file_format])
    how: dict[str, Any] = {} if reading.encoding is None else {"encoding": reading.encoding}
    errors = (pyreadstat.PyreadstatError, pyreadstat.ReadstatError, UnicodeError, OverflowError,
              KeyError, TypeError, IndexError)  # fmt: skip
    with reading_as(label, file_format, *errors):
        _, known = read(str(path), metadataonly=True, output_format="dict", **how)
        check_room(label, max(0, known.number_rows or 0), 4 * max(1, known.number_columns))
        columns, known = read(str(path), output_format="dict", **how)
    if not columns:
        raise InvalidTableError(f"{label} has no columns.")
    context = Context(reading)
    typed = {
        name: _column(name, list(values), known, label, context) for name, values in columns.items()
    }
    return Opened.of_table(label, values_table(label, typed))


def _column(name: str, values: list[Any], known: Any, label: str, context: Context) -> Any:
    import pyarrow as pa

    plain = [None if _is_gap(value) else _plain(value) for value in values]
    labels = known.variable_value_labels.get(name)
    codes = sorted({value for value in plain if value is not None}, key=str)
    if not labels or not codes or not all(code in labels for code in codes):
        return typed_column(plain, name, label, context)
    if all(isinstance(code, int | float) for code in labels):
        codes = sorted(labels)
        words = [str(labels[code]) for code in codes]
    else:
        return typed_column([labels.get(value) for value in plain], name, label, context)
    if len(set(words)) < len(words):
        return typed_column(plain, name, label, context)
    place = {code: at for at, code in enumerate(codes)}
    nominal = known.variable_measure.get(name) == "nominal" and len(codes) > 2
    indices = pa.array([None if v is None else place[v] for v in plain], pa.int32())
    return pa.DictionaryArray.from_arrays(indices, pa.array(words), ordered=not nominal)


def _is_gap(value: Any) -> bool:
    return value is None or value != value or value == "" or type(value).__name__ == "NaTType"


def _plain(value: Any) -> Any:
    """Value of Python rather than NumPy; whole numbers as such."""
    value = value.item() if hasattr(value, "item") else value
    return int(value) if isinstance(value, float) and value.is_integer() else value
