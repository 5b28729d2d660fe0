"""Layout of graphs: nothing overlaps, arrows point down, and names alone decide the order."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bqcd.graphs.partial import PartialGraph
from bqcd.show.plots.layers import BOX_HEIGHT, Layout, graph_layout


def random_graph(seed: int, n_nodes: int, degree: float, share_open: float = 0.3) -> PartialGraph:
    rng = np.random.default_rng(seed)
    names = [f"node {at}" for at in rng.permutation(n_nodes)]
    edges = [e for e in combinations(names, 2) if rng.random() < degree / (n_nodes - 1)]
    is_open = rng.random(len(edges)) < share_open
    return PartialGraph(
        names,
        directed=[edge for edge, free in zip(edges, is_open, strict=True) if not free],
        undirected=[edge for edge, free in zip(edges, is_open, strict=True) if free],
    )


def layout_of(graph: PartialGraph, width: float = 40.0) -> Layout:
    widths = {node: width + 3.0 * len(node) for node in graph.nodes}
    return graph_layout(widths, graph.directed, graph.undirected)


GRAPHS = {
    "one node": PartialGraph("a"),
    "no edges": PartialGraph([f"n{at}" for at in range(11)]),
    "undirected": random_graph(1, 15, 3.0, 1.0),
    "directed": random_graph(2, 15, 4.0, 0.0),
    "mixed": random_graph(3, 25, 3.0),
    "large": random_graph(4, 50, 4.0),
    "cycle": PartialGraph(directed=["ab", "bc", "ca", "cd"]),
    "complete": PartialGraph(undirected=list(combinations([f"n{at}" for at in range(8)], 2))),
    "crowded": PartialGraph(directed=list(combinations([f"n{at:02}" for at in range(30)], 2))),
}
every_graph = pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)


def inside(points: np.ndarray, layout: Layout, nodes: list[str], margin: float) -> np.ndarray:
    """Whether each point is in the box of each node, widened by a margin."""
    centres = np.array([layout.places[node] for node in nodes])
    half = np.array([(layout.widths[node] / 2.0, BOX_HEIGHT / 2.0) for node in nodes])
    return (np.abs(points[:, None] - centres) < half + margin).all(axis=2)


@every_graph
def test_boxes_are_apart_and_within_the_drawing(graph):
    layout = layout_of(graph)
    assert set(layout.places) == set(graph.nodes)
    for node, (x, y) in layout.places.items():
        assert (
            layout.widths[node] / 2.0 - 1e-2 <= x <= layout.width - layout.widths[node] / 2 + 1e-2
        )
        assert BOX_HEIGHT / 2.0 - 1e-2 <= y <= layout.height - BOX_HEIGHT / 2.0 + 1e-2
    for one, other in combinations(graph.nodes, 2):
        across, upwards = np.abs(np.subtract(layout.places[one], layout.places[other]))
        needed = (layout.widths[one] + layout.widths[other]) / 2.0 + 5.0
        assert across >= needed or upwards >= BOX_HEIGHT + 5.0


@every_graph
def test_edges_run_from_border_to_border_and_through_no_box(graph):
    layout = layout_of(graph)
    assert set(layout.ways) == {*graph.directed, *graph.undirected}
    for edge, way in layout.ways.items():
        for end, node in ((way[0], edge[0]), (way[-1], edge[1])):
            assert inside(end[None, :], layout, [node], 0.5).all()
        others = [node for node in graph.nodes if node not in edge]
        assert not inside(way, layout, list(edge), -0.5).any()
        if others:
            assert not inside(way, layout, others, 1.0).any()


@pytest.mark.parametrize("name", ["directed", "mixed", "large"])
def test_arrows_point_downwards_when_there_is_no_cycle(name):
    graph = GRAPHS[name]
    layout = layout_of(graph)
    for tail, head in graph.directed:
        assert layout.places[tail][1] > layout.places[head][1] + BOX_HEIGHT
        assert (np.diff(layout.ways[tail, head][:, 1]) <= 1e-9).all()


def test_one_arrow_of_a_cycle_points_upwards():
    layout = layout_of(GRAPHS["cycle"])
    rising = [e for e, way in layout.ways.items() if way[-1][1] > way[0][1]]
    assert rising == [("c", "a")]


def test_a_chain_is_a_straight_line_and_a_tree_has_no_crossings():
    chain = layout_of(PartialGraph(directed=["ab", "bc", "cd"]))
    assert len({x for x, _ in chain.places.values()}) == 1
    tree = PartialGraph(directed=[(f"n{(at - 1) // 2:02}", f"n{at:02}") for at in range(1, 31)])
    layout = layout_of(tree)
    for one, other in combinations(tree.directed, 2):
        (top, end), (other_top, other_end) = one, other
        if layout.places[top][1] == layout.places[other_top][1] and top != other_top:
            left = layout.places[top][0] < layout.places[other_top][0]
            assert left == (layout.places[end][0] < layout.places[other_end][0])


def test_a_node_that_only_causes_stands_just_above_what_it_causes():
    layout = layout_of(PartialGraph(directed=["ab", "bc", "cd", "de", "xe"]))
    assert layout.places["x"][1] == layout.places["d"][1]


@every_graph
def test_the_same_graph_gets_the_same_layout_however_it_was_written(graph):
    other = PartialGraph(
        graph.nodes[::-1],
        directed=graph.directed[::-1],
        undirected=[edge[::-1] for edge in graph.undirected[::-1]],
    )
    one, two = layout_of(graph), layout_of(other)
    assert one.places == two.places
    for edge, way in one.ways.items():
        np.testing.assert_array_equal(way, two.ways[edge])


def test_a_box_is_wide_enough_for_the_edges_that_reach_it():
    graph = PartialGraph(directed=[(f"cause {at}", "effect") for at in range(12)])
    layout = layout_of(graph, width=10.0)
    ends = sorted(way[-1][0] for way in layout.ways.values())
    assert np.diff(ends).min() > 7.0
    assert layout.widths["effect"] > ends[-1] - ends[0]


def test_a_crowded_graph_goes_on_a_circle():
    layout = layout_of(GRAPHS["crowded"])
    middle = np.array([layout.width, layout.height]) / 2.0
    radii = [np.hypot(*(np.array(place) - middle)) for place in layout.places.values()]
    np.testing.assert_allclose(radii, radii[0])
