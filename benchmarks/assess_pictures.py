"""Pictures of the page on trust, as SVG text: the same numbers give the same bytes anywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Place = Callable[[float], float]

INK, FAINT, DOT = "#333333", "#cccccc", "#1b6ca8"
LINES = ("#333333", "#1b9e77", "#d95f02", "#1b6ca8")
DASHES = ("none", "6 3", "2 2", "none")
STYLE = f"text{{font:11px sans-serif;fill:{INK}}} .head{{font-weight:bold}} .note{{font-size:10px}}"


@dataclass(frozen=True)
class Reliability:
    """Claimed and true shares of one benchmark, by bin, with intervals and shares of weight."""

    title: str
    note: str
    claimed: Vector
    right: Vector
    low: Vector
    high: Vector
    weight: Vector


@dataclass(frozen=True)
class Curves:
    """Accuracy against the share decided, by ranking."""

    title: str
    lines: Mapping[str, tuple[Vector, Vector]]


@dataclass(frozen=True)
class Panel:
    """Frame with axes; numbers from ``left`` to 1 across and ``bottom`` to 1 upwards."""

    x: float
    y: float
    width: float
    height: float
    left: float
    bottom: float

    def across(self, value: float) -> float:
        """Place of a number on the horizontal axis."""
        return self.x + self.width * (value - self.left) / (1.0 - self.left)

    def upwards(self, value: float) -> float:
        """Place of a number on the vertical axis."""
        return self.y + self.height * (1.0 - (value - self.bottom) / (1.0 - self.bottom))

    def frame(self, xs: Sequence[float], ys: Sequence[float]) -> list[str]:
        """Box, ticks and their numbers."""
        foot, parts = self.y + self.height, []
        for value in ys:
            at = self.upwards(value)
            parts.append(line((self.x, at), (self.x + self.width, at), FAINT))
            parts.append(text(self.x - 4, at + 4, f"{value:g}", anchor="end"))
        for value in xs:
            at = self.across(value)
            parts.append(line((at, foot), (at, foot + 4), INK))
            parts.append(text(at, foot + 16, f"{value:g}", anchor="middle"))
        parts.append(
            f'<rect x="{self.x:.1f}" y="{self.y:.1f}" width="{self.width:.1f}" '
            f'height="{self.height:.1f}" fill="none" stroke="{INK}"/>'
        )
        return parts


def text(x: float, y: float, words: str, *, anchor: str = "start", kind: str = "") -> str:
    """Text element."""
    of_kind = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{of_kind}>{escape(words)}</text>'


def line(
    start: tuple[float, float], end: tuple[float, float], colour: str, dash: str = "none"
) -> str:
    """Line element."""
    (x1, y1), (x2, y2) = start, end
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-dasharray="{dash}"/>'
    )


def document(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    """Whole file, on white."""
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img">\n<title>{escape(title)}</title>\n'
        f"<style>{STYLE}</style>\n"
        f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>\n{body}\n</svg>\n'
    )


def reliability_picture(panels: Sequence[Reliability], columns: int = 5) -> str:
    """Small multiples: share right against probability claimed; on the line, both are the same."""
    parts, side, wide, tall = [], 120.0, 170.0, 190.0
    for at, found in enumerate(panels):
        panel = Panel(40 + wide * (at % columns), 42 + tall * (at // columns), side, side, 0.5, 0.0)
        parts.append(text(panel.x, panel.y - 20, found.title, kind="head"))
        parts.append(text(panel.x, panel.y - 7, found.note, kind="note"))
        parts += panel.frame((0.5, 0.75, 1.0), (0.0, 0.5, 1.0))
        ends = [(panel.across(p), panel.upwards(p)) for p in (0.5, 1.0)]
        parts.append(line(ends[0], ends[1], INK, "3 3"))
        for p, share, low, high, weight in zip(
            found.claimed, found.right, found.low, found.high, found.weight, strict=True
        ):
            x = panel.across(p)
            parts.append(line((x, panel.upwards(low)), (x, panel.upwards(high)), DOT))
            radius = 1.5 + 7.0 * np.sqrt(weight)
            parts.append(
                f'<circle cx="{x:.1f}" cy="{panel.upwards(share):.1f}" r="{radius:.1f}" '
                f'fill="{DOT}" fill-opacity="0.7"/>'
            )
    rows = -(-len(panels) // columns)
    foot = tall * rows + 22
    words = "across: probability claimed, in bins of 0.1; upwards: share right, 95 % interval"
    parts.append(text(40, foot, f"{words}; area: share of the pairs"))
    return document(wide * columns + 10, foot + 14, "Share right against claimed", parts)


def decision_picture(panels: Sequence[Curves]) -> str:
    """Accuracy against the share of decisions, one line for each ranking."""
    parts, wide = [], 400.0
    for at, found in enumerate(panels):
        panel = Panel(44 + wide * at, 30, 330, 220, 0.0, 0.4)
        parts.append(text(panel.x, panel.y - 10, found.title, kind="head"))
        parts += panel.frame((0.0, 0.25, 0.5, 0.75, 1.0), (0.4, 0.6, 0.8, 1.0))
        for (rates, accuracies), colour, dash in zip(
            found.lines.values(), LINES, DASHES, strict=True
        ):
            points = " ".join(
                f"{panel.across(rate):.1f},{panel.upwards(max(0.4, accuracy)):.1f}"
                for rate, accuracy in zip(rates, accuracies, strict=True)
            )
            parts.append(
                f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5" '
                f'stroke-dasharray="{dash}"/>'
            )
    for at, name in enumerate(panels[0].lines):
        x = 44.0 + 150 * at
        parts.append(line((x, 290), (x + 24, 290), LINES[at], DASHES[at]))
        parts.append(text(x + 30, 294, name))
    words = "across: share of the pairs decided; upwards: accuracy among them"
    parts.append(text(44, 316, words))
    return document(wide * len(panels), 330, "Accuracy against the share decided", parts)
