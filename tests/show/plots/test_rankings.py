"""Decision rates and ROC curves: lines, names and areas are those given."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.errors import InvalidSettingError
from bqcd.show.plots import plot_decision_rates, plot_roc

pytest.importorskip("matplotlib")

RATE = np.linspace(0.05, 1.0, 20)
CURVES = {
    "slope": (RATE, np.linspace(0.9, 0.75, 20)),
    "bqcd": (RATE, np.linspace(1.0, 0.7, 20)),
    "pnl": (RATE, np.linspace(0.8, 0.75, 20)),
    "lingam": (RATE, np.linspace(0.0, 0.3, 20)),
}
BAND = (RATE, 0.5 - 0.1 / RATE**0.5, 0.5 + 0.1 / RATE**0.5)


def labels(panel) -> dict[str, object]:
    return {text.get_text(): text for text in panel.texts if text.get_text() in CURVES}


def test_decision_rates_are_drawn_as_given_and_named_at_their_ends() -> None:
    (panel,) = plot_decision_rates(CURVES, BAND).axes
    drawn = [line.get_xydata() for line in panel.lines if len(line.get_xdata()) == 20]
    for line, (rate, accuracy) in zip(drawn, CURVES.values(), strict=True):
        np.testing.assert_array_equal(line, np.column_stack([rate, accuracy]))
    assert set(labels(panel)) == set(CURVES)
    assert panel.get_xlim() == (0.0, 1.0)
    assert panel.get_ylim()[0] == 0.0


def test_names_stand_in_the_order_of_the_ends_and_keep_apart() -> None:
    (panel,) = plot_decision_rates(CURVES).axes
    heights = {name: text.get_position()[1] for name, text in labels(panel).items()}
    assert heights["lingam"] < heights["bqcd"] < min(heights["slope"], heights["pnl"])
    assert np.diff(sorted(heights.values())).min() > 0.03
    for name, text in labels(panel).items():
        line = panel.lines[1 + list(CURVES).index(name)]
        assert text.get_color() == line.get_color()


def test_the_emphasised_line_is_heavy_and_lies_on_top() -> None:
    (panel,) = plot_decision_rates(CURVES).axes
    heavy = max(panel.lines, key=lambda line: line.get_linewidth())
    np.testing.assert_array_equal(heavy.get_ydata(), CURVES["bqcd"][1])
    assert heavy.get_zorder() == max(line.get_zorder() for line in panel.lines)
    assert labels(panel)["bqcd"].get_fontweight() == "bold"


def test_the_coins_band_is_where_it_was_given() -> None:
    (panel,) = plot_decision_rates(CURVES, BAND).axes
    (band,) = panel.collections
    corners = band.get_paths()[0].vertices
    assert corners[:, 1].max() == pytest.approx(BAND[2].max())
    assert corners[:, 1].min() == pytest.approx(BAND[1].min())
    assert not plot_decision_rates(CURVES).axes[0].collections


def test_fifteen_names_all_keep_apart() -> None:
    many = {f"method {i}": (RATE, np.full(20, 0.6 + i / 1000)) for i in range(15)}
    (panel,) = plot_decision_rates(many).axes
    heights = [text.get_position()[1] for text in panel.texts]
    assert len(heights) == 15
    assert np.diff(sorted(heights)).min() > 0.03
    assert heights == sorted(heights)


def test_too_many_curves_are_spread_over_panels_with_the_emphasised_one_in_each() -> None:
    many = {f"m{i:02d}": (RATE, np.full(20, 0.3 + i / 50)) for i in range(20)}
    many["bqcd"] = CURVES["bqcd"]
    panels = plot_decision_rates(many, BAND).axes
    assert len(panels) == 4
    named = [{text.get_text() for text in panel.texts} & set(many) for panel in panels]
    assert all("bqcd" in names for names in named)
    assert sorted(name for names in named for name in names - {"bqcd"}) == sorted(
        set(many) - {"bqcd"}
    )
    assert named[0] == {"bqcd", "m15", "m16", "m17", "m18", "m19"}
    for panel in panels:
        heights = sorted(text.get_position()[1] for text in panel.texts if text.get_text() in many)
        assert np.diff(heights).min() > 0.03


ROC = {
    "AN": ([0.0, 0.0, 1.0], [0.0, 1.0, 1.0], 1.0),
    "bqcd": ([0.0, 0.2, 1.0], [0.0, 0.6, 1.0], 0.7),
    "lingam": ([0.0, 0.5, 1.0], [0.0, 0.1, 1.0], 0.3),
    "slope": ([0.0, 0.1, 1.0], [0.0, 0.8, 1.0], 0.85),
}


def test_roc_curves_are_drawn_as_given_over_the_diagonal() -> None:
    (panel,) = plot_roc(ROC).axes
    diagonal, *lines = panel.lines
    np.testing.assert_array_equal(diagonal.get_xdata(), diagonal.get_ydata())
    drawn = {line.get_label().split()[-1]: line.get_xydata() for line in lines}
    for name, (false, true, _) in ROC.items():
        np.testing.assert_array_equal(drawn[name], np.column_stack([false, true]))
    assert panel.get_xlim() == panel.get_ylim() == (0.0, 1.0)
    assert panel.get_aspect() == 1.0


def test_areas_are_listed_from_the_largest_to_the_smallest_beside_the_panel() -> None:
    figure = plot_roc(ROC, title="Tübingen")
    (panel,) = figure.axes
    figure.draw_without_rendering()
    legend = panel.get_legend()
    listed = [text.get_text() for text in legend.get_texts()]
    assert listed == ["1.00  AN", "0.85  slope", "0.70  bqcd", "0.30  lingam"]
    assert [text.get_fontweight() for text in legend.get_texts()].index("bold") == 2
    assert legend.get_window_extent().x0 >= panel.get_window_extent().x1
    assert panel.get_title(loc="left") == "Tübingen"


def test_without_an_emphasised_curve_all_are_equally_heavy() -> None:
    (panel,) = plot_roc(ROC, emphasised=None).axes
    assert len({line.get_linewidth() for line in panel.lines[1:]}) == 1


@pytest.mark.parametrize("plot", [plot_decision_rates, plot_roc])
def test_nothing_to_draw_is_refused(plot) -> None:
    with pytest.raises(InvalidSettingError, match=r"curves of \w+ must hold something to draw"):
        plot({})
