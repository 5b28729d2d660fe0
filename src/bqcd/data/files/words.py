"""Words of a column read as what they are: numbers, dates, or text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bqcd.data.files.numerals import Context, numbers_of

if TYPE_CHECKING:
    import pyarrow as pa

_DAY = r"^[0-9]{4}-(0[1-9]|1[0-2])-[0-3][0-9]$"
_MONTH = r"^[0-9]{4}-(0[1-9]|1[0-2])$"
_MOMENT = r"^[0-9]{4}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?$"


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
    if numbers is not None:
        return numbers
    dates = _dates(words)
    return words if dates is None else dates


def _dates(words: pa.Array) -> Any:
    """Words as dates, or dates with times, if all are written as ISO 8601 has them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    present = words.drop_null()
    if not len(present) or not str(present[0])[:4].isdecimal():
        return None
    kinds = ((_DAY, pa.date32()), (_MONTH, pa.date32()), (_MOMENT, pa.timestamp("us")))
    for pattern, dtype in kinds:
        if pc.all(pc.match_substring_regex(present, pattern)).as_py():
            try:
                if pattern == _MONTH:
                    words = pc.binary_join_element_wise(words, "01", "-")
                moments = words.cast(pa.timestamp("us"))
                return moments if dtype == pa.timestamp("us") else moments.cast(dtype)
            except pa.ArrowInvalid:  # the 31st of February
                return None
    return None
