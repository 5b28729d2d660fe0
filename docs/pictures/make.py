"""The picture of the front page: `make pictures` writes docs/figures/answer.svg.

Rows of a crash with quantile curves at three levels, both ways. It is drawn for a phone and follows
the colours of whoever looks at it, light or dark: as an image by what the system prefers, within
the site by the button of its theme (docs/_static/site.css).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import bqcd
from bqcd.show.views import DRAWN_LEVELS, Curves, quantile_curves

FILE = Path(__file__).parents[1] / "figures" / "answer.svg"
WIDTH, PANEL, GAP, LEFT = 400, 190, 62, 12

STYLE = """
.answer { --ink: #1f2328; --soft: #59636e; --dots: #59636e; --causal: #0b5d8a; --other: #a8480f;
  font: 14px system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { .answer { --ink: #e6edf3; --soft: #9aa4af; --dots: #9aa4af;
  --causal: #6cb8e6; --other: #f0a36b; } }
.answer text { fill: var(--ink); } .answer .soft { fill: var(--soft); }
.answer circle { fill: var(--dots); fill-opacity: 0.55; }
.answer polyline { fill: none; stroke-width: 2; stroke-linejoin: round; }
.answer .causal { stroke: var(--causal); } .answer .other { stroke: var(--other); }
.answer .outer { stroke-dasharray: 5 4; }
.answer .frame { fill: none; stroke: var(--soft); stroke-opacity: 0.4; }
"""


class Panel:
    """A frame into which values of two columns are mapped."""

    def __init__(self, x: np.ndarray, y: np.ndarray, top: int) -> None:
        self._x, self._y, self._top = (x.min(), x.max()), (y.min(), y.max()), top

    def points(self, x: np.ndarray, y: np.ndarray) -> list[tuple[float, float]]:
        """Where values lie in the picture."""
        room = WIDTH - 2 * LEFT - 16
        across = LEFT + 8 + room * (x - self._x[0]) / (self._x[1] - self._x[0])
        share = np.clip((y - self._y[0]) / (self._y[1] - self._y[0]), 0.0, 1.0)
        down = self._top + PANEL - 8 - (PANEL - 16) * share
        return [(round(a, 1), round(b, 1)) for a, b in zip(across, down, strict=True)]


def drawn() -> str:
    """The picture as text."""
    crash = bqcd.load_table("mcycle")
    verdict = bqcd.decide("milliseconds", "acceleration", table=crash)
    curves = quantile_curves(verdict)
    lengths = verdict.evidence.code_lengths
    x, y = verdict.pair.x, verdict.pair.y
    first = _panel(
        26,
        "milliseconds → acceleration",
        f"code length {lengths.x_to_y:.3f}: shorter, so this way",
        "causal",
        (x, y, curves.y_given_x),
    )
    second = _panel(
        26 + PANEL + GAP,
        "acceleration → milliseconds",
        f"code length {lengths.y_to_x:.3f}",
        "other",
        (y, x, curves.x_given_y),
    )
    height = 26 + 2 * PANEL + GAP + 56
    levels = ", ".join(f"{level:g}" for level in DRAWN_LEVELS)
    told = (
        "Head acceleration against time in a crash, with quantile curves at three levels, both "
        "ways: the way from time to acceleration has the shorter code."
    )
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" class="answer" role="img" '
            f'viewBox="0 0 {WIDTH} {height}" aria-labelledby="answer-title">',
            f'<title id="answer-title">{told}</title>',
            f"<style>{STYLE}</style>",
            *first,
            *second,
            f'<text class="soft" x="{LEFT}" y="{height - 6}">quantiles at {levels}; '
            f"{len(verdict.pair)} rows</text>",
            "</svg>",
            "",
        ]
    )


def _panel(
    top: int, title: str, note: str, look: str, shown: tuple[np.ndarray, np.ndarray, Curves]
) -> list[str]:
    given, target, curves = shown
    panel = Panel(given, target, top)
    lines = [f'<text x="{LEFT}" y="{top - 8}" font-weight="600">{title}</text>']
    lines.append(
        f'<rect class="frame" x="{LEFT}" y="{top}" width="{WIDTH - 2 * LEFT}" height="{PANEL}"/>'
    )
    lines += [f'<circle cx="{a}" cy="{b}" r="2.2"/>' for a, b in panel.points(given, target)]
    middle = len(DRAWN_LEVELS) // 2
    for at in range(len(DRAWN_LEVELS)):
        # Every second point is enough at this size.
        line = panel.points(curves.given[::2], curves.quantiles[::2, at])
        places = " ".join(f"{a},{b}" for a, b in line)
        outer = "" if at == middle else " outer"
        lines.append(f'<polyline class="{look}{outer}" points="{places}"/>')
    lines.append(f'<text class="soft" x="{LEFT}" y="{top + PANEL + 20}">{note}</text>')
    return lines


def main() -> None:
    """Write the picture."""
    FILE.write_text(drawn(), encoding="utf-8")


if __name__ == "__main__":
    main()
