"""Coarse columns and the size of a confidence: how often ``decide`` leans where nothing is known.

Linear Gaussian pairs have no direction. If a column is recorded coarsely, bQCD takes it for the
cause, and no more rows make that go away: the limit that a confidence must exceed has a part for it
(:func:`bqcd.discovery.evidence.coarse_allowance`). Its two constants were chosen on the first half
of the kinds of coarse columns, up to 100,000 rows; the second half was drawn when they stood.
Before there was a formula, 3, 5 and 10 grades and rounding to 1 of that half had been looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any
from zlib import crc32

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from benchmarks.problem_pairs import gaussian
from bqcd.benchmark.datasets.generators import make_generator
from bqcd.data.pair import Pair
from bqcd.discovery.evidence import QuantileEvidence, chance_bound
from bqcd.methods.decide import decide_pair
from bqcd.methods.verdict import Verdict

Vector = NDArray[np.float64]
Make = Callable[[Vector, Generator], Vector]

HALVES = ("chosen on", "left out")
ROWS: Mapping[int, float] = MappingProxyType(
    {100: 1.0, 300: 1.0, 1000: 1.0, 5000: 0.4, 20_000: 0.1}
)
"""Rows of a pair, and how many are drawn, as a share of what is asked for."""

CORRELATIONS = (0.2, 0.5, 0.8, 0.95)
SIDES = ("one", "both alike", "both, differently")
MODELS: Mapping[str, str] = MappingProxyType(
    {"AN": "additive", "LS": "location and scale", "MN-U": "multiplicative"}
)


def _at_shares(column: Vector, rng: Generator, shares: tuple[float, ...]) -> Vector:
    cuts = np.quantile(column, np.cumsum(shares)[:-1])
    return np.searchsorted(cuts, column).astype(np.float64)


def _at_random(column: Vector, rng: Generator, count: int) -> Vector:
    return _at_shares(column, rng, tuple(rng.dirichlet(np.ones(count))))


def _zeros(column: Vector, rng: Generator, share: float) -> Vector:
    return np.maximum(column, np.quantile(column, share))


def _middle(column: Vector, rng: Generator, share: float) -> Vector:
    low, high = np.quantile(column, [0.5 - 0.5 * share, 0.5 + 0.5 * share])
    return np.where((column > low) & (column < high), 0.5 * (low + high), column)


def _classes(column: Vector, rng: Generator, count: int, piled: float = 0.01) -> Vector:
    low, high = np.quantile(column, [0.01, 1.0 - piled])
    return np.floor((column.clip(low, high) - low) / (high - low) * count).clip(0, count - 1)


def _rounded(column: Vector, rng: Generator, step: float) -> Vector:
    return np.round(column / (step * column.std()))


def _grades(*counts: int) -> dict[str, Make]:
    return {
        f"{count} grades": partial(_at_shares, shares=(1.0 / count,) * count) for count in counts
    }


def _unequal(*shares: tuple[float, ...]) -> dict[str, Make]:
    named = {f"groups of {' : '.join(f'{100 * one:.0f}' for one in each)}": each for each in shares}
    return {name: partial(_at_shares, shares=each) for name, each in named.items()}


def _shares(what: str, make: Callable[..., Vector], *shares: float) -> dict[str, Make]:
    return {
        f"{share:.0%} {what}".replace("%", " %"): partial(make, share=share) for share in shares
    }


def _random(*counts: int) -> dict[str, Make]:
    return {f"{count} groups at random": partial(_at_random, count=count) for count in counts}


KINDS: tuple[Mapping[str, Make], ...] = (
    {
        **_grades(2, 4, 7, 20),
        **_unequal((0.9, 0.1), (0.7, 0.2, 0.1), (0.25, 0.5, 0.25)),
        **_shares("zeros", _zeros, 0.2, 0.5, 0.8),
        **_shares("in the middle", _middle, 0.6, 0.8),
        **_random(4, 8),
        "3 classes": partial(_classes, count=3),
        "6 classes": partial(_classes, count=6),
    },
    {
        **_grades(3, 5, 10, 50),
        **_unequal((0.25, 0.75), (0.15, 0.6, 0.25)),
        **_shares("zeros", _zeros, 0.35, 0.65),
        **_shares("in the middle", _middle, 0.3, 0.45),
        **_random(3, 6),
        "rounded to 1": partial(_rounded, step=1.0),
        "rounded to 0.5": partial(_rounded, step=0.5),
        "8 classes, 30 % piled": partial(_classes, count=8, piled=0.3),
    },
)
"""How columns are made coarse, by half."""


def measured(half: int, pairs: int) -> list[dict[str, Any]]:
    """Shares that lean, with the limit of fine columns and with that of coarse ones.

    Parameters
    ----------
    half : int
        Which kinds.
    pairs : int
        Of each kind, number of rows, side, and correlation or model; fewer of many rows.
    """
    return [*_chance(half, pairs), *_directed(half, pairs)]


def _chance(half: int, pairs: int) -> Iterator[dict[str, Any]]:
    for kind in KINDS[half]:
        for n, share in ROWS.items():
            for side in SIDES:
                rng = default_rng(crc32(f"{kind} {n} {side}".encode()))
                told = {
                    r: [
                        leans
                        for _ in range(round(share * pairs))
                        if (leans := _leans(_coarse(gaussian(rng, n, r), half, kind, side, rng)))
                    ]
                    for r in CORRELATIONS
                }
                # By correlation, as a kind may be held at some and not at others.
                yield {
                    "kinds": HALVES[half], "kind": kind, "rows": n, "side": side, "model": "",
                    "pairs": [len(listed) for listed in told.values()],
                    "before": [sum(one[0] != 0 for one in listed) for listed in told.values()],
                    "after": [sum(one[1] != 0 for one in listed) for listed in told.values()],
                }  # fmt: skip


def _directed(half: int, pairs: int) -> Iterator[dict[str, Any]]:
    """Pairs of which the first column is the cause; of the fewest rows none are drawn."""
    for model, name in MODELS.items():
        generator = make_generator(model)
        for n in (300, 1000):
            for side in ("cause", "effect", *SIDES[1:]):
                rng = default_rng(crc32(f"{half} {model} {n} {side}".encode()))
                told = []
                for kind in KINDS[half]:
                    for _ in range(max(1, pairs // 5)):
                        x, y = generator.draw(n, rng)
                        columns = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
                        told.append(_leans(_coarse(columns, half, kind, side, rng)))
                known = [one for one in told if one]
                yield {
                    "kinds": HALVES[half], "kind": "all", "rows": n, "side": side, "model": name,
                    "pairs": len(known),
                    **{
                        f"{when}{word}": sum(one[at] in signs for one in known)
                        for at, when in enumerate(("before", "after"))
                        for word, signs in (("", (-1, 1)), ("_right", (1,)))
                    },
                }  # fmt: skip


def _coarse(
    columns: tuple[Vector, Vector], half: int, kind: str, side: str, rng: Generator
) -> Pair | None:
    """Pair with one column or both made coarse; None if one does not vary any more."""
    x, y = columns
    kinds = KINDS[half]
    other = str(rng.choice([name for name in kinds if name != kind]))
    if side != "effect":
        x = kinds[kind](x, rng)
    if side in ("effect", "both alike"):
        y = kinds[kind](y, rng)
    if side == "both, differently":
        y = kinds[other](y, rng)
    return None if np.ptp(x) == 0.0 or np.ptp(y) == 0.0 else Pair(x, y)


def _leans(pair: Pair | None) -> tuple[int, int] | None:
    """Sign that is told with the limit of fine columns, and with that in force; 0 for none."""
    if pair is None:
        return None
    verdict = decide_pair(pair, method="bqcd")
    sign = int(np.sign(verdict.confidence))
    return sign * (abs(verdict.confidence) > _fine(verdict)), sign * (verdict.answer == "leaning")


def _fine(verdict: Verdict) -> float:
    """Limit of columns without ties."""
    assert isinstance(verdict.evidence, QuantileEvidence)
    evidence = verdict.evidence
    limit = chance_bound(evidence.code_lengths.quadrature, evidence.regressor, evidence.n_rows)
    assert limit is not None
    return limit
