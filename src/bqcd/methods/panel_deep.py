"""What evidence adds to the panel: GPLVM on few rows, of the columns and of their ranks.

Evidence weighs a whole model, the margin of the cause and the effect given it. On ranks margins
are the same by construction, so only what it says of the columns beyond their ranks counts:

    deep = quick + k (loud(e) - loud(r)), loud(v) = sign(v) log(1 + |v| / unit),

with e nats of evidence for x -> y of the columns as they come, r those of their normal scores,
and sizes cut off as in the quick panel. Where the scales tell nothing, deep is quick.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files

import numpy as np

from bqcd.data.margins import with_margins
from bqcd.data.pair import Pair
from bqcd.methods.gplvm import GPLVM
from bqcd.methods.models.panel_model import squashed
from bqcd.methods.models.panel_scores import Sounds
from bqcd.methods.panel_voices import SEEN, fixed_rng, safely

# Rows that it is given at most, and steps of its search.
ROWS, STEPS = 300, 13
WEIGHTS = "panel_deep.json"
SLOW = tuple(f"{prefix}gplvm" for prefix, _ in SEEN)
"""Voices that only the deep panel hears: evidence of the columns as they come, and of ranks."""


@dataclass(frozen=True, slots=True)
class DeepHead:
    """How evidence is weighed next to the quick panel.

    Parameters
    ----------
    weight : float
        k: what evidence counts, on a logarithmic scale.
    unit : float
        Median size of the evidence on simulated pairs, in nats.
    quick : str
        Version of the quick panel's weights that this was learned with.
    """

    weight: float
    unit: float
    quick: str

    def log_odds(self, quick: float, sounds: Sounds) -> float:
        """Log-odds of x -> y from those of the quick panel and the slow voices."""
        nats = np.array([sounds[name][0] for name in SLOW])
        columns, ranks = squashed(nats, np.full(len(SLOW), self.unit)).tolist()
        return quick + self.weight * float(columns - ranks)


@lru_cache(maxsize=1)
def shipped_deep_head() -> DeepHead:
    """The weights that come with the package."""
    return DeepHead(**json.loads(_stored()))


def deep_version() -> str:
    """First digits of the fingerprint of these weights, which name those of the quick panel."""
    return sha256(_stored()).hexdigest()[:12]


def _stored() -> bytes:
    return files("bqcd.methods.models").joinpath(WEIGHTS).read_bytes()


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
