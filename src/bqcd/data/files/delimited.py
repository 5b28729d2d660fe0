"""Values of delimited text, whose layout is known.

pyarrow does the parsing; the loops in Python look at a text that failed, to say where. A column
of text comes back as text, so that :class:`bqcd.data.pair.Pair` names the value it refuses.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from bqcd.data.files.layout import LATIN, Layout, check_latin
from bqcd.data.files.text import READ_ERRORS, Text, free_bytes, reason
from bqcd.data.files.words import typed_words
from bqcd.errors import InvalidTableError

if TYPE_CHECKING:
    import pyarrow as pa

# A text of more bytes is parsed piece by piece.
_LARGE_BYTES = 1 << 25
_PIECE_BYTES = 1 << 20


def read_text(text: Text, layout: Layout, positions: Sequence[int]) -> pa.Table:
    """Table of the columns at ``positions``, in that order; no others are parsed.

    Raises
    ------
    InvalidTableError
        If a row is ragged, a column asked for is not in the encoding of the layout, or a number
        in it can be read in two ways.
    """
    import pyarrow as pa

    try:
        table = _parsed(text, layout, positions, ())
        if any(pa.types.is_binary(kind) for kind in table.schema.types):
            return _read_otherwise(text, layout, positions, None)
        doubtful = [name for name in table.column_names if _is_doubtful(table, name, layout)]
        if doubtful:
            table = _parsed(text, layout, positions, doubtful)
    except UnicodeError as error:
        return _read_otherwise(text, layout, positions, error)
    except (pa.ArrowException, *READ_ERRORS) as error:
        _refuse_rows(text, layout, error)
    if layout.quoted:
        _check_quotes(text, layout)
    names = [layout.names[at] for at in positions]
    columns = zip(table.columns, names, strict=True)
    return pa.Table.from_arrays(
        [_typed(column, name, text.label, layout) for column, name in columns], names=names
    )


def _is_doubtful(table: pa.Table, name: str, layout: Layout) -> bool:
    """Whether a column of decimals must be looked at word by word."""
    import pyarrow as pa

    if not pa.types.is_floating(table.schema.field(name).type) or layout.decimal_point == ",":
        return False
    return layout.context.doubtful(layout.marks[int(name)])


def _read_otherwise(
    text: Text, layout: Layout, positions: Sequence[int], error: UnicodeError | None
) -> pa.Table:
    """The same as Latin-1, where the text is not in the encoding that it seemed to be in."""
    content = text.read()
    try:
        content.decode(layout.encoding)
    except UnicodeDecodeError as wrong:
        if layout.encoding == "utf-8" and layout.context.reading.encoding is None:
            check_latin(text, content, wrong)
            return read_text(text, replace(layout, encoding=LATIN), positions)
        line = content.count(b"\n", 0, wrong.start) + 1
        raise InvalidTableError(
            f"{text.label} is not {layout.encoding.upper()} text: byte {wrong.start}, in line "
            f"{line}, is 0x{content[wrong.start]:02x}; save the file as UTF-8, or say what it is "
            "with encoding (--encoding)."
        ) from wrong
    told = "it is no text" if error is None else reason(error)
    raise InvalidTableError(f"{text.label} cannot be read: {told}.") from error


def _parsed(
    text: Text, layout: Layout, positions: Sequence[int], as_words: Sequence[str]
) -> pa.Table:
    """Columns named by their position; of some only the words."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    options = _options(layout, positions, as_words)
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


def _options(layout: Layout, positions: Sequence[int], as_words: Sequence[str]) -> dict[str, Any]:
    import pyarrow as pa
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
            null_values=list(layout.context.reading.missing_words),
            strings_can_be_null=True,
            decimal_point=layout.decimal_point,
            column_types=dict.fromkeys(as_words, pa.string()),
        ),
    }


def _typed(column: Any, name: str, label: str, layout: Layout) -> Any:
    """Column with words read as numbers or dates if all of them are."""
    import pyarrow as pa

    if pa.types.is_null(column.type):
        return column.cast(pa.float64())
    if not pa.types.is_string(column.type):
        return column
    return typed_words(column, name, label, layout.context)


def _check_quotes(text: Text, layout: Layout) -> None:
    """Refuse a quoted field without end: it would swallow all rows to the last.

    Quotes come in pairs. Where their number is odd, one may still be the sign for inches; the rows
    are then looked at one by one.
    """
    count = 0
    with text.open() as stream:
        while piece := stream.read(_PIECE_BYTES):
            count += piece.count(b'"')
    if count % 2 == 0 and layout.encoding in ("utf-8", LATIN):
        return
    with io.TextIOWrapper(text.open(), layout.encoding, "replace", newline="") as lines:
        rows, line = csv.reader(lines, delimiter=layout.delimiter, strict=True), 1
        try:
            for _ in rows:
                line = rows.line_num + 1
        except csv.Error as error:
            # The reader gives up within a field that swallows too much.
            if "unexpected end" in str(error) or "field limit" in str(error):
                raise InvalidTableError(
                    f"{text.label} is not a table: a quoted field in line {line} does not end."
                ) from error


def _refuse_rows(text: Text, layout: Layout, error: BaseException) -> NoReturn:
    """Raise, naming the first row that is longer or shorter than the first."""
    expected = len(layout.names)
    try:
        with io.TextIOWrapper(text.open(), layout.encoding, "replace", newline="") as lines:
            rows, filled = csv.reader(lines, delimiter=layout.delimiter), 0
            for row in rows:
                filled += bool(row)
                if len(row) not in (0, expected):
                    raise InvalidTableError(
                        f"{text.label} is not a table: line {rows.line_num} has "
                        f"{_fields(len(row))}, but the first line has {_fields(expected)}."
                    ) from error
            if filled <= layout.has_header:
                raise InvalidTableError(f"{text.label} has column names but no rows.") from error
    except (csv.Error, *READ_ERRORS):
        pass
    raise InvalidTableError(f"{text.label} cannot be read: {reason(error)}.") from error


def _fields(count: int) -> str:
    return "1 field" if count == 1 else f"{count} fields"
