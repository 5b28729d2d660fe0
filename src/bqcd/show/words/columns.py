"""What is worth knowing of a column before any pair is judged, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from bqcd.show.words import counted

ALERTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "constant": ("constant", "All values are the same: nothing can be judged."),
        "identifier": ("identifier", "The values name the rows, and are left out of the pairs."),
        "not judged": ("not judged", "The column could not be read as numbers or as an order."),
        "missing": ("many missing", "More than a tenth of the values are missing."),
        "derived": ("derived", "It has the same order as another column: one follows from it."),
        "sorted": ("sorted", "The rows are sorted by it."),
        "time": ("time", "Dates or times: what happens over time looks linked to them."),
        "serial": ("time series", "It depends on the row before: rows are worth less than that."),
        "few values": ("few values", "20 values at most, or a heap at one: less may be claimed."),
    }
)  # fmt: skip
"""Word and sentence for each alert, by code, the gravest first."""


def derived_text(others: Sequence[str]) -> str:
    """Which columns have the same order as one.

    Examples
    --------
    >>> derived_text(["cm", "inch"])
    "It has the same order as 'cm' and 1 other column: one follows from the other."
    """
    rest = len(others) - 1
    more = f" and {rest:,} other column{'' if rest == 1 else 's'}" if rest else ""
    return f"It has the same order as {others[0]!r}{more}: one follows from the other."


def alerts_told(n_alerts: int, n_columns: int) -> str:
    """How many columns have something to look at.

    Examples
    --------
    >>> alerts_told(2, 9), alerts_told(0, 9)
    ('2 of 9 columns have something to look at first.', 'Nothing stands out in 9 columns.')
    """
    whole = counted(n_columns, "column")
    if not n_alerts:
        return f"Nothing stands out in {whole}."
    return (
        f"{n_alerts:,} of {whole} {'has' if n_alerts == 1 else 'have'} something to look at first."
    )
