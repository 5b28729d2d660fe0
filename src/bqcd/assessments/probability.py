"""How often a direction like this one is right: learned from simulated pairs.

A logistic regression on six numbers that can be told of every verdict of bQCD with the copula
and Gauss-Legendre levels, fitted by ``benchmarks/train_probability.py``:

* ``size``: log(1 + s), where s is |confidence| in units of what is common with this many rows
  where the direction cannot be known;
* ``effect``: log(1 + |confidence| / 0.05), the size whatever the number of rows;
* ``steadiness``: -log(1 - a), where a is twice the share of half-samples that agree, less 1,
  and at most 0.98;
* ``rows``: the logarithm of their number to base 10, less 3;
* ``ties``: share of the values that repeat an earlier one in their column;
* ``dependence``: largest correlation of cubic polynomials of the ranks, from 0 to 1.

The coefficients of the first three are not negative: a larger, steadier confidence is never
taken for less. The outcome is kept between 0.5 and 0.99.

It is a statement about the simulated pairs it was learned from: all mechanisms of
:func:`bqcd.simulate_pairs`, also with rounding, outliers, heavy tails and hidden common causes,
from 50 to 10,000 rows, and one in five without any direction to find. Other data may be easier or
harder, and what makes them so cannot be seen in the six numbers. On the benchmark files, at about
1,000 rows: over-confident by 0.1 on SIM and SIM-G, too modest by 0.05 on AN and LS and by 0.2 on
AN-s, LS-s and MN-U, whose directions bQCD finds by small but reliable confidences. On the
Tübingen pairs it claims 0.63 on average where 0.71 are right; these were chosen for having an
answer, and say nothing of data in which a hidden cause is at work: of simulated pairs with nothing
but a hidden cause it claims 0.67. ``benchmarks/train_probability.py`` prints the figures.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import exp, log, log1p, log10, sqrt

from bqcd.discovery.evidence import CHANCE_WITH_MORE_LEVELS, CHANCE_WITH_ONE_LEVEL
from bqcd.errors import InvalidSettingError
from bqcd.runtime.settings import check_flag, check_integer

FEATURES = ("size", "effect", "steadiness", "rows", "ties", "dependence")
MODEL_VERSION = 1
LEAST, MOST = 0.5, 0.99

_LARGE_EFFECT = 0.05
_STEADIEST = 0.98


@dataclass(frozen=True, slots=True)
class ProbabilityModel:
    """Coefficients of the logistic regression.

    Parameters
    ----------
    version : int
        Number of the model; a new one each time the meaning of a feature changes.
    intercept : float
        Log-odds where all features are 0.
    coefficients : tuple of float
        One for each of ``FEATURES``.
    """

    version: int
    intercept: float
    coefficients: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse models that were made for other features."""
        if self.version != MODEL_VERSION or len(self.coefficients) != len(FEATURES):
            raise InvalidSettingError(
                f"version of ProbabilityModel must be {MODEL_VERSION} with {len(FEATURES)} "
                f"coefficients, got {self.version!r} with {len(self.coefficients)}."
            )

    def at(self, features: tuple[float, ...]) -> float:
        """Probability that the direction is right, between ``LEAST`` and ``MOST``."""
        terms = zip(self.coefficients, features, strict=True)
        odds = self.intercept + sum(weight * value for weight, value in terms)
        # The exponential of a large number would overflow; beyond 40 nothing changes.
        return min(MOST, max(LEAST, 1.0 / (1.0 + exp(min(40.0, -odds)))))


@lru_cache(maxsize=1)
def shipped_model() -> ProbabilityModel:
    """The model that comes with the package."""
    text = files("bqcd.assessments").joinpath("probability.json").read_text(encoding="utf-8")
    stored = json.loads(text)
    weights = tuple(float(stored["coefficients"][name]) for name in FEATURES)
    return ProbabilityModel(stored["version"], float(stored["intercept"]), weights)


def features_of(
    *,
    confidence: float,
    agreement: float,
    n_rows: int,
    tie_share: float,
    dependence: float,
    one_level: bool,
) -> tuple[float, ...]:
    """Numbers the model rests on, in the order of ``FEATURES``; see :func:`probability_of`."""
    check_integer("probability_of", "n_rows", n_rows, minimum=1)
    check_flag("probability_of", "one_level", one_level)
    for name, value in (
        ("agreement", agreement),
        ("tie_share", tie_share),
        ("dependence", dependence),
    ):
        _check_share(name, value)
    size = abs(confidence)
    common = CHANCE_WITH_ONE_LEVEL if one_level else CHANCE_WITH_MORE_LEVELS
    agreeing = min(_STEADIEST, max(0.0, 2.0 * agreement - 1.0))
    return (
        log1p(size * sqrt(n_rows) / common),
        log1p(size / _LARGE_EFFECT),
        -log(1.0 - agreeing),
        log10(n_rows) - 3.0,
        float(tie_share),
        float(dependence),
    )


def probability_of(
    *,
    confidence: float,
    agreement: float,
    n_rows: int,
    tie_share: float,
    dependence: float,
    one_level: bool,
) -> float:
    """Calibrated probability that the direction of a verdict is right, from 0.5 to 0.99.

    Parameters
    ----------
    confidence : float
        Confidence of bQCD with the copula; its sign does not matter. 0 gives 0.5.
    agreement : float
        Share of half-samples with the same direction, from 0 to 1.
    n_rows : int
        Rows of the pair.
    tie_share : float
        Share of the values of both columns that repeat an earlier one, from 0 to 1.
    dependence : float
        Largest correlation of cubic polynomials of the ranks, from 0 to 1:
        :attr:`bqcd.statistics.dependence.ranks.RankDependence.strength`.
    one_level : bool
        Whether the confidence rests on the median alone, as it does below 200 rows.

    Examples
    --------
    >>> weak = dict(agreement=0.6, n_rows=1000, tie_share=0.0, dependence=0.7, one_level=False)
    >>> strong = weak | dict(agreement=1.0)
    >>> probability_of(confidence=0.03, **strong) > probability_of(confidence=0.001, **weak)
    True
    """
    if confidence == 0.0:
        return LEAST
    return shipped_model().at(
        features_of(
            confidence=confidence,
            agreement=agreement,
            n_rows=n_rows,
            tie_share=tie_share,
            dependence=dependence,
            one_level=one_level,
        )
    )


def _check_share(name: str, value: float) -> None:
    # Room for rounding: a correlation may exceed 1 by its last bit.
    if not 0.0 <= value <= 1.0 + 1e-9:
        raise InvalidSettingError(
            f"{name} of probability_of must be a number from 0 to 1, got {value!r}."
        )
