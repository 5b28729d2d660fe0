"""The four scenarios of Mooij et al. (2016): SIM, SIM-c, SIM-ln and SIM-G.

Hidden variables E come from random distributions: standard normal values pushed through a
random increasing map, the integral of the exponential of a smooth random function. With g, h
draws of a Gaussian process and everything standardised on the way,

    X = g(E_X, E_Z),    Y = h(X, E_Y, E_Z),

where E_Z is there in SIM-c only. At the end normal measurement noise is added to both columns,
which are not standardised again. Every length scale and every standard deviation of
measurement noise is drawn anew for each pair, from a gamma distribution (shape, scale):

=================  ==========  ===========  ==============
setting            SIM, SIM-c  SIM-ln       SIM-G
=================  ==========  ===========  ==============
warp_of_cause      (5, 0.1)    (5, 0.1)     (1e6, 1e-3)
warp_of_noise      (5, 0.1)    (5, 0.1)     (5, 0.1)
warp_of_hidden     (5, 0.1)
source_length      (2, 1.5)    (2, 1.5)     (1e6, 1e-3)
cause_length       (2, 3)      (2, 3)       (2, 3)
noise_length       (2, 15)     (2, 300)     (2, 15)
hidden_length      (2, 15)
measurement_noise  (2, 0.1)    (2, 0.01)    (2, 0.1)
=================  ==========  ===========  ==============

The paper names the scenarios and no numbers; these are the ones of the program by which Mooij et
al. made the published files. The files of SIM, SIM-ln and SIM-G began from the same seed and
share random numbers pair by pair; pairs drawn here do not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial

import numpy as np
from numpy.random import Generator

from bqcd.benchmark.datasets.generators.gaussian_process import smooth_function, smooth_values
from bqcd.benchmark.datasets.generators.mechanism import (
    UNDISTURBED,
    GeneratorCard,
    Interference,
    Mechanism,
    standardised,
)
from bqcd.benchmark.datasets.records import Source
from bqcd.errors import InvalidSettingError
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import check_integer, check_number

Gamma = tuple[float, float]

# The program draws the values of hidden common causes with ten times the jitter of all else.
HIDDEN_JITTER = 10.0


@dataclass(frozen=True, kw_only=True)
class SmoothNetwork:
    """Cause and effect that are smooth functions of variables with random distributions.

    Parameters
    ----------
    warp_of_cause, warp_of_noise, warp_of_hidden : (float, float), default=(5.0, 0.1)
        Shape and scale of the length scale of the map that makes E_X, E_Y, E_Z.
    source_length : (float, float), default=(2.0, 1.5)
        Shape and scale of the length scale of E_X in the cause.
    cause_length : (float, float), default=(2.0, 3.0)
        Shape and scale of the length scale of the cause in the effect.
    noise_length : (float, float), default=(2.0, 15.0)
        Shape and scale of the length scale of E_Y in the effect: the larger, the less noise.
    hidden_length : (float, float), default=(2.0, 15.0)
        Shape and scale of the length scales of E_Z in cause and effect.
    measurement_noise : (float, float), default=(2.0, 0.1)
        Shape and scale of the standard deviations of the noise added to the columns.
    hidden_causes : int, default=0
        Number of hidden common causes E_Z.
    jitter : float, default=0.0001
        Standard deviation of white noise on every smooth function.

    Examples
    --------
    >>> cause, effect = SmoothNetwork().draw(50, np.random.default_rng(0))
    >>> cause.shape, effect.shape
    ((50,), (50,))
    """

    warp_of_cause: Gamma = (5.0, 0.1)
    warp_of_noise: Gamma = (5.0, 0.1)
    warp_of_hidden: Gamma = (5.0, 0.1)
    source_length: Gamma = (2.0, 1.5)
    cause_length: Gamma = (2.0, 3.0)
    noise_length: Gamma = (2.0, 15.0)
    hidden_length: Gamma = (2.0, 15.0)
    measurement_noise: Gamma = (2.0, 0.1)
    hidden_causes: int = 0
    jitter: float = 1e-4

    def __post_init__(self) -> None:
        """Check the settings."""
        for field in fields(self):
            if field.name not in ("hidden_causes", "jitter"):
                shape_and_scale = _checked_gamma(field.name, getattr(self, field.name))
                object.__setattr__(self, field.name, shape_and_scale)
        check_integer("SmoothNetwork", "hidden_causes", self.hidden_causes, minimum=0, maximum=3)
        check_number("SmoothNetwork", "jitter", self.jitter, above=0.0, at_most=1.0)

    def draw(
        self, n_rows: int, rng: Generator, interference: Interference = UNDISTURBED
    ) -> tuple[Vector, Vector]:
        """Columns of one new pair: the cause, then the effect."""
        hidden = [
            _warped_normal(
                n_rows, rng.gamma(*self.warp_of_hidden), HIDDEN_JITTER * self.jitter, rng
            )
            for _ in range(self.hidden_causes)
        ]
        cause = interference.on_cause(self._cause(n_rows, hidden, rng))
        effect = interference.on_effect(*self._effect_and_signal(cause, hidden, rng))
        return self._measured(cause, rng), self._measured(effect, rng)

    def _cause(self, n_rows: int, hidden: list[Vector], rng: Generator) -> Vector:
        source = _warped_normal(n_rows, rng.gamma(*self.warp_of_cause), self.jitter, rng)
        lengths = [rng.gamma(*self.source_length), *self._hidden_lengths(rng)]
        values = smooth_values([source, *hidden], lengths, rng)
        return standardised(values + self.jitter * rng.normal(size=n_rows))

    def _effect_and_signal(
        self, cause: Vector, hidden: list[Vector], rng: Generator
    ) -> tuple[Vector, Callable[[], Vector]]:
        """Standardised effect, and a function for its values at the median of E_Y."""
        noise = _warped_normal(len(cause), rng.gamma(*self.warp_of_noise), self.jitter, rng)
        lengths = [
            rng.gamma(*self.cause_length),
            rng.gamma(*self.noise_length),
            *self._hidden_lengths(rng),
        ]
        function = smooth_function([cause, noise, *hidden], lengths, rng)
        values = function([cause, noise, *hidden])
        values += self.jitter * rng.normal(size=len(cause))
        mean, scale = values.mean(), np.std(values, ddof=1)

        def signal() -> Vector:
            middle = len(noise) // 2
            median = np.full_like(noise, np.partition(noise, middle)[middle])
            values: Vector = function([cause, median, *hidden]) - mean
            return values / scale

        return (values - mean) / scale, signal

    def _hidden_lengths(self, rng: Generator) -> list[float]:
        return [rng.gamma(*self.hidden_length) for _ in range(self.hidden_causes)]

    def _measured(self, column: Vector, rng: Generator) -> Vector:
        return column + rng.gamma(*self.measurement_noise) * rng.normal(size=len(column))


def _warped_normal(n_rows: int, length: float, jitter: float, rng: Generator) -> Vector:
    """Standardised values of a random increasing map at standard normal places.

    The map is the integral, by the trapezoid rule between the places, of the exponential of a
    smooth random function.
    """
    places = np.sort(rng.normal(size=n_rows))
    slopes = np.exp(smooth_values([places], [length], rng) + jitter * rng.normal(size=n_rows))
    steps = 0.5 * (slopes[1:] + slopes[:-1]) * np.diff(places)
    return standardised(rng.permutation(np.concatenate(([0.0], np.cumsum(steps)))))


def _checked_gamma(name: str, value: object) -> Gamma:
    """Shape and scale of a gamma distribution, both positive."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise InvalidSettingError(
            f"{name} of SmoothNetwork must be a pair (shape, scale) of numbers > 0, got {value!r}."
        )
    for number in value:
        check_number("SmoothNetwork", name, number, above=0.0)
    return float(value[0]), float(value[1])


_SOURCE = Source(
    "Drawn by bqcd after Mooij, Peters, Janzing, Zscheischler, Schölkopf: Distinguishing cause "
    "from effect using observational data: methods and benchmarks. JMLR 17(32), 2016",
    "free to use, cite the paper",
)

CARDS: tuple[GeneratorCard[Mechanism], ...] = (
    GeneratorCard(
        name="SIM",
        build=SmoothNetwork,
        about="smooth function of a cause and noise with random distributions, both measured",
        source=_SOURCE,
    ),
    GeneratorCard(
        name="SIM-c",
        build=partial(SmoothNetwork, hidden_causes=1),
        about="like SIM, with a hidden common cause",
        source=_SOURCE,
    ),
    GeneratorCard(
        name="SIM-ln",
        build=partial(SmoothNetwork, noise_length=(2.0, 300.0), measurement_noise=(2.0, 0.01)),
        about="like SIM, with little noise",
        source=_SOURCE,
    ),
    GeneratorCard(
        name="SIM-G",
        build=partial(SmoothNetwork, warp_of_cause=(1e6, 1e-3), source_length=(1e6, 1e-3)),
        about="like SIM, with a nearly normal cause",
        source=_SOURCE,
    ),
)
