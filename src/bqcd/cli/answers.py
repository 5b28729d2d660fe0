"""Commands that answer: decide a pair, list the methods, show the demonstration."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

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
    MethodName,
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
from bqcd.errors import MissingPackageError

if TYPE_CHECKING:
    from rich.table import Table

    from bqcd.data.files.reading import UnreadTable
    from bqcd.data.pair import Pair
    from bqcd.data.vector_pair import VectorPair
    from bqcd.data.weights import WeightedPair
    from bqcd.methods.cards import MethodCard
    from bqcd.methods.verdict import Verdict


@with_switches
def decide(
    table: TableFile,
    x: FirstColumn = None,
    y: SecondColumn = None,
    x_side: FirstSide = None,
    y_side: SecondSide = None,
    method: MethodName = "bqcd",
    regressor: Annotated[
        str | None,
        typer.Option(help="Quantile regressor: copula (default), forest, network, ..."),
    ] = None,
    levels: Annotated[int | None, typer.Option(help="Number of quantile levels.")] = None,
    seed: Seed = 0,
    jitters: Annotated[
        int | None,
        typer.Option(help="Break ties at random this many times and average."),
    ] = None,
    missing: Annotated[
        MissingRule, typer.Option(help="Stop at missing values, or drop their rows.")
    ] = MissingRule.stop,
    weights: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of weights: what each row counts for."),
    ] = None,
    setting: MethodSettings = None,
    plot: Annotated[
        Path | None, typer.Option(help="Save a picture: .png, .svg or .pdf.", dir_okay=False)
    ] = None,
    verbose: Verbose = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    *,
    switches: Any = None,
) -> None:
    """Say which of two columns of TABLE causes the other.

    **Examples**

    `bqcd decide sales.csv price demand --plot answer.png`

    `bqcd decide sales.csv 0 3 --method loci --missing drop --json`

    `bqcd decide trial.xlsx grade survival --order grade=I,II,III`

    `bqcd decide cars.csv length,width,weight price`

    `bqcd decide sales.csv price demand --method my.module:Mine`
    """
    with errors_in_one_line(), patience():
        judge, settings = chosen_method(
            method,
            chosen_settings(setting, n_levels=levels, regressor=regressor, jitters=jitters),
        )
        from bqcd.data.files.reading import UnreadTable
        from bqcd.methods.decide import decide_pair

        pair = _asked_pair(
            UnreadTable(table, switches), *both_sides(x, y, x_side, y_side), missing, weights
        )
        start = perf_counter()
        verdict = decide_pair(pair, method=judge, seed=seed, **settings)
        seconds = perf_counter() - start
        if plot is not None:
            verdict.plot(plot)
    if as_json:
        typer.echo(json_line(verdict.as_dict() | {"seconds": seconds}))
        return
    _print(verdict, verbose=verbose)
    if plot is not None:
        tell(f"Picture: {plot}")


def _asked_pair(
    unread: UnreadTable, x: str, y: str, missing: MissingRule, weights: str | None
) -> Pair | VectorPair | WeightedPair:
    """Pair of two columns of a table, or of groups of them."""
    from bqcd.data.reading import asked_sides
    from bqcd.methods.decide import observed_pair

    table, *sides = asked_sides(unread, x, y)
    if any(isinstance(side, list) for side in sides):
        return observed_pair(*sides, table=table, missing=missing.value, weights=weights)
    columns = [*sides] if weights is None else [*sides, weights]
    return observed_pair(
        0,
        1,
        table=unread.read(columns) if table is unread else table.select(columns),
        missing=missing.value,
        weights=None if weights is None else 2,
    )


def methods(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Method to describe; package.module:Class for your own.",
            show_default=False,
            autocompletion=method_names,
        ),
    ] = None,
) -> None:
    """List the methods with what they assume and how long they take, or describe one.

    **Examples**

    `bqcd methods`

    `bqcd methods loci`

    `bqcd methods my.module:Mine`
    """
    with errors_in_one_line():
        from rich.console import Console

        from bqcd.methods.table import card_of
        from bqcd.show.words.methods import MARK

        if name is None:
            Console().print(_method_list())
            told = f"{MARK} with a default chosen by looking at benchmark files"
            Console().print(f"{told}\n`bqcd methods NAME` tells more of one of them.", style="dim")
        else:
            own, _ = chosen_method(name, {})
            described = _described(card_of(name)) if own is name else _described_own(name, own)
            Console().print(described)


def _method_list() -> Table:
    from rich.table import Table

    from bqcd.methods.table import ALL_METHODS
    from bqcd.show.sheets import duration
    from bqcd.show.words.methods import MARK

    listed = Table("method", "assumes", "1,000 rows", "1,000,000")
    for card in ALL_METHODS.values():
        name = f"{card.name} {MARK}" if card.chosen else card.name
        listed.add_row(
            name, card.assumes, duration(card.seconds), duration(card.seconds_beyond[-1])
        )
    return listed


def _described(card: MethodCard) -> Table:
    """Everything a card says, and the settings with their defaults."""
    from bqcd.methods.verdict import settings_of
    from bqcd.show.words.methods import chosen_words, drawn_rows, elsewhere, taken_columns

    settings = [f"{key}={value!r}" for key, value in settings_of(card.build()).items()]
    return _grid(
        {
            "method": card.name,
            "assumes": card.assumes,
            "reference": card.reference,
            "columns": taken_columns(card),
            "cost": f"{card.cost}; on one core {_times(card)}",
            "rows": drawn_rows(card),
            "unchanged by": ", ".join(sorted(card.unchanged_by)) or "nothing",
            "chance": _chance(card),
            "machine": elsewhere(card),
            "settings": ", ".join(settings) or "none",
            "chosen": chosen_words(card),
            "note": card.note,
        }
    )


def _grid(facts: Mapping[str, str]) -> Table:
    """Facts that are known, each after its name."""
    from rich.markup import escape
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    for word, told in facts.items():
        if told:
            grid.add_row(f"[bold]{word}[/bold]", escape(told))
    return grid


def _described_own(name: str, method: object) -> Table:
    """What is known of a method without a card."""
    from inspect import getdoc

    from bqcd.methods.verdict import settings_of

    settings = ", ".join(f"{key}={value!r}" for key, value in settings_of(method).items())
    about = (getdoc(method) or "").partition("\n\n")[0]
    note = f"no method of bqcd; `bqcd check {name}` tells whether it keeps what methods promise"
    return _grid({"method": name, "about": about, "settings": settings or "none", "note": note})


def _chance(card: MethodCard) -> str:
    if card.uses_chance:
        return "another seed may give another verdict"
    return "none, but for which rows are drawn" if card.most_rows else "none"


def _times(card: MethodCard) -> str:
    from bqcd.show.sheets import duration

    sizes = ("1,000 rows take", "10,000", "100,000", "1,000,000")
    times = (card.seconds, *card.seconds_beyond)
    return ", ".join(f"{size} {duration(time)}" for size, time in zip(sizes, times, strict=True))


def demo(
    folder: Annotated[
        Path, typer.Option(help="Where the pictures go.", file_okay=False, exists=True)
    ] = Path(),
) -> None:
    """Decide two real pairs that ship along: one that leans, one that cannot be told.

    **Examples**

    `bqcd demo`
    """
    with errors_in_one_line(), patience():
        from bqcd.benchmark.datasets import TABLES, load_table
        from bqcd.methods.decide import decide as decide_columns

        for name in ("mcycle", "engel"):
            shipped = TABLES[name]
            typer.echo()
            tell(f"{name}: {shipped.about}")
            tell(f"({shipped.source.citation}; {shipped.source.licence})")
            table = load_table(name)
            verdict = decide_columns(shipped.cause, shipped.effect, table=table)
            _print(verdict)
            picture = folder / f"demo-{name}.png"
            try:
                verdict.plot(picture)
                tell(f"Picture: {picture}")
            except MissingPackageError as error:
                tell(f"No picture: {error}")


def _print(verdict: Verdict, *, verbose: bool = False) -> None:
    from rich.console import Console

    from bqcd.show.terminal import verdict_panel

    Console().print(verdict_panel(verdict, verbose=verbose))
