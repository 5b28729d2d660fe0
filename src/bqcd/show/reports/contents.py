"""What a page says: question, answer, pairs and their details, a graph, a benchmark, a foot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bqcd.data.files.text import checked_path
from bqcd.errors import InvalidSettingError
from bqcd.runtime.atomic import write_whole
from bqcd.runtime.settings import check_choice, check_integer
from bqcd.show.reports.colophon import Colophon
from bqcd.show.reports.pairs import PairDetail, PairRow

SCHEMA = 1
"""Version of what :meth:`Report.as_dict` gives."""

KINDS = ("pairs", "graph", "benchmark")
"""What a report may be about."""

Content = Mapping[str, object]
"""Part of a report that is ready for JSON."""

_PARTS = ("graph", "benchmark", "columns", "matrix", "changes")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Report:
    """Everything that a page says, as plain numbers and words.

    Parameters
    ----------
    kind : {"pairs", "graph", "benchmark"}
        What it is about.
    title, question, answer : str
        Of the whole; the answer in sentences one could quote.
    colophon : Colophon
        How it was made.
    notes : tuple of str, default=()
        What a reader should know of the whole.
    facts : tuple of (str, str), default=()
        Labels and what stands behind them.
    pairs : tuple of PairRow or None, default=None
        Rows of the table of pairs.
    pairs_total : int, default=0
        How many pairs there were before the table was cut.
    details : mapping of int to PairDetail, optional
        More of some pairs, by the number of their row.
    graph, benchmark : mapping of str to object, optional
        Content of these parts, ready for JSON.
    columns, matrix, changes : mapping of str to object, optional
        The columns of the table at a glance, all answers as a matrix, and what differs from
        another report, ready for JSON.

    Raises
    ------
    InvalidSettingError
        If the kind is another, pairs have the same number, or details are of none of them.

    Examples
    --------
    >>> report = Report(
    ...     kind="pairs", title="Ages", question="Which?", answer="Age.", colophon=Colophon("bqcd")
    ... )
    >>> report.as_dict()["answer"]
    'Age.'
    """

    kind: str
    title: str
    question: str
    answer: str
    colophon: Colophon
    notes: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    pairs: tuple[PairRow, ...] | None = None
    pairs_total: int = 0
    details: Mapping[int, PairDetail] = field(default_factory=dict)
    graph: Content | None = None
    benchmark: Content | None = None
    columns: Content | None = None
    matrix: Content | None = None
    changes: Content | None = None

    def __post_init__(self) -> None:
        """Refuse an unknown kind, and details of pairs that are not there."""
        check_choice("Report", "kind", self.kind, KINDS)
        listed = [row.number for row in self.pairs or ()]
        check_integer("Report", "pairs_total", self.pairs_total, minimum=len(listed))
        if len(set(listed)) < len(listed):
            raise InvalidSettingError("pairs of Report must have different numbers.")
        strange = sorted(set(self.details).difference(listed))
        if strange:
            raise InvalidSettingError(
                f"details of Report must be of its pairs, but none has the number {strange[0]}."
            )

    def __repr__(self) -> str:
        return f"<Report {self.title!r}: {self.answer}>"

    def as_dict(self) -> dict[str, object]:
        """All of it, ready for JSON; text as it is, not escaped."""
        rows = None
        if self.pairs is not None:
            rows = [row.as_dict() | {"detail": row.number in self.details} for row in self.pairs]
        details = {str(number): found.as_dict() for number, found in self.details.items()}
        return {
            "schema": SCHEMA,
            "kind": self.kind,
            "title": self.title,
            "question": self.question,
            "answer": self.answer,
            "notes": list(self.notes),
            "facts": [list(fact) for fact in self.facts],
            "pairs": rows,
            "pairs_total": self.pairs_total,
            "details": details or None,
            **{name: _plain(getattr(self, name)) for name in _PARTS},
            "colophon": self.colophon.as_dict(),
        }

    def to_html(self) -> str:
        """One page that needs no network; the same report gives the same bytes.

        Raises
        ------
        MissingPackageError
            If jinja2 is not installed.
        """
        from bqcd.show.pages.rendering import page

        return page(self.as_dict())

    def fragment(self) -> str:
        """Piece of HTML without scripts, for notebooks."""
        from bqcd.show.pages.fragments import fragment

        return fragment(self.as_dict())

    def save(self, path: str | Path) -> None:
        """Write the page to a file, in one step or not at all.

        Parameters
        ----------
        path : str or Path
            Ends in ``.html`` or ``.htm``.

        Raises
        ------
        InvalidSettingError
            If the suffix is another, or there is no such folder.
        MissingPackageError
            If jinja2 is not installed.
        """
        write_whole(checked_page_path(path), self.to_html())

    def _repr_html_(self) -> str:
        """Piece of HTML for notebooks."""
        return self.fragment()


def _plain(part: Content | None) -> dict[str, object] | None:
    return None if part is None else dict(part)


def checked_page_path(path: str | Path) -> Path:
    """Path of a page, if one can be written there.

    Raises
    ------
    InvalidSettingError
        If the suffix is not that of a page, or there is no such folder.
    InvalidTableError
        If no file can have that name.

    Examples
    --------
    >>> checked_page_path("report.html").suffix
    '.html'
    """
    path = checked_path(path)
    check_choice("a report", "suffix", path.suffix.lower(), (".html", ".htm"))
    if not path.parent.is_dir():
        raise InvalidSettingError(
            f"A report must be in a folder that is there, but {str(path.parent)!r} is not."
        )
    return path
