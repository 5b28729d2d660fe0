"""Small pictures as SVG, without any script: for notebooks, in light and dark ones alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from bqcd.show.pages.tables import pair_arrow

Content = Mapping[str, Any]

_GRAIN = 1_000
_MOST_DOTS = 400
_WIDTH, _HEIGHT = 300, 200
_BOX = (26, 8, 292, 172)
_HUES = ("#d55e00", "#009e73", "#0072b2")
_SHADES = {
    "0": "#8a939b55", "1": "#7fb9e0", "2": "#3b92cc", "3": "#00659f",
    "a": "#f0b48a", "b": "#e0853f", "c": "#b84d00",
}  # fmt: skip
_TURNED = dict(zip("123abc", "abc123", strict=True))
_MOST_MATRIX = 60


def scatter_sketch(pair: Content, detail: Content, way: str) -> str:
    """Rows of a pair with the curves of one direction, its cause along the foot.

    Parameters
    ----------
    pair, detail : mapping of str to object
        A row of the table of pairs, and what a page tells of it.
    way : {"x_to_y", "y_to_x"}
        Direction.
    """
    points = detail["points"]
    across, up = ("x", "y") if way == "x_to_y" else ("y", "x")
    left, top, right, bottom = _BOX
    step = max(1, -(-len(points["x"]) // _MOST_DOTS))
    dots = "".join(
        f"M{_x(x)} {_y(y)}h0"
        for x, y in zip(points[across][::step], points[up][::step], strict=True)
    )
    name = f"{pair[up]} against {pair[across]}"
    parts = [
        f'<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="currentColor" '
        'opacity=".4"/>',
        f'<path d="{dots}" stroke="currentColor" stroke-width="3.4" stroke-linecap="round" '
        'opacity=".25" fill="none"/>',
        *_curves((detail.get("curves") or {}).get(way)),
        _text((left + right) / 2, _HEIGHT - 10, str(pair[across])),
        _text(13, (top + bottom) / 2, str(pair[up]), turned=True),
    ]
    return _svg(_WIDTH, _HEIGHT, name, "".join(parts))


def pair_sketches(pair: Content, detail: Content) -> str:
    """Both pictures of a pair side by side, the direction of the answer first."""
    if not detail["points"]["x"]:
        return ""
    ways = ["x_to_y", "y_to_x"]
    if pair.get("cause") is not None and pair["cause"] == pair["y"]:
        ways.reverse()
    drawn = (scatter_sketch(pair, detail, way) for way in ways)
    return f"<div>{''.join(drawn)}</div>"


def best_sketches(pairs: Sequence[Content], details: Mapping[str, Any], most: int = 3) -> str:
    """The first pairs that have a direction and a picture, with their arrows."""
    found = [pair for pair in pairs if pair.get("cause") is not None and str(pair["id"]) in details]
    figures = []
    for pair in found[:most]:
        way = "x_to_y" if pair["cause"] == pair["x"] else "y_to_x"
        picture = scatter_sketch(pair, details[str(pair["id"])], way)
        said = escape(f"{pair_arrow(pair)} ({pair['answer']})")
        figures.append(f'<figure class="sketch"><figcaption>{said}</figcaption>{picture}</figure>')
    return f"<div>{''.join(figures)}</div>" if figures else ""


def matrix_sketch(matrix: Content) -> str:
    """Answers of the first columns: a row is the cause where it is blue, else the effect.

    Parameters
    ----------
    matrix : mapping of str to object
        Names and cells, as a report has them.
    """
    names = list(matrix["names"])[:_MOST_MATRIX]
    size = 14 if len(names) <= 30 else 8
    longest = max(len(_short(name)) for name in names) if size == 14 else 0
    edge = 8 + 6.4 * longest
    cells = "".join(
        f'<rect x="{edge + size * j:.0f}" y="{edge + size * i:.0f}" width="{size - 1}" '
        f'height="{size - 1}" fill="{_SHADES[letter]}"/>'
        for i, j, letter in _cells(matrix["cells"], len(matrix["names"]), len(names))
        if letter in _SHADES
    )
    words = "".join(_labels(names, edge, size)) if longest else ""
    whole = edge + size * len(names) + 4
    said = "Matrix of answers: blue where the row is the cause, orange where it is the effect"
    return _svg(whole, whole, said, cells + words)


def _cells(letters: str, of: int, shown: int) -> Iterator[tuple[int, int, str]]:
    for i in range(shown):
        for j in range(i + 1, shown):
            letter = letters[i * of - i * (i + 1) // 2 + j - i - 1]
            yield i, j, letter
            yield j, i, _TURNED.get(letter, letter)


def _labels(names: Sequence[str], edge: float, size: int) -> Iterator[str]:
    for at, name in enumerate(names):
        middle = edge + size * (at + 0.5)
        look = 'font-size="10" fill="currentColor"'
        said = escape(_short(name))
        place = f'x="{edge - 4:.0f}" y="{middle + 3:.0f}" text-anchor="end"'
        yield f"<text {place} {look}>{said}</text>"
        turned = f"translate({middle + 3:.0f} {edge - 4:.0f}) rotate(-90)"
        yield f'<text transform="{turned}" {look}>{said}</text>'


def _curves(curves: Content | None) -> Iterator[str]:
    if not curves:
        return
    for level, hue in zip(curves["levels"], _HUES, strict=False):
        points = zip(curves["at"], level["values"], strict=True)
        path = "".join(f"{'L' if at else 'M'}{_x(x)} {_y(y)}" for at, (x, y) in enumerate(points))
        yield f'<path d="{path}" fill="none" stroke="{hue}" stroke-width="2"/>'


def _x(place: float) -> str:
    return f"{_BOX[0] + (_BOX[2] - _BOX[0]) * place / _GRAIN:.1f}"


def _y(place: float) -> str:
    return f"{_BOX[3] - (_BOX[3] - _BOX[1]) * place / _GRAIN:.1f}"


def _short(name: str) -> str:
    line = " ".join(name.split())
    return line if len(line) <= 18 else f"{line[:12]}…{line[-5:]}"


def _text(x: float, y: float, name: str, *, turned: bool = False) -> str:
    place = (
        f'transform="translate({x:.0f} {y:.0f}) rotate(-90)"'
        if turned
        else f'x="{x:.0f}" y="{y:.0f}"'
    )
    look = 'text-anchor="middle" font-size="12" fill="currentColor"'
    return f"<text {place} {look}>{escape(_short(name))}</text>"


def _svg(width: float, height: float, name: str, inside: str) -> str:
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" '
        f'aria-label="{escape(name)}">{inside}</svg>'
    )
