"""The command that orients the open edges of a graph."""

from __future__ import annotations

import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from bqcd.cli.console import (
    MissingRule,
    chosen_settings,
    errors_in_one_line,
    json_line,
    patience,
    settings_beside,
    suggesting,
    tell,
)
from bqcd.cli.options import (
    MethodName,
    MethodSettings,
    Seed,
    TableFile,
    TakenColumns,
    with_switches,
)
from bqcd.cli.own_methods import chosen_method
from bqcd.errors import InvalidSettingError

if TYPE_CHECKING:
    import pyarrow as pa

    from bqcd.graphs import Bootstrap, Comparison, Knowledge, Orientation, ReadGraph

_PICTURES = frozenset({".png", ".svg", ".pdf"})
_PAGES = frozenset({".html", ".htm"})


class GraphKind(StrEnum):
    """What the undirected edges of a graph leave open."""

    skeleton = "skeleton"
    cpdag = "cpdag"
    pag = "pag"


class Skeleton(StrEnum):
    """Ways to learn a graph whose edges are then oriented."""

    pc = "pc"
    ges = "ges"
    cam = "cam"
    fci = "fci"
    qcam = "qcam"
    qresit = "qresit"


@with_switches
def orient(
    table: TableFile,
    columns: TakenColumns = None,
    graph: Annotated[
        Path | None,
        typer.Option(
            help="Graph over its columns, by suffix .gml, .graphml, .dot, .dagitty, .csv, .json "
            "or .adj."
        ),
    ] = None,
    graph_format: Annotated[
        str | None,
        typer.Option(help="Format of --graph if its suffix does not tell, e.g. adjacency."),
    ] = None,
    convention: Annotated[
        str | None,
        typer.Option(
            help="Which way a matrix points, e.g. row-causes-column; or what edges without a "
            "type are in a list, directed or undirected."
        ),
    ] = None,
    skeleton: Annotated[
        Skeleton | None,
        typer.Option(
            metavar="LEARNER",
            help="Learn the graph first, instead of --graph: pc, ges, fci, cam, qcam or qresit.",
        ),
    ] = None,
    skeleton_setting: Annotated[
        list[str] | None,
        typer.Option(
            "--skeleton-set",
            metavar="NAME=VALUE",
            help="A setting of --skeleton, e.g. test=copula. May be repeated.",
        ),
    ] = None,
    kind: Annotated[
        GraphKind | None,
        typer.Option(
            metavar="KIND",
            help="Colliders are free (skeleton) or those of the graph (cpdag), or circles are "
            "what is open (pag).",
        ),
    ] = None,
    method: MethodName = "bqcd",
    knowledge: Annotated[
        Path | None, typer.Option(help="TOML file with tiers, required and forbidden edges.")
    ] = None,
    overrule: Annotated[
        bool,
        typer.Option("--overrule", help="Let --knowledge turn directions of --graph against it."),
    ] = False,
    min_confidence: Annotated[
        float, typer.Option(help="Leave edges of smaller confidence open.")
    ] = 0.0,
    min_share: Annotated[
        float, typer.Option(help="Leave edges open whose verdict fewer half-samples share.")
    ] = 0.0,
    replicates: Annotated[
        int,
        typer.Option(help="Check verdicts on so many half-samples; 100 with --min-share."),
    ] = 0,
    independent_rows: Annotated[
        bool,
        typer.Option(
            "--independent-rows",
            help="Draw half-samples row by row: look for no rows that belong together.",
        ),
    ] = False,
    given_known: Annotated[
        bool, typer.Option("--given-known", help="Judge edges given the parents known by then.")
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Orient edges also where the direction cannot be told."),
    ] = False,
    assessed: Annotated[
        bool,
        typer.Option("--assess", help="Tell the probability of each edge, as assess does."),
    ] = False,
    complete: Annotated[
        bool, typer.Option("--complete", help="Orient what is left open too: a DAG comes out.")
    ] = False,
    missing: Annotated[
        MissingRule, typer.Option(help="Stop at missing values, or drop their rows.")
    ] = MissingRule.stop,
    seed: Seed = 0,
    setting: MethodSettings = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Where to write it; by suffix a graph (.gml, .graphml, .dot, .dagitty, .csv, "
            ".json, .adj), a picture (.png, .svg, .pdf) or a page to explore (.html). May be "
            "repeated.",
        ),
    ] = None,
    bootstrap: Annotated[
        int,
        typer.Option(help="Learn and orient the graph again on so many halves of the rows."),
    ] = 0,
    bootstrap_out: Annotated[
        Path | None, typer.Option(help="Save progress of --bootstrap here; rerun to resume.")
    ] = None,
    workers: Annotated[
        int, typer.Option("--workers", "-j", help="Number of processes, for --bootstrap.")
    ] = 1,
    truth: Annotated[
        Path | None,
        typer.Option(help="Graph known to be true, in any format of --graph: distances are told."),
    ] = None,
    truth_convention: Annotated[
        str | None, typer.Option(help="As --convention, of --truth.")
    ] = None,
    truth_out: Annotated[
        Path | None,
        typer.Option(help="Picture of the graph next to --truth (.png, .svg, .pdf)."),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="A sentence for every edge, not a table.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    *,
    switches: Any = None,
) -> None:
    """Orient the open edges of a graph over the columns of TABLE, and say why.

    **Examples**

    `bqcd orient cells.csv --skeleton pc --explain`

    `bqcd orient cells.csv --skeleton qcam`

    `bqcd orient cells.csv --graph skeleton.dot -o graph.dot -o graph.svg`

    `bqcd orient survey.csv --skeleton pc --columns income --columns 'spent_*'`
    """
    with errors_in_one_line(), patience(12):
        from bqcd.data.files.reading import UnreadTable
        from bqcd.graphs import NOTHING_KNOWN, bootstrap_graph, compare_graphs, read_knowledge
        from bqcd.graphs import orient as oriented

        judge, settings = chosen_method(method, settings_beside(oriented, setting))
        _check_outputs(out or [])
        _check_belongings(graph, skeleton, graph_format or convention, skeleton_setting)
        if bootstrap_out is not None and not bootstrap:
            raise InvalidSettingError("--bootstrap-out goes with --bootstrap.")
        if overrule and knowledge is None:
            raise InvalidSettingError("--overrule goes with --knowledge.")
        true_graph = _true_graph(truth, truth_convention, truth_out)
        known = NOTHING_KNOWN if knowledge is None else read_knowledge(knowledge)
        read = _taken(UnreadTable(table, switches).read(), columns)
        if graph is not None:
            source = _given(graph, graph_format, convention)
        else:
            chosen = chosen_settings(skeleton_setting)
            with suggesting("--columns"):
                source = _learned(read, skeleton, missing, chosen, known)
        shared: dict[str, Any] = {"knowledge": known, "missing": missing.value, "seed": seed}
        shared |= {"kind": source.kind if kind is None else kind.value, "method": judge}
        shared |= {"min_confidence": min_confidence, "given_known": given_known}
        shared |= {"force": force, "complete": complete, **settings}
        found = oriented(
            read,
            source.graph,
            overrule=overrule or skeleton is not None,
            min_share=min_share,
            replicates=replicates,
            find_units=not independent_rows,
            assessed=assessed,
            **shared,
        )
        counted = None
        if bootstrap:
            shared |= {"draws": bootstrap, "workers": workers, "folder": bootstrap_out}
            counted = bootstrap_graph(read, source.learner or source.graph, **shared)
            found = counted.told_of(found)
        compared = None if true_graph is None else compare_graphs(found, true_graph)
        _write_all(found, compared, read, UnreadTable(table, switches), out or [], truth_out)
    _show(found, compared, counted, explain=explain, as_json=as_json)
    for path in [*(out or []), *([truth_out] if truth_out else [])]:
        tell(f"Written: {path}", err=as_json)


def _taken(table: pa.Table, columns: list[str] | None) -> pa.Table:
    """The columns asked for, or all."""
    if not columns:
        return table
    from bqcd.scans.selection import chosen_columns
    from bqcd.scans.sources import open_source

    source = open_source(table)
    return table.select(chosen_columns(source.names, source.kinds, columns))


class _Source(NamedTuple):
    """A graph to orient, and what learnt it."""

    graph: Any
    learner: Any = None
    kind: str | None = None


def _given(graph: Path, graph_format: str | None, convention: str | None) -> _Source:
    from bqcd.graphs import read_graph

    return _Source(read_graph(graph, format=graph_format, convention=convention))


def _learned(
    columns: pa.Table,
    skeleton: Skeleton | None,
    missing: MissingRule,
    settings: dict[str, object],
    known: Knowledge,
) -> _Source:
    from bqcd.graphs import learn_graph
    from bqcd.graphs.skeletons import make_learner

    learner = make_learner(str(skeleton), **settings)
    learnt = learn_graph(columns, learner, knowledge=known, missing=missing.value)
    return _Source(learnt, learner, learnt.kind)


def _write_all(
    found: Orientation,
    compared: Comparison | None,
    columns: pa.Table,
    source: object,
    out: list[Path],
    truth_out: Path | None,
) -> None:
    for path in out:
        _write(found, path, columns, source)
    if compared is not None and truth_out is not None:
        compared.plot(truth_out)


def _check_belongings(
    graph: Path | None, skeleton: Skeleton | None, for_graph: object, for_skeleton: object
) -> None:
    """Refuse two sources of the graph, none, and options that go with the other one."""
    if (graph is None) == (skeleton is None):
        raise InvalidSettingError("orient needs either --graph FILE or --skeleton NAME.")
    if graph is None and for_graph:
        raise InvalidSettingError("--graph-format and --convention go with --graph.")
    if graph is not None and for_skeleton:
        raise InvalidSettingError("--skeleton-set goes with --skeleton.")


def _true_graph(
    truth: Path | None, convention: str | None, picture: Path | None
) -> ReadGraph | None:
    """The graph known to be true, read before any work is done; None if there is none."""
    from bqcd.graphs import read_graph

    if truth is None:
        if convention or picture:
            raise InvalidSettingError("--truth-convention and --truth-out go with --truth.")
        return None
    if picture is not None and picture.suffix.lower() not in _PICTURES:
        told = ", ".join(sorted(_PICTURES))
        raise InvalidSettingError(f"--truth-out must end in one of {told}, got {picture}.")
    return read_graph(truth, convention=convention)


def _check_outputs(paths: list[Path]) -> None:
    """Refuse files that cannot be written, before any work is done."""
    from bqcd.graphs.formats import format_name

    for path in paths:
        if not path.parent.is_dir():
            raise InvalidSettingError(f"--out must be in a folder that is there, got {path}.")
        if path.suffix.lower() not in _PICTURES | _PAGES:
            format_name(path)


def _write(found: Orientation, path: Path, table: pa.Table, source: object) -> None:
    if path.suffix.lower() in _PICTURES:
        found.plot(path)
    elif path.suffix.lower() in _PAGES:
        from bqcd.show.reports.colophon import source_words
        from bqcd.show.reports.orientations import report_orientation

        said, _ = source_words(source)
        report_orientation(found, table=table, source=said, command=_typed()).save(path)
    else:
        found.save(path)


def _typed() -> str:
    """The command as it was typed; empty if it was not called from a shell."""
    return shlex.join(["bqcd", *sys.argv[1:]]) if sys.argv[1:2] == ["orient"] else ""


def _show(
    found: Orientation,
    compared: Comparison | None,
    counted: Bootstrap | None,
    *,
    explain: bool,
    as_json: bool,
) -> None:
    if as_json:
        beside = {} if compared is None else {"truth": compared.as_dict()}
        typer.echo(json_line({**found.as_dict(), **beside}))
        return
    from rich.console import Console

    from bqcd.show.sheets import as_terminal

    console = Console()
    if explain:
        for record in found.edges:
            tell(record.sentence)
        for note in found.notes:
            tell(note.sentence)
    else:
        console.print(as_terminal(found.sheet(), console.width))
    tell(found.summary)
    if found.compatibility.demands:
        tell(found.compatibility.sentence)
    if counted is not None:
        console.print(as_terminal(counted.sheet(), console.width))
    if compared is not None:
        console.print(as_terminal(compared.sheet(), console.width))
