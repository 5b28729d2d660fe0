"""Places of boxes and ways of edges in a drawing of a graph.

Nodes stand in layers, causes above their effects; an edge over several layers gets a place of
its own in each of those between, so that no edge runs through a box (Sugiyama, Tagawa and
Toda: Methods for visual understanding of hierarchical system structures, 1981). A graph with
too many edges for that goes on a circle. Lengths are in points, y grows upwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import cos, pi, sin

import numpy as np
from numpy.typing import NDArray

Edge = tuple[str, str]
Way = NDArray[np.float64]
"""Points of an edge from border to border, one in each row."""

BOX_HEIGHT = 21.0
_GAP, _LANE, _PORT = 22.0, 11.0, 8.0
_LEAST_STEP, _MOST_STEP = 36.0, 110.0
_MOST_LANES = 1500
_SWEEPS = 12
_BETWEEN = np.linspace(0.0, 1.0, 21)[:, None]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything is drawn.

    Parameters
    ----------
    places : dict of str to (float, float)
        Centres of the boxes.
    widths : dict of str to float
        Widths of the boxes.
    ways : dict of (str, str) to array
        Points of the edges, by their ends in the order given, from border to border.
    width, height : float
        Size of what is drawn, from (0, 0).
    """

    places: dict[str, tuple[float, float]]
    widths: dict[str, float]
    ways: dict[Edge, Way]
    width: float
    height: float


def graph_layout(
    widths: Mapping[str, float], directed: Sequence[Edge], undirected: Sequence[Edge]
) -> Layout:
    """Layout of a graph, part by part; the same for the same graph.

    Parameters
    ----------
    widths : mapping of str to float
        Least width of the box of each node. One that many edges reach is made wider.
    directed, undirected : sequence of (str, str)
        Edges, tails first. Directed ones point downwards as far as they have no cycle.
    """
    parts = []
    for nodes in _connected(list(widths), [*directed, *undirected]):
        inside = [[e for e in edges if e[0] in nodes] for edges in (directed, undirected)]
        flow = _flow(sorted(nodes), *inside)
        layer = _layers(sorted(nodes), flow)
        n_lanes = sum(layer[lower] - layer[upper] - 1 for upper, lower in flow)
        own = {node: widths[node] for node in sorted(nodes)}
        if n_lanes > _MOST_LANES:
            parts.append(_circle(own, flow))
        else:
            parts.append(_Layering(own, flow, layer).layout())
    whole = _packed(parts)
    ways = whole.ways | {edge[::-1]: way[::-1] for edge, way in whole.ways.items()}
    return replace(whole, ways={edge: ways[edge] for edge in (*directed, *undirected)})


def _connected(nodes: list[str], edges: Iterable[Edge]) -> list[set[str]]:
    """Nodes of each connected part, the largest first."""
    part_of = {node: {node} for node in nodes}
    for first, second in edges:
        if part_of[first] is not part_of[second]:
            part_of[first] |= part_of[second]
            for node in part_of[second]:
                part_of[node] = part_of[first]
    parts = {min(part): part for part in part_of.values()}
    return sorted(parts.values(), key=lambda part: (-len(part), min(part)))


def _flow(nodes: list[str], directed: list[Edge], undirected: list[Edge]) -> list[Edge]:
    """Every edge as upper and lower node, without a cycle.

    Nodes are taken once no cause of theirs is left; next to the earliest nodes they share an
    undirected edge with, so that the two stay near.
    """
    causes: dict[str, set[str]] = {node: set() for node in nodes}
    near: dict[str, set[str]] = {node: set() for node in nodes}
    for tail, head in directed:
        causes[head].add(tail)
    for first, second in undirected:
        near[first].add(second)
        near[second].add(first)
    turn: dict[str, int] = {}

    def urgency(node: str) -> tuple[int, int, int, str]:
        left = sum(cause not in turn for cause in causes[node])
        earliest = min((turn[other] for other in near[node] if other in turn), default=len(nodes))
        return left, earliest, -len(near[node]), node

    waiting = set(nodes)
    while waiting:
        node = min(waiting, key=urgency)
        turn[node] = len(turn)
        waiting.remove(node)
    return [(a, b) if turn[a] < turn[b] else (b, a) for a, b in (*directed, *undirected)]


def _layers(nodes: list[str], flow: list[Edge]) -> dict[str, int]:
    """Number of each node's layer: as high as may be, or lower where that shortens edges."""
    above: dict[str, list[str]] = {node: [] for node in nodes}
    below: dict[str, list[str]] = {node: [] for node in nodes}
    for upper, lower in flow:
        above[lower].append(upper)
        below[upper].append(lower)
    layer = dict.fromkeys(nodes, 0)
    for _ in nodes:
        lowered = {n: max((layer[a] + 1 for a in above[n]), default=0) for n in nodes}
        if lowered == layer:
            break
        layer = lowered
    for _ in range(_SWEEPS):
        for node in sorted(nodes, key=lambda n: (-layer[n], n)):
            if len(below[node]) > len(above[node]):
                layer[node] = min(layer[other] for other in below[node]) - 1
        for node in sorted(nodes, key=lambda n: (layer[n], n)):
            if len(below[node]) < len(above[node]):
                layer[node] = max(layer[other] for other in above[node]) + 1
    top = min(layer.values())
    return {node: at - top for node, at in layer.items()}


class _Layering:
    """Items in layers, boxes and lanes of edges alike, on their way to their places."""

    def __init__(
        self, widths: Mapping[str, float], flow: Sequence[Edge], layer: Mapping[str, int]
    ) -> None:
        self.nodes = list(widths)
        self.half = [width / 2.0 for width in widths.values()]
        self.chains: dict[Edge, list[int]] = {}
        self.rows: list[list[int]] = [[] for _ in range(max(layer.values()) + 1)]
        number = {node: at for at, node in enumerate(self.nodes)}
        for node in self.nodes:
            self.rows[layer[node]].append(number[node])
        for upper, lower in flow:
            chain = [number[upper]]
            for row in range(layer[upper] + 1, layer[lower]):
                chain.append(len(self.half))
                self.rows[row].append(chain[-1])
                self.half.append(0.0)
            self.chains[upper, lower] = [*chain, number[lower]]
        self.up: list[list[int]] = [[] for _ in self.half]
        self.down: list[list[int]] = [[] for _ in self.half]
        for chain in self.chains.values():
            for upper_item, lower_item in pairwise(chain):
                self.down[upper_item].append(lower_item)
                self.up[lower_item].append(upper_item)
        for box in range(len(self.nodes)):
            n_ports = max(len(self.up[box]), len(self.down[box]))
            self.half[box] = max(self.half[box], _PORT * n_ports / 2.0 + 3.0)

    def layout(self) -> Layout:
        self._order()
        x = self._across()
        heights, total = self._heights(x)
        places = {node: (x[at], heights[at]) for at, node in enumerate(self.nodes)}
        widths = {node: 2.0 * self.half[at] for at, node in enumerate(self.nodes)}
        right = max(x[at] + half for at, half in enumerate(self.half))
        return Layout(places, widths, self._ways(x, heights), float(right), total)

    def _order(self) -> None:
        """Order the rows by the means of what they are joined with, fewest crossings kept."""
        best, fewest = [list(row) for row in self.rows], self._crossings()
        for sweep in range(2 * _SWEEPS):
            downwards = sweep % 2 == 0
            joined = self.up if downwards else self.down
            for row in self.rows if downwards else self.rows[::-1]:
                self._sort(row, joined)
            self._swap_neighbours()
            crossings = self._crossings()
            if crossings < fewest:
                best, fewest = [list(row) for row in self.rows], crossings
        self.rows = best

    def _places(self) -> list[int]:
        place = [0] * len(self.half)
        for row in self.rows:
            for at, item in enumerate(row):
                place[item] = at
        return place

    def _sort(self, row: list[int], joined: list[list[int]]) -> None:
        place = self._places()
        means = {
            item: sum(place[other] for other in joined[item]) / len(joined[item])
            if joined[item]
            else float(place[item])
            for item in row
        }
        row.sort(key=lambda item: (means[item], place[item]))

    def _swap_neighbours(self) -> None:
        """Swap two that stand next to each other wherever that makes fewer crossings."""
        place = self._places()
        for row in self.rows:
            for at in range(len(row) - 1):
                left, right = row[at], row[at + 1]
                change = 0
                for joined in (self.up, self.down):
                    for a in joined[left]:
                        for b in joined[right]:
                            change += (place[a] < place[b]) - (place[a] > place[b])
                if change < 0:
                    row[at], row[at + 1] = right, left
                    place[left], place[right] = at + 1, at

    def _crossings(self) -> int:
        place = self._places()
        total = 0
        for row in self.rows[:-1]:
            ends = np.array([place[low] for item in row for low in sorted(self.down[item])])
            starts = np.array([place[item] for item in row for _ in self.down[item]])
            apart = starts[:, None] < starts[None, :]
            total += int(np.sum(apart & (ends[:, None] > ends[None, :])))
        return total

    def _across(self) -> list[float]:
        """Horizontal places: near those of what is joined, in the order, with room for all."""
        from scipy.optimize import isotonic_regression

        n_boxes = len(self.nodes)
        x = np.zeros(len(self.half))
        room = []
        for row in self.rows:
            gaps = [_LANE if max(pair) >= n_boxes else _GAP for pair in pairwise(row)]
            sides = [self.half[a] + self.half[b] for a, b in pairwise(row)]
            room.append(np.concatenate([[0.0], np.cumsum(np.add(gaps, sides))]))
            x[row] = room[-1] - room[-1][-1] / 2.0
        # Lanes weigh more than boxes, so that long edges are straight.
        weight = np.where(np.arange(len(x)) < n_boxes, 1.0, 4.0)
        for sweep in range(6 * _SWEEPS):
            turns = range(len(self.rows)) if sweep % 2 == 0 else range(len(self.rows))[::-1]
            for at in turns:
                row = self.rows[at]
                wanted, weights = np.empty(len(row)), np.empty(len(row))
                for place, item in enumerate(row):
                    joined = self.up[item] + self.down[item]
                    pulls = weight[joined] * weight[item]
                    weights[place] = pulls.sum() or 1e-3
                    wanted[place] = pulls @ x[joined] / weights[place] if joined else x[item]
                x[row] = isotonic_regression(wanted - room[at], weights=weights).x + room[at]
        left = min(x[item] - half for item, half in enumerate(self.half))
        return [float(value) for value in np.round(x - left, 3)]

    def _heights(self, x: list[float]) -> tuple[list[float], float]:
        """Height of each item, rows further apart where edges go far to the side, and of all."""
        y, heights = 0.0, [0.0] * len(x)
        for at, row in enumerate(self.rows):
            if at:
                far = max((abs(x[a] - x[b]) for b in row for a in self.up[b]), default=0.0)
                crowd = sum(len(self.up[item]) for item in row)
                step = _LEAST_STEP + 0.1 * far + 0.6 * crowd
                y -= BOX_HEIGHT + min(step, _MOST_STEP)
            for item in row:
                heights[item] = y
        total = BOX_HEIGHT - y
        return [height - y + BOX_HEIGHT / 2.0 for height in heights], total

    def _ways(self, x: list[float], heights: list[float]) -> dict[Edge, Way]:
        leaving = self._ports(x, self.down, {c[0]: [] for c in self.chains.values()}, 0)
        arriving = self._ports(x, self.up, {c[-1]: [] for c in self.chains.values()}, -1)
        half = BOX_HEIGHT / 2.0
        ways = {}
        for edge, chain in self.chains.items():
            stops = [(leaving[edge], heights[chain[0]] - half)]
            for lane in chain[1:-1]:
                stops += [(x[lane], heights[lane] + half), (x[lane], heights[lane] - half)]
            stops.append((arriving[edge], heights[chain[-1]] + half))
            ways[edge] = _smooth(stops)
        return ways

    def _ports(
        self, x: list[float], joined: list[list[int]], at_box: dict[int, list[Edge]], end: int
    ) -> dict[Edge, float]:
        """Where on its box's border each edge ends, from left to right as the edges come."""
        for edge, chain in self.chains.items():
            at_box[chain[end]].append(edge)
        ports = {}
        for box, edges in at_box.items():
            step = min(11.0, (2.0 * self.half[box] - 6.0) / len(edges))
            towards = 1 if end == 0 else -2
            edges.sort(key=lambda edge: (x[self.chains[edge][towards]], edge))
            for at, edge in enumerate(edges):
                ports[edge] = x[box] + step * (at - (len(edges) - 1) / 2.0)
        return ports


def _smooth(stops: Sequence[tuple[float, float]]) -> Way:
    """Curve through stops that is upright at each of them."""
    pieces = []
    for (x0, y0), (x1, y1) in pairwise(stops):
        bend = 0.45 * (y1 - y0)
        pieces.append(_bezier((x0, y0), (x0, y0 + bend), (x1, y1 - bend), (x1, y1)))
    return np.concatenate(pieces)


def _bezier(*corners: tuple[float, float]) -> Way:
    points = [np.array(corner)[None, :] for corner in corners]
    while len(points) > 1:
        points = [a + _BETWEEN * (b - a) for a, b in pairwise(points)]
    return points[0]


def _circle(widths: Mapping[str, float], flow: Sequence[Edge]) -> Layout:
    """Boxes on a circle, edges bent towards its middle so that they pass no box."""
    widest, count = max(widths.values()), len(widths)
    radius = max((widest + _GAP) / (2.0 * sin(pi / count)), 3.0 * BOX_HEIGHT)
    middle = np.array([radius + widest / 2.0, radius + BOX_HEIGHT / 2.0])
    angles = {node: pi / 2.0 - 2.0 * pi * at / count for at, node in enumerate(widths)}
    at = {node: radius * np.array([cos(a), sin(a)]) for node, a in angles.items()}
    ways = {}
    for first, second in flow:
        bend = 0.35 * (at[first] + at[second]) / 2.0
        curve = middle + _bezier(tuple(at[first]), tuple(bend), tuple(at[second]))
        for end in (first, second):
            curve = _leaving(curve, middle + at[end], widths[end])[::-1]
        ways[first, second] = curve
    places = {node: (float(x), float(y)) for node, (x, y) in ((n, middle + at[n]) for n in at)}
    return Layout(places, dict(widths), ways, float(2 * middle[0]), float(2 * middle[1]))


def _leaving(curve: Way, centre: Way, width: float) -> Way:
    """What of a curve is outside the box it begins in, from its border on."""
    fine = np.linspace(0.0, len(curve) - 1.0, 8 * len(curve))
    steps = np.arange(len(curve))
    dense = np.stack([np.interp(fine, steps, curve[:, axis]) for axis in (0, 1)], axis=1)
    level = np.max(np.abs(dense - centre) / (width / 2.0, BOX_HEIGHT / 2.0), axis=1)
    at = int(np.argmax(level >= 1.0))
    share = (1.0 - level[at - 1]) / (level[at] - level[at - 1])
    border = dense[at - 1] + share * (dense[at] - dense[at - 1])
    return np.concatenate([border[None, :], dense[at:]])


def _packed(parts: Sequence[Layout]) -> Layout:
    """Parts side by side, in rows about as wide as all of them are high."""
    area = sum((part.width + _GAP) * (part.height + _LEAST_STEP) for part in parts)
    widest = max([1.6 * area**0.5, *(part.width for part in parts)], default=0.0)
    shelves: list[list[Layout]] = []
    for part in parts:
        used = sum(other.width + 2 * _GAP for other in shelves[-1]) if shelves else 0.0
        if not shelves or used + part.width > widest:
            shelves.append([])
        shelves[-1].append(part)
    places: dict[str, tuple[float, float]] = {}
    widths: dict[str, float] = {}
    ways: dict[Edge, Way] = {}
    width = height = 0.0
    for shelf in shelves[::-1]:
        x, top = 0.0, height + max(part.height for part in shelf)
        for part in shelf:
            y = top - part.height
            places |= {node: (x + px, y + py) for node, (px, py) in part.places.items()}
            widths |= part.widths
            ways |= {edge: way + np.array([x, y]) for edge, way in part.ways.items()}
            x += part.width + 2 * _GAP
        width, height = max(width, x - 2 * _GAP), top + 1.2 * _GAP
    return Layout(places, widths, ways, width, max(0.0, height - 1.2 * _GAP))
