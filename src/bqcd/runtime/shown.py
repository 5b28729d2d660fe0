"""The one way from a record up to what people see of it.

Records hold facts. What they look like in words, pictures and pages is built in ``bqcd.show``,
which is above them; it is asked for here, when needed, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure
    from rich.panel import Panel

    from bqcd.show.sheets import Sheet as Sheet


def shown(record: object, what: str, *asked: Any, **options: Any) -> Any:
    """What ``bqcd.show`` builds of a record.

    Parameters
    ----------
    record : object
        One of the kinds in ``bqcd.show.builders.BUILDERS``.
    what : str
        Such as ``"report"`` or ``"plot"``.
    *asked, **options
        Handed on to the builder.
    """
    from bqcd.show.builders import builder

    return builder(type(record), what)(record, *asked, **options)


@dataclass(frozen=True, slots=True)
class CodedNote:
    """One thing to know: a code and its facts, from which words are made.

    Parameters
    ----------
    code : str
        What it is about.
    facts : mapping of str to object
        Its names and numbers, ready for JSON.
    """

    code: str
    facts: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def sentence(self) -> str:
        """The note in words."""
        return str(shown(self, "sentence"))

    def as_dict(self) -> dict[str, object]:
        """Code and facts, ready for JSON."""
        return {"code": self.code, **self.facts}


class Shown:
    """A record with a page."""

    __slots__ = ()

    def to_html(self) -> str:
        """Page that shows it: one file that needs no network.

        Raises
        ------
        MissingPackageError
            If jinja2 is not installed.
        """
        return str(shown(self, "report").to_html())

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return str(shown(self, "fragment"))


class Pictured(Shown):
    """A record with a page and a picture."""

    __slots__ = ()

    def plot(self, path: str | Path | None = None) -> Figure:
        """Picture of it; saved if a path is given.

        Parameters
        ----------
        path : path, optional
            Ends in ``.png``, ``.svg`` or ``.pdf``.

        Raises
        ------
        MissingPackageError
            If matplotlib is not installed.
        """
        figure: Figure = shown(self, "plot", path)
        return figure


class Tabled(Shown):
    """A record with a page and a table for reading."""

    __slots__ = ()

    def sheet(self, *asked: Any, **options: Any) -> Sheet:
        """Table for reading."""
        sheet: Sheet = shown(self, "sheet", *asked, **options)
        return sheet


class Told(Pictured):
    """A record with a page, a picture and words of its own: an answer about one pair."""

    __slots__ = ()

    @property
    def headline(self) -> str:
        """The answer in one line."""
        return str(shown(self, "headline"))

    def explain(self) -> str:
        """What was found, how sure one may be, and what it assumes, in plain sentences."""
        return str(shown(self, "explain"))

    def __rich__(self) -> Panel:
        """Panel for the terminal."""
        panel: Panel = shown(self, "panel")
        return panel

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.headline}>"
