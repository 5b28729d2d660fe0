"""Cells of delimited text that a spreadsheet does not compute."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING
from unicodedata import category, normalize

if TYPE_CHECKING:
    import pyarrow as pa

# After the signs of https://owasp.org/www-community/attacks/CSV_Injection; numbers and arrows,
# which start alike, are not computed.
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_HARMLESS = re.compile(rf"{_NUMBER}|-+>?")
_SIGNS = frozenset("\t\r\n=+-@")
# Letters that are not seen and may be dropped on the way: blanks, controls, joiners, marks.
_UNSEEN = frozenset(("Cc", "Cf", "Me", "Mn", "Zl", "Zp", "Zs"))
_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")


def guarded(cell: object) -> object:
    """Cell that a spreadsheet does not take for a formula: such text gets an apostrophe.

    Numbers stay numbers, and so does text that is one. Whatever reads the file again takes
    the apostrophe away with :func:`unguarded`.

    Examples
    --------
    >>> [guarded(cell) for cell in ("=1+1", "-x", "-1.5", -1.5, "->")]
    ["'=1+1", "'-x", '-1.5', -1.5, '->']
    """
    return f"'{cell}" if isinstance(cell, str) and _is_formula(cell) else cell


def unguarded(cell: str) -> str:
    """Cell without the apostrophe that :func:`guarded` adds.

    Examples
    --------
    >>> [unguarded(cell) for cell in ("'=1+1", "''=1+1", "'quoted'")]
    ['=1+1', "'=1+1", "'quoted'"]
    """
    return cell[1:] if cell.startswith("'") and _is_formula(cell) else cell


def _is_formula(cell: str) -> bool:
    """Whether the first letter that is seen, apostrophes aside, begins a formula."""
    text = cell.lstrip("'")
    if _HARMLESS.fullmatch(text):
        return False
    for letter in text:
        # Wide and small forms of a sign are taken for it.
        if letter in _SIGNS or normalize("NFKC", letter)[0] in _SIGNS:
            return True
        if category(letter) not in _UNSEEN and letter not in _FILLERS:
            return False
    return False


def guarded_text(table: pa.Table) -> pa.Table:
    """Table whose text, heads included, is guarded; see :func:`guarded`."""
    renamed = table.rename_columns([str(guarded(name)) for name in table.column_names])
    return _with_text(renamed, lambda word: str(guarded(word)))


def unguarded_text(table: pa.Table) -> pa.Table:
    """Table without what :func:`guarded_text` adds."""
    renamed = table.rename_columns([unguarded(name) for name in table.column_names])
    return _with_text(renamed, unguarded)


def _with_text(table: pa.Table, change: Callable[[str], str]) -> pa.Table:
    """Table with every different word of its text columns changed once."""
    import pyarrow as pa

    for at, field in enumerate(table.schema):
        coded = pa.types.is_dictionary(field.type)
        if not pa.types.is_string(field.type.value_type if coded else field.type):
            continue
        column = table.column(at).combine_chunks().dictionary_encode()
        words = column.dictionary.to_pylist()
        changed = list(map(change, words))
        if changed != words:
            text = pa.DictionaryArray.from_arrays(column.indices, pa.array(changed, pa.string()))
            table = table.set_column(at, field.name, text if coded else text.cast(field.type))
    return table


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Comma-separated values in full precision, text guarded, nothing for None and NaN.

    Examples
    --------
    >>> print(csv_text(("name", "share"), [("=a", 0.1), ("b", None)]))
    name,share
    '=a,0.1
    b,
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(guarded, columns))
    for row in rows:
        writer.writerow(["" if cell is None or cell != cell else guarded(cell) for cell in row])
    return text.getvalue().removesuffix("\n")
