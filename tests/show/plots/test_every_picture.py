"""What every picture of a benchmark promises: stable files, no pyplot, nothing left behind."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bqcd.show.plots
from bqcd.discovery.code_lengths import compare_codes
from bqcd.errors import InvalidSettingError, MissingPackageError
from bqcd.graphs.partial import PartialGraph
from bqcd.show.plots import (
    QuantilePanel,
    plot_accuracy_dots,
    plot_code_lengths,
    plot_decision_rates,
    plot_gallery,
    plot_graph,
    plot_lines,
    plot_motivation,
    plot_roc,
    plot_scaling,
    plot_sensitivity,
    plot_spider,
    save_figure,
)
from bqcd.show.views import Curves

pytest.importorskip("matplotlib")

X = np.linspace(0.1, 1.0, 8)
ODD = "$x_1$ & <b>"


def codes(**settings: Any) -> Any:
    found = compare_codes("additive", rng=np.random.default_rng(0), sizes=(20, 40), repetitions=2)
    return plot_code_lengths(found, **settings)


def motivation(**settings: Any) -> Any:
    panel = QuantilePanel(ODD, X, X**2, Curves(X, np.stack([X, 2 * X, 3 * X], axis=1)))
    return plot_motivation([panel], **settings)


def spider(**settings: Any) -> Any:
    return plot_spider({"bqcd": X[:4], ODD: X[4:]}, ["a", "b", ODD, "d"], **settings)


def sensitivity(**settings: Any) -> Any:
    dots = {ODD: [(0.1, True), (-0.2, False), (0.0, False)]}
    return plot_sensitivity(dots, title=ODD, x_name=ODD, y_name="b", **settings)


def lines(**settings: Any) -> Any:
    return plot_lines({ODD: {"n = 1": (X, X)}}, x_label=ODD, **settings)


PICTURES: dict[str, Callable[..., Any]] = {
    "plot_accuracy_dots": lambda **k: plot_accuracy_dots({ODD: {ODD: [0.5]}}, [ODD], **k),
    "plot_code_lengths": codes,
    "plot_decision_rates": lambda **k: plot_decision_rates({ODD: (X, X)}, (X, X / 2, X), **k),
    "plot_gallery": lambda **k: plot_gallery([(ODD, [(X, X**2)])], **k),
    "plot_graph": lambda **k: plot_graph(PartialGraph(directed=[(ODD, "b"), ("b", "c")]), **k),
    "plot_lines": lines,
    "plot_motivation": motivation,
    "plot_roc": lambda **k: plot_roc({ODD: (X, X, 0.5)}, **k),
    "plot_scaling": lambda **k: plot_scaling({ODD: (X, X)}, **k),
    "plot_sensitivity": sensitivity,
    "plot_spider": spider,
}
every_picture = pytest.mark.parametrize("draw", PICTURES.values(), ids=PICTURES)


def test_every_picture_is_checked_here():
    offered = {name for name in bqcd.show.plots.__all__ if name.startswith("plot_")}
    assert offered == {*PICTURES, "plot_verdict"}


@every_picture
def test_the_same_picture_is_the_same_bytes(draw, tmp_path: Path):
    one, other = tmp_path / "one.svg", tmp_path / "other.svg"
    draw(path=one)
    draw(path=str(other))
    assert one.read_bytes() == other.read_bytes()
    assert one.stat().st_size > 3_000


def test_a_figure_can_be_saved_later_and_in_several_formats(tmp_path: Path):
    at_once = tmp_path / "once.svg"
    spider(path=at_once)
    figure = spider()
    for suffix in ("pdf", "png", "svg"):
        save_figure(figure, tmp_path / f"later.{suffix}")
    assert (tmp_path / "later.svg").read_bytes() == at_once.read_bytes()
    assert b"CreationDate" not in (tmp_path / "later.pdf").read_bytes()
    with pytest.raises(InvalidSettingError, match=r"one of \.png, \.svg, \.pdf"):
        save_figure(figure, tmp_path / "later.jpg")


@every_picture
def test_nothing_is_written_without_a_path_and_pyplot_stays_away(draw, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = "matplotlib.pyplot" in sys.modules
    assert draw().axes
    assert not list(tmp_path.iterdir())
    assert ("matplotlib.pyplot" in sys.modules) == before


@every_picture
def test_a_path_that_cannot_be_written_is_refused_before_drawing(draw, tmp_path: Path):
    with pytest.raises(InvalidSettingError, match=r"one of \.png, \.svg, \.pdf"):
        draw(path=tmp_path / "picture.jpg")
    with pytest.raises(InvalidSettingError, match="folder that exists"):
        draw(path=tmp_path / "absent" / "picture.png")


@every_picture
def test_names_are_never_read_as_mathematics(draw):
    from matplotlib.text import Text

    figure = draw()
    figure.draw_without_rendering()
    named = [text for text in figure.findobj(Text) if "x_1" in text.get_text()]
    assert named or draw is codes
    assert not any(text.get_parse_math() for text in named)


@every_picture
def test_nothing_is_cut_off_at_the_edges_of_the_page(draw):
    figure = draw()
    figure.draw_without_rendering()
    drawn, page = figure.get_tightbbox(), figure.get_size_inches()
    assert min(drawn.x0, drawn.y0) >= -0.01
    assert drawn.x1 <= page[0] + 0.01
    assert drawn.y1 <= page[1] + 0.01


@every_picture
def test_missing_matplotlib_is_named_with_the_install_line(draw, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'bqcd\[plots\]'"):
        draw()
