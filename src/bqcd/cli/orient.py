"""The command that orients the open edges of a graph."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bqcd.cli.console import chosen_settings, errors_in_one_line, patience
from bqcd.errors import InvalidSettingError

if TYPE_CHECKING:
    import pyarrow as pa

    from bqcd.graphs import Orientation
    from bqcd.graphs.partial import PartialGraph

_PICTURES = frozenset({".png", ".svg", ".pdf"})


class GraphKind(StrEnum):
    """What the undirected edges of a graph leave open."""

    skeleton = "skeleton"
    cpdag = "cpdag"


class Skeleton(StrEnum):
    """Ways to learn a graph whose edges are then oriented."""

    pc = "pc"
    ges = "ges"
    cam = "cam"


class MissingRule(StrEnum):
    """What to do with rows in which a value is missing."""

    stop = "raise"
    drop = "drop"


def orient(
    table: Annotated[
        str,
        typer.Argument(help="CSV, TSV, Parquet or Arrow file; - for CSV on standard input."),
    ],
    graph: Annotated[
        Path | None,
        typer.Option(help="Graph over its columns: GML, GraphML, DOT, DAGitty, CSV or JSON."),
    ] = None,
    skeleton: Annotated[
        Skeleton | None, typer.Option(help="Learn the graph first, instead of --graph.")
    ] = None,
    skeleton_setting: Annotated[
        list[str] | None,
        typer.Option("--skeleton-set", help="A setting of --skeleton, e.g. test=copula."),
    ] = None,
    kind: Annotated[
        GraphKind | None,
        typer.Option(help="Colliders are free (skeleton) or those of the graph (cpdag)."),
    ] = None,
    method: Annotated[str, typer.Option(help="A name that `bqcd methods` lists.")] = "bqcd",
    knowledge: Annotated[
        Path | None, typer.Option(help="TOML file with tiers, required and forbidden edges.")
    ] = None,
    least_confidence: Annotated[
        float, typer.Option(help="Leave edges of smaller confidence open.")
    ] = 0.0,
    least_share: Annotated[
        float, typer.Option(help="Leave edges open whose verdict fewer half-samples share.")
    ] = 0.0,
    given_known: Annotated[
        bool, typer.Option("--given-known", help="Judge edges given the parents known by then.")
    ] = False,
    complete: Annotated[
        bool, typer.Option("--complete", help="Orient what is left open too: a DAG comes out.")
    ] = False,
    missing: Annotated[
        MissingRule, typer.Option(help="Stop at missing values, or drop their rows.")
    ] = MissingRule.stop,
    seed: Annotated[int, typer.Option(help="Seed of whatever is drawn at random.")] = 0,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", help="Any setting of the method, as NAME=VALUE."),
    ] = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(
            "--out",
            "-o",
            help="Where to write it; by suffix a graph (.gml, .graphml, .dot, .dagitty, .csv, "
            ".json) or a picture (.png, .svg, .pdf). May be repeated.",
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="A sentence for every edge, not a table.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Orient the open edges of a graph over the columns of TABLE, and say why.

    Example: `bqcd orient cells.csv --graph skeleton.dot -o oriented.dot -o oriented.svg`
    """
    with errors_in_one_line(), patience():
        settings: dict[str, Any] = chosen_settings(setting)
        if (graph is None) == (skeleton is None):
            raise InvalidSettingError("orient needs either --graph FILE or --skeleton NAME.")
        from bqcd.graphs import NOTHING_KNOWN, read_knowledge
        from bqcd.graphs import orient as oriented
        from bqcd.tables import read_table

        known = NOTHING_KNOWN if knowledge is None else read_knowledge(knowledge)
        columns = read_table(table)
        found = oriented(
            columns,
            graph
            if skeleton is None
            else _learned(columns, skeleton, missing, chosen_settings(skeleton_setting)),
            kind=kind.value if kind is not None else ("cpdag" if skeleton else None),
            method=method,
            knowledge=known,
            least_confidence=least_confidence,
            least_share=least_share,
            given_known=given_known,
            complete=complete,
            missing=missing.value,
            seed=seed,
            **settings,
        )
        for path in out or []:
            _write(found, path)
    _show(found, explain=explain, as_json=as_json)
    for path in out or []:
        typer.echo(f"Written: {path}", err=as_json)


def _learned(
    columns: pa.Table, skeleton: Skeleton, missing: MissingRule, settings: dict[str, object]
) -> PartialGraph:
    """CPDAG of the columns; of a DAG that was learnt, what other DAGs like it share."""
    from bqcd.graphs import cpdag_of
    from bqcd.graphs.columns import complete_columns
    from bqcd.graphs.skeletons import learn_graph

    complete = complete_columns(columns, missing=missing.value)
    found = learn_graph(complete, name=skeleton.value, **settings)
    return cpdag_of(found) if skeleton is Skeleton.cam else found


def _write(found: Orientation, path: Path) -> None:
    if path.suffix.lower() in _PICTURES:
        found.plot(path)
    else:
        found.save(path)


def _show(found: Orientation, *, explain: bool, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(found.as_dict(), ensure_ascii=False))
        return
    from rich.console import Console

    from bqcd.sheets import as_terminal

    console = Console()
    if explain:
        for record in found.edges:
            typer.echo(record.sentence)
        for note in found.notes:
            typer.echo(note)
    else:
        console.print(as_terminal(found.sheet(), console.width))
    typer.echo(found.summary)
