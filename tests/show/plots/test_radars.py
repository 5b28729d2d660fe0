"""Spider plots: every method has its ring, and the emphasised one its area."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.errors import InvalidSettingError
from bqcd.show.plots import plot_spider
from bqcd.show.plots.canvas import STRONG
from bqcd.show.reproduction.paper import SIMULATED
from tests.pictures import touching

pytest.importorskip("matplotlib")

AXES = ("SIM", "AN", "LS", "MN-U")
ACCURACY = {
    "bqcd": (0.6, 1.0, 1.0, 0.99),
    "resit": (0.8, 1.0, 0.6, 0.05),
    "anm": (0.76, 1.0, 0.62, 0.03),
    "slope": (0.45, 0.18, 0.21, 0.07),
}


def rings(panel) -> list[np.ndarray]:
    return [line.get_ydata() for line in panel.lines]


def test_each_competitor_has_a_panel_with_the_emphasised_method_behind_it() -> None:
    panels = plot_spider(ACCURACY, AXES).axes
    assert len(panels) == 3
    for panel, name in zip(panels, ("resit", "anm", "slope"), strict=True):
        mine, theirs = rings(panel)
        np.testing.assert_array_equal(mine, [*ACCURACY["bqcd"], ACCURACY["bqcd"][0]])
        np.testing.assert_array_equal(theirs, [*ACCURACY[name], ACCURACY[name][0]])
        assert [text.get_text() for text in panel.texts] == [name]
        assert panel.lines[0].get_color() == STRONG
        assert len(panel.patches) == 1


def test_labels_of_the_nine_benchmarks_keep_apart_in_one_panel_and_in_twenty() -> None:
    for count in (2, 20):
        values = {"bqcd": np.full(9, 0.7)}
        values |= {f"method {number}": np.full(9, 0.5) for number in range(count)}
        assert not touching(plot_spider(values, SIMULATED))


def test_axes_go_clockwise_from_the_top_on_one_scale() -> None:
    panel = plot_spider(ACCURACY, AXES).axes[0]
    assert [label.get_text() for label in panel.get_xticklabels()] == list(AXES)
    np.testing.assert_allclose(panel.get_xticks(), np.linspace(0, 2 * np.pi, 4, endpoint=False))
    assert panel.get_theta_offset() == np.pi / 2
    assert panel.get_theta_direction() == -1
    assert panel.get_ylim() == (0.0, 1.0)


def test_two_competitors_can_share_a_panel_and_name_themselves_in_their_colours() -> None:
    panels = plot_spider(ACCURACY, AXES, panels=[("resit", "anm"), ("slope",)]).axes
    assert [len(panel.lines) for panel in panels] == [3, 2]
    for text, line in zip(panels[0].texts, panels[0].lines[1:], strict=True):
        assert text.get_color() == line.get_color()
    assert panels[0].lines[1].get_linestyle() != panels[0].lines[2].get_linestyle()


def test_few_methods_share_one_large_panel_with_a_legend() -> None:
    figure = plot_spider({name: ACCURACY[name] for name in ("bqcd", "resit", "anm")}, AXES)
    (panel,) = figure.axes
    assert len(panel.lines) == 3
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["bqcd", "resit", "anm"]


def test_thirteen_competitors_leave_no_empty_frame() -> None:
    many = {"bqcd": ACCURACY["bqcd"]} | {f"m{i}": (0.1, 0.2, 0.3, 0.4) for i in range(13)}
    assert len(plot_spider(many, AXES).axes) == 13


def test_a_benchmark_that_was_not_run_leaves_a_gap() -> None:
    known = {"bqcd": ACCURACY["bqcd"], "gpi": (0.8, float("nan"), 0.9, 0.9)}
    ring = rings(plot_spider(known, AXES).axes[0])[1]
    assert np.isnan(ring).tolist() == [False, True, False, False, False]


def test_without_the_emphasised_method_each_ring_stands_alone() -> None:
    others = {name: ACCURACY[name] for name in ("resit", "anm", "slope")}
    figure = plot_spider(others, AXES)
    assert [len(panel.lines) for panel in figure.axes] == [1, 1, 1]
    assert not figure.legends


@pytest.mark.parametrize(
    ("accuracy", "settings", "message"),
    [
        ({}, {}, "accuracy of plot_spider must hold something"),
        ({"bqcd": (1.0, 0.5)}, {}, "got 2 values of 'bqcd' for 4 axes"),
        (ACCURACY, {"panels": [("resit", "anm", "slope")]}, "one or two methods"),
        (ACCURACY, {"panels": [("resitt",)]}, r"methods of accuracy, got \('resitt',\)"),
    ],
)
def test_what_cannot_be_drawn_is_refused(accuracy, settings, message: str) -> None:
    with pytest.raises(InvalidSettingError, match=message):
        plot_spider(accuracy, AXES, **settings)
