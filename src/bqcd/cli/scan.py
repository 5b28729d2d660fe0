"""The command that judges every pair of columns of a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bqcd.cli.completion import method_names
from bqcd.cli.console import (
    MissingRule,
    errors_in_one_line,
    json_line,
    patience,
    settings_beside,
    tell,
)
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
from bqcd.cli.scan_bar import scan_bar
from bqcd.errors import InvalidSettingError, printable

if TYPE_CHECKING:
    from bqcd.methods.verdict import Method
    from bqcd.scans.progress import ScanProgress
    from bqcd.scans.results import Scan
    from bqcd.scans.views import Order

_SKIPPED_SHOWN = 10
_GRAPH_MAX_Q = 0.05
_MORE = "A wider terminal shows more, --save FILE writes everything."


class Ranking(StrEnum):
    """What the pairs shown are ranked by."""

    probability = "probability"
    confidence = "confidence"
    dependence = "dependence"
    p_value = "p_value"


@with_switches
def scan(
    table: TableFile,
    columns: TakenColumns = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A column to leave out, in the same way."),
    ] = None,
    dtype: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND", help="Take columns of this kind only: float, integer, number, ..."
        ),
    ] = None,
    pairs: PairsFile = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Judge this column against every other one."),
    ] = None,
    method: MethodName = "bqcd",
    setting: MethodSettings = None,
    then: Annotated[
        str | None,
        typer.Option(
            metavar="METHOD",
            help="A second method for pairs that depend on each other, or none. After bqcd it is "
            "panel, if nothing is said.",
            autocompletion=method_names,
        ),
    ] = None,
    then_pairs: Annotated[
        int,
        typer.Option(
            help="How many pairs the second method judges, at most; the panel takes a tenth of a "
            "second for each of 1,000 rows. After bqcd, pairs it does not judge are not told."
        ),
    ] = 200,
    abstain: Annotated[
        float | None,
        typer.Option(help="Tell no direction below this probability; see --then."),
    ] = None,
    missing: MissingByPair = MissingRule.stop,
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Save progress here; rerun to resume."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin anew in a folder that holds a scan.")
    ] = False,
    retry: Annotated[
        bool, typer.Option("--retry", help="Judge failed pairs of an earlier run again.")
    ] = False,
    engine: Annotated[
        str, typer.Option(help="Who works: local, dask, ray, spark or joblib:NAME.")
    ] = "local",
    address: Annotated[
        str | None, typer.Option(help="Scheduler of an existing Dask or Ray cluster.")
    ] = None,
    workers: Annotated[int, typer.Option("--workers", "-j", help="Number of processes.")] = 1,
    top: Annotated[int, typer.Option(help="Show so many pairs; 0 for none.")] = 20,
    by: Annotated[
        Ranking | None,
        typer.Option(
            metavar="WORD",
            help="What they are ranked by: probability, confidence, dependence or p_value; "
            "probability where there is one, if nothing is said.",
        ),
    ] = None,
    min_dependence: Annotated[
        float, typer.Option(help="Leave out weaker pairs, from 0 to 1, in list and graph.")
    ] = 0.0,
    max_q: Annotated[
        float | None,
        typer.Option(
            help="Leave out pairs that may be independent, in list and graph, where the usual "
            "value is 0.05."
        ),
    ] = None,
    save: Annotated[
        list[Path] | None,
        typer.Option(
            "--save",
            "--csv",
            metavar="FILE",
            help="Write all pairs: .csv, .tsv, .parquet or .json. May be repeated.",
        ),
    ] = None,
    matrix: Annotated[
        Path | None, typer.Option(help="Write the matrix of confidences: .csv or .npy.")
    ] = None,
    graph: Annotated[
        Path | None,
        typer.Option(
            help="Write the graph of verdicts: .graphml, .gml, .dot, .json, ... Pairs judged one "
            "by one: no causal graph."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show no progress, and nothing else but --json.")
    ] = False,
    *,
    switches: Any = None,
) -> None:
    """Judge every pair of columns of TABLE, or those asked for.

    With --out, every finished piece of work is kept: stopped, killed or crashed, the same
    command goes on where it was.

    **Examples**

    `bqcd scan genes.parquet -j 8 -o genes.scan --max-q 0.05`

    `bqcd scan survey.csv --against income --missing drop --save income.csv`
    """
    with errors_in_one_line(), patience(30):
        from bqcd.data.files.reading import UnreadTable
        from bqcd.scans.scanning import scan as scanned

        for option, used in (("--fresh", fresh), ("--retry", retry)):
            if used and out is None:
                raise InvalidSettingError(f"{option} goes with --out FOLDER.")
        files = _Files(tuple(save or ()), matrix, graph)
        view = _View(top, by, min_dependence, max_q)
        judge, settings = chosen_method(method, settings_beside(scanned, setting))
        asked: dict[str, Any] = {
            "columns": columns or None,
            "exclude": exclude or (),
            "dtypes": dtype or (),
            "pairs": pairs,
            "against": against,
            "method": judge,
            "then": _second(then, method),
            "then_pairs": then_pairs,
            "abstain": abstain,
            "missing": missing.value,
            "seed": seed,
            "out": out,
            "fresh": fresh,
            "retry": retry,
            "engine": engine,
            "address": address,
            "workers": workers,
        }
        found = _scanned(UnreadTable(table, switches), asked | settings, quiet=quiet)
        files.write(found, view)
        if as_json:
            typer.echo(json_line(view.told(found)))
        elif not quiet:
            _show(found, view)
        if not quiet:
            for path in files.all():
                tell(f"Written: {path}", err=as_json)


def _second(then: str | None, method: str) -> str | Method | None:
    """Second method: that asked for, else the panel after the usual first one."""
    if then is None:
        return "panel" if method == "bqcd" else None
    return None if then == "none" else chosen_method(then, {})[0]


def _scanned(table: object, asked: dict[str, Any], *, quiet: bool) -> Scan:
    """Scan, with a bar on a terminal and a last word if it is stopped."""
    from bqcd.scans.scanning import scan as scanned

    last: list[ScanProgress] = []
    try:
        with scan_bar(hidden=quiet) as show:

            def tell_progress(progress: ScanProgress) -> None:
                last[:] = [progress]
                show(progress)

            return scanned(table, progress=tell_progress, **asked)
    except KeyboardInterrupt:
        tell(f"bqcd: {_last_word(last, asked)}", err=True)
        raise


def _last_word(last: Iterable[ScanProgress], asked: dict[str, Any]) -> str:
    """How far a scan that was stopped had come, and how to go on."""
    if asked["out"] is None:
        return "stopped; nothing is kept without --out FOLDER."
    again = "the same command without --fresh" if asked["fresh"] else "the same command"
    for progress in last:
        if progress.stage == "pairs":
            return (
                f"stopped with {progress.done:,} of {progress.total:,} pairs done, which are "
                f"kept in {asked['out']}; {again} goes on."
            )
    return f"stopped before any pair was judged; {again} goes on."


@dataclass(frozen=True, slots=True)
class _View:
    """Which pairs are shown, and in what order."""

    top: int
    by: Ranking | None
    min_dependence: float
    max_q: float | None

    def __post_init__(self) -> None:
        """Refuse numbers out of their range, before any work is done."""
        from bqcd.runtime.settings import check_integer

        check_integer("scan", "--top", self.top, minimum=0)
        limits = (("--min-dependence", self.min_dependence), ("--max-q", self.max_q))
        for name, value in limits:
            if value is not None and not 0.0 <= value <= 1.0:
                raise InvalidSettingError(f"{name} must be from 0 to 1, got {value!r}.")

    def chosen(self, found: Scan) -> Scan:
        return found.where(min_dependence=self.min_dependence, max_q=self.max_q)

    def order(self, found: Scan) -> Order:
        """What was asked for, else the probability where any pair has one."""
        if self.by is not None:
            return self.by.value
        known = found.table["probability"].null_count < len(found)
        return "probability" if known else "confidence"

    def told(self, found: Scan) -> dict[str, object]:
        top = self.chosen(found).top(self.top, by=self.order(found)).to_pylist()
        return {**found.as_dict(0), "top": top}


@dataclass(frozen=True, slots=True)
class _Files:
    """Files that are asked for."""

    save: tuple[Path, ...] = field(default=())
    matrix: Path | None = None
    graph: Path | None = None

    def __post_init__(self) -> None:
        """Refuse files that cannot be written, before any work is done."""
        from bqcd.runtime.settings import check_choice
        from bqcd.scans.result_files import MATRIX_SUFFIXES, PAIR_SUFFIXES

        for path in self.all():
            if not path.parent.is_dir():
                raise InvalidSettingError(f"There is no folder {str(path.parent)!r} for {path}.")
        for path in self.save:
            check_choice("--save", "suffix", path.suffix.lower(), PAIR_SUFFIXES)
        if self.matrix is not None:
            check_choice("--matrix", "suffix", self.matrix.suffix.lower(), MATRIX_SUFFIXES)
        if self.graph is not None:
            from bqcd.graphs.formats import format_name

            format_name(self.graph)

    def all(self) -> list[Path]:
        return [*self.save, *(path for path in (self.matrix, self.graph) if path is not None)]

    def write(self, found: Scan, view: _View) -> None:
        for path in self.save:
            found.save(path)
        if self.matrix is not None:
            found.save_matrix(self.matrix)
        if self.graph is not None:
            _write_graph(found, view, self.graph)


def _write_graph(found: Scan, view: _View, path: Path) -> None:
    from bqcd.graphs import PartialGraph, write_graph

    max_q = _GRAPH_MAX_Q if view.max_q is None else view.max_q
    picture = found.graph(max_q=max_q, min_dependence=view.min_dependence)
    edges = {
        (printable(cause), printable(effect)): told
        for (cause, effect), told in picture.edges.items()
    }
    graph = PartialGraph(map(printable, picture.nodes), directed=edges)
    write_graph(graph, path, attributes=edges)


def _show(found: Scan, view: _View) -> None:
    from rich.console import Console
    from rich.text import Text

    from bqcd.show.sheets import as_one_table, as_terminal
    from bqcd.show.sheets.scans import SHORT_HEADS

    problems = [found.skipped_sheet(_SKIPPED_SHOWN), found.failed_sheet(_SKIPPED_SHOWN)]
    chosen, console = view.chosen(found), Console()
    shown = []
    if view.top and len(chosen):
        foremost = chosen.sheet(view.top, by=view.order(found))
        shown.append(as_one_table(foremost, console.width, short=SHORT_HEADS, more=_MORE))
    shown += [as_terminal(sheet, console.width) for sheet in problems if sheet.rows]
    # Not printed piece by piece: whoever reads it may leave early, which only echo reports.
    with console.capture() as text:
        for sheet in shown:
            console.print(sheet)
        if found.n_judged and not len(chosen):
            console.print("No pair is left by --min-dependence and --max-q.")
        console.print(Text(found.summary()))
    typer.echo(text.get(), nl=False)
