"""Columns whose values pile up at an end: the rule for coarse columns, and two that were not taken.

Columns of 5 to 20 values with 12 to 50 % of the rows at one end, of the families that the rule was
chosen on. All by the panel. Other rules ask it again with the other column cut off at the same
share of the rows, its scale kept, or by the order of the values alone; if it turns, nothing is
left, else the smaller claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import default_rng
from scipy.stats import rankdata

from benchmarks.coarse_pairs import CHANCE, DIRECTED, ROWS, VALUES, Columns, Vector, linear, piled
from bqcd.assessments.dependence import NO_EVIDENCE, dependence_of
from bqcd.assessments.holding import held_back
from bqcd.data.pair import Pair
from bqcd.errors import BqcdError
from bqcd.methods.answers import BARS
from bqcd.methods.decide import decide_pair

RULES = ("before", "after", "cut", "order")
"""No rule, that of all outputs, the other column cut off as well, the order alone."""

_SEED, _WORST_ROWS, _WORST_PILE, _WORST_VALUES = 2032, 1000, 0.15, 20


def drawn(number: int, *, directed: bool) -> Pair | None:
    """Pair of that number, the first column the cause; None if it shows no link, or cannot be."""
    rng = default_rng([_SEED, number, directed])
    source, n = (DIRECTED if directed else CHANCE)[0], int(rng.choice(ROWS))
    with np.errstate(all="ignore"):
        x, y = source[str(rng.choice(list(source)))](n, rng)
        count = int(rng.choice([one for one in VALUES if 5 <= one <= 20]))
        columns = (piled(x, count, rng), y) if rng.random() < 0.5 else (x, piled(y, count, rng))
    try:
        pair = Pair(*columns)
    except BqcdError:
        return None
    return None if dependence_of(pair).p_value > NO_EVIDENCE else pair


def _worst(number: int) -> Pair:
    """Linear Gaussian columns, of which one is cut off."""
    rng = default_rng([_SEED, number])
    x, y = linear(_WORST_ROWS, rng)
    low, high = np.quantile(y, [0.01, 1.0 - _WORST_PILE])
    shares = (y.clip(low, high) - low) / (high - low)
    return Pair(x, np.floor(shares * _WORST_VALUES).clip(0, _WORST_VALUES - 1))


def measured(pairs: int) -> dict[str, Any]:
    """Shares of answers by each rule, with and without a direction; and the worst kind."""
    found: dict[str, Any] = {"pairs": pairs}
    for directed, name in ((False, "chance"), (True, "directed")):
        drawings = (drawn(number, directed=directed) for number in range(100 * pairs))
        chosen = [pair for pair, _ in zip(filter(None, drawings), range(pairs), strict=False)]
        claims = [_claims(pair) for pair in chosen]
        for rule in RULES:
            found |= _counted(f"{name}_{rule}", [(one[rule], one["right"] > 0.0) for one in claims])
    worst = [_claims(_worst(number), rules=RULES[:2])["after"] for number in range(pairs // 4)]
    told = sum(BARS.leaning <= claim < BARS.clear for claim in worst)
    return found | {"worst": len(worst), "worst_leaning": told}


def _counted(name: str, claims: Sequence[tuple[float, bool]]) -> dict[str, int]:
    told = [(claim, right) for claim, right in claims if claim >= BARS.leaning]
    return {
        f"{name}_told": len(told),
        f"{name}_right": sum(right for _, right in told),
        f"{name}_clear": sum(claim >= BARS.clear for claim, _ in told),
    }


def _claims(pair: Pair, rules: Sequence[str] = RULES) -> dict[str, float]:
    """What is left of the claim by each rule; and 1 if the first column is named the cause."""
    verdict = decide_pair(pair, method="panel")
    claimed = 0.5 * (1.0 + abs(verdict.confidence))
    held = held_back(verdict)
    found = {"before": claimed, "after": claimed if held is None else held.most}
    changed = {"cut": _both_cut, "order": _order}
    for rule in rules[2:]:
        try:
            again = decide_pair(Pair(*changed[rule](pair)), method="panel").confidence
        except BqcdError:
            again = 0.0
        same = again * verdict.confidence > 0.0
        found[rule] = min(claimed, 0.5 * (1.0 + abs(again))) if same else 0.5
    return found | {"right": float(verdict.confidence > 0.0)}


def _both_cut(pair: Pair) -> Columns:
    """The finer column cut off at the share of the pile, at the end that goes with it."""
    coarse_first = len(np.unique(pair.x)) < len(np.unique(pair.y))
    coarse, fine = (pair.x, pair.y) if coarse_first else (pair.y, pair.x)
    ends = np.array([np.mean(coarse == coarse.min()), np.mean(coarse == coarse.max())])
    at_top = bool(ends[1] > ends[0])
    rising = bool(np.corrcoef(rankdata(coarse), rankdata(fine))[0, 1] > 0.0)
    share = float(ends.max())
    if at_top == rising:
        cut = np.minimum(fine, np.quantile(fine, 1.0 - share))
    else:
        cut = np.maximum(fine, np.quantile(fine, share))
    return (coarse, cut) if coarse_first else (cut, coarse)


def _order(pair: Pair) -> Columns:
    return _middle_ranks(pair.x), _middle_ranks(pair.y)


def _middle_ranks(column: Vector) -> Vector:
    return np.asarray(rankdata(column), dtype=np.float64)
