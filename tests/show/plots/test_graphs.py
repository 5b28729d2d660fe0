"""Drawings of graphs: looks by outcome, widths by confidence, text that fits its box."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bqcd.errors import InvalidSettingError
from bqcd.graphs.orienting.orientation import Orientation
from bqcd.graphs.orienting.records import EdgeRecord, Judgement, Outcome
from bqcd.graphs.partial import PartialGraph
from bqcd.show.plots import plot_graph
from bqcd.show.plots.canvas import GREY, INK, STRONG
from bqcd.show.plots.graphs import plot_orientation

pytest.importorskip("matplotlib")

GRAPH = PartialGraph("abcde", directed=["ab", "bc"], undirected=["cd"])
# The network of Sachs and others (2005) as often drawn: 11 proteins, 17 edges.
EFFECTS = {
    "PKC": "Raf Mek Jnk P38 PKA",
    "PKA": "Raf Mek Erk Akt Jnk P38",
    "Raf": "Mek",
    "Mek": "Erk",
    "Erk": "Akt",
    "Plcg": "PIP2 PIP3",
    "PIP3": "PIP2",
}
SACHS = PartialGraph(
    directed=[(cause, effect) for cause, effects in EFFECTS.items() for effect in effects.split()]
)


def lines(figure) -> dict[str, object]:
    return {line.get_label(): line for line in figure.axes[0].lines}


def polygons(figure) -> list:
    return [patch for patch in figure.axes[0].patches if type(patch).__name__ == "Polygon"]


def boxes(figure) -> dict[str, object]:
    return {
        patch.get_label(): patch
        for patch in figure.axes[0].patches
        if type(patch).__name__ == "FancyBboxPatch"
    }


def legend_words(figure) -> list[str]:
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_arrows_have_heads_and_undirected_edges_are_grey_and_dashed():
    figure = plot_graph(GRAPH)
    assert set(lines(figure)) == {"a -> b", "b -> c", "c - d"}
    assert len(polygons(figure)) == 2
    assert lines(figure)["c - d"].get_color() == GREY
    assert lines(figure)["c - d"].is_dashed()
    assert lines(figure)["a -> b"].get_color() == INK
    assert not lines(figure)["a -> b"].is_dashed()
    assert legend_words(figure) == []


def test_heads_touch_the_box_they_point_at():
    figure = plot_graph(SACHS)
    shown = boxes(figure)
    assert len(polygons(figure)) == len(SACHS.directed)
    for (_, head), patch in zip(SACHS.directed, polygons(figure), strict=True):
        tip, box = patch.get_xy()[0], shown[head]
        assert box.get_x() < tip[0] < box.get_x() + box.get_width()
        assert tip[1] == pytest.approx(box.get_y() + box.get_height(), abs=1e-6)


def test_every_outcome_has_a_look_of_its_own_and_the_legend_those_that_are_there():
    edges = [("hub", f"n{at}") for at in range(len(Outcome))]
    is_open = [outcome.is_open for outcome in Outcome]
    graph = PartialGraph(
        directed=[edge for edge, free in zip(edges, is_open, strict=True) if not free],
        undirected=[edge for edge, free in zip(edges, is_open, strict=True) if free],
    )
    figure = plot_graph(graph, outcomes=dict(zip(edges, Outcome, strict=True)))
    looks = {(line.get_color(), str(line._dash_pattern)) for line in lines(figure).values()}
    assert len(looks) == len(Outcome)
    assert legend_words(figure) == [outcome.value for outcome in Outcome]
    for outcome, edge in zip(Outcome, edges, strict=True):
        line = lines(figure)[(" - " if outcome.is_open else " -> ").join(edge)]
        assert (line.get_color() == GREY) == line.is_dashed() == outcome.is_open
    few = plot_graph(graph, outcomes={edges[3]: "judged", edges[0]: "given"})
    assert legend_words(few) == ["given", "judged"]


def test_words_that_are_no_outcomes_get_looks_and_a_legend_too():
    outcomes = {("a", "b"): "correct", ("b", "c"): "wrong"}
    figure = plot_graph(GRAPH, outcomes=outcomes)
    assert legend_words(figure) == ["correct", "wrong"]
    assert lines(figure)["a -> b"].get_color() == STRONG
    assert lines(figure)["b -> c"].get_color() not in (STRONG, GREY, INK)
    odd = plot_graph(GRAPH, outcomes={("a", "b"): "_$x$", ("b", "c"): "w" * 50})
    assert legend_words(odd) == ["$x$", "wwwwwwwwwww…wwwwww"]


def test_edges_may_be_named_either_way_round():
    figure = plot_graph(GRAPH, outcomes={("b", "a"): "judged"}, confidences={("d", "c"): 1.0})
    assert lines(figure)["a -> b"].get_color() == STRONG
    assert lines(figure)["c - d"].get_linewidth() == 4.0


def test_width_grows_with_the_size_of_the_confidence():
    confidences = {("a", "b"): -0.2, ("b", "c"): 0.1, ("c", "d"): 0.0}
    figure = plot_graph(GRAPH, confidences=confidences)
    wide, middle, thin = (
        lines(figure)[edge].get_linewidth() for edge in ("a -> b", "b -> c", "c - d")
    )
    assert wide == 4.0
    assert thin == 0.9
    assert middle == pytest.approx((wide + thin) / 2.0)
    assert legend_words(figure) == ["width: confidence"]
    alike = plot_graph(GRAPH, confidences=dict.fromkeys(confidences, 0.0))
    assert {line.get_linewidth() for line in lines(alike).values()} == {0.9}


def test_an_edge_that_the_pair_alone_contradicts_is_not_heavy():
    settled = [
        EdgeRecord("a", "b", Outcome.LEARNT, tail="a", judgement=Judgement(-0.2)),
        EdgeRecord("b", "c", Outcome.JUDGED, tail="c", judgement=Judgement(-0.1)),
        EdgeRecord("c", "d", Outcome.BORDERLINE, judgement=Judgement(-0.1)),
    ]
    graph = PartialGraph("abcd", directed=["ab", "cb"], undirected=["cd"])
    figure = plot_orientation(Orientation(graph, tuple(settled)))
    widths = {name: line.get_linewidth() for name, line in lines(figure).items()}
    assert widths == {"a -> b": 0.9, "c -> b": 4.0, "c - d": 4.0}


def test_highlighted_edges_have_their_colour_and_others_step_back():
    figure = plot_graph(GRAPH, highlight={("a", "b"): "#0072b2"})
    assert lines(figure)["a -> b"].get_color() == "#0072b2"
    assert lines(figure)["b -> c"].get_color() == GREY
    both = plot_graph(GRAPH, outcomes={("a", "b"): "turned"}, highlight={("a", "b"): "red"})
    assert lines(both)["a -> b"].get_color() == "red"


@pytest.mark.filterwarnings("ignore:Glyph .* missing from")
@pytest.mark.parametrize("size", [1, 3, 30])
def test_names_fit_their_boxes_and_are_never_read_as_formulas(size):
    odd = ["$x_1$", "a_{2}", r"\alpha", "Größe\nin cm", "体温", "<b>&", "w" * 80]
    graph = PartialGraph(
        [*odd, *(f"n{at}" for at in range(size))], directed=[(odd[0], odd[1]), (odd[2], odd[6])]
    )
    figure = plot_graph(graph)
    figure.draw_without_rendering()
    texts = figure.axes[0].texts
    words = [text.get_text() for text in texts]
    assert {"$x_1$", "a_{2}", r"\alpha", "Größe in cm", "<b>&"} <= set(words)
    assert max(len(word) for word in words) <= 26
    to_points = figure.axes[0].transData.inverted()
    shown = list(boxes(figure).values())
    for text, box in zip(texts, shown, strict=True):
        (left, low), (right, high) = to_points.transform(text.get_window_extent())
        assert box.get_x() + 2.0 < left
        assert right < box.get_x() + box.get_width() - 2.0
        assert box.get_y() < low
        assert high < box.get_y() + box.get_height()
        assert not text.get_parse_math()


def test_names_that_differ_are_shown_so():
    long = [f"the average of measurement {at} over the whole of the day" for at in (1, 2)]
    hopeless = ["y" * 99 + middle + "y" * 99 for middle in "ab"]
    figure = plot_graph(PartialGraph([*long, *hopeless, "a b", "a\nb", "c"]))
    words = [text.get_text() for text in figure.axes[0].texts]
    assert len(set(words)) == len(words) == 7
    assert "c" in words
    assert any("measurement 1" in word for word in words)


def test_legend_and_title_keep_clear_of_the_boxes():
    kinds = [outcome for outcome in Outcome if not outcome.is_open]
    outcomes = {edge: kinds[at % len(kinds)] for at, edge in enumerate(SACHS.directed)}
    for graph, told in ((SACHS, outcomes), (GRAPH, {("a", "b"): "judged"})):
        figure = plot_graph(
            graph,
            outcomes=told,
            confidences=dict.fromkeys(told, 1.0),
            title="Sachs_$1$: a title that is rather longer than the drawing is wide",
        )
        figure.draw_without_rendering()
        around = figure.legends[0].get_window_extent()
        (title,) = figure.texts
        assert around.x0 >= 0.0
        assert around.x1 <= figure.bbox.x1
        assert title.get_window_extent().x1 <= figure.bbox.x1
        for box in boxes(figure).values():
            assert box.get_window_extent().y0 > around.y1
            assert box.get_window_extent().y1 < title.get_window_extent().y0


@pytest.mark.parametrize(
    "graph",
    [PartialGraph("a"), PartialGraph("abcdefgh"), PartialGraph(directed=["ab", "ba".upper()])],
    ids=["one node", "no edges", "two parts"],
)
def test_small_graphs_are_drawn(graph):
    figure = plot_graph(graph)
    assert sorted(boxes(figure)) == graph.nodes
    assert len(figure.axes[0].lines) == len(graph.directed)


def test_fifty_nodes_are_drawn_at_a_size_that_can_be_read():
    rng = np.random.default_rng(0)
    names = [f"X{at}" for at in range(50)]
    edges = [edge for edge in combinations(names, 2) if rng.random() < 0.08]
    figure = plot_graph(PartialGraph(names, directed=edges))
    assert min(text.get_fontsize() for text in figure.axes[0].texts) >= 8.0
    assert max(figure.get_size_inches()) < 25.0


def test_many_edges_are_thinner():
    crowd = PartialGraph(undirected=list(combinations([f"n{at}" for at in range(30)], 2)))
    widths = {line.get_linewidth() for line in lines(plot_graph(crowd)).values()}
    assert len(widths) == 1
    assert max(widths) < 0.8


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"outcomes": {("a", "c"): "judged"}}, r"outcomes of plot_graph .* got \('a', 'c'\)"),
        ({"confidences": {("a", "z"): 1.0}}, "confidences of plot_graph must be of edges"),
        ({"confidences": {("a", "b"): np.nan}}, r"must be finite, got nan for \('a', 'b'\)"),
        ({"highlight": {("a", "b"): "blu"}}, "must be colours, got 'blu'"),
        ({"path": "graph.jpg"}, "must end in one of"),
    ],
    ids=["outcomes", "confidences", "nan", "colour", "path"],
)
def test_what_cannot_be_drawn_is_refused(settings, message):
    with pytest.raises(InvalidSettingError, match=message):
        plot_graph(GRAPH, **settings)


def test_a_graph_without_nodes_is_refused():
    with pytest.raises(InvalidSettingError, match="nodes of plot_graph must hold something"):
        plot_graph(PartialGraph())
