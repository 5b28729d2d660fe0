"""The page on where methods err, and its pictures, from the records alone."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent))

from assess_pictures import document, text

ROOT = Path(__file__).resolve().parents[1]
MAP = ROOT / "benchmarks" / "results" / "errors.json"
REGIONS = ROOT / "benchmarks" / "results" / "regions.json"
TEMPLATE = ROOT / "benchmarks" / "errors_page.md"
PAGE = ROOT / "docs" / "errors.md"
LARGE, SMALL = (ROOT / "docs" / "figures" / f"errors-{name}.svg" for name in ("bqcd", "methods"))
FLAG = "known to err"
# Causes that are positive come first.
POSITIVE = 4
# Cells in which at most, or at least, so many of ten are right.
WRONG, RIGHT = 2, 8
PRODUCT = ("proportional", "factor about 0")

Shares = NDArray[np.float64]


class ErrorMap:
    """Shares of right directions by method: an array of causes, mechanisms and noises."""

    def __init__(self, stored: Mapping[str, Any]) -> None:
        self.stored = stored
        self.causes, self.mechanisms, self.noises = (
            stored[key] for key in ("causes", "mechanisms", "noises")
        )
        shape = len(self.causes), len(self.mechanisms), len(self.noises)
        self.shares = {
            name: np.array(right).reshape(shape) / stored["pairs"]
            for name, right in stored["right"].items()
        }
        self.limited: Shares = self.shares.pop(FLAG)
        self.methods = sorted(self.shares, key=lambda name: -float(self.shares[name].mean()))

    def of_product(self, name: str) -> Shares:
        """Shares on y = x e, by cause."""
        mechanism, noise = (
            kinds.index(kind)
            for kinds, kind in zip((self.mechanisms, self.noises), PRODUCT, strict=True)
        )
        return self.shares[name][:, mechanism, noise]


def read_map() -> ErrorMap:
    """The recorded map."""
    return ErrorMap(json.loads(MAP.read_text(encoding="utf-8")))


# -- pictures ----------------------------------------------------------------------------------


def colour(share: float) -> str:
    """Orange where all are wrong, white for a coin, blue where all are right; eleven steps."""
    level = round(10.0 * share) / 10.0
    end = np.array([213, 94, 0]) if level < 0.5 else np.array([0, 114, 178])
    mixed = 255.0 + abs(2.0 * level - 1.0) * (end - 255.0)
    return "#" + "".join(f"{round(value):02x}" for value in mixed.tolist())


def heat(shares: Shares, x: float, y: float, side: float, gap: float) -> list[str]:
    """Cells of a map: mechanisms downwards, causes across within each noise."""
    places: dict[str, list[str]] = {}
    causes, mechanisms, noises = shares.shape
    for noise in range(noises):
        left = x + noise * (causes * side + gap)
        for cause, mechanism in np.ndindex(causes, mechanisms):
            at = f"M{left + cause * side:g} {y + mechanism * side:g}h{side:g}v{side:g}h-{side:g}z"
            places.setdefault(colour(float(shares[cause, mechanism, noise])), []).append(at)
    stroke = "#eeeeee" if side > 8 else "none"
    return [
        f'<path fill="{fill}" stroke="{stroke}" d="{"".join(cells)}"/>'
        for fill, cells in sorted(places.items())
    ]


def legend(x: float, y: float) -> list[str]:
    """The eleven colours."""
    parts = [text(x, y + 10, "right: none")]
    for step in range(11):
        parts.append(
            f'<rect x="{x + 70 + 16 * step:g}" y="{y:g}" width="16" height="12" '
            f'fill="{colour(step / 10)}" stroke="#cccccc"/>'
        )
    return [*parts, text(x + 252, y + 10, "all of ten pairs")]


def large_picture(found: ErrorMap, names: Sequence[str]) -> str:
    """Few methods with every label."""
    side, gap, left, tall = 14.0, 10.0, 92.0, 178.0
    wide = len(found.causes) * side + gap
    parts: list[str] = []
    for row, name in enumerate(names):
        top = 44 + row * tall
        parts.append(text(left, top - 24, titled(found, name), kind="head"))
        for at, noise in enumerate(found.noises):
            parts.append(text(left + at * wide, top - 6, noise))
        for at, mechanism in enumerate(found.mechanisms):
            parts.append(text(left - 6, top + side * at + 11, mechanism, anchor="end", kind="note"))
        parts += heat(found.shares[name], left, top, side, gap)
    foot = 44 + tall * len(names) - 30
    for noise in range(len(found.noises)):
        for at, cause in enumerate(found.causes):
            x = left + noise * wide + side * at + 10
            parts.append(
                f'<text class="note" text-anchor="end" transform="translate({x:g} {foot:g}) '
                f'rotate(-60)">{cause}</text>'
            )
    parts += legend(left, foot + 84)
    width = left + len(found.noises) * wide
    return document(width, foot + 108, "Where bQCD and the panel are right", parts)


def small_picture(found: ErrorMap, columns: int = 3) -> str:
    """All methods, the one that is right most often first."""
    side, gap, wide, tall = 5.0, 4.0, 282.0, 84.0
    parts: list[str] = []
    for at, name in enumerate(found.methods):
        x, y = 10 + wide * (at % columns), 26 + tall * (at // columns)
        parts.append(text(x, y - 7, titled(found, name), kind="head"))
        parts += heat(found.shares[name], x, y, side, gap)
    foot = 26 + tall * -(-len(found.methods) // columns)
    words = "; ".join(found.noises)
    parts.append(text(10, foot, f"Blocks, from the left: {words}. Within a block, causes across,"))
    parts.append(text(10, foot + 15, "mechanisms downwards, in the order of the first picture."))
    parts += legend(10, foot + 28)
    return document(wide * columns + 4, foot + 50, "Where each method is right", parts)


def titled(found: ErrorMap, name: str) -> str:
    """Name of a method and its share of right directions."""
    return f"{name}: {found.shares[name].mean():.2f}"


# -- tables ------------------------------------------------------------------------------------


def table(heads: Sequence[str], rows: Sequence[tuple[str, Sequence[float]]]) -> str:
    """Shares by row."""
    lines = [
        f"| {name} | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |" for name, cells in rows
    ]
    return "\n".join(["| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|", *lines])


def by_axis(found: ErrorMap, axis: int) -> str:
    """All methods, by what stands along an axis."""
    heads = (found.causes, found.mechanisms, found.noises)[axis]
    others = tuple(at for at in range(3) if at != axis)
    rows = [
        (f"`{name}`", [*found.shares[name].mean(axis=others), found.shares[name].mean()])
        for name in found.methods
    ]
    return table([*heads, "mean"], rows)


def of_bqcd(found: ErrorMap, *, positive: bool) -> str:
    """Mechanisms by noise, of one kind of causes."""
    kept = slice(0, POSITIVE) if positive else slice(POSITIVE, None)
    shares = found.shares["bqcd"][kept].mean(axis=0)
    return table(found.noises, list(zip(found.mechanisms, shares, strict=True)))


def products(found: ErrorMap) -> str:
    """All methods on y = x e."""
    rows = [(f"`{name}`", list(found.of_product(name))) for name in found.methods]
    return table(found.causes, rows)


def flagged(found: ErrorMap) -> str:
    """How often the probability is limited, by how often bQCD is right in a cell."""
    shares, pairs = found.shares["bqcd"], found.stored["pairs"]
    kinds = {
        f"at most {WRONG} of {pairs}": shares <= WRONG / pairs,
        "in between": (shares > WRONG / pairs) & (shares < RIGHT / pairs),
        f"at least {RIGHT} of {pairs}": shares >= RIGHT / pairs,
    }
    lines = [
        f"| {name} | {rows.sum()} | {shares[rows].mean():.2f} | {found.limited[rows].mean():.2f} |"
        for name, rows in kinds.items()
    ]
    head = "| bQCD right in the cell | cells | share right | share of pairs limited |"
    return "\n".join([head, "|---|---|---|---|", *lines])


def claims(stored: Mapping[str, Any]) -> str:
    """Claimed against right with limits and without, families left out."""
    lines = [
        "| | claimed | right | ECE | surer half | clear | leaning | cannot tell |",
        "|---" * 8 + "|",
    ]
    for label, key in (("without limits", "before"), ("with limits", "after")):
        one = stored["families"][key]
        cells = [f"{one[name]:.2f}" for name in ("claimed", "right", "error", "surer_half")]
        cells += [
            f"{one[f'{name}_right']:.2f} of {int(one[name])}"
            for name in ("clear", "leaning", "cannot_tell")
        ]
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def product_claims(stored: Mapping[str, Any]) -> str:
    """The probability claimed on y = x e."""
    rows = [
        (name, [one[key] for key in ("right", "before", "after", "most")])
        for name, one in stored["products"].items()
    ]
    heads = (
        "bQCD right",
        "claimed without limits, median",
        "with limits, median",
        "with limits, most",
    )
    return table(heads, rows)


def worst(found: ErrorMap) -> str:
    """Mechanisms and noises that bQCD gets wrong with nearly every positive or other cause."""
    lines = []
    for label, kept in (("positive", slice(0, POSITIVE)), ("other", slice(POSITIVE, None))):
        shares = found.shares["bqcd"][kept].mean(axis=0)
        cells = [
            (
                float(shares[at]),
                f"{found.mechanisms[at[0]]}, {found.noises[at[1]]} ({shares[at]:.2f})",
            )
            for at in np.ndindex(shares.shape)
            if shares[at] <= WRONG / 10
        ]
        told = "; ".join(words for _, words in sorted(cells)) or "none"
        lines.append(f"- {label} causes: {told}.")
    return "\n".join(lines)


def weakest(found: ErrorMap, name: str) -> str:
    """Mechanism and noise on which a method is right least often, and the mean over its causes."""
    shares = found.shares[name].mean(axis=0)
    mechanism, noise = shares.mean(axis=1), shares.mean(axis=0)
    return (
        f"{found.mechanisms[int(mechanism.argmin())]} ({mechanism.min():.2f}) among the mechanisms "
        f"and {found.noises[int(noise.argmin())]} ({noise.min():.2f}) among the noises"
    )


def page() -> str:
    """docs/errors.md: its text with the numbers of the records."""
    found, regions = read_map(), json.loads(REGIONS.read_text(encoding="utf-8"))
    cells = found.shares["bqcd"]
    families = regions["families"]
    return TEMPLATE.read_text(encoding="utf-8").format(
        n_cells=cells.size,
        pairs=found.stored["pairs"],
        fewer=found.stored["fewer"]["panel"],
        rows=f"{found.stored['rows']:,}",
        weights=found.stored["panel"],
        bqcd=f"{cells.mean():.2f}",
        panel=f"{found.shares['panel'].mean():.2f}",
        margins=f"{found.shares['margins'].mean():.2f}",
        n_wrong=int((cells <= WRONG / 10).sum()),
        n_right=int((cells >= RIGHT / 10).sum()),
        by_noise=by_axis(found, 2),
        by_mechanism=by_axis(found, 1),
        by_cause=by_axis(found, 0),
        positive=of_bqcd(found, positive=True),
        other=of_bqcd(found, positive=False),
        worst=worst(found),
        weakest=weakest(found, "panel"),
        products=products(found),
        flagged=flagged(found),
        learned=f"{regions['learned_from']:,}",
        asked=families["pairs"],
        known=families["known_to_err"],
        known_right=f"{families['known_right']:.2f}",
        claims=claims(regions),
        product_claims=product_claims(regions),
    )


def write_page() -> None:
    """Page and pictures."""
    found = read_map()
    LARGE.write_text(large_picture(found, ("bqcd", "panel")), encoding="utf-8")
    SMALL.write_text(small_picture(found), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
