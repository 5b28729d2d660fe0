"""An oriented graph for reading: its edges with their reasons."""

from __future__ import annotations

from bqcd.graphs.bootstrapping import Bootstrap
from bqcd.graphs.comparison import Comparison
from bqcd.graphs.orienting.orientation import Orientation
from bqcd.show.sheets.sheet import Sheet
from bqcd.show.words.graphs import bootstrap_summary, comparison_summary, reason


def edges_sheet(orientation: Orientation) -> Sheet:
    """Edges in the order settled, each with what became of it and why."""
    rows = tuple(
        (
            record.arrow,
            record.outcome.value,
            record.support,
            record.rank,
            None if record.judgement is None else record.judgement.share,
            f"{reason(record)}.",
        )
        for record in orientation.edges
    )
    columns = ("edge", "outcome", "confidence", "rank", "share", "reason")
    return Sheet(
        "Edges in the order settled",
        columns,
        rows,
        tuple(note.sentence for note in orientation.notes),
        digits=4,
    )


def comparison_sheet(comparison: Comparison) -> Sheet:
    """Edges as each graph has them, those that differ first."""
    edges = sorted(comparison.edges, key=lambda edge: edge.difference == "same")
    return Sheet(
        "Edges next to the truth",
        ("nodes", "found", "truth", "difference"),
        tuple(
            (f"{edge.first}, {edge.second}", edge.found, edge.truth, edge.difference)
            for edge in edges
        ),
        (comparison_summary(comparison),),
    )


def bootstrap_sheet(bootstrap: Bootstrap) -> Sheet:
    """Links by how often they were found, and which way."""
    rows = []
    for edge in sorted(bootstrap.edges, key=lambda edge: (-edge.joined, edge.first, edge.second)):
        forward, backward = f"{edge.first} -> {edge.second}", f"{edge.second} -> {edge.first}"
        other = edge.joined - edge.share(forward) - edge.share(backward)
        shares = (edge.joined, edge.share(forward), edge.share(backward), round(other, 9))
        rows.append((edge.first, edge.second, *shares))
    columns = ("x", "y", "linked", "x -> y", "y -> x", "other")
    return Sheet(
        "Links on sub-samples", columns, tuple(rows), (bootstrap_summary(bootstrap),), digits=2
    )
