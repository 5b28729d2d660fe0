"""The command that looks for causes of a column in several environments."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from bqcd.cli.console import MissingRule, errors_in_one_line, json_line, patience, suggesting
from bqcd.cli.options import TableFile, with_switches


@with_switches
def causes(
    table: TableFile,
    target: Annotated[
        str,
        typer.Argument(help="Column whose causes are asked for: its name, or its position from 0."),
    ],
    environment: Annotated[
        str,
        typer.Option(
            "--environment", "-e", help="Column that says which environment a row is from."
        ),
    ],
    predictor: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="A column that may be a cause; all others by default. May be repeated.",
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Sets pass whose p-value is larger.")] = 0.05,
    max_predictors: Annotated[
        int, typer.Option(help="Of more predictors so many are kept, the strongest.")
    ] = 8,
    missing: Annotated[
        MissingRule, typer.Option(help="Stop at missing values, or drop their rows.")
    ] = MissingRule.stop,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    *,
    switches: Any = None,
) -> None:
    """Name causes of TARGET: given them, its quantiles are the same in all environments.

    **Examples**

    `bqcd causes cells.csv response --environment batch`
    """
    with errors_in_one_line(), patience(12), suggesting("--predictor"):
        from bqcd.data.files.reading import UnreadTable
        from bqcd.graphs import invariant_causes

        found = invariant_causes(
            UnreadTable(table, switches).read(),
            target,
            environment,
            predictors=predictor,
            alpha=alpha,
            max_predictors=max_predictors,
            missing=missing.value,
        )
    if as_json:
        typer.echo(json_line(found.as_dict()))
        return
    from rich.console import Console

    from bqcd.show.sheets import as_terminal

    console = Console()
    console.print(as_terminal(found.sheet(), console.width))
