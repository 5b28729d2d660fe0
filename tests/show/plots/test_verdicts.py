"""Plots of verdicts: the picture is honest, the files are stable."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bqcd
from bqcd import Pair, Verdict, decide_pair
from bqcd.errors import InvalidPairError, InvalidSettingError, MissingPackageError
from bqcd.show.plots import plot_verdict
from bqcd.show.views import quantile_curves
from tests.example_pairs import Constant, bent_pair, location_scale_pair, turned
from tests.pictures import ink

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def verdict() -> Verdict:
    return decide_pair(bent_pair())


def texts(figure: object) -> list[str]:
    from matplotlib.text import Text

    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]  # type: ignore[attr-defined]


# ── Picture ──────────────────────────────────────────────────────────────────


def test_panels_show_the_data_both_ways_with_three_curves_each(verdict: Verdict):
    left, right, scores = plot_verdict(verdict).axes
    assert (left.get_xlabel(), left.get_ylabel()) == ("x", "y")
    assert (right.get_xlabel(), right.get_ylabel()) == ("y", "x")
    dots = left.collections[0].get_offsets()
    np.testing.assert_array_equal(dots, np.column_stack([verdict.pair.x, verdict.pair.y]))
    np.testing.assert_array_equal(right.collections[0].get_offsets(), dots[:, ::-1])
    curves = quantile_curves(verdict)
    for panel, way in ((left, curves.y_given_x), (right, curves.x_given_y)):
        for line, expected in zip(panel.lines, way.quantiles.T, strict=True):
            np.testing.assert_array_equal(line.get_xdata(), way.given)
            np.testing.assert_array_equal(line.get_ydata(), expected)
    assert [label.get_text() for label in scores.get_yticklabels()] == [
        "0.113",
        "0.5",
        "0.887",
        "all",
    ]


def test_exchanging_the_columns_exchanges_the_panels(verdict: Verdict):
    one = plot_verdict(verdict).axes
    other = plot_verdict(decide_pair(turned(verdict.pair))).axes
    for mine, yours in ((one[0], other[1]), (one[1], other[0])):
        assert mine.get_title() == yours.get_title()
        assert mine.get_xlim() == yours.get_xlim()
        np.testing.assert_array_equal(
            mine.collections[0].get_offsets(), yours.collections[0].get_offsets()
        )
        for my_line, your_line in zip(mine.lines, yours.lines, strict=True):
            np.testing.assert_array_equal(my_line.get_xydata(), your_line.get_xydata())


def test_chosen_direction_has_the_heavy_frame_and_the_shorter_code(verdict: Verdict):
    assert verdict.direction.value == "->"
    left, right, _ = plot_verdict(verdict).axes
    assert left.get_title() == "x → y: shorter code"
    assert right.get_title() == "y → x: longer code"
    widths = [panel.spines["left"].get_linewidth() for panel in (left, right)]
    assert widths[0] > widths[1]


def test_headline_gives_answer_confidence_and_rows(verdict: Verdict):
    title = plot_verdict(verdict).get_suptitle()
    assert title == f"x → y (leaning, confidence {verdict.confidence:+.4g}; 600 rows)"


def test_a_verdict_within_chance_has_no_arrow_and_no_favoured_panel():
    rng = np.random.default_rng(8)
    x = rng.normal(size=300)
    verdict = decide_pair(Pair(x, x + rng.normal(size=300)))
    assert abs(verdict.confidence) <= verdict.evidence.chance_bound
    figure = plot_verdict(verdict)
    assert figure.get_suptitle().startswith("x — y (cannot tell, confidence -0.0")
    assert {panel.get_title() for panel in figure.axes[:2]} == {
        "x → y: longer code",
        "y → x: shorter code",
    }
    left, right, _ = figure.axes
    assert left.spines["top"].get_linewidth() == right.spines["top"].get_linewidth()


def test_undecided_pair_has_no_favoured_panel():
    x = np.random.default_rng(0).normal(size=300)
    figure = plot_verdict(decide_pair(Pair(x, x)))
    assert figure.get_suptitle() == "x — y (cannot tell, confidence +0; 300 rows)"
    left, right, _ = figure.axes
    assert left.get_title() == "x → y: code of equal length"
    assert left.spines["top"].get_linewidth() == right.spines["top"].get_linewidth()


def test_score_panel_shows_shares_and_the_confidence_of_each_level(verdict: Verdict):
    panel = plot_verdict(verdict).axes[2]
    lengths = verdict.evidence.code_lengths
    drawn = sorted(tuple(line.get_xdata()[:3]) for line in panel.lines[-2:])
    expected = (lengths.y_given_x / lengths.y, lengths.x_given_y / lengths.x)
    assert drawn == sorted(tuple(shares) for shares in expected)
    assert f"{verdict.confidence:+.2g}" in [text.get_text() for text in panel.texts]


def test_small_sample_shows_its_only_level():
    panel = plot_verdict(decide_pair(location_scale_pair(50))).axes[2]
    assert [label.get_text() for label in panel.get_yticklabels()] == ["0.5"]


def test_method_without_quantiles_gets_two_scatters_without_curves(tmp_path: Path):
    verdict = decide_pair(location_scale_pair(200), method=Constant(-0.5))
    figure = plot_verdict(verdict, tmp_path / "plain.png")
    left, right = figure.axes
    assert [left.get_title(), right.get_title()] == ["x → y", "y → x: chosen"]
    assert not left.lines
    assert not right.lines
    assert len(left.collections[0].get_offsets()) == 200
    assert 0.01 < ink(tmp_path / "plain.png") < 0.5


def test_names_are_never_read_as_mathematics(tmp_path: Path):
    pair = location_scale_pair(50, r"_$\frac{a$ & <b>", r"$x_1$ Größe \n")
    figure = plot_verdict(decide_pair(pair), tmp_path / "names.svg")
    shown = texts(figure)
    assert r"_$\frac{a$ & <b>" in shown
    assert any(text.startswith("score of $x_1$") for text in shown)
    from matplotlib.text import Text

    assert not any(
        text.get_parse_math() for text in figure.findobj(Text) if "$x_1$" in text.get_text()
    )


def test_long_names_lose_their_middle_and_keep_their_ends():
    pair = location_scale_pair(50, "mean_temperature_in_the_year_" + "x" * 30 + "_1990", "a\nb\t c")
    left = plot_verdict(decide_pair(pair)).axes[0]
    name = left.get_xlabel()
    assert len(name) == 30
    assert name.startswith("mean_temperature_in")
    assert name.endswith("_1990")
    assert left.get_ylabel() == "a b c"


def test_letters_without_a_glyph_are_drawn_without_a_warning(tmp_path: Path):
    pair = location_scale_pair(50, "\U00013000\U00013001", "y")
    plot_verdict(decide_pair(pair), tmp_path / "signs.png")
    assert 0.01 < ink(tmp_path / "signs.png") < 0.5


def test_what_is_not_seen_is_said_below_the_panels():
    rng = np.random.default_rng(3)
    x = rng.integers(0, 3, 300).astype(float)
    y = rng.normal(size=300) + x
    y[7] = 1e9
    figure = plot_verdict(decide_pair(Pair(x, y)))
    note = "1 point outside the view; tied values are spread a little to be seen"
    assert note in texts(figure)
    assert len(figure.axes[0].collections[0].get_offsets()) == 299


def test_dots_are_larger_in_small_samples():
    def size(n: int) -> float:
        figure = plot_verdict(decide_pair(location_scale_pair(n)))
        return float(figure.axes[0].collections[0].get_sizes()[0])

    assert size(50) > 3 * size(2_000)


def test_range_too_wide_for_an_axis_is_refused():
    pair = location_scale_pair(50)
    verdict = decide_pair(Pair((pair.x - 1.0) * 1.7e308, pair.y))
    with pytest.raises(InvalidPairError, match="must span less than"):
        plot_verdict(verdict)


# ── Files ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf", "PNG"])
def test_same_verdict_gives_the_same_bytes(verdict: Verdict, tmp_path: Path, suffix: str):
    one, other = tmp_path / f"one.{suffix}", tmp_path / f"other.{suffix}"
    verdict.plot(one)
    verdict.plot(str(other))
    assert one.read_bytes() == other.read_bytes()
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix.lower()]
    assert one.read_bytes().startswith(start)


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_many_rows_give_a_density_and_a_small_file(tmp_path: Path, suffix: str):
    path = tmp_path / f"many.{suffix}"
    figure = plot_verdict(decide_pair(location_scale_pair(200_000)), path)
    assert path.stat().st_size < 500_000
    left, right, _ = figure.axes
    assert not left.collections
    counts = left.images[0].get_array()
    assert counts.sum() == 200_000
    np.testing.assert_array_equal(right.images[0].get_array(), counts.T)


def test_figure_without_a_path_writes_nothing(verdict: Verdict, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(verdict.plot().axes) == 3
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["plot.jpg", "plot", "plot.", "png"])
def test_unknown_suffix_is_refused_with_the_known_ones(verdict: Verdict, tmp_path: Path, name: str):
    with pytest.raises(InvalidSettingError, match=r"one of \.png, \.svg, \.pdf, got"):
        plot_verdict(verdict, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_missing_folder_is_named(verdict: Verdict, tmp_path: Path):
    with pytest.raises(InvalidSettingError, match=r"folder that exists, got '.*absent.*plot\.png'"):
        plot_verdict(verdict, tmp_path / "absent" / "plot.png")


def test_missing_matplotlib_is_named_with_the_install_line(verdict: Verdict, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'bqcd\[plots\]'"):
        plot_verdict(verdict)


def test_settings_of_the_user_are_neither_used_nor_changed(verdict: Verdict, tmp_path: Path):
    import matplotlib

    plot_verdict(verdict, tmp_path / "plain.png")
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "black", "text.usetex": True}):
        plot_verdict(verdict, tmp_path / "loud.png")
        assert matplotlib.rcParams["font.size"] == 30
    assert (tmp_path / "plain.png").read_bytes() == (tmp_path / "loud.png").read_bytes()


def test_neither_import_nor_plot_touches_pyplot(tmp_path: Path):
    script = f"""
import sys
import numpy as np
import bqcd.show.plots
assert "matplotlib" not in sys.modules
x = np.random.default_rng(0).normal(size=60)
for suffix in ("png", "svg", "pdf"):
    bqcd.decide(x, x**2).plot(rf"{tmp_path}/plot.{{suffix}}")
assert "matplotlib.figure" in sys.modules
assert "matplotlib.pyplot" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.iterdir())) == 3


def test_plot_leaves_the_global_random_state_alone(verdict: Verdict):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    bqcd.show.plots.plot_verdict(verdict)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
