"""Arguments and options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

from bqcd.cli.completion import method_names

TableFile = Annotated[
    str,
    typer.Argument(
        metavar="TABLE", help="CSV, TSV, Parquet or Arrow file; - for CSV on standard input."
    ),
]
"""Argument for a table that is read at once."""

LargeTable = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV, Parquet, Arrow or NumPy file, or a folder of Parquet files; "
        "- for CSV on standard input.",
    ),
]
"""Argument for a table that may be read column by column."""

FirstColumn = Annotated[
    str, typer.Argument(metavar="X", help="First column: its name, or its position from 0.")
]
"""Argument for one column of a pair."""

SecondColumn = Annotated[
    str, typer.Argument(metavar="Y", help="Second column: its name, or its position from 0.")
]
"""Argument for the other column of a pair."""

MethodName = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="NAME",
        help="A name that `bqcd methods` lists.",
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
