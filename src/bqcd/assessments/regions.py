"""Where bQCD is known to err: relations on which its direction is often the wrong one.

Two things about the normal scores of a pair tell how often bQCD is right on simulated pairs:

* Three numbers about either direction: the entropy that is left once level and spread are
  known, a third cross moment, and how much the tails vary. Where they favour the direction that
  bQCD has not taken, it is right in less than half of the pairs.
* A fan: one column has no trend along the other, but a spread that grows, as in y = x e. Read
  the other way it looks like a noisy valley, and bQCD always takes the valley. Ranks do not
  tell the two apart.

Weights were learned from simulated pairs by ``benchmarks/train_regions.py``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import copysign, exp, log1p

import numpy as np
from numpy.random import default_rng

from bqcd.assessments.probability import LEAST
from bqcd.data.margins import with_margins
from bqcd.data.pair import Direction, Pair
from bqcd.methods.models.panel_scores import SCORES, directed_scores
from bqcd.runtime.arrays import Vector
from bqcd.statistics.ordering import row_order
from bqcd.statistics.scaling import unit_variance
from bqcd.statistics.subsampling import subsamples

NUMBERS = ("scaled-entropy", "third", "tails-vary")
"""Numbers of a direction that tell how often bQCD is right."""
# Below this share of right directions, that of a leaning answer, bQCD is known to err.
KNOWN_TO_ERR = 0.65
# Of a fan: variance that its level leaves unexplained, growth of the log spread along the normal
# scores, and variance that the valley leaves unexplained, as one with less is beyond doubt.
_FLAT, _GROWS, _NOISY = 0.9, 0.2, 0.3
_MOST_ROWS = 5000
_BLOCKS, _ROWS_PER_BLOCK, _LEAST_SPREAD = 14, 25, 0.02


@dataclass(frozen=True, slots=True)
class RegionModel:
    """How often bQCD is right, by what a pair looks like.

    Parameters
    ----------
    units : mapping of str to float
        Median size of the difference of each of ``NUMBERS`` between the directions.
    weights : mapping of str to float
        Of the differences, on a logarithmic scale.
    fan : float
        Share of right directions where a valley may be a fan.
    """

    units: Mapping[str, float]
    weights: Mapping[str, float]
    fan: float

    def share_right(self, features: Mapping[str, float]) -> float:
        """Share of the pairs with such features on which bQCD is right."""
        odds = sum(weight * features[name] for name, weight in self.weights.items())
        share = 1.0 / (1.0 + exp(-odds))
        return min(share, self.fan) if features["fan"] else share


@lru_cache(maxsize=1)
def shipped_regions() -> RegionModel:
    """The model that comes with the package."""
    text = files("bqcd.assessments").joinpath("regions.json").read_text(encoding="utf-8")
    stored = json.loads(text)
    return RegionModel(stored["units"], stored["weights"], stored["fan"])


def most_probable(pair: Pair, confidence: float) -> float:
    """Largest probability that a direction of bQCD deserves: 1 where it is not known to err.

    Parameters
    ----------
    pair : Pair
        Two columns; of more than 5,000 rows, as many are looked at.
    confidence : float
        Of bQCD, whose sign is the direction.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(size=1000)
    >>> fan, curve = Pair(x, x * rng.normal(size=1000)), Pair(x, x**2 + 0.1 * rng.normal(size=1000))
    >>> most_probable(fan, -0.1) < 0.65, most_probable(curve, 0.1)
    (True, 1.0)
    """
    if confidence == 0.0:
        return LEAST
    model = shipped_regions()
    share = model.share_right(features_of_direction(pair, confidence, model.units))
    return 1.0 if share >= KNOWN_TO_ERR else max(LEAST, share)


def features_of_direction(
    pair: Pair, confidence: float, units: Mapping[str, float]
) -> dict[str, float]:
    """What speaks for a direction rather than the other, and whether it may be a fan's valley.

    Parameters
    ----------
    pair : Pair
        Two columns.
    confidence : float
        Its sign is the direction.
    units : mapping of str to float
        Unit of each of ``NUMBERS``.
    """
    drawn = subsamples(pair.x, pair.y, max_rows=_MOST_ROWS, draws=1, rng=default_rng(0))
    scores = with_margins(Pair(*drawn[0]) if drawn else pair, "normal")
    x, y = unit_variance(scores.x), unit_variance(scores.y)
    cause, effect = (x, y) if Direction.of(confidence) is Direction.X_TO_Y else (y, x)
    taken, other = numbers_of(cause, effect), numbers_of(effect, cause)
    gaps = {name: (other[name] - taken[name]) / units[name] for name in NUMBERS}
    found = {name: copysign(log1p(abs(gap)), gap) for name, gap in gaps.items()}
    return found | {"fan": float(_is_fan(taken, other))}


def numbers_of(given: Vector, target: Vector) -> dict[str, float]:
    """Numbers about one direction, from normal scores.

    Parameters
    ----------
    given, target : ndarray of shape (n,)
        Columns of mean 0 and variance 1.
    """
    with np.errstate(all="ignore"):
        scores = dict(zip(SCORES, directed_scores(given, target).tolist(), strict=True))
    return scores | {"grows": _growth(given, target)}


def _is_fan(valley: Mapping[str, float], fan: Mapping[str, float]) -> bool:
    """Whether a direction is a noisy valley, and the other one flat with a spread that grows."""
    flat, noisy = fan["unexplained"], valley["unexplained"]
    return flat > _FLAT and fan["grows"] > _GROWS and _NOISY < noisy < flat


def _growth(given: Vector, target: Vector) -> float:
    """Size of the slope of the logarithm of the target's spread along the given."""
    order = row_order(given, target)
    blocks = min(max(len(given) // _ROWS_PER_BLOCK, 3), _BLOCKS)
    parts = np.array_split(order, blocks)
    places = np.array([given[rows].mean() for rows in parts])
    spreads = np.log([target[rows].std() + _LEAST_SPREAD for rows in parts])
    centred = places - places.mean()
    width = float(centred @ centred)
    return abs(float(centred @ spreads)) / width if width > 0.0 else 0.0
