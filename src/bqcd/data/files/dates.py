"""Words that are dates: as ISO 8601 has them, or with the year at the end where days are proven."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

_DAY = r"^[0-9]{4}-(0[1-9]|1[0-2])-[0-3][0-9]$"
_MONTH = r"^[0-9]{4}-(0[1-9]|1[0-2])$"
_CLOCK = r"[0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,6})?)?"
_MOMENT = rf"^[0-9]{{4}}-[01][0-9]-[0-3][0-9][T ]{_CLOCK}$"
_NUMBER = "(?P<{}>[0-9]{{1,2}})"
_YEAR_LAST = f"^{_NUMBER.format('one')}[SIGN]{_NUMBER.format('two')}[SIGN](?P<year>[0-9]{{4}})"
_YEAR_LAST += f"(?P<rest>(?: {_CLOCK})?)$"


def dates_of(words: pa.Array) -> Any:
    """Words as dates, or dates with times, if all are written alike; None if they are not.

    With the year at the end, days come first between points. Between slashes and dashes either
    may: a number above 12 proves which, and without one the words stay words.

    Parameters
    ----------
    words : pyarrow.Array or pyarrow.ChunkedArray
        Without blanks around them, null where a value is missing.

    Examples
    --------
    >>> import pyarrow as pa
    >>> dates_of(pa.array(["3/14/2020", "4/1/2020"])).to_pylist()[1].isoformat()
    '2020-04-01'
    >>> dates_of(pa.array(["3/4/2020", "4/1/2020"])) is None
    True
    """
    present = words.drop_null()
    if not len(present) or not str(present[0])[:1].isdecimal():
        return None
    if not str(present[0])[:4].isdecimal():
        words = _year_first(words)
        present = None if words is None else words.drop_null()
    return None if present is None else _of_iso(words, present)


def _of_iso(words: Any, present: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

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


def _year_first(words: Any) -> Any:
    """Words with the year at the end as ISO 8601 has them; None if they are no such dates."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(words, pa.ChunkedArray):
        words = pa.concat_arrays(words.chunks)
    for sign in (".", "/", "-"):
        parts = pc.extract_regex(words, pattern=_YEAR_LAST.replace("SIGN", sign))
        if parts.null_count == words.null_count:
            break
    else:
        return None
    one, two, year, rest = (pc.struct_field(parts, name) for name in ("one", "two", "year", "rest"))
    most = [pc.max(pc.cast(part, pa.int64())).as_py() for part in (one, two)]
    if min(most) > 12 or (sign != "." and max(most) <= 12):
        return None
    day, month = (one, two) if sign == "." or most[0] > 12 else (two, one)
    padded = [pc.utf8_lpad(part, 2, padding="0") for part in (month, day)]
    iso = pc.binary_join_element_wise(year, *padded, "-")
    return pc.binary_join_element_wise(iso, rest, "")
