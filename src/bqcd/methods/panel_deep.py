"""What evidence adds to the panel: GPLVM on few rows, of the columns and of their ranks.

Evidence weighs a whole model, the margin of the cause and the effect given it. On ranks margins
are the same by construction, so it counts as far as the columns say more than their ranks:

    deep = (1 - (1 - a) g) quick + k g loud(e), g = |e - r| / (|e - r| + 1),

with e nats of evidence for x -> y of the columns as they come, r those of their normal scores,
loud(e) = sign(e) log(1 + |e| / unit), cut off as in the quick panel. Where the scales tell
nothing, deep is quick.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np

from bqcd.data.margins import with_margins
from bqcd.data.pair import Pair
from bqcd.methods.gplvm import GPLVM
from bqcd.methods.models.panel_model import squashed
from bqcd.methods.models.panel_scores import Sounds
from bqcd.methods.panel_voices import SEEN, fixed_rng, safely
from bqcd.runtime.arrays import Matrix, Vector

# Rows that it is given at most, and steps of its search.
ROWS, STEPS = 300, 13
# Evidence beyond that of ranks counts half where it is this large, in nats.
NAT = 1.0
WEIGHTS = "panel_deep.json"
SLOW = tuple(f"{prefix}gplvm" for prefix, _ in SEEN)
"""Voices that only the deep panel hears: evidence of the columns as they come, and of ranks."""


@dataclass(frozen=True, slots=True)
class DeepHead:
    """How evidence is weighed next to the quick panel.

    Parameters
    ----------
    kept : float
        a: the share of the quick panel's log-odds that is left where evidence counts in full.
    weight : float
        k: what evidence counts there, on a logarithmic scale.
    unit : float
        Median size of the evidence on simulated pairs, in nats.
    quick : str
        Version of the quick panel's weights that this was learned with.
    """

    kept: float
    weight: float
    unit: float
    quick: str

    def log_odds(self, quick: float, sounds: Sounds) -> float:
        """Log-odds of x -> y from those of the quick panel and the slow voices."""
        columns, ranks = (sounds[name][0] for name in SLOW)
        return float(self.weighed(np.array([quick]), np.array([[columns, ranks]]))[0])

    def weighed(self, quick: Vector, nats: Matrix) -> Vector:
        """The same of many pairs; nats of evidence are of the columns and of their ranks."""
        beyond = np.abs(nats[:, 0] - nats[:, 1])
        counts = beyond / (beyond + NAT)
        loud = squashed(nats[:, :1], np.array([self.unit]))[:, 0]
        return (1.0 - (1.0 - self.kept) * counts) * quick + self.weight * counts * loud


@lru_cache(maxsize=1)
def shipped_deep_head() -> DeepHead:
    """The weights that come with the package."""
    text = files("bqcd.methods.models").joinpath(WEIGHTS).read_text(encoding="utf-8")
    return DeepHead(**json.loads(text))


def deep_sounds(pair: Pair) -> Sounds:
    """Slow voices of a pair by name: nats for x -> y, and for both together.

    Parameters
    ----------
    pair : Pair
        Two columns.

    Notes
    -----
    GPLVM is given 300 rows, always the same ones of the same pair. A voice that fails is 0.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-2.0, 2.0, 60)
    >>> sounds = deep_sounds(Pair(x, x**3 + (x + 3.0) * rng.normal(size=60)))
    >>> sounds["gplvm"][0] > 0.0
    True
    """
    sounds: Sounds = {}
    for name, (_, margins) in zip(SLOW, SEEN, strict=True):
        sounds |= safely(name, _gplvm)(with_margins(pair, margins))
    return sounds


def _gplvm(pair: Pair) -> tuple[float, float]:
    scores = GPLVM(max_rows=ROWS, draws=1, steps=STEPS).evidence(pair, fixed_rng())
    return scores.y_to_x - scores.x_to_y, scores.y_to_x + scores.x_to_y
