"""Vectors of known direction: groups of columns that cause groups of columns.

The cause mixes independent sources. Each column of the effect hears some columns of the cause, and
has noise of its own or, in half of the pairs, noise that is mixed with that of the others. How the
columns are heard is the relation; the number of columns on either side is a setting.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator

from bqcd.benchmark.datasets.generators.mechanism import GeneratorCard, PairGenerator
from bqcd.benchmark.datasets.records import Source
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.settings import check_choice, check_integer

Relation = Literal["linear", "gaussian", "additive", "index", "scale", "latent"]
"""How an effect hears its causes, see :class:`Vectors`."""

Curve = Callable[[Vector], Vector]

_MOST_COLUMNS = 200

SOURCES: Mapping[str, Callable[[int, Generator], Vector]] = MappingProxyType(
    {
        "normal": lambda n, rng: rng.normal(size=n),
        "uniform": lambda n, rng: rng.uniform(-1.7, 1.7, n),
        "Laplace": lambda n, rng: rng.laplace(0.0, 0.7, n),
        "exponential": lambda n, rng: rng.exponential(size=n) - 1.0,
    }
)
"""Distributions of sources and noise."""


@dataclass(frozen=True, kw_only=True)
class Vectors:
    """A group of columns and another one that it causes.

    Parameters
    ----------
    relation : str, default="additive"
        - "linear": sums of the causes with random weights.
        - "gaussian": the same with Gaussian sources and noise.
        - "additive": sums of random curves, one of each cause.
        - "index": a random curve of a weighted sum of the causes.
        - "scale": the same, with noise whose size depends on another weighted sum.
        - "latent": mixtures of random curves of one or two weighted sums, the same for all.
    causes, effects : int, default=5
        Columns of the cause and of the effect.

    Examples
    --------
    >>> cause, effect = Vectors(causes=3, effects=2).draw(100, np.random.default_rng(0))
    >>> cause.shape, effect.shape
    ((100, 3), (100, 2))
    """

    relation: Relation = "additive"
    causes: int = 5
    effects: int = 5

    def __post_init__(self) -> None:
        """Check the settings."""
        check_choice("Vectors", "relation", self.relation, get_args(Relation))
        for name in ("causes", "effects"):
            value = getattr(self, name)
            check_integer("Vectors", name, value, minimum=1, maximum=_MOST_COLUMNS)

    def draw(self, n_rows: int, rng: Generator) -> tuple[Matrix, Matrix]:
        """Columns of one new pair: those of the cause, then those of the effect."""
        kind = "normal" if self.relation == "gaussian" else None
        cause = _mixed(_sources(n_rows, self.causes, rng, kind), rng)
        noise = _sources(n_rows, self.effects, rng, kind)
        if rng.random() < 0.5:
            noise = _mixed(noise, rng)
        size = rng.uniform(0.2, 0.8)
        heard = _standardised(_RELATIONS[self.relation](cause, self.effects, rng))
        if self.relation == "scale":
            sums = _standardised(cause @ rng.normal(size=(self.causes, self.effects)))
            noise = noise * np.exp(0.8 * np.tanh(sums))
        effect: Matrix = heard + size * noise
        return cause, effect


def _sources(n_rows: int, columns: int, rng: Generator, kind: str | None) -> Matrix:
    """Independent columns, of one distribution or each of one that is drawn."""
    drawn = [SOURCES[kind or str(rng.choice(list(SOURCES)))](n_rows, rng) for _ in range(columns)]
    return _standardised(np.stack(drawn, axis=1))


def _mixed(columns: Matrix, rng: Generator) -> Matrix:
    """Columns that share something with each other."""
    width = columns.shape[1]
    strength = rng.uniform(0.0, 1.0)
    mixing = np.eye(width) + strength * rng.normal(size=(width, width)) / np.sqrt(width)
    return _standardised(columns @ mixing)


def _weights(causes: int, effects: int, rng: Generator) -> Matrix:
    """Weights with which effects hear causes: some are zero, but not all of an effect."""
    share = rng.uniform(0.3, 1.0)
    weights = rng.normal(size=(causes, effects)) * (rng.random((causes, effects)) < share)
    deaf = ~weights.any(axis=0)
    weights[rng.integers(causes), deaf] = 1.0
    return weights


def _curve(rng: Generator) -> Curve:
    """A random smooth or bent function of a column of variance 1."""
    steep, shift = rng.uniform(0.7, 2.0), rng.uniform(-0.7, 0.7)
    curves: tuple[Curve, ...] = (
        lambda t: np.tanh(steep * (t - shift)),
        lambda t: (t - shift) ** 2,
        lambda t: np.sin(1.5 * steep * t + shift),
        lambda t: np.exp(0.6 * steep * np.minimum(t, 3.0)),
        lambda t: np.abs(t - shift) + shift * t,
    )
    return curves[rng.integers(len(curves))]


def _linear(cause: Matrix, effects: int, rng: Generator) -> Matrix:
    heard: Matrix = cause @ _weights(cause.shape[1], effects, rng)
    return heard


def _additive(cause: Matrix, effects: int, rng: Generator) -> Matrix:
    weights = _weights(cause.shape[1], effects, rng)
    heard = np.zeros((len(cause), effects))
    for at, other in zip(*np.nonzero(weights), strict=True):
        bent = _standardised(_curve(rng)(cause[:, at])[:, None])[:, 0]
        heard[:, other] += weights[at, other] * bent
    return heard


def _index(cause: Matrix, effects: int, rng: Generator) -> Matrix:
    sums = _standardised(_linear(cause, effects, rng))
    bent: Matrix = np.stack([_curve(rng)(column) for column in sums.T], axis=1)
    return bent


def _latent(cause: Matrix, effects: int, rng: Generator) -> Matrix:
    count = int(rng.integers(1, 3))
    sums = _standardised(cause @ rng.normal(size=(cause.shape[1], count)))
    bent = np.stack([_curve(rng)(column) for column in sums.T], axis=1)
    heard: Matrix = bent @ rng.normal(size=(count, effects))
    return heard


_RELATIONS: Mapping[str, Callable[[Matrix, int, Generator], Matrix]] = MappingProxyType(
    {
        "linear": _linear,
        "gaussian": _linear,
        "additive": _additive,
        "index": _index,
        "scale": _index,
        "latent": _latent,
    }
)


def _standardised(columns: Matrix) -> Matrix:
    centred = columns - columns.mean(axis=0)
    scaled: Matrix = centred / centred.std(axis=0, ddof=1)
    return scaled


_SOURCE = Source("Drawn by bqcd", "free to use")

_ABOUT: Mapping[Relation, str] = {
    "linear": "vectors: weighted sums of the causes",
    "gaussian": "vectors: weighted sums of Gaussian causes, with Gaussian noise",
    "additive": "vectors: sums of curves of single causes",
    "index": "vectors: curves of weighted sums of the causes",
    "scale": "vectors: curves of weighted sums, with noise whose size depends on the causes",
    "latent": "vectors: mixtures of curves of one or two weighted sums of the causes",
}

CARDS: tuple[GeneratorCard[PairGenerator], ...] = tuple(
    GeneratorCard(
        name=f"vector-{relation}",
        build=partial(Vectors, relation=relation),
        about=about,
        source=_SOURCE,
    )
    for relation, about in _ABOUT.items()
)
