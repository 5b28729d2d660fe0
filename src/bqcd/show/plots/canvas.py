"""What all pictures share: the style, the palette, text that fits, and the file."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bqcd.errors import InvalidSettingError
from bqcd.runtime.arrays import Vector
from bqcd.runtime.atomic import write_whole
from bqcd.runtime.optional import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


# What each file format is told so that the same picture is the same bytes: no dates.
FILE_METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}

INK, GREY, PALE = "#222222", "#767676", "#c4c4c4"
# Okabe and Ito's palette, assigned as in the paper: red is low, green the median, blue high.
CURVE_COLOURS = ("#d55e00", "#009e73", "#0072b2")
DASHES = ((0, (4, 1.2)), "-", (0, (4, 1.2)))
LONGEST_NAME = 30
# Dots per inch at which a notebook shows a figure.
_SHOWN_DPI = 80
# The colour of what a picture is about, and those of what it is compared with.
STRONG = "#0072b2"
COLOURS = ("#d55e00", "#009e73", "#cc79a7", "#c98a00", "#3d9bd6", "#5c5c5c")
LINE_STYLES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)))

_FALLBACK_FONTS = (
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Hiragino Sans",
    "Yu Gothic",
    "Microsoft YaHei",
    "Arial Unicode MS",
)


def matplotlib_module(submodule: str = "") -> ModuleType:
    """Module ``matplotlib.<submodule>``, or matplotlib itself."""
    name = f"matplotlib.{submodule}" if submodule else "matplotlib"
    return require(name, extra="plots", needed_by="A plot")


def finished_figure(draw: Callable[[], Figure], path: str | Path | None) -> Figure:
    """Figure that ``draw`` makes in the house style; saved if a path is given.

    Parameters
    ----------
    draw : callable
        Makes the figure, without pyplot.
    path : str, Path or None
        File to write: ``.png``, ``.svg`` or ``.pdf``. It is checked before anything is
        drawn. The same picture gives the same bytes.

    Raises
    ------
    InvalidSettingError
        If the suffix is another one, or the folder does not exist.
    MissingPackageError
        If matplotlib is not installed.
    """
    if path is not None:
        _checked_suffix(Path(path))
    with _house_style():
        figure = draw()
    if path is not None:
        save_figure(figure, path)
    return figure


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure to a file whole or not at all, the same bytes for the same figure.

    Parameters
    ----------
    figure : Figure
        What a function of this package returned.
    path : str or Path
        File to write: ``.png``, ``.svg`` or ``.pdf``.

    Raises
    ------
    InvalidSettingError
        If the suffix is another one, or the folder does not exist.
    """
    suffix = _checked_suffix(Path(path))
    # Encoders of pictures that meet a full disk themselves do not tell the reason.
    write_whole(path, picture_bytes(figure, suffix))


def picture_bytes(figure: Figure, suffix: str, *, dpi: int = 150) -> bytes:
    """Bytes of a file of a figure, the same for the same figure.

    Parameters
    ----------
    figure : Figure
        What a function of this package returned.
    suffix : {"png", "svg", "pdf"}
        Kind of file.
    dpi : int, default=150
        Dots per inch of a picture in dots.
    """
    picture = BytesIO()
    with _house_style():
        _settle(figure)
        figure.savefig(picture, format=suffix, dpi=dpi, metadata=FILE_METADATA[suffix])
    return picture.getvalue()


@contextmanager
def _house_style() -> Iterator[None]:
    """Our settings instead of the user's, and no warnings of glyphs."""
    matplotlib = matplotlib_module()
    with matplotlib.rc_context(_style()), warnings.catch_warnings():
        # A name in a script that no installed font knows is drawn as boxes.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def empty_figure(width: float, height: float, *, foot: float = 0.0) -> Figure:
    """Figure of a size in inches whose panels arrange themselves above a strip of ``foot``."""
    share = foot / height
    engine = matplotlib_module("layout_engine").ConstrainedLayoutEngine(
        rect=(0.005, share, 0.99, 0.995 - share)
    )
    return new_figure(figsize=(width, height), layout=engine)


def new_figure(**options: Any) -> Figure:
    """Figure without pyplot that shows itself in a notebook, whatever magic was called there.

    Parameters
    ----------
    **options
        Of matplotlib's ``Figure``.
    """
    return _picture_class()(**options)


@cache
def _picture_class() -> type[Figure]:
    """Class of figures; made when needed, as matplotlib may not be there."""

    class Picture(matplotlib_module("figure").Figure):  # type: ignore[misc]
        """Figure with a picture of its own for notebooks."""

        def _repr_png_(self) -> tuple[bytes, dict[str, float]]:
            """Bytes of a file with two dots per point, and the size it is shown at."""
            width, height = (_SHOWN_DPI * side for side in self.get_size_inches())
            size = {"width": round(width), "height": round(height)}
            return picture_bytes(self, "png", dpi=2 * _SHOWN_DPI), size

        def __reduce__(self) -> tuple[Any, ...]:
            return _unpickled, (), self.__getstate__()

    return Picture


def _unpickled() -> Figure:
    kind = _picture_class()
    return kind.__new__(kind)


def line_looks(names: Iterable[str], emphasised: str | None) -> dict[str, dict[str, Any]]:
    """How each line is drawn: one heavy, the others thin, each in a look of its own."""
    looks: dict[str, dict[str, Any]] = {}
    names = list(names)
    width = 1.2 if emphasised in names else 1.6
    for name in names:
        if name == emphasised:
            looks[name] = {"color": STRONG, "linestyle": "-", "linewidth": 2.6, "zorder": 5}
            continue
        number = len(looks) - (emphasised in looks)
        looks[name] = {
            "color": COLOURS[number % len(COLOURS)],
            "linestyle": LINE_STYLES[number // len(COLOURS) % len(LINE_STYLES)],
            "linewidth": width,
            "zorder": 3,
        }
    return looks


def label_ends(
    panel: Axes, ends: dict[str, float], looks: dict[str, dict[str, Any]], *, rows: int = 1
) -> None:
    """Name of each line to the right of the panel, at its end or as near as others let it.

    Parameters
    ----------
    panel : Axes
        Panel whose limits are final.
    ends : dict
        Height at which each line leaves the panel.
    looks : dict
        How each line is drawn.
    rows : int, default=1
        Number of panels above each other.
    """
    if not ends:
        return
    place = panel.transData + panel.transAxes.inverted()
    right = panel.get_xlim()[1]
    wanted = [float(place.transform((right, height))[1]) for height in ends.values()]
    # A line of text takes about 12 of the 72 points of an inch.
    gap = rows * 12.0 / 72.0 / (0.8 * panel.figure.get_figheight())  # type: ignore[union-attr]
    for name, at, shown in zip(ends, wanted, spread(wanted, gap), strict=True):
        heavy = looks[name]["linewidth"] > 2.0
        panel.annotate(
            short_name(name),
            xy=(1.0, at),
            xytext=(1.06, shown),
            xycoords="axes fraction",
            textcoords="axes fraction",
            va="center",
            color=looks[name]["color"],
            fontsize=9.5 if heavy else 8.5,
            fontweight="bold" if heavy else "normal",
            arrowprops={
                "arrowstyle": "-",
                "color": PALE,
                "linewidth": 0.7,
                "relpos": (0.0, 0.5),
                "shrinkA": 1.0,
                "shrinkB": 0.0,
            },
            parse_math=False,
        )


def spread(places: ArrayLike, gap: float) -> Vector:
    """Places in [0, 1] at least ``gap`` apart, in the same order and as near as can be."""
    from scipy.optimize import isotonic_regression

    wanted = np.asarray(places, dtype=np.float64)
    steps = min(gap, 1.0 / max(1, len(wanted) - 1)) * np.arange(len(wanted))
    order = np.argsort(wanted, kind="stable")
    level = isotonic_regression(wanted[order] - steps).x
    found = np.empty_like(wanted)
    found[order] = np.clip(level, 0.0, 1.0 - steps[-1]) + steps
    return found


def add_foot_legend(figure: Figure, handles: list[Line2D], columns: int | None = None) -> None:
    """Legend below the panels, in the strip that was left for it, if it has entries."""
    if not handles:
        return
    legend = figure.legend(
        handles=handles,
        loc="lower center",
        bbox_to_anchor=(0.5, 0.0),
        frameon=False,
        ncols=columns or len(handles),
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def legend_line(label: str, **look: Any) -> Line2D:
    """Entry of a legend."""
    line: Line2D = matplotlib_module("lines").Line2D([], [], label=label, **look)
    return line


def check_drawable(owner: str, name: str, given: Sized) -> None:
    """Refuse to draw nothing."""
    if not len(given):
        raise InvalidSettingError(f"{name} of {owner} must hold something to draw, got {given!r}.")


def clean_frame(panel: Axes) -> None:
    """Leave out the frame at the top and on the right."""
    panel.spines[["top", "right"]].set_visible(False)


def short_name(name: str, longest: int = LONGEST_NAME) -> str:
    """Name on one line, without its middle if it is long."""
    line = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    if len(line) <= longest:
        return line
    tail = longest // 3
    return f"{line[: longest - tail - 1]}…{line[-tail:]}"


def _settle(figure: Figure) -> None:
    """Fix the layout, whose solver leaves the last bits to chance, in rounded numbers."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for panel in figure.axes:
        left, bottom, width, height = panel.get_position().bounds
        panel.set_position((round(left, 6), round(bottom, 6), round(width, 6), round(height, 6)))
    for text in figure.texts:
        x, y = text.get_position()
        text.set_position((round(x, 6), round(y, 6)))


def _checked_suffix(path: Path) -> str:
    suffix = path.suffix.lower().removeprefix(".")
    if suffix not in FILE_METADATA:
        allowed = ", ".join(f".{known}" for known in FILE_METADATA)
        raise InvalidSettingError(
            f"path of a plot must end in one of {allowed}, got {str(path)!r}."
        )
    if not path.parent.is_dir():
        raise InvalidSettingError(
            f"path of a plot must be in a folder that exists, got {str(path)!r}."
        )
    return suffix


def _style() -> dict[str, Any]:
    """Settings that hold while a figure is made, whatever the user's own are."""
    installed = {font.name for font in matplotlib_module("font_manager").fontManager.ttflist}
    return {
        "text.usetex": False,
        "font.family": ["DejaVu Sans", *(name for name in _FALLBACK_FONTS if name in installed)],
        "font.size": 9.5,
        "axes.titlesize": 10.5,
        "axes.labelsize": 10,
        "axes.edgecolor": PALE,
        "axes.facecolor": "white",
        "axes.labelcolor": INK,
        "axes.grid": False,
        "figure.facecolor": "white",
        "savefig.facecolor": "white",
        "text.color": INK,
        "xtick.color": GREY,
        "ytick.color": GREY,
        "pdf.fonttype": 42,
        "svg.fonttype": "path",
        "svg.hashsalt": "bqcd",
    }
