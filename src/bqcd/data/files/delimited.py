"""Delimited text: how its columns are separated, named and written, and their values.

pyarrow does the parsing; the loops in Python look at the first rows, to find delimiter and
header, or at a text that failed, to say where. A column of text comes back as text, so that
:class:`bqcd.data.pair.Pair` names the value it refuses.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

from bqcd.data.files.text import READ_ERRORS, Text, free_bytes, is_binary, reason
from bqcd.errors import InvalidTableError

if TYPE_CHECKING:
    import pyarrow as pa

MISSING_WORDS = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", ".", "-", "?")
"""Spellings of a missing value in delimited text."""

HEAD_BYTES = 1 << 20
"""Length of the beginning of a text from which its layout is found."""

# A comma comes last: beside another delimiter it is a decimal comma.
_DELIMITERS = ("\t", ";", "|", ",")
_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?")
_DECIMAL_COMMA = r"^([+-]?\d*),(\d+(?:[eE][+-]?\d+)?)$"
_SAMPLE_ROWS = 20
_PIECE_BYTES = 1 << 23
# A text of more bytes is parsed piece by piece.
_LARGE_BYTES = 1 << 25


@dataclass(frozen=True, slots=True)
class Layout:
    """How the columns of a text are separated, named and written."""

    delimiter: str
    names: tuple[str, ...]
    has_header: bool
    encoding: str
    decimal_point: str
    quoted: bool
    blank_lines: int


def lay_out(text: Text, head: bytes) -> tuple[Text, Layout]:
    """Text with one delimiter between fields, and its layout.

    Parameters
    ----------
    text : Text
        The text as it is.
    head : bytes
        Its first ``HEAD_BYTES`` bytes.

    Raises
    ------
    InvalidTableError
        If the head is no delimited text.
    """
    if is_binary(head):
        raise InvalidTableError(
            f"{text.label} is not a text table: byte {head.index(0)} is binary."
        )
    encoding = _encoding(head)
    decoder = codecs.getincrementaldecoder("utf-8-sig" if encoding == "utf-8" else encoding)
    sample = decoder("replace").decode(head)
    if len(head) == HEAD_BYTES and "\n" in sample:
        sample = sample[: sample.rindex("\n")]
    if not sample.strip():
        raise InvalidTableError(f"{text.label} holds nothing but white space.")
    delimiter = _delimiter(sample, text.suffix)
    if delimiter == " ":
        text, encoding = _with_single_blanks(text, encoding), "utf-8"
    rows = _records(sample, delimiter)
    if not rows:
        raise InvalidTableError(f"{text.label} is not a table: a quoted field does not end.")
    layout = _layout(sample, rows, delimiter, encoding)
    if any("\ufffd" in name for name in layout.names):
        _refuse_encoding(text, encoding)
    return text, layout


def read_text(text: Text, layout: Layout, positions: Sequence[int]) -> pa.Table:
    """Table of the columns at ``positions``, in that order; no others are parsed.

    Raises
    ------
    InvalidTableError
        If a row is ragged, or a column asked for is not in the encoding of the layout.
    """
    import pyarrow as pa

    try:
        table = _parsed(text, layout, positions)
    except UnicodeError:
        _refuse_encoding(text, layout.encoding)
        raise
    except (pa.ArrowException, *READ_ERRORS) as error:
        _refuse_rows(text, layout, error)
    if any(pa.types.is_binary(kind) for kind in table.schema.types):
        _refuse_encoding(text, layout.encoding)
    has_decimal_comma = layout.delimiter != ","
    return pa.Table.from_arrays(
        [_numeric(column, has_decimal_comma) for column in table.columns],
        names=[layout.names[at] for at in positions],
    )


def _encoding(head: bytes) -> str:
    return "utf-16" if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"


def _records(sample: str, delimiter: str) -> list[list[str]]:
    """First rows split at the delimiter, blank ones left out; " " is any white space."""
    if delimiter == " ":
        split: Iterator[list[str]] = (line.split() for line in sample.splitlines())
    else:
        split = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    rows = ([field.strip() for field in row] for row in split)
    filled = (row for row in rows if any(row) or len(row) > 1)
    try:
        return list(islice(filled, _SAMPLE_ROWS))
    except csv.Error:  # a field without end, which another delimiter may not have
        return []


def _delimiter(sample: str, suffix: str) -> str:
    """Delimiter that splits the first rows into equally many fields."""
    if suffix in (".tsv", ".tab") and "\t" in sample:
        return "\t"
    words = _records(sample, " ")
    widths = {len(row) for row in words}
    delimiter = sniffed_delimiter(sample)
    if delimiter is None:
        return " " if min(widths) > 1 else ","
    # Numbers aligned with tabs and blanks: several tabs, or blanks, are one gap.
    aligned = delimiter == "\t" and len(widths) == 1 and all(map(_all_numbers, words))
    rows = _records(sample, delimiter)
    even = len({len(row) for row in rows}) == 1
    return " " if aligned and even and words != rows else delimiter


def sniffed_delimiter(
    sample: str, signs: Sequence[str] = _DELIMITERS, *, n_fields: int | None = None
) -> str | None:
    r"""Sign that splits the first rows into equally many fields.

    Parameters
    ----------
    sample : str
        Rows of delimited text; not only white space.
    signs : sequence of str, default=("\t", ";", "|", ",")
        Signs to try, in this order.
    n_fields : int or None, default=None
        Number of fields; None for any number above one. If there is none such, it is then the
        sign that is most frequent in the first line.

    Returns
    -------
    str or None
        None if no sign does.

    Examples
    --------
    >>> sniffed_delimiter("x;y\n1,5;2,5\n")
    ';'
    >>> sniffed_delimiter("Smith, J\tage", ("\t", ","), n_fields=2)
    '\t'
    """
    for sign in signs:
        widths = {len(row) for row in _records(sample, sign)}
        if len(widths) == 1 and (widths == {n_fields} if n_fields else widths != {1}):
            return sign
    first_line = sample.lstrip().splitlines()[0]
    most = max(signs, key=first_line.count)
    return most if n_fields is None and most in first_line else None


def _all_numbers(row: Sequence[str]) -> bool:
    """Whether a row holds numbers, and missing values at most beside them."""
    words = [field for field in row if field not in MISSING_WORDS]
    return bool(words) and all(map(_NUMBER.fullmatch, words))


def _unquoted(name: str) -> str:
    """Name without quotes around it; a quote of its own stays."""
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name


def _layout(sample: str, rows: list[list[str]], delimiter: str, encoding: str) -> Layout:
    first = rows[0]
    has_header = not _all_numbers(first) or _numbers_columns(rows)
    names = [_unquoted(name) if has_header else "" for name in first]
    fields = (field for row in rows[has_header:] for field in row)
    has_comma = delimiter != "," and any(re.fullmatch(_DECIMAL_COMMA, field) for field in fields)
    leading = sample[: len(sample) - len(sample.lstrip("\r\n"))]
    return Layout(
        delimiter=delimiter,
        names=tuple(name or f"column {at}" for at, name in enumerate(names)),
        has_header=has_header,
        encoding=encoding,
        decimal_point="," if has_comma else ".",
        quoted='"' in sample,
        blank_lines=len(leading.splitlines()),
    )


def _numbers_columns(rows: list[list[str]]) -> bool:
    """Whether the first row is 0, 1, 2, ... above columns without integers, as pandas writes."""
    labels = {at: label for at, label in enumerate(rows[0]) if label}
    if list(labels.values()) != [str(number) for number in range(len(labels))]:
        return False
    below = [row[at] for row in rows[1:] for at in labels if at < len(row)]
    return bool(below) and not any(re.fullmatch(r"[+-]?\d+", field) for field in below)


def _with_single_blanks(text: Text, encoding: str) -> Text:
    """Text with one blank for each gap, in UTF-8."""
    pieces = (_single_blanks(piece) for piece in _pieces(text, encoding, free_bytes() / 2.0))
    content = b"".join(pieces).removeprefix(codecs.BOM_UTF8)
    return Text(text.label, content.strip(b" "))


def _pieces(text: Text, encoding: str, room: float) -> Iterator[bytes]:
    """Text in UTF-8 in pieces of whole lines, so that it is never there twice."""
    try:
        with text.open(room) as stream:
            if encoding == "utf-8":
                while lines := stream.readlines(_PIECE_BYTES):
                    yield b"".join(lines)
                return
            with io.TextIOWrapper(stream, encoding, "replace", newline="") as words:
                while told := words.readlines(_PIECE_BYTES):
                    yield "".join(told).encode()
    except READ_ERRORS as error:
        raise InvalidTableError(f"{text.label} cannot be read: {reason(error)}.") from error


def _single_blanks(content: bytes) -> bytes:
    content = content.replace(b"\t", b" ")
    # Passes of replace halve the gaps, ten times as fast as a regular expression.
    while b"  " in content:
        content = content.replace(b"  ", b" ")
    for gap, end in ((b" \r\n", b"\r\n"), (b" \n", b"\n"), (b"\n ", b"\n")):
        content = content.replace(gap, end)
    return content.removeprefix(b" ")


def _parsed(text: Text, layout: Layout, positions: Sequence[int]) -> pa.Table:
    """Columns named by their position."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    options = _options(layout, positions)
    # A compressed text is many times as large.
    if text.size > (_LARGE_BYTES >> 5 if text.compressed else _LARGE_BYTES):
        try:
            with text.arrow_stream() as stream:
                return _streamed(text, arrow_csv.open_csv(stream, **options))
        except pa.ArrowInvalid as error:
            # Types are those of the beginning, which later rows need not fit; as a whole, the
            # text and all it says are there at once.
            if 2 * text.size > free_bytes():
                _refuse_size(text, reason(error), error)
    with text.arrow_stream(free_bytes() / 2.0) as stream:
        return arrow_csv.read_csv(stream, **options)


def _streamed(text: Text, batches: Any) -> pa.Table:
    """Table of what is kept of each batch; the text itself is let go."""
    import pyarrow as pa

    room, used, kept = free_bytes(), 0, []
    for batch in batches:
        kept.append(batch)
        used += batch.nbytes
        if used > room:
            _refuse_size(text, f"so far {used / 1e9:.1f} GB are read", None)
    return pa.Table.from_batches(kept, schema=batches.schema)


def _refuse_size(text: Text, why: str, error: BaseException | None) -> NoReturn:
    raise InvalidTableError(
        f"{text.label} does not fit in the memory that is free ({why}); ask for fewer columns, or "
        "save it as Parquet, which is read column by column."
    ) from error


def _options(layout: Layout, positions: Sequence[int]) -> dict[str, Any]:
    from pyarrow import csv as arrow_csv

    return {
        "read_options": arrow_csv.ReadOptions(
            # Room for rows of four million characters: a row must fit in a block.
            block_size=4 << 20,
            column_names=[str(at) for at in range(len(layout.names))],
            skip_rows=layout.blank_lines,
            skip_rows_after_names=int(layout.has_header),
            encoding="utf8" if layout.encoding == "utf-8" else layout.encoding,
        ),
        "parse_options": arrow_csv.ParseOptions(
            delimiter=layout.delimiter, newlines_in_values=layout.quoted
        ),
        "convert_options": arrow_csv.ConvertOptions(
            include_columns=[str(at) for at in positions],
            null_values=list(MISSING_WORDS),
            strings_can_be_null=True,
            decimal_point=layout.decimal_point,
        ),
    }


def _numeric(column: Any, has_decimal_comma: bool) -> Any:
    """Column with words read as numbers if all of them are, with blanks and quotes removed."""
    import pyarrow as pa

    if pa.types.is_null(column.type):
        return column.cast(pa.float64())
    if not pa.types.is_string(column.type):
        return column
    import pyarrow.compute as pc

    words = pc.utf8_trim(pc.utf8_trim_whitespace(column), characters='"')
    absent = pc.is_in(words, value_set=pa.array(MISSING_WORDS))
    words = pc.if_else(absent, pa.scalar(None, pa.string()), words)
    if has_decimal_comma:
        words = pc.replace_substring_regex(words, _DECIMAL_COMMA, r"\1.\2")
    try:
        return words.cast(pa.float64())
    except pa.ArrowInvalid:
        return words


def _refuse_encoding(text: Text, encoding: str) -> None:
    """Raise if the text is not in its encoding, naming the first wrong byte."""
    content = text.read()
    try:
        content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidTableError(
            f"{text.label} is not {encoding.upper()} text: byte {error.start}, in line {line}, is "
            f"0x{content[error.start]:02x}; save the file as UTF-8."
        ) from error


def _refuse_rows(text: Text, layout: Layout, error: BaseException) -> NoReturn:
    """Raise, naming the first row that is longer or shorter than the first."""
    expected = len(layout.names)
    try:
        with io.TextIOWrapper(text.open(), layout.encoding, "replace", newline="") as lines:
            rows = csv.reader(lines, delimiter=layout.delimiter)
            for row in rows:
                if len(row) not in (0, expected):
                    raise InvalidTableError(
                        f"{text.label} is not a table: line {rows.line_num} has "
                        f"{_fields(len(row))}, but the first line has {_fields(expected)}."
                    ) from error
    except (csv.Error, *READ_ERRORS):
        pass
    raise InvalidTableError(f"{text.label} cannot be read: {reason(error)}.") from error


def _fields(count: int) -> str:
    return "1 field" if count == 1 else f"{count} fields"
