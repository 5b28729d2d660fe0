"""Numbers as people write them: which sign is the decimal one, and which groups thousands.

A sign has two meanings: 1.983 is less than two in one country and nearly two thousand in
another. What words of a column, and the first rows of a file, prove is used; where nothing is
proven, the word is refused with both readings. A number is never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn

from bqcd.errors import InvalidTableError

if TYPE_CHECKING:
    import pyarrow as pa

    from bqcd.data.files.switches import Reading

POINT, COMMA = ".", ","
_OTHER = {POINT: COMMA, COMMA: POINT}
_NAMES = {POINT: "point", COMMA: "comma"}
# Signs that group thousands and mean nothing else.
_GROUPERS = "'\u2019\u00a0\u202f"
_EXPONENT = "([eE][+-]?[0-9]+)?"
_NUMBERISH = rf"^[+-]?[0-9.,{_GROUPERS}]*[0-9][0-9.,{_GROUPERS}]*{_EXPONENT}$"
_WHOLE = "[1-9][0-9]{0,2}"


def _patterns(sign: str) -> dict[str, str]:
    """What words prove of a sign: one with two readings, groups, decimals."""
    this, other = re.escape(sign), re.escape(_OTHER[sign])
    return {
        "open": rf"^[+-]?{_WHOLE}{this}[0-9]{{3}}$",
        "groups": rf"^[+-]?{_WHOLE}({this}[0-9]{{3}}){{2,}}({other}[0-9]*)?$"
        rf"|^[+-]?{_WHOLE}{this}[0-9]{{3}}{other}[0-9]*$",
        "decimal": rf"^[+-]?([0-9]+{this}[0-9]*|{this}[0-9]+){_EXPONENT}$"
        rf"|^[+-]?{_WHOLE}([{_GROUPERS}][0-9]{{3}})+{this}[0-9]*$",
    }


_PATTERNS = {sign: _patterns(sign) for sign in (POINT, COMMA)}


@dataclass(frozen=True, slots=True)
class Marks:
    """What words tell of the signs in them.

    Parameters
    ----------
    decimal, groups : frozenset of str
        Signs that are proven to be the decimal one, or to group thousands.
    open : dict of str to str
        Words that can be read either way, by the sign in them.
    proof : dict of str to str
        A word that proves a decimal sign, by the sign.
    """

    decimal: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    open: dict[str, str] = field(default_factory=dict)
    proof: dict[str, str] = field(default_factory=dict)

    def __or__(self, other: Marks) -> Marks:
        if other is NOTHING:
            return self
        return Marks(
            self.decimal | other.decimal,
            self.groups | other.groups,
            {**other.open, **self.open},
            {**other.proof, **self.proof},
        )


NOTHING = Marks()


def marks_of_words(words: Iterable[str]) -> Marks:
    """What some words prove.

    Examples
    --------
    >>> found = marks_of_words(["1.983", "-0,68"])
    >>> found.open, found.decimal
    ({'.': '1.983'}, frozenset({','}))
    """
    found = NOTHING
    for word in words:
        # Most words prove what others have proven before.
        plain = POINT if COMMA not in word else COMMA if POINT not in word else ""
        if not (plain in found.decimal and word.count(plain) == 1):
            found |= _marks_of_word(word)
    return found


def _marks_of_word(word: str) -> Marks:
    for sign, patterns in _PATTERNS.items():
        if sign not in word:
            continue
        if re.match(patterns["open"], word):
            return Marks(open={sign: word})
        if re.match(patterns["groups"], word):
            other = _OTHER[sign] if _OTHER[sign] in word else ""
            proven = frozenset(other)
            return Marks(proven, frozenset(sign), proof=dict.fromkeys(proven, word))
        if re.match(patterns["decimal"], word):
            return Marks(frozenset(sign), proof={sign: word})
    return NOTHING


def marks_of_column(words: Any) -> Marks:
    """What the words of an Arrow column prove, as :func:`marks_of_words` says."""
    import pyarrow.compute as pc

    found = NOTHING
    for sign, patterns in _PATTERNS.items():
        with_sign = words.filter(pc.match_substring(words, sign))
        opened = pc.match_substring_regex(with_sign, patterns["open"])
        sure = with_sign.filter(pc.invert(opened))
        grouped = sure.filter(pc.match_substring_regex(sure, patterns["groups"]))
        decimal = sure.filter(pc.match_substring_regex(sure, patterns["decimal"]))
        for some in (with_sign.filter(opened), grouped, decimal):
            if len(some):
                found |= _marks_of_word(some[0].as_py())
        # Of groups, one may have decimals behind them and the first none.
        both = grouped.filter(pc.match_substring(grouped, _OTHER[sign]))
        if len(both):
            found |= _marks_of_word(both[0].as_py())
    return found


def numbers_of(words: pa.Array, label: str, name: str, context: Context) -> pa.Array | None:
    """Column of words as numbers; None if one of them is no number.

    Parameters
    ----------
    words : pyarrow.Array or pyarrow.ChunkedArray
        Words without blanks around them, null where a value is missing.
    label, name : str
        Of file and column, for the message.
    context : Context
        What is known beside the column.

    Raises
    ------
    InvalidTableError
        If a word can be read in two ways and nothing tells which is meant.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    present = words.drop_null()
    asked = context.reading.thousands is not None or context.reading.decimal is not None
    written = len(present) and (asked or _all_match(present, _NUMBERISH))
    if not written:
        return _cast(pa, words)
    decimal, thousands = context.signs(marks_of_column(present), f"Column {name!r} of {label}")
    signs = "".join(re.escape(sign) for sign in thousands)
    groups = f"{_WHOLE}([{signs}][0-9]{{3}})+|[0-9]+" if signs else "[0-9]+"
    tail = re.escape(decimal)
    shape = rf"^[+-]?(({groups})({tail}[0-9]*)?|{tail}[0-9]+){_EXPONENT}$"
    if not _all_match(present, shape):
        return _cast(pa, words) if asked and decimal == POINT else None
    if signs:
        words = pc.replace_substring_regex(words, f"[{signs}]", "")
    return _cast(pa, pc.replace_substring(words, COMMA, POINT) if decimal == COMMA else words)


# Signs of a share or of money that stand before or behind every number of a column.
_UNITS = "%\u2030$\u20ac\u00a3\u00a5\u20b9"
_MINUS = "\u2212"


def without_units(words: pa.Array) -> pa.Array | None:
    """Words without the one sign of a share or of money that all have; None if they have none.

    A minus that is longer than a hyphen becomes one.

    Parameters
    ----------
    words : pyarrow.Array or pyarrow.ChunkedArray
        Words without blanks around them, null where a value is missing.

    Examples
    --------
    >>> import pyarrow as pa
    >>> without_units(pa.array(["5,5 %", "-1 %"])).to_pylist()
    ['5,5', '-1']
    >>> without_units(pa.array(["5 $", "3 \u20ac"])) is None
    True
    """
    import pyarrow.compute as pc

    present = words.drop_null()
    if not len(present):
        return None
    first = str(present[0])
    plain = pc.replace_substring(words, _MINUS, "-")
    sign = next((sign for sign in _UNITS if sign in first), "")
    if not sign:
        has_minus = pc.any(pc.match_substring(present, _MINUS)).as_py()
        return plain if has_minus else None
    unit = re.escape(sign)
    if not _all_match(
        plain.drop_null(), rf"^[+-]?({unit} ?[+-]?[0-9.,].*|[0-9.,](.*[0-9])? ?{unit})$"
    ):
        return None
    return pc.replace_substring_regex(plain, rf" ?{unit} ?", "")


def _all_match(words: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.all(pc.match_substring_regex(words, pattern)).as_py())


def _cast(pa: Any, words: Any) -> Any:
    try:
        return words.cast(pa.float64())
    except pa.ArrowInvalid:
        return None


@dataclass(frozen=True, slots=True)
class Context:
    """What is known of numbers in a file, beside a column of it.

    Parameters
    ----------
    reading : Reading
        What was said.
    delimiter : str, default=""
        Between the fields; empty if there is none.
    marks : Marks
        What the first rows of all columns prove.
    plain : bool, default=False
        Whether fields are separated in a way that goes with decimal points: by commas without
        quotes around numbers, or by blanks.
    """

    reading: Reading
    delimiter: str = ""
    marks: Marks = NOTHING
    plain: bool = False

    def signs(self, own: Marks, what: str) -> tuple[str, tuple[str, ...]]:
        """Decimal sign of a column, and the signs that group thousands in it.

        Raises
        ------
        InvalidTableError
            If a sign has two meanings.
        """
        asked = self.reading
        if asked.decimal is not None or asked.thousands is not None:
            return self._asked(asked.decimal, asked.thousands)
        # In a file of commas, one in quotes is no decimal comma unless that is said.
        if self.delimiter == COMMA:
            own = replace(own, decimal=own.decimal - {COMMA})
        decimal = own.decimal
        grouping = set(own.groups)
        for sign, word in own.open.items():
            if sign in own.decimal - own.groups:
                continue
            role = self._role(sign, own)
            if role is None:
                _refuse(what, sign, word)
            if role == "groups":
                grouping.add(sign)
            else:
                decimal = decimal | {sign}
        if len(decimal) > 1:
            raise InvalidTableError(
                f"{what} has both {own.proof.get(POINT, own.open.get(POINT))!r} and "
                f"{own.proof.get(COMMA, own.open.get(COMMA))!r}, so that its decimal sign is "
                "unknown; give decimal and thousands (--decimal, --thousands)."
            )
        sign = next(iter(decimal), COMMA if grouping == {POINT} else POINT)
        return sign, (*grouping - {sign}, *_GROUPERS)

    def _asked(self, decimal: str | None, thousands: str | None) -> tuple[str, tuple[str, ...]]:
        if decimal is None:
            decimal = COMMA if thousands == POINT else POINT
        if thousands is None:
            return decimal, (_OTHER[decimal], *_GROUPERS)
        return decimal, (thousands,)

    def _role(self, sign: str, own: Marks) -> str | None:
        """What a sign means in words that can be read either way; None if it is not known."""
        for marks in (own, self.marks):
            if sign in marks.groups and sign not in marks.decimal:
                return "groups"
            if marks.decimal == {sign} and sign not in marks.groups:
                return "decimal"
        nothing_else = not (own.decimal | self.marks.decimal | own.groups | self.marks.groups)
        if sign == POINT and nothing_else and self.plain:
            return "decimal"
        return None

    def doubtful(self, marks: Marks) -> bool:
        """Whether a column whose first rows prove no more than this must be read as words."""
        if self.reading.decimal or self.reading.thousands or self.marks.decimal == {POINT}:
            return False
        return POINT not in marks.decimal and (not self.plain or bool(self.marks.decimal))


def _refuse(what: str, sign: str, word: str) -> NoReturn:
    as_decimal = word.replace(sign, POINT)
    as_whole = word.replace(sign, "")
    raise InvalidTableError(
        f"{what} has {word!r}, which is {as_decimal} with a decimal {_NAMES[sign]} and {as_whole} "
        f"with one for thousands; say which: --decimal {sign} or --thousands {sign} "
        f"(decimal={sign!r} or thousands={sign!r} in Python)."
    )


def sample_marks(rows: Sequence[Sequence[str]], n_columns: int) -> list[Marks]:
    """What the first rows prove, column by column, of columns that hold numbers only.

    Parameters
    ----------
    rows : sequence of sequence of str
        First rows, without the header.
    n_columns : int
        Number of columns.
    """
    found = []
    for at in range(n_columns):
        words = [row[at] for row in rows if at < len(row)]
        written = [word for word in words if re.match(_NUMBERISH, word)]
        found.append(marks_of_words(written) if 2 * len(written) >= len(words) else NOTHING)
    return found
