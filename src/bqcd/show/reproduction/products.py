"""What a target gives: sheets and pictures, and how they reach the disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bqcd.show import plots
from bqcd.show.sheets import Cell, Sheet, as_markdown, write_sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOLERANCE = 0.02
"""Differences to a printed number up to this are taken for agreement."""


@dataclass(frozen=True, slots=True)
class Product:
    """Everything one target gives.

    Parameters
    ----------
    sheets : tuple of Sheet
        Tables, here next to the paper's numbers where it prints any.
    pictures : mapping of str to Figure
        Figures by the stem of their file.
    """

    sheets: tuple[Sheet, ...] = ()
    pictures: Mapping[str, Figure] = field(default_factory=dict)


def write_product(product: Product, folder: Path, name: str) -> str:
    """Markdown of a product whose tables and pictures were written to ``folder``."""
    parts = []
    for number, sheet in enumerate(product.sheets):
        write_sheet(sheet, folder / (name if number == 0 else f"{name}-{number + 1}"))
        parts.append(as_markdown(sheet))
    for stem, figure in product.pictures.items():
        for suffix in (".png", ".pdf"):
            plots.save_figure(figure, folder / f"{stem}{suffix}")
        parts.append(f"![{stem}]({stem}.png)")
    return "\n\n".join(parts)


Key = tuple[str, str]
"""Row and column of a number."""


def beside(
    title: str,
    columns: Sequence[str],
    ours: Mapping[Key, float],
    printed: Mapping[Key, float | None],
    reasons: Mapping[Key, str] | None = None,
    origins: Mapping[str, str] | None = None,
) -> Sheet:
    """Numbers found here, the printed ones below them, and the differences.

    Rows are those of ``ours``. Differences beyond the tolerance are said in words, with
    the reason if one is known.

    Parameters
    ----------
    title : str
        Title of the sheet.
    columns : sequence of str
        Columns in order; a number may be missing in any of them.
    ours, printed : mapping of (row, column) to float
        Numbers by row and column.
    reasons : mapping of (row, column) to str, optional
        Why a printed number is not reached.
    origins : mapping of str to str, optional
        What rows of printed numbers are called that are not the paper's.
    """
    origins = origins or {}
    rows: list[tuple[Cell, ...]] = []
    for row in dict.fromkeys(row for row, _ in ours):
        here = [ours.get((row, column)) for column in columns]
        there = [printed.get((row, column)) for column in columns]
        rows.append((row, "here", *here))
        if any(value is not None for value in there):
            rows.append(("", origins.get(row, "paper"), *there))
            gaps = [_gap(a, b) for a, b in zip(here, there, strict=True)]
            rows.append(("", "+/-", *gaps))
    notes = differences(ours, printed, reasons or {}, origins)
    return Sheet(title, ("", "", *columns), tuple(rows), notes)


def _gap(here: float | None, there: float | None) -> str | None:
    return None if here is None or there is None else f"{here - there:+.2f}"


def differences(
    ours: Mapping[Key, float],
    printed: Mapping[Key, float | None],
    reasons: Mapping[Key, str],
    origins: Mapping[str, str],
) -> tuple[str, ...]:
    """How many numbers agree with the printed ones, and a sentence for each that does not.

    Parameters
    ----------
    ours, printed, reasons, origins
        As in :func:`beside`.
    """
    apart = []
    compared = 0
    for key, here in ours.items():
        there = printed.get(key)
        if there is None:
            continue
        compared += 1
        # Both are rounded to the two digits that are printed, so that 0.02 is 0.02.
        if round(abs(round(here, 2) - there), 2) > TOLERANCE:
            reason = f": {reasons[key]}" if key in reasons else ""
            where = origins.get(key[0], "in the paper")
            apart.append(f"{key[0]}, {key[1]}: {here:.2f} here, {there:.2f} {where}{reason}.")
    if not compared:
        return ("The paper prints no numbers for these.",)
    agree = compared - len(apart)
    head = f"{agree} of {compared} numbers agree with the printed ones within {TOLERANCE}."
    return (head, *apart)
