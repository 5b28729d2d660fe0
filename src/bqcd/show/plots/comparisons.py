"""Drawings of two graphs in one: how the edges of the first differ from those of the second."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bqcd.show.plots.graphs import DrawableGraph, plot_graph
from bqcd.show.plots.layers import Edge

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bqcd.graphs.comparison import Comparison


def plot_comparison(comparison: Comparison, path: str | Path | None = None) -> Figure:
    """Edges of both graphs, coloured by how they differ; missing ones as the truth has them.

    Parameters
    ----------
    comparison : Comparison
        What to draw.
    path : str or Path, optional
        File to write: ``.png``, ``.svg`` or ``.pdf``.
    """
    found, truth = comparison.found, comparison.truth
    missing = {(e.first, e.second) for e in comparison.edges if e.difference == "missing"}
    both = _Union(found, truth, missing)
    return plot_graph(
        both,
        outcomes={(edge.first, edge.second): edge.difference for edge in comparison.edges},
        path=path,
    )


class _Union:
    """Edges of one graph, and those of another that it lacks."""

    def __init__(self, found: DrawableGraph, truth: DrawableGraph, missing: set[Edge]) -> None:
        self.nodes = list(found.nodes)
        self.directed = [*found.directed, *(e for e in truth.directed if _named(e) in missing)]
        self.undirected = [
            *found.undirected,
            *(e for e in truth.undirected if _named(e) in missing),
        ]
        ends = getattr(truth, "mixed", {})
        self.mixed = {
            **getattr(found, "mixed", {}),
            **{edge: ends[edge] for edge in ends if edge in missing},
        }


def _named(edge: Edge) -> Edge:
    return min(edge), max(edge)
