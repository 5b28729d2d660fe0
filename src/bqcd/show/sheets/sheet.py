"""Tables for reading: rounded for people, exact for machines, the same in every format.

A sheet holds numbers and words; how they look is settled here and nowhere else. Letters that a
terminal would obey are written out, and cells that a spreadsheet would compute are guarded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from bqcd.data.files.cells import csv_text
from bqcd.errors import InvalidSettingError, printable, shortened
from bqcd.runtime.atomic import write_whole

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

Cell = str | int | float | None

_LONGEST_CELL = 500


@dataclass(frozen=True, slots=True)
class Sheet:
    """A titled table.

    Parameters
    ----------
    title : str
        What is in it.
    columns : tuple of str
        Heads of the columns.
    rows : tuple of tuples
        Words, numbers, or None where there is nothing.
    notes : tuple of str
        Sentences below the table.
    digits : int
        Digits after the point of floats where people read them.
    fewer : mapping of str to int
        Digits of columns that need not so many, by their heads.
    least : mapping of str to float
        Least numbers that are told, by the heads of columns of sizes or chances; of smaller ones it
        is only said that they are.

    Examples
    --------
    >>> print(as_markdown(Sheet("Shares", ("name", "share"), (("a", 0.25), ("b", None)))))
    **Shares**
    <BLANKLINE>
    | name | share |
    |---|---:|
    | a | 0.25 |
    | b |  |
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    digits: int = 2
    fewer: Mapping[str, int] = field(default_factory=dict)
    least: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse rows of another length than the head."""
        for row in self.rows:
            if len(row) != len(self.columns):
                raise InvalidSettingError(
                    f"Rows of the sheet {self.title!r} must have {len(self.columns)} cells, "
                    f"got {row!r}."
                )

    def text(self, cell: Cell, column: int | None = None) -> str:
        """Cell as people read it, of a column or of any."""
        if cell is None or (isinstance(cell, float) and isnan(cell)):
            return ""
        if isinstance(cell, float):
            head = "" if column is None else self.columns[column]
            if head in self.least and cell < self.least[head]:
                return f"< {self.least[head]:g}"
            text = f"{cell:.{self.fewer.get(head, self.digits)}f}"
            return text.removeprefix("-") if float(text) == 0.0 else text
        return f"{cell:,}" if isinstance(cell, int) else cell

    def texts(self, column: int) -> list[str]:
        """Cells of a column as people read them."""
        return [self.text(row[column], column) for row in self.rows]

    def line(self, row: Sequence[Cell]) -> list[str]:
        """Cells of a row as people read them."""
        return [self.text(cell, at) for at, cell in enumerate(row)]

    def is_number(self, column: int) -> bool:
        """Whether a column holds numbers."""
        return any(isinstance(row[column], int | float) for row in self.rows)


def duration(seconds: float) -> str:
    """Length of time in two digits and the unit that suits it.

    Examples
    --------
    >>> [duration(seconds) for seconds in (0.0003, 0.02, 2.5, 90.0, 7200.0, 2.6e6)]
    ['0.3 ms', '20 ms', '2.5 s', '1.5 min', '2 h', '30 days']
    """
    unit, size = next((unit, size) for unit, size in _UNITS if seconds >= size or unit == "ms")
    return f"{float(f'{seconds / size:.2g}'):g} {unit}"


_UNITS = (("days", 86_400.0), ("h", 3_600.0), ("min", 60.0), ("s", 1.0), ("ms", 1e-3))


def as_markdown(sheet: Sheet) -> str:
    """Sheet as a Markdown table."""
    rule = ["---:" if sheet.is_number(place) else "---" for place in range(len(sheet.columns))]
    lines = [f"**{_markdown(sheet.title)}**", ""]
    lines.append("| " + " | ".join(map(_markdown, sheet.columns)) + " |")
    lines.append("|" + "|".join(rule) + "|")
    for row in sheet.rows:
        lines.append("| " + " | ".join(map(_markdown, sheet.line(row))) + " |")
    for note in sheet.notes:
        lines += ["", _markdown(note)]
    return "\n".join(lines)


def as_latex(sheet: Sheet) -> str:
    """Sheet as a LaTeX table with the rules of the package booktabs."""
    layout = "".join("r" if sheet.is_number(at) else "l" for at in range(len(sheet.columns)))
    body = [" & ".join(map(_latex, sheet.line(row))) + r" \\" for row in sheet.rows]
    head = " & ".join(map(_latex, sheet.columns)) + r" \\"
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_latex(sheet.title)}}}",
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        head,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\small {_latex(note)}" for note in sheet.notes),
        r"\end{table}",
    ]
    return "\n".join(lines)


def as_csv(sheet: Sheet) -> str:
    """Sheet as comma-separated values in full precision, without title and notes.

    Text that a spreadsheet would take for a formula is guarded, see :mod:`bqcd.data.files.cells`.
    """
    return csv_text(sheet.columns, sheet.rows)


def as_terminal(sheet: Sheet, width: int = 80) -> Group:
    """Sheet for a terminal; columns that do not fit beside each other come below."""
    return _titled(sheet, _blocks(sheet, width))


def _titled(sheet: Sheet, blocks: Sequence[Sequence[int]]) -> Group:
    """Title, blocks of columns below each other, and notes."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    notes = [Padding(Text(printable(note)), (0, 0, 0, 1)) for note in sheet.notes]
    tables = [_block(sheet, places) for places in blocks]
    return Group(Text(printable(sheet.title), style="bold"), *tables, *notes)


def as_one_table(sheet: Sheet, width: int = 80, *, short: Mapping[str, str], more: str) -> Group:
    """Sheet for a terminal in one table: columns at the right that do not fit are left out.

    Parameters
    ----------
    sheet : Sheet
        Its words come first; its numbers by importance.
    width : int, default=80
        Of the terminal.
    short : mapping of str to str
        Shorter heads, used where the whole ones do not fit.
    more : str
        Where columns are that were left out.
    """
    if len(_fitting(sheet, width)) < len(sheet.columns):
        heads = tuple(short.get(head, head) for head in sheet.columns)
        fewer = {short.get(head, head): digits for head, digits in sheet.fewer.items()}
        least = {short.get(head, head): least for head, least in sheet.least.items()}
        sheet = replace(sheet, columns=heads, fewer=fewer, least=least)
    kept = _fitting(sheet, width)
    left = [head for at, head in enumerate(sheet.columns) if at not in kept]
    if left:
        rows = tuple(tuple(row[at] for at in kept) for row in sheet.rows)
        heads = tuple(sheet.columns[at] for at in kept)
        notes = (*sheet.notes, f"Not shown: {', '.join(left)}. {more}")
        sheet = replace(sheet, columns=heads, rows=rows, notes=notes)
    return _titled(sheet, [range(len(sheet.columns))])


def _fitting(sheet: Sheet, width: int) -> list[int]:
    """Places of the columns that fit beside each other; names are folded at a fifth each."""
    kept: list[int] = []
    used = 0
    for at, head in enumerate(sheet.columns):
        longest = max(map(len, (head, *sheet.texts(at))))
        used += 2 + (longest if sheet.is_number(at) else min(longest, width // 5))
        if sheet.is_number(at) and used >= width and any(map(sheet.is_number, kept)):
            break
        kept.append(at)
    return kept


def _blocks(sheet: Sheet, width: int) -> list[list[int]]:
    """Places of the columns of each block; the words at the left are in every one."""
    places = range(len(sheet.columns))
    numbers = next((at for at in places if sheet.is_number(at)), len(places))
    wide = [2 + max(map(len, (sheet.columns[at], *sheet.texts(at)))) for at in places]
    # Words can be folded, numbers cannot.
    wide = [
        w if sheet.is_number(at) else min(w, width // 4) for at, w in zip(places, wide, strict=True)
    ]
    left = min(sum(wide[:numbers]), width // 2)
    blocks: list[list[int]] = [[]]
    for at in places[numbers:]:
        used = left + sum(wide[other] for other in blocks[-1])
        if blocks[-1] and used + wide[at] >= width:
            blocks.append([])
        blocks[-1].append(at)
    return [[*range(numbers), *block] for block in blocks]


def _block(sheet: Sheet, places: Sequence[int]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for at in places:
        number = sheet.is_number(at)
        justify: Literal["left", "right"] = "right" if number else "left"
        head = Text(printable(sheet.columns[at]))
        table.add_column(head, justify=justify, no_wrap=number, overflow="fold")
    for row in sheet.rows:
        table.add_row(
            *(Text(printable(shortened(sheet.text(row[at], at), _LONGEST_CELL))) for at in places)
        )
    return table


SUFFIXES: Mapping[str, Callable[[Sheet], str]] = MappingProxyType(
    {".md": as_markdown, ".tex": as_latex, ".csv": as_csv}
)
"""What turns a sheet into text, by the suffix of the file."""


def write_sheet(sheet: Sheet, stem: Path) -> list[Path]:
    """Files written, each whole or not at all: ``stem`` with each of the suffixes."""
    paths = []
    for suffix, text in SUFFIXES.items():
        path = stem.with_name(stem.name + suffix)
        write_whole(path, text(sheet) + "\n")
        paths.append(path)
    return paths


# An underscore within a word, as in n_levels, is no markup.
_MARKUP = re.compile(r"[\\`*<\[|~]|(?<![^\W_])_|_(?![^\W_])|&(?=[#\w])")


def _markdown(text: str) -> str:
    """Text in one line, without what Markdown would take for markup."""
    return _MARKUP.sub(lambda found: "\\" + found.group(), _line(text))


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # After the end of a row, a bracket would be taken for a distance.
    "[": "{[}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}


def _latex(text: str) -> str:
    return re.sub(r"[\\~^<>|\[&%$#_{}]", lambda found: _LATEX[found.group()], _line(text))


def _line(text: str) -> str:
    return printable(" ".join(text.split()))
