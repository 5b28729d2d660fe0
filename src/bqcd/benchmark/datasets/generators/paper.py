"""The paper's own five scenarios: AN, AN-s, LS, LS-s and MN-U.

The cause is X = sqrt(v) Z, the noise E = 0.2 sqrt(w) Z' with Z, Z' standard normal. The effect
is f(X) + E (AN), f(X) + (f(X) - min f(X)) E (LS) or f(X) U with U uniform on (0, 1) (MN). The
function f is a draw of a Gaussian process, or a sigmoid in the scenarios marked -s and in MN-U.

Where the paper's text and what made the published files differ, the files are followed:

* Text: X has standard deviation sqrt(2). Files: v ~ U(1, 2), a new one in each row, so the
  variance is 1.5 and the cause not quite normal (excess kurtosis 1/9).
* Text: the noise of a pair has a standard deviation drawn from U[1/5, sqrt(2/5)]. Files:
  0.2 sqrt(w) with w ~ U(1, 2), from 1/5 to sqrt(2)/5, a new one in each row.
* AN-s alone draws one v and one w per pair, nearer to the text: the standard deviation of the
  cause runs from 1.01 to 1.41 over its 100 files, and from 1.16 to 1.31 in the four other sets.
* Text: the scale of LS is some function of the cause. Files: f(X) - min f(X) over the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.random import Generator

from bqcd.benchmark.datasets.generators.gaussian_process import smooth_values
from bqcd.benchmark.datasets.generators.mechanism import (
    UNDISTURBED,
    GeneratorCard,
    Interference,
    Mechanism,
)
from bqcd.benchmark.datasets.records import Source
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import check_choice, check_number

NOISES = ("additive", "location-scale", "multiplicative")


@dataclass(frozen=True, kw_only=True)
class NoisyFunction:
    """Effect that is a noisy function of the cause.

    Parameters
    ----------
    function : {"smooth", "sigmoid"}, default="smooth"
        A draw of a Gaussian process, or ``c u / (1 + |u|)`` with ``u = b (x + a)``,
        a ~ U(-2, 2), |b| ~ U(0.5, 2) of random sign and c ~ 1 + Exp(rate 4).
    noise : {"additive", "location-scale", "multiplicative"}, default="additive"
        How the noise enters.
    variances : {"per row", "per pair"}, default="per row"
        Whether the variances of cause and noise, both from U(1, 2), are drawn for each row or
        once.
    noise_scale : float, default=0.2
        Factor of the noise. Multiplicative noise is U(0, 1) whatever it says.
    length : float, default=1.0
        Length scale of smooth functions.

    Examples
    --------
    >>> cause, effect = NoisyFunction(function="sigmoid").draw(50, np.random.default_rng(0))
    >>> cause.shape, effect.shape
    ((50,), (50,))
    """

    function: Literal["smooth", "sigmoid"] = "smooth"
    noise: Literal["additive", "location-scale", "multiplicative"] = "additive"
    variances: Literal["per row", "per pair"] = "per row"
    noise_scale: float = 0.2
    length: float = 1.0

    def __post_init__(self) -> None:
        """Check the settings."""
        check_choice("NoisyFunction", "function", self.function, ("smooth", "sigmoid"))
        check_choice("NoisyFunction", "noise", self.noise, NOISES)
        check_choice("NoisyFunction", "variances", self.variances, ("per row", "per pair"))
        check_number("NoisyFunction", "noise_scale", self.noise_scale, above=0.0)
        check_number("NoisyFunction", "length", self.length, above=0.0)

    def draw(
        self, n_rows: int, rng: Generator, interference: Interference = UNDISTURBED
    ) -> tuple[Vector, Vector]:
        """Columns of one new pair: the cause, then the effect."""
        cause = interference.on_cause(self._normal(n_rows, rng))
        values = self._function_values(cause, rng)
        effect = self._with_noise(values, rng)
        middle = 0.5 if self.noise == "multiplicative" else 1.0
        return cause, interference.on_effect(effect, lambda: middle * values)

    def effect(self, cause: Vector, rng: Generator) -> Vector:
        """Effect of a given cause, by a new function and with new noise."""
        return self._with_noise(self._function_values(cause, rng), rng)

    def _function_values(self, cause: Vector, rng: Generator) -> Vector:
        if self.function == "smooth":
            return smooth_values([cause], [self.length], rng)
        return _sigmoid(cause, rng)

    def _with_noise(self, values: Vector, rng: Generator) -> Vector:
        if self.noise == "multiplicative":
            return values * rng.uniform(size=len(values))
        noise = self.noise_scale * self._normal(len(values), rng)
        if self.noise == "location-scale":
            noise *= values - values.min()
        return values + noise

    def _normal(self, n_rows: int, rng: Generator) -> Vector:
        variances = rng.uniform(1.0, 2.0, n_rows if self.variances == "per row" else 1)
        values: Vector = np.sqrt(variances) * rng.normal(size=n_rows)
        return values


def _sigmoid(cause: Vector, rng: Generator) -> Vector:
    shift, height = rng.uniform(-2.0, 2.0), 1.0 + rng.exponential(0.25)
    slope = rng.uniform(0.5, 2.0) * rng.choice((-1.0, 1.0))
    scaled: Vector = slope * (cause + shift)
    return height * scaled / (1.0 + np.abs(scaled))


_SOURCE = Source(
    "Drawn by bqcd after Tagasovska, Chavez-Demoulin, Vatter: Distinguishing cause from effect "
    "using quantiles: bivariate quantile causal discovery. ICML 2020",
    "free to use, cite the paper",
)

CARDS: tuple[GeneratorCard[Mechanism], ...] = (
    GeneratorCard(
        name="AN",
        build=NoisyFunction,
        about="smooth function of the cause plus noise",
        source=_SOURCE,
    ),
    GeneratorCard(
        name="AN-s",
        build=partial(NoisyFunction, function="sigmoid", variances="per pair"),
        about="sigmoid of the cause plus noise",
        source=_SOURCE,
    ),
    GeneratorCard(
        name="LS",
        build=partial(NoisyFunction, noise="location-scale"),
        about="smooth function of the cause plus noise whose scale follows the function",
        source=_SOURCE,
    ),
    GeneratorCard(
        name="LS-s",
        build=partial(NoisyFunction, function="sigmoid", noise="location-scale"),
        about="sigmoid of the cause plus noise whose scale follows the sigmoid",
        source=_SOURCE,
    ),
    GeneratorCard(
        name="MN-U",
        build=partial(NoisyFunction, function="sigmoid", noise="multiplicative"),
        about="sigmoid of the cause times uniform noise",
        source=_SOURCE,
    ),
)
