"""Slow voices of the panel, GPI and ROCHE on few rows, and what they add to the quick ones.

Both model the mechanism itself: GPI any smooth function of cause and noise, ROCHE a location
and a scale with Student's noise. They take longer than all other voices together. The log-odds
of the deep panel are those of the quick one times a factor, and an odd function of each voice:

    deep = a quick + sum of w sign(v) log(1 + |v| / unit), cut off as in the quick panel.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import fsum

import numpy as np

from bqcd.data.pair import Pair
from bqcd.methods.gpi import GPI
from bqcd.methods.models.panel_model import squashed
from bqcd.methods.models.panel_scores import Sounds
from bqcd.methods.panel_voices import FAILURES, fixed_rng, safely
from bqcd.statistics.location_scale.models import network_model, network_start, scaled_rows
from bqcd.statistics.subsampling import subsamples

# Rows that each is given at most, and steps that train a network.
GPI_ROWS, ROCHE_ROWS, ROCHE_STEPS = 250, 500, 1500
WEIGHTS = "panel_deep.json"
SLOW = ("gpi", "gpi effect", "roche", "roche likelihood")
"""Voices that only the deep panel hears: two methods, each in two numbers."""


@dataclass(frozen=True, slots=True)
class DeepHead:
    """How the slow voices are weighed next to the quick panel.

    Parameters
    ----------
    factor : float
        Of the quick panel's log-odds.
    units : mapping of str to float
        Median size of each slow voice on simulated pairs.
    weights : mapping of str to float
        Of the slow voices, on a logarithmic scale.
    quick : str
        Version of the quick panel's weights that these were learned with.
    """

    factor: float
    units: Mapping[str, float]
    weights: Mapping[str, float]
    quick: str

    def log_odds(self, quick: float, sounds: Sounds) -> float:
        """Log-odds of x -> y from those of the quick panel and the slow voices."""
        names = tuple(self.weights)
        loud = squashed(
            np.array([sounds[name][0] for name in names]),
            np.array([self.units[name] for name in names]),
        )
        terms = [self.weights[name] * float(one) for name, one in zip(names, loud, strict=True)]
        return fsum((self.factor * quick, *terms))


@lru_cache(maxsize=1)
def shipped_deep_head() -> DeepHead:
    """The weights that come with the package."""
    text = files("bqcd.methods.models").joinpath(WEIGHTS).read_text(encoding="utf-8")
    stored = json.loads(text)
    return DeepHead(**{key: stored[key] for key in ("factor", "units", "weights", "quick")})


def deep_sounds(pair: Pair) -> Sounds:
    """Slow voices of a pair by name, on the columns as they come.

    Parameters
    ----------
    pair : Pair
        Two columns.

    Notes
    -----
    GPI is given 250 rows and ROCHE 500, always the same ones of the same pair. A voice that
    fails is 0.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-2.0, 2.0, 60)
    >>> sounds = deep_sounds(Pair(x, x**3 + (x + 3.0) * rng.normal(size=60)))
    >>> sounds["roche"][0] > 0.0
    True
    """
    return _gpi(pair) | _roche(pair)


def _gpi(pair: Pair) -> Sounds:
    """Nats by which x -> y is described in fewer, in all and the effect by itself."""
    found: dict[str, object] = {}

    def ask(pair: Pair) -> tuple[float, float]:
        scores = GPI(max_rows=GPI_ROWS, draws=1).evidence(pair, fixed_rng())
        found.update(scores.facts)
        return scores.y_to_x - scores.x_to_y, scores.y_to_x + scores.x_to_y

    sounds = safely("gpi", ask)(pair)
    forward, backward = (
        float(str(found.get(f"{way}_effect", 0.0))) for way in ("x_to_y", "y_to_x")
    )
    return sounds | {"gpi effect": (backward - forward, backward + forward)}


def _roche(pair: Pair) -> Sounds:
    """Independence and likelihood of the model with Student's noise, which is fitted once."""
    silent = {"roche": (0.0, 0.0), "roche likelihood": (0.0, 0.0)}
    rng = fixed_rng()
    drawn = subsamples(pair.x, pair.y, max_rows=ROCHE_ROWS, draws=1, rng=rng)
    if not drawn:
        return silent
    (x, y), start = drawn[0], network_start(rng, noise="student")
    try:
        with np.errstate(all="ignore"):
            forward, backward = (
                network_model(*scaled_rows(*way), start=start, steps=ROCHE_STEPS)
                for way in ((x, y), (y, x))
            )
            found = {
                "roche": (forward.dependence, backward.dependence),
                "roche likelihood": (forward.loss, backward.loss),
            }
    except FAILURES:
        return silent
    return {
        name: (b - a, b + a) if np.isfinite(a + b) else (0.0, 0.0) for name, (a, b) in found.items()
    }
