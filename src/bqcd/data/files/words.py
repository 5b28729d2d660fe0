"""Words of a column read as what they are: numbers, dates, or text."""

from __future__ import annotations

from typing import Any

from bqcd.data.files.dates import dates_of
from bqcd.data.files.numerals import Context, numbers_of, without_units


def typed_words(column: Any, name: str, label: str, context: Context) -> Any:
    """Column of text as numbers or dates, if all its words are.

    Blanks and quotes around words are removed, and words for a missing value become null.

    Parameters
    ----------
    column : pyarrow.Array or pyarrow.ChunkedArray
        Text.
    name, label : str
        Of the column and its file, for messages.
    context : Context
        What is known of the numbers in the file.

    Raises
    ------
    InvalidTableError
        If a number can be read in two ways; see :mod:`bqcd.data.files.numerals`.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    words = pc.utf8_trim(pc.utf8_trim_whitespace(column), characters='"')
    absent = pc.is_in(words, value_set=pa.array(context.reading.missing_words))
    words = pc.if_else(absent, pa.scalar(None, pa.string()), words)
    numbers = numbers_of(words, label, name, context)
    if numbers is None and (bare := without_units(words)) is not None:
        numbers = numbers_of(bare, label, name, context)
    if numbers is not None:
        return numbers
    dates = dates_of(words)
    return words if dates is None else dates
