"""Everything that computes, run once on small examples, so that it is compiled ahead."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import numpy as np

from bqcd.assessments import assess
from bqcd.data.pair import Pair
from bqcd.discovery.quantiles import QUANTILE_REGRESSORS
from bqcd.errors import BqcdError
from bqcd.methods.bqcd import BQCD
from bqcd.methods.decide import decide
from bqcd.methods.table import METHODS
from bqcd.runtime.arrays import Vector
from bqcd.scans.scanning import scan

_ROWS = 300
_LONG_ROWS = (20_000, 100_000)


class Step(NamedTuple):
    """Something to run.

    Parameters
    ----------
    name : str
        What it is for.
    run : callable
        Runs it.
    """

    name: str
    run: Callable[[], object]


def warm_up_steps(*, everything: bool = False) -> list[Step]:
    """What to run so that later calls compile nothing.

    Parameters
    ----------
    everything : bool, default=False
        Whether to run all methods and regressors; by default bQCD with its default regressor,
        alone, assessed and in scans, on short and long columns with and without ties.

    Examples
    --------
    >>> [step.name for step in warm_up_steps()][:2]
    ['decide', 'decide with ties']
    """
    x, y, weights = _example(_ROWS)
    tied = x.round(1)
    steps = [
        Step("decide", lambda: _with_curves(x, y)),
        Step("decide with ties", partial(decide, tied, y)),
        Step("assess", partial(assess, x, y)),
        Step("assess with ties", partial(assess, tied, y)),
        Step("assess with weights", partial(assess, x, y, weights=weights, replicates=10)),
        Step("scan", lambda: scan({"x": x, "y": y, "tied": tied, "z": x + y})),
        *(Step(f"{rows:,} rows", partial(_decide_long, rows)) for rows in _LONG_ROWS),
    ]
    if everything:
        regressors = (name for name in QUANTILE_REGRESSORS if name != "copula")
        steps += [Step(f"regressor {name}", partial(_regress, name, x, y)) for name in regressors]
        names = (name for name in METHODS if name != "bqcd")
        steps += [Step(f"method {name}", partial(_judge, name, x, y, tied)) for name in names]
    return steps


def _example(rows: int) -> tuple[Vector, Vector, Vector]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=rows)
    return x, x**3 + rng.normal(size=rows), rng.uniform(0.5, 1.5, rows)


def _with_curves(x: Vector, y: Vector) -> None:
    evidence = BQCD().evidence(Pair(x, y), np.random.default_rng(0))
    evidence.y_model(x)


def _decide_long(rows: int) -> None:
    x, y, _ = _example(rows)
    decide(x, y)
    decide(x.round(2), y)


def _regress(name: str, x: Vector, y: Vector) -> None:
    with suppress(BqcdError):  # of a package that is not there
        decide(x, y, regressor=name)


def _judge(name: str, x: Vector, y: Vector, tied: Vector) -> None:
    with suppress(BqcdError):
        decide(x, y, method=name)
        decide(tied, y, method=name)
