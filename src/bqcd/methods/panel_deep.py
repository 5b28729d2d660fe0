"""Slow voices of the panel: GPI and ROCHE on few rows.

Both model the mechanism itself, GPI any smooth function of cause and noise, ROCHE a location
and a scale with Student's noise. They take longer than all other voices together.
"""

from __future__ import annotations

import numpy as np

from bqcd.data.pair import Pair
from bqcd.methods.gpi import GPI
from bqcd.methods.models.panel_scores import Sounds
from bqcd.methods.panel_voices import FAILURES, fixed_rng, safely
from bqcd.statistics.location_scale.models import network_model, network_start, scaled_rows
from bqcd.statistics.subsampling import subsamples

# Rows that each is given at most, and steps that train a network.
GPI_ROWS, ROCHE_ROWS, ROCHE_STEPS = 250, 500, 1500


def deep_sounds(pair: Pair) -> Sounds:
    """Slow voices of a pair by name, on the columns as they come.

    Parameters
    ----------
    pair : Pair
        Two columns.

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
            one, other = (
                (backward.dependence, forward.dependence),
                (backward.loss, forward.loss),
            )
    except FAILURES:
        return silent
    found = {"roche": one, "roche likelihood": other}
    return {
        name: (b - a, b + a) if np.isfinite(a + b) else (0.0, 0.0) for name, (b, a) in found.items()
    }
