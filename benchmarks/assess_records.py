"""Measured tables of the page on trust: written as JSON, one row a line, and read again.

A part of the page is a plan (numbers of samples, seeds), a function that turns it into rows, and
the class of these rows. A file holds the rows of one run with the plan it followed, the version
of the package and the time it took.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from time import process_time
from typing import Any, Generic, TypeVar

import bqcd

RESULTS = Path(__file__).with_name("results")
DIGITS = 6

Row = TypeVar("Row")


@dataclass(frozen=True)
class Part(Generic[Row]):
    """A table of the page: how it is measured, in full and in brief.

    Parameters
    ----------
    name : str
        Of the file, after ``assess_``.
    row : type
        Frozen dataclass of numbers and texts.
    rows : callable
        Rows of a plan, which is a frozen dataclass too.
    full, quick : dataclass instance
        What is measured for the page, and what is enough to see that it works.
    """

    name: str
    row: type[Row]
    rows: Callable[[Any], Iterable[Row]]
    full: Any
    quick: Any

    def measured(self, plan: Any) -> Table[Row]:
        """Table of one run."""
        start = process_time()
        rows = tuple(self.rows(plan))
        return Table(asdict(plan), bqcd.__version__, round(process_time() - start, 1), rows)

    def path(self, folder: Path) -> Path:
        """File of the part."""
        return folder / f"assess_{self.name}.json"

    def write(self, table: Table[Row], folder: Path) -> None:
        """Write a table, floats with six digits."""
        names = [field.name for field in fields(self.row)]  # type: ignore[arg-type]
        lines = [json.dumps([_rounded(getattr(row, name)) for name in names]) for row in table.rows]
        head = {"version": table.version, "seconds": table.seconds, "plan": table.plan}
        text = json.dumps(head | {"columns": names}, indent=1)[:-2]
        rows = ",\n  ".join(lines)
        self.path(folder).write_text(f'{text},\n "rows": [\n  {rows}\n ]\n}}\n', encoding="utf-8")

    def read(self, folder: Path) -> Table[Row] | None:
        """Table that was written; None if there is none."""
        path = self.path(folder)
        if not path.exists():
            return None
        stored = json.loads(path.read_text(encoding="utf-8"))
        rows = (dict(zip(stored["columns"], row, strict=True)) for row in stored["rows"])
        return Table(
            stored["plan"],
            stored["version"],
            stored["seconds"],
            tuple(self.row(**row) for row in rows),
        )


@dataclass(frozen=True)
class Table(Generic[Row]):
    """Rows of one run, with the plan it followed.

    Parameters
    ----------
    plan : dict
        Numbers of samples, sizes and seeds.
    version : str
        Of bqcd.
    seconds : float
        CPU time.
    rows : tuple
        What was found.
    """

    plan: dict[str, Any]
    version: str
    seconds: float
    rows: tuple[Row, ...]


def _rounded(value: object) -> object:
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
