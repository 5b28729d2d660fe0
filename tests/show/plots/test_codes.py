"""Code lengths in a picture: six panels, and what is in each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bqcd.discovery.code_lengths import MECHANISMS, CodeComparison, compare_codes
from bqcd.errors import InvalidSettingError
from bqcd.show.plots import plot_code_lengths

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def comparisons() -> list[CodeComparison]:
    rng = np.random.default_rng(0)
    return [
        found
        for name in MECHANISMS
        for found in compare_codes(name, rng=rng, sizes=(50, 100, 200), repetitions=3)
    ]


def test_columns_are_levels_and_rows_are_causal_anticausal_and_ratio(comparisons) -> None:
    panels = np.array(plot_code_lengths(comparisons).axes).reshape(3, 2)
    assert [panel.get_title() for panel in panels[0]] == ["level 0.5", "level 0.8"]
    assert panels[0, 0].get_ylabel().startswith("causal code")
    assert panels[1, 0].get_ylabel().startswith("anti-causal code")
    assert panels[2, 0].get_ylabel() == "causal / anti-causal"


def test_lengths_are_drawn_per_row_in_three_parts_for_each_mechanism(comparisons) -> None:
    panels = np.array(plot_code_lengths(comparisons).axes).reshape(3, 2)
    for column, level in enumerate((0.5, 0.8)):
        chosen = [found for found in comparisons if found.level == level]
        for row, way in ((0, "causal"), (1, "anticausal")):
            lines = panels[row, column].lines
            assert len(lines) == 9
            for number, found in enumerate(chosen):
                code = getattr(found, way)
                total, residuals, model = (
                    line.get_ydata() * found.sizes for line in lines[3 * number : 3 * number + 3]
                )
                np.testing.assert_allclose(total, code.total.mean(axis=0))
                np.testing.assert_allclose(residuals, code.residuals.mean(axis=0))
                np.testing.assert_allclose(model, code.model)


def test_all_lengths_and_ratios_are_in_view(comparisons) -> None:
    for panel in plot_code_lengths(comparisons).axes:
        low, high = panel.get_ylim()
        for line in panel.lines:
            assert low <= np.min(line.get_ydata()) <= np.max(line.get_ydata()) <= high


def test_ratios_stand_below_with_a_line_at_one(comparisons) -> None:
    panels = np.array(plot_code_lengths(comparisons).axes).reshape(3, 2)
    for panel, level in zip(panels[2], (0.5, 0.8), strict=True):
        one, *lines = panel.lines
        assert set(one.get_ydata()) == {1.0}
        expected = [found.ratio for found in comparisons if found.level == level]
        for line, ratio in zip(lines, expected, strict=True):
            np.testing.assert_array_equal(line.get_ydata(), ratio)


def test_a_mechanism_has_one_colour_and_a_part_one_dash(comparisons) -> None:
    figure = plot_code_lengths(comparisons)
    lines = figure.axes[0].lines
    assert len({lines[3 * k].get_color() for k in range(3)}) == 3
    assert [line.get_linestyle() for line in lines] == ["-", "--", "--"] * 3
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert set(legend) == {*MECHANISMS, "total", "residuals", "model"}


def test_what_cannot_be_drawn_is_refused(comparisons) -> None:
    with pytest.raises(InvalidSettingError, match="must hold something to draw"):
        plot_code_lengths([])
    fourth = replace(comparisons[0], mechanism="fourth")
    with pytest.raises(InvalidSettingError, match="at most 3 mechanisms"):
        plot_code_lengths([*comparisons, fourth])
