"""The command line: parses, calls, prints. Nothing is computed here."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from io import TextIOWrapper
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bqcd.errors import BqcdError, InvalidSettingError, MissingPackageError

if TYPE_CHECKING:
    from bqcd.contract import Verdict

# Wherever typer keeps its parser: the error that all errors of usage are.
_UsageError: Any = typer.BadParameter.__mro__[1]

app = typer.Typer(
    name="bqcd",
    help="Which of two columns is the cause, and how sure one may be.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


class MissingRule(StrEnum):
    """What to do with rows in which a value is missing."""

    stop = "raise"
    drop = "drop"


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        from bqcd import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.command()
def decide(
    table: Annotated[
        str,
        typer.Argument(help="CSV, TSV, Parquet or Arrow file; - for CSV on standard input."),
    ],
    x: Annotated[str, typer.Argument(help="First column: its name, or its position from 0.")],
    y: Annotated[str, typer.Argument(help="Second column: its name, or its position from 0.")],
    method: Annotated[str, typer.Option(help="A name that `bqcd methods` lists.")] = "bqcd",
    regressor: Annotated[
        str | None,
        typer.Option(help="Quantile regressor: copula (default), forest, network, ..."),
    ] = None,
    levels: Annotated[int | None, typer.Option(help="Number of quantile levels.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of whatever is drawn at random.")] = 0,
    jitters: Annotated[
        int | None,
        typer.Option(help="Break ties at random this many times and average."),
    ] = None,
    missing: Annotated[
        MissingRule, typer.Option(help="Stop at missing values, or drop their rows.")
    ] = MissingRule.stop,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", help="Any other setting of the method, as NAME=VALUE."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Save a picture: .png, .svg or .pdf.", dir_okay=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say which of two columns of TABLE causes the other.

    Example: `bqcd decide sales.csv price demand --plot answer.png`
    """
    with _errors_in_one_line(), _patience():
        settings = _settings(setting, n_levels=levels, regressor=regressor, jitters=jitters)
        from bqcd.methods import decide_pair
        from bqcd.pair import Pair
        from bqcd.tables import read_columns

        pair = Pair.from_table(read_columns(table, [x, y]), 0, 1, missing=missing.value)
        start = perf_counter()
        verdict = decide_pair(pair, method=method, seed=seed, **settings)
        seconds = perf_counter() - start
        if plot is not None:
            verdict.plot(plot)
    if as_json:
        typer.echo(json.dumps(verdict.as_dict() | {"seconds": seconds}))
        return
    _print(verdict)
    if plot is not None:
        typer.echo(f"Picture: {plot}")


@app.command()
def methods() -> None:
    """List the methods, with what they assume and what they cost."""
    from rich.console import Console
    from rich.table import Table

    from bqcd.methods import METHODS

    listed = Table("method", "assumes", "cost", "unchanged by", "reference")
    for card in METHODS.values():
        unchanged = ", ".join(sorted(card.unchanged_by)) or "nothing"
        listed.add_row(card.name, card.assumes, card.cost, unchanged, card.reference)
    Console().print(listed)


@app.command()
def demo(
    folder: Annotated[
        Path, typer.Option(help="Where the pictures go.", file_okay=False, exists=True)
    ] = Path(),
) -> None:
    """Decide two real pairs that ship along: one clear, one that should not be trusted."""
    with _errors_in_one_line(), _patience():
        from bqcd.datasets import TABLES, load_table
        from bqcd.methods import decide as decide_columns

        for name in ("mcycle", "engel"):
            shipped = TABLES[name]
            typer.echo(f"\n{name}: {shipped.about}")
            typer.echo(f"({shipped.source.citation}; {shipped.source.licence})")
            table = load_table(name)
            verdict = decide_columns(shipped.cause, shipped.effect, table=table)
            _print(verdict)
            picture = folder / f"demo-{name}.png"
            try:
                verdict.plot(picture)
                typer.echo(f"Picture: {picture}")
            except MissingPackageError as error:
                typer.echo(f"No picture: {error}")


def _settings(given: list[str] | None, **named: object) -> dict[str, object]:
    """Settings of the method: the options that were used, then the NAME=VALUE ones."""
    settings = {name: value for name, value in named.items() if value is not None}
    for item in given or []:
        name, equals, text = item.partition("=")
        if not equals or not name:
            raise InvalidSettingError(f"--set takes NAME=VALUE, got {item!r}.")
        if name in settings or name in ("method", "seed", "missing"):
            raise InvalidSettingError(f"--set {name} comes twice or has an option of its own.")
        try:
            settings[name] = json.loads(text)
        except json.JSONDecodeError:
            settings[name] = text
    return settings


def _print(verdict: Verdict) -> None:
    from rich.console import Console

    Console().print(verdict)


@contextmanager
def _errors_in_one_line() -> Iterator[None]:
    """Turn what the user can mend into one line on standard error and exit code 2."""
    try:
        yield
    except (BqcdError, OSError) as error:
        typer.echo(f"bqcd: {_one_line(str(error))}", err=True)
        raise typer.Exit(2) from None


def _one_line(message: str) -> str:
    return " ".join(message.split())


@contextmanager
def _patience() -> Iterator[None]:
    """Say why it takes so long, if it does."""
    from bqcd.compilation import on_slow_compilation

    def tell() -> None:
        typer.echo(
            "bqcd: compiling its numerical kernels, once after installation; "
            "this takes half a minute or so ...",
            err=True,
        )

    with on_slow_compilation(tell):
        yield


def main() -> None:
    """Entry point of the command ``bqcd``."""
    # Imports make many objects and no garbage; looking for some costs a tenth of a second.
    gc.set_threshold(100_000)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that lacks a letter shows a question mark rather than a traceback.
            stream.reconfigure(errors="replace")
    try:
        code = app(standalone_mode=False)
    except _UsageError as error:
        # Without a message, help was what was wanted and has been given.
        if message := _one_line(error.format_message()):
            typer.echo(f"bqcd: {message}", err=True)
        code = 2
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except BrokenPipeError:
        # Whoever read the answer has left; nothing more can be said to them.
        sys.stderr.close()
        code = 0
    sys.exit(code)
