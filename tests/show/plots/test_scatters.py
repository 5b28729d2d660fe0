"""Galleries and pairs with curves: all rows are there, under their own names."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.errors import InvalidSettingError
from bqcd.show.plots import QuantilePanel, plot_gallery, plot_motivation
from bqcd.show.plots.canvas import CURVE_COLOURS
from bqcd.show.views import Curves

pytest.importorskip("matplotlib")


def pair(seed: int) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.random.default_rng(seed).normal(size=(2, 30))
    return x, y


ROWS = [("AN", [pair(i) for i in range(3)]), ("LS-s", [pair(i) for i in range(3, 5)])]


def test_a_gallery_has_a_row_for_each_benchmark_and_no_scales() -> None:
    figure = plot_gallery(ROWS)
    grid = np.array(figure.axes).reshape(2, 3)
    for panels, (title, pairs) in zip(grid, ROWS, strict=True):
        assert panels[0].texts[0].get_text() == title
        for panel, (x, y) in zip(panels, pairs, strict=False):
            dots = panel.collections[0].get_offsets()
            np.testing.assert_array_equal(dots, np.column_stack([x, y]))
            assert not len(panel.get_xticks())
            assert not len(panel.get_yticks())


def test_a_shorter_row_leaves_its_last_places_blank() -> None:
    last = plot_gallery(ROWS).axes[-1]
    assert not last.axison
    assert not last.collections


def panel_of(title: str, **more: str) -> QuantilePanel:
    x, y = pair(0)
    given = np.linspace(-1, 1, 5)
    curves = Curves(given, given[:, None] + np.array([-1.0, 0.0, 1.0]))
    return QuantilePanel(title, x, y, curves, **more)


def test_each_pair_has_its_dots_and_three_curves_from_low_to_high() -> None:
    shown = [panel_of("additive"), panel_of("multiplicative"), panel_of("location-scale")]
    figure = plot_motivation(shown)
    for panel, expected in zip(figure.axes, shown, strict=True):
        assert panel.get_title() == expected.title
        dots = panel.collections[0].get_offsets()
        np.testing.assert_array_equal(dots, np.column_stack([expected.x, expected.y]))
        for line, curve, colour in zip(
            panel.lines, expected.curves.quantiles.T, CURVE_COLOURS, strict=True
        ):
            np.testing.assert_array_equal(line.get_xdata(), expected.curves.given)
            np.testing.assert_array_equal(line.get_ydata(), curve)
            assert line.get_color() == colour
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["0.1 quantile", "0.5 quantile", "0.9 quantile"]


def test_a_single_pair_carries_its_names_and_what_was_decided() -> None:
    shown = panel_of("Engel", x_name="income", y_name="$food", note="income -> food")
    (panel,) = plot_motivation([shown]).axes
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("income", "$food")
    assert panel.get_title() == "Engel\nincome -> food"
    assert not panel.title.get_parse_math()


def test_curves_at_other_levels_are_refused() -> None:
    x, y = pair(0)
    with pytest.raises(InvalidSettingError, match=r"curves of QuantilePanel must be 3"):
        QuantilePanel("two", x, y, Curves(x, np.zeros((30, 2))))


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(InvalidSettingError, match="rows of plot_gallery must hold"):
        plot_gallery([])
    with pytest.raises(InvalidSettingError, match="panels of plot_motivation must hold"):
        plot_motivation([])
