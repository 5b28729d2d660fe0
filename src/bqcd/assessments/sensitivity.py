"""Whether a verdict hangs on a setting: regressors, levels, seeds and halves of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from bqcd.assessments.halves import random_halves, rows_of_half, seeds_of_halves
from bqcd.data.pair import Direction, Pair
from bqcd.discovery.quantiles import Copula
from bqcd.methods.asking import judged
from bqcd.methods.bqcd import BQCD
from bqcd.methods.verdict import Method
from bqcd.runtime.seeds import seed_from
from bqcd.statistics.subsampling import subsamples

REGRESSORS = ("copula", "forest", "network")
LEVELS = (1, 3, 7)
SEEDS = 2
HALVES = 2
# Forest and network take their time: of more rows so many are drawn.
MOST_ROWS = 2000


@dataclass(frozen=True, slots=True)
class SensitivityRow:
    """The verdict with one choice of settings on some of the rows.

    Parameters
    ----------
    regressor : str
        Quantile regressor; for other methods than bQCD, the method.
    levels : int or None
        Quantile levels; None for other methods than bQCD.
    seed : int
        Seed of the generator handed to the method.
    sample : str
        "all", or which half of the rows.
    n_rows : int
        Rows judged.
    confidence : float
        Positive for x -> y.
    """

    regressor: str
    levels: int | None
    seed: int
    sample: str
    n_rows: int
    confidence: float

    @property
    def direction(self) -> Direction:
        """Direction with the sign of the confidence."""
        if self.confidence == 0.0:
            return Direction.UNDECIDED
        return Direction.X_TO_Y if self.confidence > 0.0 else Direction.Y_TO_X


def sensitivity_rows(
    pair: Pair, method: Method, name: str, *, seed: int = 0
) -> tuple[SensitivityRow, ...]:
    """Verdicts on a pair with other settings than the usual ones, and on halves of its rows.

    bQCD is tried with three regressors and three numbers of levels, also below ``small_n``
    rows; regressors that draw at random, and any other method, with two seeds each. All of them
    judge all rows (at most 2,000, drawn once) and two random halves of them, drawn row by
    row: the first two that :func:`bqcd.assessments.stability.half_samples` draws with this seed.

    Parameters
    ----------
    pair : Pair
        The columns.
    method : Method
        What judges; its settings are kept but for regressor and levels.
    name : str
        What the method is called.
    seed : int, default=0
        First of the seeds, and what halves are drawn with.
    """
    return tuple(
        SensitivityRow(
            regressor, levels, one, sample, len(rows), judged(variant, name, rows, one).confidence
        )
        for sample, rows in _samples(pair, seed)
        for regressor, levels, variant, seeds in _variants(method, name)
        for one in range(seed, seed + seeds)
    )


def _samples(pair: Pair, seed: int) -> Iterator[tuple[str, Pair]]:
    rng = np.random.default_rng(seed_from("sensitivity", seed))
    chosen = subsamples(pair.x, pair.y, max_rows=MOST_ROWS, draws=1, rng=rng)
    everything = Pair(*chosen[0], pair.x_name, pair.y_name, pair.key) if chosen else pair
    yield "all", everything
    rows, seeds = rows_of_half(len(everything)), seeds_of_halves(seed, HALVES)
    halves = random_halves(everything, rows, seeds)
    for number, half in enumerate(halves, 1):
        if half is not None:
            yield f"half {number}", half


def _variants(method: Method, name: str) -> Iterator[tuple[str, int | None, Method, int]]:
    """Regressor, levels, method and number of seeds of everything that is tried."""
    if not isinstance(method, BQCD):
        yield name, None, method, SEEDS
        return
    for regressor in REGRESSORS:
        for levels in LEVELS:
            # All levels also where there are few rows: else they would all be the median.
            variant = replace(
                method,
                regressor=regressor,
                n_levels=levels,
                levels=None,
                small_n=0,
                published_ties=False,
            )
            drawn = not isinstance(variant.quantile_regressor(), Copula)
            yield regressor, levels, variant, SEEDS if drawn else 1
