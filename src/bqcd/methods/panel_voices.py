"""What the panel hears of a pair: methods and quick numbers, and what surrounds them.

A voice is a number that changes its sign, and nothing else, when the columns are exchanged;
positive for x -> y as far as its method is right. A level is the same for both orders of the
columns. Voices on ranks only see the relation; voices on the columns as they come see the
scales too; the margins are heard apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import fsum, log
from types import MappingProxyType

import numpy as np
from numpy.random import Generator, default_rng

from bqcd.data.margins import Margins, with_margins
from bqcd.data.pair import Pair
from bqcd.errors import BqcdError
from bqcd.methods.bicam import BiCAM
from bqcd.methods.bqcd import BQCD
from bqcd.methods.cdci import CDCI
from bqcd.methods.grci import GRCI
from bqcd.methods.heci import HECI
from bqcd.methods.igci import IGCI
from bqcd.methods.models.panel_scores import (
    MARGINS,
    SCORES,
    Sounds,
    directed_scores,
    margin_scores,
)
from bqcd.methods.reci import RECI
from bqcd.methods.resit import RESIT
from bqcd.methods.slope import Slope
from bqcd.methods.sloppy import Sloppy
from bqcd.methods.verdict import DirectedScores
from bqcd.statistics.location_scale.models import scaled_rows, spline_model
from bqcd.statistics.scaling import unit_variance
from bqcd.statistics.subsampling import subsamples

# Rows that the costly voices are given, at most.
FEW_ROWS = 1000
TIE_ORDERS = 8
# What voices see, and what stands before their names.
SEEN: tuple[tuple[str, Margins], ...] = (("", "as-is"), ("ranks ", "normal"))
FAILURES = (BqcdError, ValueError, ArithmeticError, np.linalg.LinAlgError)


def heard(pair: Pair) -> Sounds:
    """Voices and levels of a pair by name.

    Parameters
    ----------
    pair : Pair
        Two columns.

    Notes
    -----
    Costly voices are given 1,000 rows, always the same ones of the same pair. A voice that
    fails is 0, as is its level.

    Examples
    --------
    >>> rng = default_rng(0)
    >>> x = rng.normal(size=300)
    >>> sounds = heard(Pair(x, x**2 + 0.3 * rng.normal(size=300)))
    >>> sounds["bqcd 3"][0] > 0.0, sounds["ranks loci"][0] > 0.0
    (True, True)
    """
    drawn = subsamples(pair.x, pair.y, max_rows=FEW_ROWS, draws=1, rng=fixed_rng())
    few = Pair(*drawn[0], pair.x_name, pair.y_name) if drawn else pair
    sounds = _ranked_sounds(pair)
    for prefix, margins in SEEN:
        sounds |= _sounds({**QUICK, "numbers": _numbers}, with_margins(pair, margins), prefix)
        sounds |= _sounds(COSTLY, with_margins(few, margins), prefix)
    return sounds | margin_sounds(pair) | {"rows": (0.0, float(len(pair)))}


def mean_sounds(every: Sequence[Sounds]) -> Sounds:
    """Means of voices and levels over several draws of rows."""
    if len(every) == 1:
        return every[0]
    return {
        name: (
            fsum(sounds[name][0] for sounds in every) / len(every),
            fsum(sounds[name][1] for sounds in every) / len(every),
        )
        for name in every[0]
    }


def margin_sounds(pair: Pair) -> Sounds:
    """What the two columns are like by themselves."""
    x, y = margin_scores(pair.x), margin_scores(pair.y)
    return {
        f"margin {name}": (float(a - b), float(a + b))
        for name, a, b in zip(MARGINS, x, y, strict=True)
    }


def _sounds(voices: Mapping[str, Callable[[Pair], Sounds]], pair: Pair, prefix: str) -> Sounds:
    sounds: Sounds = {}
    for ask in voices.values():
        sounds |= {prefix + name: sound for name, sound in ask(pair).items()}
    return sounds


def safely(name: str, ask: Callable[[Pair], tuple[float, float]]) -> Callable[[Pair], Sounds]:
    """What a voice says under its name, 0 if it fails."""

    def asked(pair: Pair) -> Sounds:
        try:
            with np.errstate(all="ignore"):
                voice, level = ask(pair)
        except FAILURES:
            return {name: (0.0, 0.0)}
        if not (np.isfinite(voice) and np.isfinite(level)):
            return {name: (0.0, 0.0)}
        return {name: (float(voice), float(level))}

    return asked


def _of_scores(scores: DirectedScores, unit: float = 1.0) -> tuple[float, float]:
    """Voice and level of one number for each direction, the smaller one of which wins."""
    forward, backward = scores.x_to_y * unit, scores.y_to_x * unit
    return backward - forward, backward + forward


def fixed_rng() -> Generator:
    """Generator that is the same for every pair; methods draw nothing on so few rows."""
    return default_rng(0)


def _cdci(pair: Pair) -> tuple[float, float]:
    return _of_scores(CDCI().evidence(pair))


def _heci(pair: Pair) -> tuple[float, float]:
    return _of_scores(HECI().evidence(pair, fixed_rng()), 1.0 / len(pair))


def _slope(pair: Pair) -> tuple[float, float]:
    return Slope().evidence(pair).saving, 0.0


def _sloppy(pair: Pair) -> tuple[float, float]:
    return Sloppy().evidence(pair).gap, 0.0


def _bicam(pair: Pair) -> tuple[float, float]:
    evidence = BiCAM().evidence(pair)
    return evidence.gain, log(evidence.y_given_x.share) + log(evidence.x_given_y.share)


def _reci(pair: Pair) -> tuple[float, float]:
    return _of_scores(RECI().evidence(pair))


def _igci_u(pair: Pair) -> tuple[float, float]:
    return IGCI().decide(pair, fixed_rng()).confidence, 0.0


def _igci_g(pair: Pair) -> tuple[float, float]:
    return IGCI(reference="gaussian").decide(pair, fixed_rng()).confidence, 0.0


def _grci(pair: Pair) -> tuple[float, float]:
    return _of_scores(GRCI().evidence(pair, fixed_rng()))


def _resit(pair: Pair) -> Sounds:
    """RESIT, and how sure it is that the columns are linked at all."""
    found: dict[str, object] = {}

    def ask(pair: Pair) -> tuple[float, float]:
        evidence = RESIT(standardise=True).evidence(pair)
        found.update(evidence.facts)
        return _of_scores(evidence)

    sounds = safely("resit", ask)(pair)
    linked = -float(str(found.get("independence_log_p", 0.0)))
    return sounds | {"linked": (0.0, linked if np.isfinite(linked) else 0.0)}


def _loci(pair: Pair) -> Sounds:
    """Independence and likelihood of the location-scale model, which is fitted once."""
    try:
        with np.errstate(all="ignore"):
            ways = (pair.x, pair.y), (pair.y, pair.x)
            forward, backward = (spline_model(*scaled_rows(*way)) for way in ways)
            scores = {
                "loci": (forward.dependence, backward.dependence),
                "loci likelihood": (forward.loss, backward.loss),
            }
    except FAILURES:
        scores = {"loci": (0.0, 0.0), "loci likelihood": (0.0, 0.0)}
    return {
        name: (b - a, b + a) if np.isfinite(a + b) else (0.0, 0.0)
        for name, (a, b) in scores.items()
    }


def _numbers(pair: Pair) -> Sounds:
    x, y = unit_variance(pair.x), unit_variance(pair.y)
    with np.errstate(all="ignore"):
        forward, backward = directed_scores(x, y), directed_scores(y, x)
    return {
        name: (float(b - a), float(b + a))
        for name, a, b in zip(SCORES, forward, backward, strict=True)
    }


def _ranked_sounds(pair: Pair) -> Sounds:
    """BQCD with one, three and seven levels, which sees ranks only."""
    sounds: Sounds = {}
    for levels in (1, 3, 7):
        sounds |= safely(f"bqcd {levels}", partial(_bqcd, levels))(pair)
    return sounds


def _bqcd(levels: int, pair: Pair) -> tuple[float, float]:
    method = BQCD(n_levels=levels, small_n=0, tie_orders=TIE_ORDERS)
    return method.decide(pair, fixed_rng()).confidence, 0.0


QUICK: Mapping[str, Callable[[Pair], Sounds]] = MappingProxyType(
    {
        name: safely(name, ask)
        for name, ask in {
            "cdci": _cdci,
            "heci": _heci,
            "slope": _slope,
            "sloppy": _sloppy,
            "bicam": _bicam,
            "reci": _reci,
            "igci-u": _igci_u,
            "igci-g": _igci_g,
        }.items()
    }
)
"""Methods that are given all rows taken."""

COSTLY: Mapping[str, Callable[[Pair], Sounds]] = MappingProxyType(
    {"grci": safely("grci", _grci), "resit": _resit, "loci": _loci}
)
"""Methods that are given a few rows."""

ON_RANKS = (
    *("bqcd 1", "bqcd 3", "bqcd 7", "ranks loci", "ranks loci likelihood", "ranks grci"),
    *("ranks resit", "ranks cdci", "ranks heci", "ranks slope", "ranks sloppy", "ranks bicam"),
    *("ranks reci", "ranks igci-g"),
)
"""Methods that see the relation only."""

AS_THEY_COME = (
    *("loci", "loci likelihood", "grci", "resit", "cdci", "heci", "slope", "sloppy", "bicam"),
    *("reci", "igci-u", "igci-g"),
)
"""Methods that see the scales too."""

RELATION = (*ON_RANKS, *(f"ranks {name}" for name in SCORES))
"""Every voice on ranks: methods, then quick numbers."""

SCALES = (*AS_THEY_COME, *SCORES)
"""Every voice on the columns as they come: methods, then quick numbers."""

TIES = ("margin unique", "margin heaped")
"""Which column repeats its values more: a fact of the record that sways other voices."""

MARGIN = tuple(f"margin {name}" for name in MARGINS)
"""What the margins say by themselves."""
