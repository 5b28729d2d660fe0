"""The command that serves a page on which a table is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bqcd.cli.console import errors_in_one_line


def explore(
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE", help="CSV, TSV, Parquet, Arrow or NumPy file. Nothing else is read."
        ),
    ],
    port: Annotated[int, typer.Option(help="Port to listen at; 0 for a free one.")] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
) -> None:
    """Choose columns and settings in the browser, see the answer, save the report.

    The page is served to this machine only, at an address nobody can guess, until Ctrl-C.

    **Examples**

    `bqcd explore sales.csv`
    """
    with errors_in_one_line():
        from bqcd.explorer import Explorer

        with Explorer(table, port=port) as explorer:
            typer.echo(f"{explorer.address}\nCtrl-C ends it.")
            if browser:
                import webbrowser

                webbrowser.open(explorer.address)
            explorer.serve()
