"""The command that tells how far a verdict may be trusted."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from bqcd.cli.completion import method_names
from bqcd.cli.console import (
    MissingRule,
    chosen_settings,
    errors_in_one_line,
    json_line,
    patience,
    tell,
)
from bqcd.cli.options import (
    FirstColumn,
    FirstSide,
    MethodSettings,
    SecondColumn,
    SecondSide,
    Seed,
    TableFile,
    Verbose,
    both_sides,
    with_switches,
)
from bqcd.cli.own_methods import chosen_method


class Rule(StrEnum):
    """What --abstain is about."""

    probability = "probability"
    stability = "stability"
    significance = "significance"


@with_switches
def assess(
    table: TableFile,
    x: FirstColumn = None,
    y: SecondColumn = None,
    x_side: FirstSide = None,
    y_side: SecondSide = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="NAME",
            help="A name that `bqcd methods` lists; panel, or bqcd for groups of columns.",
            autocompletion=method_names,
        ),
    ] = None,
    setting: MethodSettings = None,
    replicates: Annotated[
        int | None,
        typer.Option(
            help="Random halves of the rows on which the method is asked again; 200, or 20 for "
            "slow methods."
        ),
    ] = None,
    level: Annotated[float, typer.Option(help="Of the confidence interval.")] = 0.95,
    abstain: Annotated[
        float | None,
        typer.Option(help="Abstain below this probability or stability, or above this p-bound."),
    ] = None,
    abstain_by: Annotated[
        Rule,
        typer.Option(
            metavar="RULE",
            help="What --abstain is about: probability, stability or significance.",
        ),
    ] = Rule.probability,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Also within the groups of this column, and pooled over them."
        ),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="Also with what this column explains taken off; repeatable."
        ),
    ] = None,
    pair_only: Annotated[
        bool,
        typer.Option(
            "--pair-only",
            help="Do not look at the other columns for one that explains the link.",
        ),
    ] = False,
    sensitivity: Annotated[
        bool,
        typer.Option(
            "--sensitivity",
            help="Also try other regressors, levels, seeds and halves; takes longer.",
        ),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(help="Save a picture of that: .png, .svg or .pdf.", dir_okay=False),
    ] = None,
    seed: Seed = 0,
    missing: Annotated[
        MissingRule, typer.Option(help="Stop at missing values, or drop their rows.")
    ] = MissingRule.stop,
    weights: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of weights: what each row counts for."),
    ] = None,
    units: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column that tells which rows belong together."),
    ] = None,
    independent_rows: Annotated[
        bool,
        typer.Option(
            "--independent-rows",
            help="Take all rows as independent: look for none that belong together.",
        ),
    ] = False,
    workers: Annotated[int, typer.Option("--workers", "-j", help="Number of workers.")] = 1,
    verbose: Verbose = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    *,
    switches: Any = None,
) -> None:
    """Say which of two columns of TABLE causes the other, and how far that may be trusted.

    **Examples**

    `bqcd assess sales.csv price demand --abstain 0.8`

    `bqcd assess sales.csv price demand --by region`

    `bqcd assess sales.csv price demand --sensitivity --plot settings.png`
    """
    with errors_in_one_line(), patience(30):
        from bqcd.assessments import assess as assess_table
        from bqcd.data.files.reading import UnreadTable
        from bqcd.data.reading import asked_sides

        judge, settings = chosen_method(method, chosen_settings(setting))
        columns = both_sides(x, y, x_side, y_side)
        opened, x_columns, y_columns = asked_sides(UnreadTable(table, switches), *columns)
        found = assess_table(
            x_columns,
            y_columns,
            table=opened,
            missing=missing.value,
            weights=weights,
            units=units,
            by=by,
            given=given,
            find_separators=not pair_only,
            find_units=not independent_rows,
            method=judge,
            seed=seed,
            replicates=replicates,
            level=level,
            abstain=abstain,
            abstain_by=abstain_by.value,
            workers=workers,
            **settings,
        )
        if plot is not None:
            found.plot(plot)
        told = found.as_dict()
        if sensitivity:
            told["table"] = [
                {
                    "regressor": row.regressor,
                    "levels": row.levels,
                    "seed": row.seed,
                    "sample": row.sample,
                    "n_rows": row.n_rows,
                    "confidence": row.confidence,
                }
                for row in found.table
            ]
    if as_json:
        typer.echo(json_line(told))
        return
    from rich.console import Console

    from bqcd.show.terminal import assessment_panel

    Console().print(assessment_panel(found, verbose=verbose))
    if sensitivity:
        from bqcd.show.sheets import as_terminal

        Console().print(as_terminal(found.sheet()))
    if plot is not None:
        tell(f"Picture: {plot}")
