"""Monotone composite quantile network: all levels in one small network, never crossing.

The network reads the covariate and the quantile level, the latter as a normal quantile,
so that both inputs live on the scale of normal scores::

    given, level -> tanh layer -> tanh layer -> linear -> quantile

Each weight on a path from the level to the output is the softplus of a free parameter and
thus positive; tanh increases. The output therefore increases with the level whatever the
data, while its dependence on the covariate, whose first weights have free signs, is not
restricted. All levels are fitted at once by minimising their mean pinball score. Its kink
is rounded off over a width that shrinks in stages, so that L-BFGS has a gradient to follow
[1]_.

References
----------
.. [1] Cannon, A. J. (2018). Non-crossing nonlinear regression quantiles by monotone
   composite quantile regression neural network, with application to rainfall extremes.
   Stochastic Environmental Research and Risk Assessment, 32(11), 3207-3225.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from bqcd.errors import InvalidSettingError
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import MOST_ROWS, MOST_STEPS, check_integer, check_number

if TYPE_CHECKING:
    from bqcd.discovery.quantiles.network_model import FittedNetwork, Problem


@dataclass(frozen=True, kw_only=True)
class Network:
    """Monotone composite quantile network, both directions with the same architecture.

    Parameters
    ----------
    hidden : tuple of int, default=(10, 10)
        Neurons of each hidden layer.
    max_iterations : int, default=1000
        L-BFGS steps of one fit, shared by the stages of ``smoothing``.
    restarts : int, default=1
        Fits from different starting points; the one with the lowest score is kept.
    smoothing : tuple of float, default=(0.3, 0.03, 0.003)
        Half-width of the rounded kink of the pinball score in each stage, in units of
        the target. The last one should be small against the residuals.
    tolerance : float, default=3e-5
        A stage ends when twenty steps lower the mean pinball score by less than this
        per step. Smaller values fit the noise: on held-out rows of simulated
        pairs, the score was lowest at the default.
    max_rows : int, default=4000
        Longer samples are fitted on that many rows drawn without replacement.
        Quantiles are then still given for any number of rows.

    Raises
    ------
    InvalidSettingError
        A setting is outside its range.
    """

    hidden: tuple[int, ...] = (10, 10)
    max_iterations: int = 1000
    restarts: int = 1
    smoothing: tuple[float, ...] = (0.3, 0.03, 0.003)
    tolerance: float = 3e-5
    max_rows: int = 4000

    def __post_init__(self) -> None:
        """Check the settings."""
        _check_tuple("hidden", self.hidden)
        for neurons in self.hidden:
            check_integer("Network", "hidden", neurons, minimum=1, maximum=1_000)
        check_integer(
            "Network", "max_iterations", self.max_iterations, minimum=1, maximum=MOST_STEPS
        )
        check_integer("Network", "restarts", self.restarts, minimum=1, maximum=1_000)
        _check_tuple("smoothing", self.smoothing)
        for width in self.smoothing:
            check_number("Network", "smoothing", width, above=0.0, at_most=1e6)
        check_number("Network", "tolerance", self.tolerance, above=0.0, at_most=1.0)
        check_integer("Network", "max_rows", self.max_rows, minimum=10, maximum=MOST_ROWS)

    def fit(self, given: Vector, target: Vector, levels: Vector, rng: Generator) -> FittedNetwork:
        """Network fitted to all levels jointly.

        Parameters
        ----------
        given, target : ndarray of shape (n,)
            Both with standard normal margins.
        levels : ndarray of shape (m,)
            Increasing, in (0, 1).
        rng : Generator
            Draws the starting point, and the rows of long samples.
        """
        from bqcd.discovery.quantiles.network_model import FittedNetwork, Layout, Problem

        if len(given) > self.max_rows:
            rows = np.sort(rng.choice(len(given), self.max_rows, replace=False))
            given, target = given[rows], target[rows]
        layout = Layout(self.hidden)
        problem = Problem(layout, given, target, levels)
        fits = [self._descend(problem, problem.start(rng)) for _ in range(self.restarts)]
        best = min(fits, key=lambda parameters: problem(parameters, self.smoothing[-1])[0])
        return FittedNetwork(layout=layout, parameters=best, levels=levels.copy())

    def _descend(self, problem: Problem, parameters: Vector) -> Vector:
        """Parameters after all smoothing stages; steps one stage saves pass to the next."""
        from bqcd.discovery.quantiles.descent import minimise

        left = self.max_iterations
        for stage, width in enumerate(self.smoothing):
            steps = left // (len(self.smoothing) - stage)
            score = partial(problem, width=width)
            parameters, used = minimise(score, parameters, steps=steps, tolerance=self.tolerance)
            left -= used
        return parameters


def _check_tuple(name: str, value: object) -> None:
    """Refuse anything but a tuple with at least one element."""
    if not isinstance(value, tuple) or not value:
        raise InvalidSettingError(f"{name} of Network must be a non-empty tuple, got {value!r}.")
