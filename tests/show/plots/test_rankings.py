"""Decision rates and ROC curves: lines, names and areas are those given."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.benchmark.metrics import decision_rate_curve
from bqcd.errors import InvalidSettingError
from bqcd.show.plots import plot_decision_rates, plot_roc
from tests.pictures import touching

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


def parts(panel) -> list[tuple[object, object]]:
    """Faint and clear part of each curve, after the line of one half."""
    _, *lines = panel.lines
    return list(zip(lines[::2], lines[1::2], strict=True))


def test_curves_are_faint_where_they_rest_on_fewer_than_ten_pairs_and_the_key_says_so() -> None:
    (panel,) = plot_decision_rates(CURVES, BAND).axes
    for faint, clear in parts(panel):
        # Ten points of one pair each: the faint part ends where the clear one begins.
        assert len(faint.get_xdata()) == 10
        assert faint.get_xydata()[-1].tolist() == clear.get_xydata()[0].tolist()
        assert faint.get_alpha() < 0.5
        assert clear.get_alpha() is None
        assert faint.get_color() == clear.get_color()
    (key,) = [text.get_text() for text in panel.texts if "faint" in text.get_text()]
    assert key.splitlines() == ["shaded: 95 % of fair coins", "faint: fewer than 10 pairs"]


def test_pairs_that_are_given_decide_what_is_faint() -> None:
    curve = decision_rate_curve([1] * 30, [9.0] * 12 + list(np.linspace(8.0, 1.0, 18)))
    assert curve.pairs[0] == 12
    given = {"bqcd": (curve.rate, curve.accuracy, curve.pairs)}
    (panel,) = plot_decision_rates(given).axes
    _, clear = panel.lines
    assert len(clear.get_xdata()) == len(curve.rate)
    (panel,) = plot_decision_rates(given, few=20).axes
    _, faint, clear = panel.lines
    assert faint.get_xdata()[-1] == clear.get_xdata()[0] == curve.rate[list(curve.pairs).index(20)]


def test_nothing_is_faint_if_so_asked() -> None:
    (panel,) = plot_decision_rates(CURVES, few=0).axes
    assert len(panel.lines) == 1 + len(CURVES)
    assert not any("faint" in text.get_text() for text in panel.texts)


def test_a_curve_of_few_pairs_is_faint_throughout() -> None:
    (panel,) = plot_decision_rates({"bqcd": ([0.5, 1.0], [1.0, 0.5])}).axes
    ((faint, clear),) = parts(panel)
    assert len(faint.get_xdata()) == 2
    assert len(clear.get_xdata()) == 0


def test_decision_rates_are_drawn_as_given_and_named_at_their_ends() -> None:
    (panel,) = plot_decision_rates(CURVES, BAND).axes
    for (faint, clear), (rate, accuracy) in zip(parts(panel), CURVES.values(), strict=True):
        whole = np.concatenate([faint.get_xydata()[:-1], clear.get_xydata()])
        np.testing.assert_array_equal(whole, np.column_stack([rate, accuracy]))
    assert set(labels(panel)) == set(CURVES)
    assert panel.get_xlim() == (0.0, 1.0)
    assert panel.get_ylim()[0] == 0.0


def test_names_stand_in_the_order_of_the_ends_and_keep_apart() -> None:
    (panel,) = plot_decision_rates(CURVES).axes
    heights = {name: text.get_position()[1] for name, text in labels(panel).items()}
    assert heights["lingam"] < heights["bqcd"] < min(heights["slope"], heights["pnl"])
    assert np.diff(sorted(heights.values())).min() > 0.03
    for name, text in labels(panel).items():
        line, _ = parts(panel)[list(CURVES).index(name)]
        assert text.get_color() == line.get_color()


def test_the_emphasised_line_is_heavy_and_lies_on_top() -> None:
    (panel,) = plot_decision_rates(CURVES).axes
    heavy = max(panel.lines, key=lambda line: line.get_linewidth())
    np.testing.assert_array_equal(heavy.get_ydata(), CURVES["bqcd"][1][9:])
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
    heights = [text.get_position()[1] for text in panel.texts if text.get_text() in many]
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


@pytest.mark.parametrize("count", [3, 20])
def test_tick_labels_of_both_pictures_keep_apart(count: int) -> None:
    rates = {f"method {i}": (RATE, np.full(20, 0.6 + i / 1000)) for i in range(count)}
    assert not touching(plot_decision_rates(rates, BAND))
    curves = {f"method {i}": ([0.0, 1.0], [0.0, 1.0], 0.5) for i in range(count)}
    assert not touching(plot_roc(curves))


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


def test_a_long_list_of_areas_leaves_the_panel_its_size_and_stays_in_the_picture() -> None:
    few, many = (
        plot_roc({f"method {i}": ([0.0, 1.0], [0.0, 1.0], 0.5) for i in range(count)})
        for count in (10, 24)
    )
    for figure in (few, many):
        figure.draw_without_rendering()
    (short,), (long) = few.axes, many.axes[0]
    assert long.get_window_extent().width >= short.get_window_extent().width
    legend = long.get_legend().get_window_extent()
    assert legend.x0 >= long.get_window_extent().x1
    assert legend.x1 <= many.bbox.x1
    assert legend.y0 >= 0.0


def test_without_an_emphasised_curve_all_are_equally_heavy() -> None:
    (panel,) = plot_roc(ROC, emphasised=None).axes
    assert len({line.get_linewidth() for line in panel.lines[1:]}) == 1


@pytest.mark.parametrize("plot", [plot_decision_rates, plot_roc])
def test_nothing_to_draw_is_refused(plot) -> None:
    with pytest.raises(InvalidSettingError, match=r"curves of \w+ must hold something to draw"):
        plot({})
