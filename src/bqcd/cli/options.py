"""Arguments and options that several commands have."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from bqcd.cli.completion import method_names
from bqcd.cli.console import MissingRule, errors_in_one_line

TableFile = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A file (CSV, Parquet, Arrow, JSON, Excel, Stata, SAS, SPSS, SQLite, DuckDB, NumPy), "
        "a folder or pattern of Parquet files, an address, or - for standard input.",
    ),
]
"""Argument for a table; what is said of it comes with :func:`with_switches`."""

FirstColumn = Annotated[
    str | None,
    typer.Argument(
        metavar="X",
        help="First column: its name, or its position from 0; a,b for a group of columns.",
        show_default=False,
    ),
]
"""Argument for one column of a pair."""

SecondColumn = Annotated[
    str | None,
    typer.Argument(metavar="Y", help="Second column, or group of columns.", show_default=False),
]
"""Argument for the other column of a pair."""

FirstSide = Annotated[
    str | None, typer.Option("--x", metavar="COLUMNS", help="Instead of X: a,b and the like.")
]
"""Option for one side of a pair."""

SecondSide = Annotated[str | None, typer.Option("--y", metavar="COLUMNS", help="Instead of Y.")]
"""Option for the other side of a pair."""


def both_sides(
    x: str | None, y: str | None, x_side: str | None, y_side: str | None
) -> tuple[str, str]:
    """Columns of both sides, given as arguments or as options.

    Raises
    ------
    InvalidSettingError
        If a side is given twice or not at all.
    """
    from bqcd.errors import InvalidSettingError

    given = [side for side in (x, y) if side is not None]
    for option, side in (("--x", x_side), ("--y", y_side)):
        if side is not None:
            given.insert(0 if option == "--x" else len(given), side)
    if len(given) != 2:
        raise InvalidSettingError(
            f"A pair has two sides, X and Y (or --x and --y), got {', '.join(given) or 'none'}."
        )
    return given[0], given[1]


MethodName = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="NAME",
        help="A name that `bqcd methods` lists, or package.module:Class for your own.",
        autocompletion=method_names,
    ),
]
"""Option for the method."""

MethodSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Any other setting of the method. May be repeated."
    ),
]
"""Option for settings of the method, which :func:`chosen_settings` reads."""

TakenColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        "-c",
        metavar="COLUMN",
        help="A column to take, by name, position or pattern ('gene_*').",
    ),
]
"""Option for columns of a table."""

PairsFile = Annotated[
    Path | None, typer.Option(help="File with the pairs to judge, two columns a line.")
]
"""Option for chosen pairs."""

MissingByPair = Annotated[
    MissingRule, typer.Option(help="Stop at missing values, or drop their rows, pair by pair.")
]
"""Option for gaps in tables of many pairs."""

Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Also print code lengths, levels and settings.")
]
"""Option for what the numbers were computed from."""

Seed = Annotated[int, typer.Option(help="Seed of whatever is drawn at random.")]
"""Option for the seed."""


def _switch(name: str, told: str, metavar: str | None = None) -> Any:
    return typer.Option(name, metavar=metavar, help=told, rich_help_panel="How TABLE is read")


_SWITCHES: dict[str, Any] = {
    "delimiter": Annotated[
        str | None, _switch("--delimiter", "Between fields; tab, blank or any sign.", "SIGN")
    ],
    "decimal": Annotated[str | None, _switch("--decimal", "Decimal sign: . or ,", "SIGN")],
    "thousands": Annotated[
        str | None, _switch("--thousands", "Sign between thousands, as . in 1.983.", "SIGN")
    ],
    "encoding": Annotated[
        str | None, _switch("--encoding", "Of text, such as latin-1; found if Unicode.", "NAME")
    ],
    "na": Annotated[
        list[str] | None,
        _switch("--na", "Another word or number for a missing value. May be repeated.", "WORD"),
    ],
    "comment": Annotated[
        str | None, _switch("--comment", "What lines begin with that are no rows.", "SIGN")
    ],
    "header": Annotated[
        bool | None, _switch("--header/--no-header", "Whether the first row has the names.")
    ],
    "sheet": Annotated[
        str | None, _switch("--sheet", "Sheet of a workbook, by name or number from 0.", "NAME")
    ],
    "table_inside": Annotated[str | None, _switch("--table", "Table of a database.", "NAME")],
    "query": Annotated[
        str | None, _switch("--query", "Query that reads from a database, instead.", "SQL")
    ],
    "nominal": Annotated[
        list[str] | None,
        _switch("--nominal", "Column whose numbers are names. May be repeated.", "COLUMN"),
    ],
    "order": Annotated[
        list[str] | None,
        _switch("--order", "Levels of a column, lowest first: grade=I,II,III.", "COLUMN=LEVELS"),
    ],
}


def with_switches(command: Callable[..., None]) -> Callable[..., None]:
    """Command with options for how its table is read, which it gets as one ``switches``.

    Parameters
    ----------
    command : callable
        Has a parameter ``switches``, which is none of its options.
    """
    known = inspect.signature(command, eval_str=True)
    own = [one for one in known.parameters.values() if one.name != "switches"]
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in _SWITCHES.items()
    ]

    @wraps(command)
    def switched(*args: Any, **given: Any) -> None:
        with errors_in_one_line():
            from bqcd.data.files.switches import Reading

            said = {name.partition("_")[0]: given.pop(name, None) for name in _SWITCHES}
            told = {name: value for name, value in said.items() if value not in (None, [])}
            reading = Reading(**told)
        command(*args, **given, switches=reading)

    switched.__signature__ = known.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
    switched.__annotations__ = {one.name: one.annotation for one in [*own, *more]}
    return switched
