"""Pairs made coarse in many ways, and what the panel claims of them before and after limits.

The rule of :mod:`bqcd.methods.coarseness` was chosen on some 700 pairs of the first half of the
families, of other numbers than those drawn here, and on nothing else. The second half was left out.
A pair follows from its half and number alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent / "panel"))

from causes import drawn_cause
from families import COMMON, FAMILIES
from mechanisms import drawn_mechanism, standardised
from noises import drawn_noise

from benchmarks.problem_pairs import gaussian, grades, parabolas
from bqcd.assessments.dependence import NO_EVIDENCE, dependence_of
from bqcd.assessments.holding import held_back
from bqcd.data.pair import Pair
from bqcd.errors import BqcdError
from bqcd.methods.answers import BARS
from bqcd.methods.coarseness import COARSE
from bqcd.methods.decide import decide_pair
from bqcd.methods.one_grid import pair_on_one_grid

Vector = NDArray[np.float64]
Columns = tuple[Vector, Vector]
Draw = Callable[[int, Generator], Columns]

HALVES = ("chosen on", "left out")
ROWS = (100, 300, 1000, 3000)
VALUES = (2, 3, 5, 7, 10, 15, 20, 30, 50, 100, 200)
SIDES = ("cause", "effect", "both alike", "both, one coarser")
_SIDE_WEIGHTS = (0.35, 0.35, 0.15, 0.15)
_DIRECTED = 0.55
_SEED = 2031


def linear(n: int, rng: Generator) -> Columns:
    """Linear Gaussian columns of any strength and sign."""
    return gaussian(rng, n, rng.uniform(0.3, 0.95) * rng.choice([-1.0, 1.0]))


def exchanged(family: str) -> Draw:
    """Columns of a family, exchanged in every second row: the same from both sides."""

    def draw(n: int, rng: Generator) -> Columns:
        x, y = (standardised(one).clip(-6.0, 6.0) for one in FAMILIES[family](n, rng))
        turned = rng.random(n) < 0.5
        return np.where(turned, x, y), np.where(turned, y, x)

    return draw


def uniform(n: int, rng: Generator) -> Columns:
    """Linear Gaussian columns by their ranks."""
    from scipy.special import ndtr

    x, y = linear(n, rng)
    return ndtr(x), ndtr(y)


def student(n: int, rng: Generator) -> Columns:
    """Linear columns with a factor in common: heavy tails."""
    x, y = gaussian(rng, n, rng.uniform(0.3, 0.95))
    factor = np.sqrt(rng.chisquare(4.0, n) / 4.0)
    return x / factor, y / factor


def lognormal(n: int, rng: Generator) -> Columns:
    """Exponents of linear Gaussian columns."""
    x, y = linear(n, rng)
    size = rng.uniform(0.3, 1.0)
    return np.exp(size * x), np.exp(size * y)


def laplace(n: int, rng: Generator) -> Columns:
    """A hidden cause and noises, all Laplace."""
    z, a, b = rng.laplace(size=(3, n))
    size = rng.uniform(0.3, 1.5)
    return z + size * a, z + size * b


def twins(n: int, rng: Generator) -> Columns:
    """The same function of a hidden cause, with noise of the same size."""
    signal = standardised(drawn_mechanism(drawn_cause(n, rng)[1], rng)[1])
    size = rng.uniform(0.2, 1.5)
    noise = standardised(drawn_noise(n, rng)[1])
    return signal + size * noise, signal + size * rng.permutation(noise)


CHANCE: tuple[Mapping[str, Draw], ...] = (
    {
        "linear Gaussian": linear,
        "two parabolas": lambda n, rng: parabolas(rng, n),
        "uniform": uniform,
        "additive, exchanged": exchanged("additive"),
        "product, exchanged": exchanged("product"),
        "common plain": COMMON["common plain"],
    },
    {
        "Student": student,
        "lognormal": lognormal,
        "Laplace": laplace,
        "twins": twins,
        "curved, exchanged": exchanged("curved"),
        "living, exchanged": exchanged("living"),
        "common classes": COMMON["common classes"],
    },
)
"""Families without a direction, by half."""

_FIRST = ("additive", "curved", "product", "reexpressed", "surface", "laws", "frontier", "seasonal",
          "shared", "living", "network")  # fmt: skip
DIRECTED: tuple[Mapping[str, Draw], ...] = (
    {name: FAMILIES[name] for name in _FIRST},
    {name: draw for name, draw in FAMILIES.items() if name not in _FIRST},
)
"""Families in which the first column is the cause, by half."""


def by_quantiles(column: Vector, count: int, rng: Generator) -> Vector:
    """Numbers of grades of equal size."""
    return grades(column, count)


def by_width(column: Vector, count: int, rng: Generator) -> Vector:
    """Numbers of classes of equal width; the first and the last are open."""
    low, high = np.quantile(column, [0.01, 0.99])
    return np.floor((column.clip(low, high) - low) / (high - low) * count).clip(0, count - 1)


def rounded(column: Vector, count: int, rng: Generator) -> Vector:
    """Values to a step of which so many make up the range."""
    low, high = np.quantile(column, [0.01, 0.99])
    step = (high - low) / count
    return np.round(column / step) * step


def with_zeros(column: Vector, count: int, rng: Generator) -> Vector:
    """None at all below a threshold; the others stay as they are."""
    return np.maximum(column - np.quantile(column, rng.uniform(0.15, 0.8)), 0.0)


def piled(column: Vector, count: int, rng: Generator) -> Vector:
    """Classes of equal width of what is cut off at one end, as a scale with a ceiling does."""
    turn = 1.0 if rng.random() < 0.5 else -1.0
    low, high = np.quantile(turn * column, [0.01, 1.0 - rng.uniform(0.12, 0.5)])
    shares = ((turn * column).clip(low, high) - low) / (high - low)
    return np.asarray(turn * np.floor(shares * count).clip(0, count - 1))


def counted(column: Vector, count: int, rng: Generator) -> Vector:
    """Whole numbers that grow with the exponent of the column, by Poisson or cut off."""
    size = np.exp(rng.uniform(0.3, 0.9) * standardised(column).clip(-4.0, 4.0))
    size *= count / np.quantile(size, 0.99)
    return rng.poisson(size).astype(np.float64) if rng.random() < 0.5 else np.floor(size)


KINDS: Mapping[str, Callable[[Vector, int, Generator], Vector]] = MappingProxyType(
    {
        "grades of equal size": by_quantiles,
        "classes of equal width": by_width,
        "rounded": rounded,
        "many zeros": with_zeros,
        "counts": counted,
        "piled at an end": piled,
    }
)
"""How columns are made coarse."""


@dataclass(frozen=True)
class CoarsePair:
    """A pair, the same before it was made coarse, and how that was done.

    Parameters
    ----------
    directed : bool
        Whether the first column is the cause; else there is no direction.
    kind, side : str
        How, and which column.
    pair, fine : Pair
        After and before.
    """

    directed: bool
    kind: str
    side: str
    pair: Pair
    fine: Pair

    @property
    def groups(self) -> tuple[str, ...]:
        """All groups that the pair counts in."""
        n, fewest = len(self.pair), min(len(np.unique(c)) for c in (self.pair.x, self.pair.y))
        edges = (2, 5, 10, 30, 100, 300)
        low, high = (
            max((edge + 1 for edge in edges if edge < fewest), default=2),
            min((edge for edge in edges if edge >= fewest), default=None),
        )
        values = f"{low} or more values" if high is None else f"{low} to {high} values"
        values = "2 values" if high == 2 else values
        return "all", self.kind, f"coarse: {self.side}", values, f"{n:,} rows"


def drawn(half: int, number: int) -> CoarsePair | None:
    """Pair of that number; None if it has no link that can be seen, or does not vary."""
    rng = default_rng([_SEED, half, number])
    directed, n = bool(rng.random() < _DIRECTED), int(rng.choice(ROWS))
    source = (DIRECTED if directed else CHANCE)[half]
    with np.errstate(all="ignore"):
        x, y = source[str(rng.choice(list(source)))](n, rng)
        kind, side = str(rng.choice(list(KINDS))), str(rng.choice(SIDES, p=_SIDE_WEIGHTS))
        count = int(rng.choice([one for one in VALUES if one <= n // 2]))
        first, second = _made_coarse((x, y), KINDS[kind], side, count, rng)
    if not directed and rng.random() < 0.5:
        x, y, first, second = y, x, second, first
    try:
        made = CoarsePair(directed, kind, side, Pair(first, second), Pair(x, y))
    except BqcdError:
        return None
    return None if dependence_of(made.pair).p_value > NO_EVIDENCE else made


def _made_coarse(
    columns: Columns,
    make: Callable[[Vector, int, Generator], Vector],
    side: str,
    count: int,
    rng: Generator,
) -> Columns:
    x, y = columns
    if side == "cause":
        return make(x, count, rng), y
    if side == "effect":
        return x, make(y, count, rng)
    counts = (count, count) if side == "both alike" else (count, 4 * count)
    if rng.random() < 0.5:
        counts = counts[::-1]
    return make(x, counts[0], rng), make(y, counts[1], rng)


@dataclass(frozen=True)
class _Claims:
    """Claims on one pair: before it was coarse, as it is, and what limits leave of it.

    "old" is what the rule before this one left: both columns on one grid wherever half of the
    values repeat.
    """

    fine: float
    before: float
    after: float
    old: float
    right: bool


def _claims(made: CoarsePair) -> _Claims:
    verdict = decide_pair(made.pair, method="panel")
    claimed = 0.5 * (1.0 + abs(verdict.confidence))
    held = held_back(verdict)
    fine = abs(decide_pair(made.fine, method="panel").confidence)
    left = claimed if held is None else held.most
    old = _by_old_rule(made.pair, verdict.confidence)
    return _Claims(0.5 * (1.0 + fine), claimed, left, old, verdict.confidence > 0.0)


def _by_old_rule(pair: Pair, confidence: float) -> float:
    claimed = 0.5 * (1.0 + abs(confidence))
    if min(len(np.unique(column)) for column in (pair.x, pair.y)) > COARSE * len(pair):
        return claimed
    changed = pair_on_one_grid(pair)
    again = 0.0 if changed is None else decide_pair(changed, method="panel").confidence
    return min(claimed, 0.5 * (1.0 + abs(again))) if again * confidence > 0.0 else 0.5


def measured(half: int, pairs: int) -> Iterator[dict[str, Any]]:
    """Claims against what is right, for every group of pairs of one half."""
    groups: dict[str, list[tuple[bool, _Claims]]] = {}
    for made in filter(None, (drawn(half, number) for number in range(pairs))):
        claims = _claims(made)
        for group in made.groups:
            groups.setdefault(group, []).append((made.directed, claims))
    for group, found in groups.items():
        chance = [claims for directed, claims in found if not directed]
        real = [claims for directed, claims in found if directed]
        if chance and real:
            yield {"families": HALVES[half], "group": group, **_of_chance(chance), **_of_real(real)}


def _of_chance(found: Sequence[_Claims]) -> dict[str, float]:
    told: dict[str, float] = {"chance": len(found)}
    for when in ("fine", "before", "after"):
        claims = np.array([getattr(one, when) for one in found])
        told[f"chance_{when}_clear"] = _mean(claims >= BARS.clear)
        told[f"chance_{when}_told"] = _mean(claims >= BARS.leaning)
    return told


def _of_real(found: Sequence[_Claims]) -> dict[str, float]:
    right = np.array([one.right for one in found], dtype=bool)
    told: dict[str, float] = {"directed": len(found), "right": _mean(right)}
    for when in ("before", "after", "old"):
        claims = np.array([getattr(one, when) for one in found])
        known = claims >= BARS.leaning
        told[f"{when}_claimed"] = _mean(claims)
        told[f"{when}_told"] = _mean(known)
        told[f"{when}_told_right"] = _mean(known & right)
    return told


def _mean(values: NDArray[Any]) -> float:
    return round(float(values.mean()), 3)
