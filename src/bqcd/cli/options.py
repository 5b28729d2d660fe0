"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bqcd.cli.completion import method_names
from bqcd.cli.console import MissingRule

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
