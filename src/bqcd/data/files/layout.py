"""How the columns of a text are separated, named and written, found from its first rows."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import islice

from bqcd.data.files.numerals import COMMA, POINT, Context, Marks, sample_marks
from bqcd.data.files.switches import MISSING_WORDS, Reading
from bqcd.data.files.text import READ_ERRORS, Text, free_bytes, is_binary, reason
from bqcd.errors import InvalidTableError

HEAD_BYTES = 1 << 20
"""Length of the beginning of a text from which its layout is found."""

LATIN = "cp1252"
"""What text is that is not Unicode: Windows' superset of Latin-1."""

# A comma comes last: beside another delimiter it is a decimal comma.
_DELIMITERS = ("\t", ";", "|", ",")
_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?")
_QUOTED_NUMBER = re.compile(r'"[+-]?[0-9]+[.,][0-9]+')
_SAMPLE_ROWS, _MARKED_ROWS = 20, 1_000
_PIECE_BYTES = 1 << 23
# Lines that are none of the table begin with it, if the first ones do.
_COMMENT = "#"
_PAGES = ("<!doctype", "<html", "<?xml")
_TOLD_DELIMITER = re.compile(r'"?sep=(?P<sign>[;,|\t])"?[;,|\t]*\r?\n')


@dataclass(frozen=True, slots=True)
class Layout:
    """How the columns of a text are separated, named and written."""

    delimiter: str
    names: tuple[str, ...]
    has_header: bool
    encoding: str
    quoted: bool
    blank_lines: int
    context: Context
    marks: tuple[Marks, ...] = ()

    @property
    def decimal_point(self) -> str:
        """The sign that numbers are first looked for with."""
        asked = self.context.reading
        if asked.decimal is not None:
            return asked.decimal
        if asked.thousands is not None:
            return COMMA if asked.thousands == POINT else POINT
        commas = self.delimiter != COMMA and self.context.marks.decimal == {COMMA}
        return COMMA if commas else POINT


def lay_out(text: Text, head: bytes, reading: Reading) -> tuple[Text, Layout]:
    """Text with one delimiter between fields and no comments, and its layout.

    Parameters
    ----------
    text : Text
        The text as it is.
    head : bytes
        Its first ``HEAD_BYTES`` bytes.
    reading : Reading
        What is said of it.

    Raises
    ------
    InvalidTableError
        If the head is no delimited text.
    """
    if reading.encoding is None and is_binary(head):
        raise InvalidTableError(
            f"{text.label} is not a text table: byte {head.index(0)} is binary."
        )
    encoding = _encoding(text, head, reading.encoding)
    sample = _decoded(head, encoding)
    comment = reading.comment or (_COMMENT if sample.lstrip().startswith(_COMMENT) else "")
    if sample.lstrip()[:9].lower().startswith(_PAGES):
        raise InvalidTableError(f"{text.label} is HTML or XML and no table; save the table itself.")
    told = _TOLD_DELIMITER.match(sample)
    if told and reading.delimiter in (None, told["sign"]):
        # What Excel writes and reads before the header.
        reading = replace(reading, delimiter=told["sign"])
        text, encoding = _without_first_line(text, encoding), "utf-8"
        sample = sample[told.end() :]
    named: list[str] = []
    if comment and any(line.startswith(comment) for line in sample.splitlines()):
        named = _named_in_comment(sample, comment, reading)
        is_row = _row_test(sample, comment, reading)
        text, encoding = _without_comments(text, encoding, comment, is_row), "utf-8"
        sample = _decoded(text.read(HEAD_BYTES), encoding)
    if not sample.strip():
        raise InvalidTableError(f"{text.label} holds nothing but white space.")
    delimiter = reading.delimiter or _delimiter(sample, text.suffix)
    if delimiter == " ":
        text, encoding = _with_single_blanks(text, encoding), "utf-8"
    rows = _records(sample, delimiter, _MARKED_ROWS)
    if not rows:
        raise InvalidTableError(f"{text.label} is not a table: a quoted field does not end.")
    layout = _layout(sample, rows, delimiter, encoding, reading)
    if named and not layout.has_header and len(named) == len(layout.names):
        layout = replace(layout, names=tuple(named))
    return text, layout


def _decoded(head: bytes, encoding: str) -> str:
    decoder = codecs.getincrementaldecoder("utf-8-sig" if encoding == "utf-8" else encoding)
    sample = decoder("replace").decode(head)
    if len(head) == HEAD_BYTES and "\n" in sample:
        sample = sample[: sample.rindex("\n")]
    return sample


def _encoding(text: Text, head: bytes, asked: str | None) -> str:
    if asked is not None:
        return codecs.lookup(asked).name
    for mark, encoding in (
        (codecs.BOM_UTF32_LE, "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if head.startswith(mark):
            return encoding
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError as error:
        check_latin(text, head, error)
        return LATIN
    return "utf-8"


def check_latin(text: Text, content: bytes, error: UnicodeDecodeError) -> None:
    """Refuse bytes that are text neither in UTF-8 nor in Windows' superset of Latin-1.

    Parameters
    ----------
    text : Text
        Where they are from.
    content : bytes
        The bytes.
    error : UnicodeDecodeError
        Why they are no UTF-8.
    """
    try:
        content.decode(LATIN)
    except UnicodeDecodeError:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidTableError(
            f"{text.label} is not UTF-8 text: byte {error.start}, in line {line}, is "
            f"0x{content[error.start]:02x}; nor is it Latin-1; say what it is with encoding "
            "(--encoding)."
        ) from error


def _records(sample: str, delimiter: str, most: int = _SAMPLE_ROWS) -> list[list[str]]:
    """First rows split at the delimiter, blank ones left out; " " is any white space."""
    if delimiter == " ":
        split: Iterator[list[str]] = (line.split() for line in sample.splitlines())
    else:
        split = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    rows = ([field.strip() for field in row] for row in split)
    filled = (row for row in rows if any(row) or len(row) > 1)
    found: list[list[str]] = []
    try:
        found.extend(islice(filled, most))
    except csv.Error:  # a field without end, which another delimiter may not have
        return found if len(found) >= _SAMPLE_ROWS else []
    return found


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


def _layout(
    sample: str, rows: list[list[str]], delimiter: str, encoding: str, reading: Reading
) -> Layout:
    first = rows[0]
    has_header = reading.header
    if has_header is None:
        has_header = not _all_numbers(first) or _numbers_columns(rows[:_SAMPLE_ROWS])
    names = [_unquoted(name) if has_header else "" for name in first]
    leading = sample[: len(sample) - len(sample.lstrip("\r\n"))]
    marks = sample_marks(rows[has_header:], len(first))
    return Layout(
        delimiter=delimiter,
        names=tuple(name or f"column {at}" for at, name in enumerate(names)),
        has_header=has_header,
        encoding=encoding,
        quoted='"' in sample,
        blank_lines=len(leading.splitlines()),
        context=Context(
            reading,
            delimiter,
            reduce(Marks.__or__, marks, Marks()),
            plain=delimiter == " " or (delimiter == COMMA and not _QUOTED_NUMBER.search(sample)),
        ),
        marks=tuple(marks),
    )


def _numbers_columns(rows: list[list[str]]) -> bool:
    """Whether the first row is 0, 1, 2, ... above columns without integers, as pandas writes."""
    labels = {at: label for at, label in enumerate(rows[0]) if label}
    if list(labels.values()) != [str(number) for number in range(len(labels))]:
        return False
    below = [row[at] for row in rows[1:] for at in labels if at < len(row)]
    return bool(below) and not any(re.fullmatch(r"[+-]?\d+", field) for field in below)


def _named_in_comment(sample: str, comment: str, reading: Reading) -> list[str]:
    """Names of columns in the last line of comments before the rows, as NumPy writes them."""
    lines = [line for line in sample.splitlines() if line.strip()]
    before = lines[: _first_row(lines, comment)]
    if not before or reading.header is False:
        return []
    body = "\n".join(line for line in lines if not line.startswith(comment))
    if not body:
        return []
    delimiter = reading.delimiter or _delimiter(body, "")
    rows = _records(before[-1].removeprefix(comment), delimiter, 1)
    return [_unquoted(name) for name in rows[0]] if rows else []


def _first_row(lines: Sequence[str], comment: str) -> int:
    rows = (at for at, line in enumerate(lines) if not line.startswith(comment))
    return next(rows, len(lines))


def _row_test(sample: str, comment: str, reading: Reading) -> Callable[[bytes], bool]:
    """Whether a line that begins as a comment does is a row all the same.

    It is if it has as many fields as the others, unless it was said what comments begin with; and
    if it begins with a word for a missing value.
    """
    body = "\n".join(line for line in sample.splitlines() if not line.startswith(comment))
    delimiter = reading.delimiter or (_delimiter(body, "") if body.strip() else ",")
    width = len((_records(body, delimiter, 1) or [[]])[0])
    absent = tuple(word.encode() for word in reading.missing_words if word.startswith(comment))

    def is_row(line: bytes) -> bool:
        if absent and line.startswith(absent):
            return True
        fields = 1 if reading.comment else line.count(delimiter.encode()) + 1
        return delimiter != " " and 1 < fields == width

    return is_row


def _without_comments(
    text: Text, encoding: str, comment: str, is_row: Callable[[bytes], bool]
) -> Text:
    """Text without lines that begin with a sign and are no rows, in UTF-8."""
    sign, kept, begun = comment.encode(), [], False
    for piece in _pieces(text, encoding, free_bytes() / 2.0):
        rows = []
        for line in piece.removeprefix(codecs.BOM_UTF8).splitlines(keepends=True):
            # Before the header there are no rows.
            if not line.startswith(sign) or (begun and is_row(line)):
                rows.append(line)
                begun = begun or bool(line.strip())
        kept.append(b"".join(rows))
    return Text(text.label, b"".join(kept), text.suffix)


def _without_first_line(text: Text, encoding: str) -> Text:
    """Text without its first line, in UTF-8."""
    content = b"".join(_pieces(text, encoding, free_bytes() / 2.0))
    return Text(text.label, content.partition(b"\n")[2], text.suffix)


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
