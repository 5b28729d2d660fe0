"""The command that orients the open edges of a graph."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bqcd.cli.console import (
    MissingRule,
    chosen_settings,
    errors_in_one_line,
    json_line,
    patience,
    settings_beside,
    tell,
)
from bqcd.cli.options import (
    MethodName,
    MethodSettings,
    Seed,
    TableFile,
    with_switches,
)
from bqcd.cli.own_methods import chosen_method
from bqcd.errors import InvalidSettingError

if TYPE_CHECKING:
    import pyarrow as pa

    from bqcd.graphs import Orientation
    from bqcd.graphs.notes import GraphNote
    from bqcd.graphs.partial import PartialGraph

_PICTURES = frozenset({".png", ".svg", ".pdf"})
_PAGES = frozenset({".html", ".htm"})


class GraphKind(StrEnum):
    """What the undirected edges of a graph leave open."""

    skeleton = "skeleton"
    cpdag = "cpdag"


class Skeleton(StrEnum):
    """Ways to learn a graph whose edges are then oriented."""

    pc = "pc"
    ges = "ges"
    cam = "cam"


@with_switches
def orient(
    table: TableFile,
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
        Skeleton | None, typer.Option(help="Learn the graph first, instead of --graph.")
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
        typer.Option(help="Colliders are free (skeleton) or those of the graph (cpdag)."),
    ] = None,
    method: MethodName = "bqcd",
    knowledge: Annotated[
        Path | None, typer.Option(help="TOML file with tiers, required and forbidden edges.")
    ] = None,
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
    find_units: Annotated[
        bool,
        typer.Option(
            "--find-units/--independent-rows",
            help="Draw half-samples by rows that belong together, or take all as independent.",
        ),
    ] = True,
    given_known: Annotated[
        bool, typer.Option("--given-known", help="Judge edges given the parents known by then.")
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Orient edges also where the direction cannot be told."),
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
            help="Where to write it; by suffix a graph (.gml, .graphml, .dot, .dagitty, .csv, "
            ".json, .adj), a picture (.png, .svg, .pdf) or a page to explore (.html). May be "
            "repeated.",
        ),
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

    `bqcd orient cells.csv --graph skeleton.dot -o graph.dot -o graph.svg`
    """
    with errors_in_one_line(), patience(12):
        from bqcd.data.files.reading import UnreadTable
        from bqcd.graphs import NOTHING_KNOWN, read_graph, read_knowledge
        from bqcd.graphs import orient as oriented

        judge, settings = chosen_method(method, settings_beside(oriented, setting))
        _check_outputs(out or [])
        if (graph is None) == (skeleton is None):
            raise InvalidSettingError("orient needs either --graph FILE or --skeleton NAME.")
        _check_belongings(graph, graph_format or convention, skeleton_setting)
        known = NOTHING_KNOWN if knowledge is None else read_knowledge(knowledge)
        columns = UnreadTable(table, switches).read()
        if graph is not None:
            source: Any = read_graph(graph, format=graph_format, convention=convention)
            notes: tuple[GraphNote, ...] = ()
        else:
            chosen = chosen_settings(skeleton_setting)
            source, notes = _learned(columns, skeleton, missing, chosen)
        found = oriented(
            columns,
            source,
            kind=kind.value if kind is not None else ("cpdag" if skeleton else None),
            method=judge,
            knowledge=known,
            min_confidence=min_confidence,
            min_share=min_share,
            replicates=replicates,
            find_units=find_units,
            given_known=given_known,
            force=force,
            complete=complete,
            missing=missing.value,
            seed=seed,
            **settings,
        )
        found = replace(found, notes=(*notes, *found.notes))
        for path in out or []:
            _write(found, path, columns)
    _show(found, explain=explain, as_json=as_json)
    for path in out or []:
        tell(f"Written: {path}", err=as_json)


def _check_belongings(graph: Path | None, for_graph: object, for_skeleton: object) -> None:
    """Refuse options that go with the other source of the graph."""
    if graph is None and for_graph:
        raise InvalidSettingError("--graph-format and --convention go with --graph.")
    if graph is not None and for_skeleton:
        raise InvalidSettingError("--skeleton-set goes with --skeleton.")


def _check_outputs(paths: list[Path]) -> None:
    """Refuse files that cannot be written, before any work is done."""
    from bqcd.graphs.formats import format_name

    for path in paths:
        if not path.parent.is_dir():
            raise InvalidSettingError(f"--out must be in a folder that is there, got {path}.")
        if path.suffix.lower() not in _PICTURES | _PAGES:
            format_name(path)


def _learned(
    columns: pa.Table, skeleton: Skeleton | None, missing: MissingRule, settings: dict[str, object]
) -> tuple[PartialGraph, tuple[GraphNote, ...]]:
    """CPDAG of the columns, and how it was learnt and what had to be changed."""
    from bqcd.graphs import cpdag_of
    from bqcd.graphs.notes import GraphNote
    from bqcd.graphs.orienting.table import complete_columns
    from bqcd.graphs.skeletons import CAM, make_learner

    learner = make_learner(str(skeleton), **settings)
    complete = complete_columns(columns, missing=missing.value)
    told = GraphNote("learner", {"learner": repr(learner)})
    if isinstance(learner, CAM):
        return cpdag_of(learner.learn(complete)), (told,)
    found = learner.search(complete)
    return found.graph, (told, *found.notes)


def _write(found: Orientation, path: Path, table: pa.Table) -> None:
    if path.suffix.lower() in _PICTURES:
        found.plot(path)
    elif path.suffix.lower() in _PAGES:
        from bqcd.show.reports.orientations import report_orientation

        report_orientation(found, table=table, command=_typed()).save(path)
    else:
        found.save(path)


def _typed() -> str:
    """The command as it was typed; empty if it was not called from a shell."""
    return shlex.join(["bqcd", *sys.argv[1:]]) if sys.argv[1:2] == ["orient"] else ""


def _show(found: Orientation, *, explain: bool, as_json: bool) -> None:
    if as_json:
        typer.echo(json_line(found.as_dict()))
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
        for note in found.notes:
            if note.code == "rows left out":
                tell(note.sentence)
    tell(found.summary)
