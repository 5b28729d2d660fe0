"""Commands that compare methods: run a benchmark, read its report."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bqcd.cli.bars import progress_bars
from bqcd.cli.completion import method_lists, pairset_lists
from bqcd.cli.console import errors_in_one_line, one_line, tell
from bqcd.cli.own_methods import look_here
from bqcd.errors import (
    DamagedResultsWarning,
    InvalidResultsError,
    InvalidSettingError,
    printable,
)

if TYPE_CHECKING:
    from bqcd.benchmark.datasets import PairSet

app = typer.Typer(rich_markup_mode="markdown")


class FileFormat(StrEnum):
    """Format of the table of results."""

    parquet = "parquet"
    csv = "csv"
    jsonl = "jsonl"


class ShownMargins(StrEnum):
    """What methods see of the columns."""

    as_is = "as-is"
    normal = "normal"
    uniform = "uniform"


class View(StrEnum):
    """How a report is printed."""

    terminal = "terminal"
    markdown = "markdown"
    latex = "latex"
    csv = "csv"


@app.callback(invoke_without_command=True)
def bench(
    context: typer.Context,
    methods: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Methods, separated by commas; settings after colons, as in "
            "bqcd:n_levels=7; package.module:Class for a method of your own.",
            autocompletion=method_lists,
        ),
    ] = "",
    datasets: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Benchmarks, separated by commas: names of `bqcd datasets list`, "
            "or folders of pairs.",
            autocompletion=pairset_lists,
        ),
    ] = "",
    out: Annotated[Path | None, typer.Option(help="Folder for the results.")] = None,
    repeats: Annotated[int, typer.Option(help="Judge each pair so many times.")] = 1,
    workers: Annotated[int, typer.Option("--workers", "-j", help="Number of workers.")] = 1,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds one method may spend on one pair.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed from which all seeds follow.")] = 0,
    margins: Annotated[
        ShownMargins,
        typer.Option(
            help="Methods see the columns as they come, or both mapped to equal margins: "
            "normal scores, or ranks between 0 and 1."
        ),
    ] = ShownMargins.as_is,
    file_format: Annotated[
        FileFormat, typer.Option("--format", help="Format of the table of results.")
    ] = FileFormat.parquet,
    retry: Annotated[
        bool, typer.Option("--retry", help="Run failed tasks of an earlier run again.")
    ] = False,
) -> None:
    """Compare methods on pairs whose answer is known.

    Every method judges every pair of every benchmark. Interrupted and started again with
    the same folder, it goes on where it was.

    **Examples**

    `bqcd bench --methods bqcd,igci-g --datasets AN,LS --out results`

    `bqcd bench --methods bqcd,bqcd:n_levels=7 --datasets folder --out results`

    `bqcd bench --methods bqcd,loci --datasets AN --margins normal --out equal`

    `bqcd bench --methods bqcd,my.module:Mine --datasets AN --out results`
    """
    if context.invoked_subcommand is not None:
        return
    with errors_in_one_line():
        if not methods or not datasets or out is None:
            raise InvalidSettingError("bench needs --methods, --datasets and --out.")
        from bqcd.benchmark import ResultsFolder, contender, run_benchmark, split_specs

        names = split_specs(methods)
        if any(re.match(r"[\w.]+:\w+(:|$)", name) for name in names):
            look_here()
        # A misspelt method should be known before a thousand files are read.
        for name in names:
            contender(name)
        pairsets = _loaded(split_specs(datasets))
        try:
            with _damage_told(), progress_bars() as progress:
                results = run_benchmark(
                    names,
                    pairsets,
                    repeats=repeats,
                    workers=workers,
                    time_limit=time_limit,
                    seed=seed,
                    margins=margins.value,
                    out=out,
                    file_format=file_format.value,
                    retry=retry,
                    progress=progress,
                )
        except KeyboardInterrupt:
            # Without a plan, nothing was begun.
            with suppress(InvalidResultsError):
                missing = f"{ResultsFolder(out).missing():,} tasks"
                tell(f"bqcd: stopped with {missing} to go; the same command goes on.", err=True)
            raise
        _print_sheets(results, View.terminal, brief=True)
        tell(f"{len(results):,} rows in {out}; `bqcd bench report {out}` tells more.")


@app.command()
def report(
    folder: Annotated[Path, typer.Argument(metavar="RESULTS", help="Folder or file of results.")],
    view: Annotated[View, typer.Option(help="How the tables are printed.")] = View.terminal,
    out: Annotated[
        Path | None,
        typer.Option(help="Write tables (CSV, LaTeX, Markdown) and pictures to this folder."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write one page to explore to this .html file.")
    ] = None,
) -> None:
    """Print the tables of a benchmark, and write them with their pictures, or as a page.

    **Examples**

    `bqcd bench report results`

    `bqcd bench report results --out report --html report.html`
    """
    with errors_in_one_line():
        from bqcd.benchmark import read_results
        from bqcd.show.sheets.benchmarks import write_report

        with _damage_told():
            results = read_results(folder)
        written = []
        # Files first: whoever reads the tables may leave early.
        if html is not None:
            from bqcd.show.reports.benchmarks import report_results

            report_results(results, folder=str(folder), page=str(html)).save(html)
            written.append(html)
        if out is not None:
            written += write_report(results, out)
        _print_sheets(results, view)
        if results.origin is not None and (missing := results.origin.missing):
            tell(f"Unfinished: {missing:,} tasks are still to be run.", err=True)
        for path in written:
            tell(f"Written: {path}", err=view is not View.terminal)


@contextmanager
def _damage_told() -> Iterator[None]:
    """Tell on standard error, at the end, which results are damaged."""
    damage: list[str] = []
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, DamagedResultsWarning):
                damage.append(str(message))
            else:
                usual(message, category, *where, **more)

        warnings.simplefilter("always", DamagedResultsWarning)
        warnings.showwarning = show
        try:
            yield
        finally:
            for text in damage:
                tell(f"bqcd: {one_line(text)}", err=True)


def _loaded(names: Sequence[str]) -> list[PairSet]:
    from bqcd.benchmark.datasets import load_pairs

    return [load_pairs(name) for name in names]


def _print_sheets(results: object, view: View, *, brief: bool = False) -> None:
    from rich.console import Console

    from bqcd.benchmark import Results
    from bqcd.show.sheets import as_csv, as_latex, as_markdown, as_terminal
    from bqcd.show.sheets.benchmarks import sheets

    assert isinstance(results, Results)
    console = Console()
    plain = {View.markdown: as_markdown, View.latex: as_latex, View.csv: as_csv}
    for sheet in islice(sheets(results), 1 if brief else None):
        if view is View.terminal:
            console.print(as_terminal(sheet, console.width))
            console.print()
        else:
            text = plain[view](sheet)
            # Exact for machines; a terminal would obey what is in a name.
            shown = map(printable, text.split("\n")) if sys.stdout.isatty() else (text,)
            typer.echo("\n".join(shown) + "\n")
