"""Where boxes and edges of a graph lie on a page: ways that pass no box, names that fit theirs."""

from __future__ import annotations

from dataclasses import dataclass, field
from unicodedata import east_asian_width

import numpy as np

from bqcd.graphs.partial import Edge, PartialGraph
from bqcd.show.plots.canvas import short_name
from bqcd.show.plots.layers import BOX_HEIGHT, Way, graph_layout
from bqcd.show.reports.curves import thinned

BOX = 34.0
"""Height of a box on a page, in its own units: those of letters of 13."""

_LETTER, _WIDE_LETTER, _AIR, _LEAST = 7.6, 13.5, 26.0, 48.0
_LONGEST, _LONGEST_OF_MANY, _MANY = 22, 16, 20
_MOST_POINTS = 24
# Layouts are made for boxes of another height.
_GROWN = BOX / BOX_HEIGHT


@dataclass(frozen=True, slots=True)
class GraphPlaces:
    """Where a graph is drawn; lengths in units of the page, y grows downwards.

    Parameters
    ----------
    places : dict of str to (float, float)
        Centre of the box of each node. Causes are above their effects.
    widths : dict of str to float
        Widths of the boxes.
    labels : dict of str to str
        What stands in them.
    ways : dict of (str, str) to list of (float, float)
        Points of each edge from border to border, by its ends as they are given.
    """

    places: dict[str, tuple[float, float]]
    widths: dict[str, float] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    ways: dict[Edge, list[tuple[float, float]]] = field(default_factory=dict)

    def way(self, first: str, second: str) -> list[tuple[float, float]] | None:
        """Points of the edge between two nodes, from the first to the second; None if unknown."""
        if (first, second) in self.ways:
            return self.ways[first, second]
        turned = self.ways.get((second, first))
        return None if turned is None else turned[::-1]


def graph_places(graph: PartialGraph) -> GraphPlaces:
    """Layout of a graph for a page, the same for the same graph.

    Parameters
    ----------
    graph : PartialGraph
        What is drawn.

    Examples
    --------
    >>> found = graph_places(PartialGraph(directed=["ab"]))
    >>> found.places["a"][1] < found.places["b"][1]
    True
    """
    nodes = list(graph.nodes)
    longest = _LONGEST_OF_MANY if len(nodes) > _MANY else _LONGEST
    labels = {node: short_name(node, longest) or "(no name)" for node in nodes}
    least = {node: max(_LEAST, label_width(label) + _AIR) for node, label in labels.items()}
    shrunk = {node: width / _GROWN for node, width in least.items()}
    layout = graph_layout(shrunk, graph.directed, [*graph.undirected, *graph.mixed])
    places = {
        node: (_unit(x * _GROWN), _unit((layout.height - y) * _GROWN))
        for node, (x, y) in layout.places.items()
    }
    widths = {node: _unit(layout.widths[node] * _GROWN) for node in nodes}
    ways = {edge: _points(way, layout.height) for edge, way in layout.ways.items()}
    return GraphPlaces({node: places[node] for node in nodes}, widths, labels, ways)


def label_width(label: str) -> float:
    """Width of a label, or a little more.

    Examples
    --------
    >>> label_width("age") < label_width("年齢です")
    True
    """
    return sum(_WIDE_LETTER if east_asian_width(sign) in "WF" else _LETTER for sign in label)


def _points(way: Way, height: float) -> list[tuple[float, float]]:
    on_page = np.column_stack((way[:, 0], height - way[:, 1])) * _GROWN
    return [(_unit(x), _unit(y)) for x, y in thinned(on_page, _MOST_POINTS)]


def _unit(length: float) -> float:
    return round(float(length), 1)
