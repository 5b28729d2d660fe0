"""Every command in its place, and how one ends: its answer, one line of error, or silence."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Annotated, Any

import typer

from bqcd.cli.console import one_line, tell, told_of
from bqcd.cli.group import LazyGroup, Place

# Wherever typer keeps its parser: the error that all errors of usage are.
_UsageError: Any = typer.BadParameter.__mro__[1]

COMMANDS = {
    "decide": Place(
        "bqcd.cli.answers", "decide", "Say which of two columns of TABLE causes the other."
    ),
    "assess": Place(
        "bqcd.cli.assess",
        "assess",
        "Say which of two columns of TABLE causes the other, and how far that may be trusted.",
    ),
    "methods": Place(
        "bqcd.cli.answers",
        "methods",
        "List the methods with what they assume and how long they take, or describe one.",
    ),
    "check": Place(
        "bqcd.cli.check",
        "check",
        "Check that a method keeps what scans, benchmarks and graphs rely on.",
    ),
    "demo": Place(
        "bqcd.cli.answers",
        "demo",
        "Decide two real pairs that ship along: one that leans, one that cannot be told.",
    ),
    "orient": Place(
        "bqcd.cli.orient",
        "orient",
        "Orient the open edges of a graph over the columns of TABLE, and say why.",
    ),
    "causes": Place(
        "bqcd.cli.causes",
        "causes",
        "Name causes of TARGET: given them, its quantiles are the same in all environments.",
    ),
    "scan": Place(
        "bqcd.cli.scan", "scan", "Judge every pair of columns of TABLE, or those asked for."
    ),
    "report": Place(
        "bqcd.cli.report",
        "report",
        "Write one page on TABLE that opens anywhere, without a network: pairs, pictures, numbers.",
    ),
    "explore": Place(
        "bqcd.cli.explore",
        "explore",
        "Choose columns and settings in the browser, see the answer, save the report.",
    ),
    "reproduce": Place(
        "bqcd.cli.reproduce",
        "reproduce",
        "Compute tables and figures of the paper anew, beside its printed numbers.",
    ),
    "warm-up": Place(
        "bqcd.cli.warm_up", "warm_up", "Compile ahead what the first verdict would wait for."
    ),
    "bench": Place("bqcd.cli.bench", "app", "Compare methods on pairs whose answer is known."),
    "datasets": Place(
        "bqcd.cli.datasets",
        "app",
        "Pairs whose answer is known: list, describe, download, generate.",
    ),
}
"""Every command: where it is, and the first sentence of its help."""


class _Commands(LazyGroup):
    places = COMMANDS


app = typer.Typer(
    name="bqcd",
    cls=_Commands,
    help="""Which of two columns is the cause, and how sure one may be.

    **Examples**

    `bqcd demo`

    `bqcd decide sales.csv price demand`
    """,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        from bqcd import __version__

        typer.echo(__version__)
        raise typer.Exit


def run() -> None:
    """Whatever command the arguments name; ends the process with its code."""
    # Imports make many objects and no garbage; looking for some costs a tenth of a second.
    gc.set_threshold(100_000)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that lacks a letter shows a question mark rather than a traceback.
            stream.reconfigure(errors="replace")
    try:
        with _safe_path():
            code = app(standalone_mode=False)
    except _UsageError as error:
        # Without a message, help was what was wanted and has been given.
        if message := one_line(error.format_message()):
            tell(f"bqcd: {message}", err=True)
        code = 2
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except BrokenPipeError:
        # Whoever read the answer has left; nothing more can be said to them.
        sys.stderr.close()
        code = 0
    except OSError as error:
        # Commands tell of files themselves; this is standard output.
        tell(f"bqcd: {one_line(told_of(error))}", err=True)
        code = 2
    sys.exit(code)


@contextmanager
def _safe_path() -> Iterator[None]:
    """Environment in which workers do not look for modules in the current folder."""
    # They would look there first, whoever's files are in it.
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = before or "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
