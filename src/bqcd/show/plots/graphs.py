"""Drawings of graphs: how each edge was settled, and how confidently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from bqcd.errors import InvalidSettingError
from bqcd.graphs.orienting.records import Outcome
from bqcd.show.plots.canvas import (
    COLOURS,
    GREY,
    INK,
    LINE_STYLES,
    PALE,
    STRONG,
    add_foot_legend,
    check_drawable,
    finished_figure,
    legend_line,
    matplotlib_module,
    new_figure,
    short_name,
)
from bqcd.show.plots.layers import BOX_HEIGHT, Edge, Layout, Way, graph_layout

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from bqcd.graphs.orienting.orientation import Orientation
    from bqcd.graphs.orienting.records import EdgeRecord

T = TypeVar("T", bound=Hashable)

_OPEN: dict[str, Any] = {"color": GREY, "linestyle": (0, (3.5, 1.8))}
_LOOKS: dict[str, dict[str, Any]] = {
    "given": {"color": INK},
    "learnt": {"color": COLOURS[5]},
    "v-structure": {"color": COLOURS[4]},
    "knowledge": {"color": COLOURS[2]},
    "judged": {"color": STRONG},
    "compelled": {"color": COLOURS[1]},
    "turned": {"color": COLOURS[0]},
    "completed": {"color": COLOURS[3]},
    "borderline": _OPEN,
    "abstained": {"color": GREY, "linestyle": (0, (1.2, 1.4))},
    "blocked": {"color": GREY, "linestyle": (0, (3.5, 1.6, 1.0, 1.6))},
    "excluded": {"color": GREY, "linestyle": (0, (6.0, 1.8))},
    # Next to the truth.
    "same": {"color": INK},
    "reversed": {"color": COLOURS[0]},
    "open": _OPEN,
    "directed": {"color": COLOURS[3]},
    "other ends": {"color": COLOURS[3], "linestyle": (0, (3.5, 1.8))},
    "extra": {"color": COLOURS[1]},
    "missing": {"color": COLOURS[1], "linestyle": (0, (1.2, 1.4))},
}
_MARGIN, _ENTRY, _LINE = 14.0, 132.0, 15.5
_THIN, _USUAL, _THICK = 0.9, 1.4, 4.0
_MANY, _CROWD, _LONGEST = 20, 150, 50
_TITLE_SIZE = 11.5


class DrawableGraph(Protocol):
    """What a graph must have to be drawn: names of nodes, and edges between them."""

    @property
    def nodes(self) -> Iterable[str]:
        """Names of the nodes."""

    @property
    def directed(self) -> Iterable[Edge]:
        """Directed edges, tail first."""

    @property
    def undirected(self) -> Iterable[Edge]:
        """Undirected edges."""


def plot_orientation(orientation: Orientation, path: str | Path | None = None) -> Figure:
    """Drawing with colours by outcome; saved if a path is given.

    Widths are by confidence in what is drawn, none where the pair alone says the other way; if sub-
    samples were drawn, by the share of them in which an edge came out so.

    Parameters
    ----------
    orientation : Orientation
        What to draw.
    path : str or Path, optional
        File to write: ``.png``, ``.svg`` or ``.pdf``.
    """
    edges = orientation.edges
    counted = {r.edge: r.frequency.share(r.arrow) for r in edges if r.frequency is not None}
    sizes = {record.edge: _confidence_drawn(record) for record in edges if record.confidence}
    return plot_graph(
        orientation.graph,
        outcomes={record.edge: record.outcome.value for record in edges},
        confidences=counted or sizes,
        widths="share of sub-samples" if counted else "confidence",
        path=path,
    )


def _confidence_drawn(record: EdgeRecord) -> float:
    """Confidence in an edge as it is drawn: a verdict against it does not make it heavier."""
    support = record.support or 0.0
    if record.outcome is Outcome.EXCLUDED:
        return 0.0
    return abs(support) if record.tail is None else max(support, 0.0)


def plot_graph(
    graph: DrawableGraph,
    *,
    outcomes: Mapping[Edge, str] | None = None,
    confidences: Mapping[Edge, float] | None = None,
    highlight: Mapping[Edge, str] | None = None,
    title: str = "",
    widths: str = "confidence",
    path: str | Path | None = None,
) -> Figure:
    """Drawing of a graph, causes above their effects.

    Edges without a direction have no head and are grey and dashed. The same graph gives the
    same picture; no other program is needed.

    Parameters
    ----------
    graph : PartialGraph
        What to draw; anything with ``nodes``, ``directed`` and ``undirected`` will do.
    outcomes : mapping of (str, str) to str, optional
        How each edge was settled: its colour, explained in a legend. Outcomes of
        :class:`~bqcd.graphs.orienting.records.Outcome` have colours of their own, other words get
        one.
    confidences : mapping of (str, str) to float, optional
        Confidence in each edge: its width, by size. Zero is thin, the largest thick.
    highlight : mapping of (str, str) to str, optional
        Colours of edges to point out, such as the correct ones. They go before outcomes;
        edges with neither are then grey.
    title : str, default=""
        Text above the drawing.
    widths : str, default="confidence"
        What the widths stand for, in the legend.
    path : str or Path, optional
        File to write: ``.png``, ``.svg`` or ``.pdf``.

    Raises
    ------
    InvalidSettingError
        If the graph has no nodes, something is told of an edge that it does not have, a
        confidence is not finite, a colour is unknown, or the path is not one to write to.
    MissingPackageError
        If matplotlib is not installed.

    Notes
    -----
    Edges may be named either way round.

    Examples
    --------
    >>> from bqcd.graphs.partial import PartialGraph
    >>> graph = PartialGraph(directed=["ab", "ac"], undirected=["bc"])
    >>> figure = plot_graph(graph, outcomes={("a", "b"): "judged"})
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['judged']
    """
    check_drawable("plot_graph", "nodes", list(graph.nodes))
    edges = [*graph.directed, *graph.undirected, *getattr(graph, "mixed", ())]
    told = (
        _by_edge("outcomes", outcomes, edges),
        _by_edge("confidences", confidences, edges),
        _by_edge("highlight", highlight, edges),
    )
    for edge, confidence in told[1].items():
        if not np.isfinite(confidence):
            raise InvalidSettingError(
                f"confidences of plot_graph must be finite, got {confidence!r} for {edge!r}."
            )
    return finished_figure(lambda: _Drawing(graph, *told, widths=widths).figure(title), path)


def _by_edge(name: str, told: Mapping[Edge, T] | None, edges: list[Edge]) -> dict[Edge, T]:
    """What is told of each edge, under the edge as the graph has it."""
    known = {edge: edge for edge in edges} | {edge[::-1]: edge for edge in edges}
    found: dict[Edge, T] = {}
    for edge, value in (told or {}).items():
        if edge not in known:
            raise InvalidSettingError(
                f"{name} of plot_graph must be of edges of the graph, got {edge!r}."
            )
        found[known[edge]] = value
    return found


class _Drawing:
    """A graph with the looks of its edges, on its way to a figure."""

    def __init__(
        self,
        graph: DrawableGraph,
        outcomes: Mapping[Edge, str],
        confidences: Mapping[Edge, float],
        highlight: Mapping[Edge, str],
        widths: str = "confidence",
    ) -> None:
        self.widths = widths
        self.directed, self.undirected = list(graph.directed), list(graph.undirected)
        self.mixed: dict[Edge, tuple[str, str]] = dict(getattr(graph, "mixed", {}))
        nodes = list(graph.nodes)
        many = len(nodes) > _MANY
        self.size = 8.5 if many else 9.5
        self.names = _short_names(nodes, 16 if many else 26)
        self.outcomes, self.confidences, self.highlight = outcomes, confidences, highlight
        self.looks = _looks(outcomes.values())
        self.slimness = min(
            1.0,
            (_CROWD / max(1, sum(map(len, (self.directed, self.undirected, self.mixed))))) ** 0.8,
        )
        self.largest = max((abs(value) for value in confidences.values()), default=0.0) or 1.0
        for edge, colour in highlight.items():
            if not matplotlib_module("colors").is_color_like(colour):
                raise InvalidSettingError(
                    f"highlight of plot_graph must be colours, got {colour!r} for {edge!r}."
                )

    def figure(self, title: str) -> Figure:
        loose = [*self.undirected, *self.mixed]
        layout = graph_layout(self._box_widths(), self.directed, loose)
        handles = self._handles()
        title = short_name(title, 80)
        least = max(2 * _ENTRY if handles else 90.0, *_text_widths([title], _TITLE_SIZE))
        width = max(layout.width, least) + 2 * _MARGIN
        rows = ceil(len(handles) / max(1.0, width // _ENTRY))
        foot = _LINE * rows + 6.0 if handles else 0.0
        head = 24.0 if title else 0.0
        height = layout.height + 2 * _MARGIN + foot + head
        figure = new_figure(figsize=(width / 72, height / 72))
        panel = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        panel.set_axis_off()
        panel.set(xlim=(0.0, width), ylim=(0.0, height))
        shift = np.array([(width - layout.width) / 2.0, _MARGIN + foot])
        self._draw_edges(panel, layout, shift)
        self._draw_boxes(panel, layout, shift)
        add_foot_legend(figure, handles, ceil(len(handles) / max(1, rows)))
        if title:
            place = (_MARGIN / width, 1.0 - 8.0 / height)
            style: dict[str, Any] = {"ha": "left", "va": "top", "fontsize": _TITLE_SIZE}
            figure.text(*place, title, parse_math=False, **style)
        return figure

    def _box_widths(self) -> dict[str, float]:
        """Least width of each box: its name and some air."""
        widths = _text_widths(self.names.values(), self.size)
        return {node: max(w + 14.0, 30.0) for node, w in zip(self.names, widths, strict=True)}

    def _handles(self) -> list[Any]:
        # A legend leaves out what begins with an underscore.
        words = {name: short_name(name.lstrip("_"), 18) for name in self.looks}
        handles = [legend_line(words[name], linewidth=2.2, **self.looks[name]) for name in words]
        if self.confidences:
            handles.append(legend_line(f"width: {self.widths}", color=PALE, linewidth=_THICK))
        return handles

    def _look(self, edge: Edge, *, directed: bool) -> dict[str, Any]:
        plain = INK if not self.highlight and not self.outcomes else GREY
        look: dict[str, Any] = {"color": plain, "linestyle": "-"} if directed else dict(_OPEN)
        if edge in self.outcomes:
            look |= self.looks[self.outcomes[edge]]
        if edge in self.highlight:
            look["color"] = self.highlight[edge]
        share = abs(self.confidences.get(edge, 0.0)) / self.largest
        known = edge in self.confidences
        width = _THIN + (_THICK - _THIN) * share if known else _USUAL
        look["linewidth"] = width * self.slimness
        return look | {"zorder": 2.5 if edge in self.highlight else 2.0}

    def _draw_edges(self, panel: Axes, layout: Layout, shift: Way) -> None:
        for edges, is_directed in ((self.undirected, False), (self.directed, True)):
            for edge in edges:
                look = self._look(edge, directed=is_directed)
                way = layout.ways[edge] + shift
                if is_directed:
                    way = _add_head(panel, way, look)
                arrow = " -> " if is_directed else " - "
                panel.plot(*way.T, label=arrow.join(edge), solid_capstyle="butt", **look)
        for edge, ends in self.mixed.items():
            look = {"linestyle": "-", **self._look(edge, directed=False)}
            way = layout.ways[edge] + shift
            for _ in ends:
                # The last end first, then the way is turned and the first one is the last.
                ends, way = (ends[1], ends[0]), _add_end(panel, way, ends[1], look)[::-1]
            panel.plot(*way.T, label=" * ".join(edge), solid_capstyle="butt", **look)

    def _draw_boxes(self, panel: Axes, layout: Layout, shift: Way) -> None:
        box = matplotlib_module("patches").FancyBboxPatch
        style = f"round,pad=0,rounding_size={0.3 * BOX_HEIGHT:.2f}"
        for node, (x, y) in layout.places.items():
            x, y, width = x + shift[0], y + shift[1], layout.widths[node]
            corner = (x - width / 2.0, y - BOX_HEIGHT / 2.0)
            look = {"facecolor": "#f7f7f7", "edgecolor": GREY, "linewidth": 0.9, "zorder": 3.0}
            panel.add_patch(box(corner, width, BOX_HEIGHT, boxstyle=style, label=node, **look))
            text: dict[str, Any] = {"ha": "center", "va": "center_baseline", "zorder": 4.0}
            panel.text(x, y, self.names[node], fontsize=self.size, parse_math=False, **text)


def _short_names(nodes: Iterable[str], longest: int) -> dict[str, str]:
    """Names that fit a box, as long as it takes to tell them apart."""
    names: dict[str, str] = {}
    alike = list(nodes)
    while alike and longest <= _LONGEST:
        names |= {node: short_name(node, longest) for node in alike}
        count = Counter(names.values())
        alike = [node for node in alike if count[names[node]] > 1]
        longest += 6
    return names | {node: f"{names[node]} #{at}" for at, node in enumerate(alike, start=1)}


def _text_widths(texts: Iterable[str], size: float) -> list[float]:
    """Widths in points, rounded up."""
    figure = matplotlib_module("figure").Figure(dpi=144)
    renderer = matplotlib_module("backends.backend_agg").FigureCanvasAgg(figure).get_renderer()
    shown = [figure.text(0.0, 0.0, text, fontsize=size, parse_math=False) for text in texts]
    return [float(ceil(text.get_window_extent(renderer).width / 2.0)) for text in shown]


def _looks(outcomes: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Look of each outcome there is, in a fixed order; of words not known, one after another."""
    present = {str(outcome) for outcome in outcomes}
    looks = {name: look for name, look in _LOOKS.items() if name in present}
    colours = (STRONG, *COLOURS)
    for at, name in enumerate(sorted(present - set(_LOOKS))):
        dashes = LINE_STYLES[at // len(colours) % len(LINE_STYLES)]
        looks[name] = {"color": colours[at % len(colours)], "linestyle": dashes}
    return looks


def _add_end(panel: Axes, way: Way, mark: str, look: Mapping[str, Any]) -> Way:
    """Draw the mark at the end of a way; what is left is the way of the line."""
    if mark == "arrow":
        return _add_head(panel, way, look)
    if mark == "circle":
        style: dict[str, Any] = {
            "marker": "o",
            "markersize": 5.0,
            "markerfacecolor": "white",
            "linestyle": "",
        }
        style |= {"color": look["color"], "zorder": look["zorder"] + 0.3}
        ahead = way[-1] - way[-2]
        centre = way[-1] - 3.0 * ahead / max(float(np.hypot(*ahead)), 1e-9)
        panel.plot(*centre[:, None], **style)
    return way


def _add_head(panel: Axes, way: Way, look: Mapping[str, Any]) -> Way:
    """Draw the head of an arrow; what is left is the way of its shaft."""
    steps = np.hypot(*np.diff(way, axis=0).T)
    before_end = np.append(np.cumsum(steps[::-1])[::-1], 0.0)
    length = min(6.0 + 1.6 * look["linewidth"], 0.6 * before_end[0])
    base = np.array([np.interp(-length, -before_end, way[:, axis]) for axis in (0, 1)])
    ahead = way[-1] - base
    side = 0.42 * np.array([-ahead[1], ahead[0]])
    corners = np.stack([way[-1], base + side, base - side])
    patch = matplotlib_module("patches").Polygon
    panel.add_patch(
        patch(corners, closed=True, color=look["color"], linewidth=0.0, zorder=look["zorder"] + 0.2)
    )
    # The shaft reaches a little into the head, lest a gap shows.
    shaft = base + 0.15 * ahead
    return np.concatenate([way[before_end > length], shaft[None, :]])
