"""What is asked of a report, and of which table."""

from __future__ import annotations

from dataclasses import dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Any

from bqcd.assessments.assessing import DEFAULT
from bqcd.data.files.reading import UnreadTable
from bqcd.data.files.remote import is_address
from bqcd.data.pair import Missing
from bqcd.data.tables import held_table
from bqcd.errors import InvalidSettingError
from bqcd.methods.verdict import Method
from bqcd.runtime.settings import MOST_REPEATS, check_choice, check_integer, check_number

# Read column by column, as they may be larger than memory.
_LARGE_FORMATS = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".npy")


def is_path(value: object) -> bool:
    """Whether a table, or a list of pairs, is somewhere else than in memory."""
    return isinstance(value, str | PathLike | UnreadTable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked for; the numbers depend on nothing else but the table and settings."""

    pairs: Any = None
    graph: Any = None
    columns: Any = None
    groups: Any = None
    method: str | Method = DEFAULT
    missing: Missing = "raise"
    seed: int = 0
    details: int = 200
    replicates: int | None = None
    abstain: float | None = None
    nominal: Any = ()
    by: Any = None
    given: Any = None
    against: Any = None

    def __post_init__(self) -> None:
        """Refuse numbers out of their range, and what goes with something else only."""
        check_integer("report", "details", self.details, minimum=0)
        check_integer("report", "seed", self.seed, minimum=0)
        check_choice("report", "missing", self.missing, ("raise", "drop"))
        if self.replicates:
            check_integer("report", "replicates", self.replicates, minimum=10, maximum=MOST_REPEATS)
        given = [name for name in ("pairs", "graph", "columns") if getattr(self, name) is not None]
        if len(given) > 1:
            raise InvalidSettingError(
                f"report takes one of pairs, graph and columns, got {' and '.join(given)}."
            )
        if self.groups is not None and (given not in ([], ["pairs"]) or is_path(self.pairs)):
            raise InvalidSettingError(
                f"groups of report go with pairs of names or alone, got {given[0]} too."
            )
        others = [name for name in ("by", "given", "against") if getattr(self, name) is not None]
        if others and self.groups is not None:
            raise InvalidSettingError(f"{others[0]} of report does not go with groups.")
        if others and (self.graph is not None or self.replicates == 0):
            raise InvalidSettingError(
                f"{others[0]} of report needs pairs that are assessed, got it with "
                f"{'a graph' if self.graph is not None else 'replicates=0'}."
            )
        if self.abstain is not None:
            check_number("report", "abstain", self.abstain, above=0.5, at_most=1.0)
            if self.graph is not None or self.replicates == 0:
                raise InvalidSettingError(
                    f"abstain of report needs pairs that are assessed, got {self.abstain!r} with "
                    f"{'a graph' if self.graph is not None else 'replicates=0'}."
                )

    def unusual(self) -> dict[str, object]:
        """What differs from the defaults."""
        usual = {one.name: one.default for one in fields(self)}
        told = {name: getattr(self, name) for name in usual}
        # An array does not compare as one value.
        return {
            name: value
            for name, value in told.items()
            if not (type(value) is type(usual[name]) and value == usual[name])
        }


def opened(table: Any, *, whole: bool) -> tuple[str, Any]:
    """Name of a table, and what can be opened twice and gives the same rows.

    Parameters
    ----------
    table : object
        Anything that is a table, or says where one is.
    whole : bool
        Whether all of it is read now, also of a large file.
    """
    if not is_path(table):
        return "the table", held_table(table)
    unread = UnreadTable.of(table)
    path = Path(unread.source)
    large = path.is_dir() or path.suffix.lower() in _LARGE_FORMATS
    if large and not whole and not is_address(unread.source):
        return unread.label, unread
    return unread.label, unread.read()
