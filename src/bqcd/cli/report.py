"""The command that writes a page on a table: its pairs, or a graph over its columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from bqcd.cli.console import (
    MissingRule,
    errors_in_one_line,
    patience,
    settings_beside,
    tell,
)
from bqcd.cli.log_lines import LogLines
from bqcd.cli.options import (
    MethodName,
    MethodSettings,
    MissingByPair,
    PairsFile,
    Seed,
    TableFile,
    TakenColumns,
    with_switches,
)
from bqcd.cli.own_methods import chosen_method
from bqcd.errors import InvalidSettingError

_STAGES = {
    "columns": "reading columns",
    "pairs": "judging pairs",
    "details": "looking at pairs in detail",
}


@with_switches
def report(
    table: TableFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write: an .html file.")],
    x: Annotated[
        str | None,
        typer.Argument(metavar="X", help="First column of a single pair.", show_default=False),
    ] = None,
    y: Annotated[
        str | None, typer.Argument(metavar="Y", help="Second column.", show_default=False)
    ] = None,
    pairs: PairsFile = None,
    graph: Annotated[
        Path | None,
        typer.Option(help="Graph over the columns, whose edges are oriented, as in bqcd orient."),
    ] = None,
    columns: TakenColumns = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=COLUMNS",
            help="Columns judged as one, as size=length,width. May be repeated.",
        ),
    ] = None,
    method: MethodName = "panel",
    setting: MethodSettings = None,
    missing: MissingByPair = MissingRule.stop,
    seed: Seed = 0,
    details: Annotated[
        int, typer.Option(help="Assess and show so many pairs, those of the largest confidence.")
    ] = 200,
    replicates: Annotated[
        int | None,
        typer.Option(
            help="Random halves of the rows in an assessment: 200, or 20 for slow methods; 0 for "
            "none, in less time."
        ),
    ] = None,
    abstain: Annotated[
        float | None, typer.Option(help="Tell no direction below this probability.")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(help="Column that makes groups: do link and direction hold within them?"),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Column that link and direction shall survive. May be repeated.",
        ),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            help="Another table with the same columns, or a saved scan: tell which answers changed."
        ),
    ] = None,
    workers: Annotated[int, typer.Option("--workers", "-j", help="Number of workers.")] = 1,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show no progress and no answer.")
    ] = False,
    *,
    switches: Any = None,
) -> None:
    """Write one page on TABLE that opens anywhere, without a network: pairs, pictures, numbers.

    **Examples**

    `bqcd report sales.csv -o sales.html`

    `bqcd report sales.csv price demand --missing drop -o demand.html`

    `bqcd report cells.csv --graph skeleton.dot -o cells.html`

    `bqcd report cars.csv --group size=length,width,weight -o cars.html`

    `bqcd report march.csv --against february.parquet -o march.html`
    """
    with errors_in_one_line(), patience(30):
        from bqcd.data.files.reading import UnreadTable
        from bqcd.runtime.optional import require
        from bqcd.show.reports.contents import checked_page_path
        from bqcd.show.reports.reporting import report as reported

        judge, settings = chosen_method(method, settings_beside(reported, setting))
        asked: dict[str, Any] = {
            "pairs": _pairs(x, y, pairs),
            "graph": graph,
            "columns": columns or None,
            "groups": _groups(group),
            "method": judge,
            "missing": missing.value,
            "seed": seed,
            "details": details,
            "replicates": replicates,
            "abstain": abstain,
            "by": by,
            "given": given or None,
            "against": None if against is None else UnreadTable(against, switches),
            "workers": workers,
        }
        checked_page_path(out)
        # Before any work is done.
        require("jinja2", extra="report", needed_by="An HTML report")
        answer = _written(UnreadTable(table, switches), out, asked | settings, quiet=quiet)
    if not quiet:
        tell(answer)
        tell(f"Written: {out} ({_size(out.stat().st_size)})")


def _pairs(x: str | None, y: str | None, pairs: Path | None) -> Any:
    """Pairs that were asked for: a file, a single one, or None for all."""
    if x is None:
        return pairs
    if y is None:
        raise InvalidSettingError(f"A pair is two columns, got {x!r} alone.")
    if pairs is not None:
        raise InvalidSettingError(f"--pairs goes without columns of a single pair, got {x!r} too.")
    return [(x, y)]


def _groups(given: list[str] | None) -> dict[str, list[str]] | None:
    """Groups of columns by name; None if there are none."""
    groups: dict[str, list[str]] = {}
    for item in given or []:
        name, equals, columns = item.partition("=")
        if not equals or not name or not columns or name in groups:
            raise InvalidSettingError(f"--group takes NAME=COLUMNS, each name once, got {item!r}.")
        groups[name] = [column.strip() for column in columns.split(",")]
    return groups or None


def _written(table: object, out: Path, asked: dict[str, Any], *, quiet: bool) -> str:
    """Answer of the report, once it is written; a last word if it is stopped."""
    from bqcd.show.reports.reporting import report as reported

    try:
        with _bar(hidden=quiet) as show:
            found = reported(table, progress=show, **asked)
        found.save(out)
    except KeyboardInterrupt:
        faster = "fewer --details or --replicates 0 take less time"
        tell(f"bqcd: stopped; nothing is written ({faster}).", err=True)
        raise
    return found.answer


@contextmanager
def _bar(*, hidden: bool) -> Iterator[Callable[[str, int, int], None]]:
    """What is told how far a report is and shows it: bars on a terminal, lines in a log."""
    from rich import progress
    from rich.console import Console

    console = Console(stderr=True)
    if not (hidden or console.is_terminal):
        lines = LogLines()
        yield lambda stage, done, total: lines.show(_STAGES[stage], done, total)
        return
    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(bar_width=12),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=console, disable=hidden) as bars:
        tasks: dict[str, progress.TaskID] = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(_STAGES[stage], total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield show


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e6 else f"{n_bytes / 1e3:.0f} kB"
