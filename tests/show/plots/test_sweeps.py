"""Lines over settings and dots of regressors: drawn where they belong."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.errors import InvalidSettingError
from bqcd.show.plots import plot_accuracy_dots, plot_lines, plot_scaling
from tests.pictures import touching

pytest.importorskip("matplotlib")

LEVELS = [1, 3, 5, 7]
PANELS = {
    name: {f"n = {n}": (LEVELS, [0.5, 0.6, 0.7, 0.7 + n / 10_000]) for n in (100, 500, 1000)}
    for name in ("SIM", "AN", "AN-s", "LS", "LS-s", "MN-U", "tuebingen")
}


def test_every_benchmark_has_a_panel_with_a_line_for_each_setting() -> None:
    figure = plot_lines(PANELS, x_label="m")
    assert [panel.get_title() for panel in figure.axes] == list(PANELS)
    for panel, lines in zip(figure.axes, PANELS.values(), strict=True):
        _, *drawn = panel.lines
        for line, (x, y) in zip(drawn, lines.values(), strict=True):
            np.testing.assert_array_equal(line.get_xydata(), np.column_stack([x, y]))
    assert figure.axes[0].get_ylim()[0] <= 0.0
    assert figure.axes[0].get_ylim()[1] >= 1.0


def test_one_legend_below_names_the_lines_from_light_to_dark() -> None:
    figure = plot_lines(PANELS, x_label="m")
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(PANELS["SIM"])
    from matplotlib.colors import to_rgb

    shades = [sum(to_rgb(line.get_color())) for line in figure.axes[0].lines[1:]]
    assert shades == sorted(shades, reverse=True)
    assert all(panel.get_legend() is None for panel in figure.axes)


def test_ticks_are_the_values_themselves_and_wide_ranges_are_logarithmic() -> None:
    narrow = plot_lines(PANELS, x_label="m").axes[-1]
    assert narrow.get_xscale() == "linear"
    assert narrow.get_xticks().tolist() == LEVELS
    rows = {"AN": {"m = 1": ([50, 200, 1000], [0.5, 0.6, 0.7])}}
    wide = plot_lines(rows, x_label="n").axes[0]
    assert wide.get_xscale() == "log"
    assert [label.get_text() for label in wide.get_xticklabels()] == ["50", "200", "1000"]


def test_labels_of_crowded_ticks_keep_apart_and_the_ticks_stay() -> None:
    rows = (50, 100, 200, 300, 500, 1000)
    lines = {f"m = {m}": (rows, np.full(6, 0.6)) for m in (1, 3)}
    figure = plot_lines({f"S{number}": lines for number in range(9)}, x_label="rows")
    assert not touching(figure)
    last = figure.axes[-1]
    shown = [label.get_text() for label in last.get_xticklabels()]
    assert shown == ["50", "100", "200", "", "500", "1000"]
    assert last.get_xticks().tolist() == list(rows)


def test_names_of_benchmarks_keep_apart_however_long() -> None:
    names = [f"discretised-{number:02d}" for number in range(10)]
    figure = plot_accuracy_dots({"m = 3": {"copula": np.full(10, 0.6)}}, names)
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == names
    assert not touching(figure)


def test_the_lowest_panel_of_each_column_names_the_axis() -> None:
    figure = plot_lines(PANELS, x_label="levels")
    named = [panel.get_title() for panel in figure.axes if panel.get_xlabel() == "levels"]
    assert named == ["AN-s", "LS", "LS-s", "MN-U", "tuebingen"]


ROWS = np.array([1e2, 1e3, 1e4, 1e5])
TIMES = {"bqcd": (ROWS, 1e-6 * ROWS), "slow": (ROWS, 1e-3 + 1e-5 * ROWS)}


def test_scaling_has_logarithmic_axes_and_a_guide_of_slope_one_below_all_lines() -> None:
    (panel,) = plot_scaling(TIMES, title="one pair").axes
    assert (panel.get_xscale(), panel.get_yscale()) == ("log", "log")
    *lines, guide = panel.lines
    for line, (x, y) in zip(lines, TIMES.values(), strict=True):
        np.testing.assert_array_equal(line.get_xydata(), np.column_stack([x, y]))
    x, y = guide.get_xydata().T
    assert np.diff(np.log(y)) / np.diff(np.log(x)) == pytest.approx(1.0)
    assert (y / x < min((times / rows).min() for rows, times in TIMES.values())).all()
    assert {text.get_text() for text in panel.texts} == {"in proportion", "bqcd", "slow"}


BENCHMARKS = ("SIM", "AN", "MN-U")
DOTS = {
    "m = 1": {"copula": (0.57, 0.99, 0.23), "forest": (0.55, 0.98, 0.2)},
    "m = 3": {"copula": (0.61, 1.0, 0.99), "network": (0.6, 1.0, float("nan"))},
}


def test_each_regressor_has_a_dot_near_each_benchmark() -> None:
    figure = plot_accuracy_dots(DOTS, BENCHMARKS)
    assert [panel.get_title(loc="left") for panel in figure.axes] == ["m = 1", "m = 3"]
    for panel, rows in zip(figure.axes, DOTS.values(), strict=True):
        dots = [line for line in panel.lines if line.get_marker() not in ("", "None")]
        assert len(dots) == len(rows)
        for line, values in zip(dots, rows.values(), strict=True):
            np.testing.assert_array_equal(line.get_ydata(), values)
            assert np.abs(line.get_xdata() - np.arange(3)).max() < 0.5
    lowest = figure.axes[-1]
    assert [label.get_text() for label in lowest.get_xticklabels()] == list(BENCHMARKS)


def test_a_regressor_looks_the_same_in_every_panel() -> None:
    figure = plot_accuracy_dots(DOTS, BENCHMARKS)
    first, second = (
        next(line for line in panel.lines if line.get_marker() == "o") for panel in figure.axes
    )
    assert first.get_color() == second.get_color()
    np.testing.assert_array_equal(first.get_xdata(), second.get_xdata())
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "copula",
        "forest",
        "network",
    ]


def test_printed_accuracies_are_bars_where_they_are_known() -> None:
    figure = plot_accuracy_dots(DOTS, BENCHMARKS, reference={"m = 3": (0.61, 1.0, 0.99)})
    one, three = figure.axes
    assert not one.collections
    heights = [segment[0][1] for segment in three.collections[0].get_segments()]
    assert heights == [0.61, 1.0, 0.99]
    assert figure.legends[0].get_texts()[-1].get_text() == "paper"


def test_rows_of_another_length_are_refused() -> None:
    with pytest.raises(InvalidSettingError, match="must be 2, one for each benchmark, got 3"):
        plot_accuracy_dots(DOTS, BENCHMARKS[:2])
    with pytest.raises(InvalidSettingError, match="must be 3, one for each benchmark, got 1"):
        plot_accuracy_dots(DOTS, BENCHMARKS, reference={"m = 1": (0.5,)})


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(InvalidSettingError, match="panels of plot_lines must hold"):
        plot_lines({}, x_label="m")
    with pytest.raises(InvalidSettingError, match="lines of plot_scaling must hold"):
        plot_scaling({})
    with pytest.raises(InvalidSettingError, match="panels of plot_accuracy_dots must hold"):
        plot_accuracy_dots({}, BENCHMARKS)
