"""The pair as a whole, for the panel: a picture of it, and a network that reads pictures.

Methods ask one question each. A picture holds the pair itself, as far as a few hundred rows can
tell it: the relation as the empirical copula in cosines, and each column by quantiles and ties.
A network has learned from many simulated pairs what pictures of causes and effects look like.
Its log-odds are a difference between the picture and that of the exchanged columns, and a mean
over mirror images: exchanging the columns flips them to the last bit, turning a column upside
down leaves them alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import ceil, fsum, log, log2

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.scaling import unit_variance

WAVES = 12
"""Cosines a column, of half a wave to six."""

QUANTILES = np.linspace(0.02, 0.98, 17)
"""Levels of the quantiles that tell a column."""

_CELLS, _LEVELS = WAVES * WAVES, len(QUANTILES)
LENGTH = _CELLS + 2 * _LEVELS + 5
"""Numbers of a picture: copula, quantiles of both columns, ties of both, logarithm of the rows."""

_COPULA = np.arange(_CELLS).reshape(WAVES, WAVES)
_FIRST = _CELLS + np.arange(_LEVELS)
_SECOND = _FIRST + _LEVELS
_TIES = _CELLS + 2 * _LEVELS + np.arange(4)
_ROWS = LENGTH - 1
# Where picture and network are in the middle of what was learned from.
_USUAL_ROWS, _FARTHEST = 5.7, 4.0

Pictures = NDArray[np.floating]


def picture_of(x: Vector, y: Vector) -> Vector:
    """Picture of a pair: the same to the bit for any order of the rows.

    Parameters
    ----------
    x, y : ndarray of shape (n,)
        Columns that vary.

    Returns
    -------
    ndarray of shape (LENGTH,)
        Finite numbers.

    Examples
    --------
    >>> x = np.linspace(0.0, 1.0, 101)
    >>> picture = picture_of(x, x**3)
    >>> picture[:WAVES].round(2)[:3]
    array([1., 0., 0.])
    """
    waves = _waves(x) @ _waves(y).T / len(x)
    columns = [np.quantile(unit_variance(column), QUANTILES) for column in (x, y)]
    ties = [share for column in (x, y) for share in _ties(column)]
    picture = np.concatenate((waves.ravel(), *columns, ties, [log(len(x))]))
    return np.where(np.isfinite(picture), picture, 0.0)


def _waves(column: Vector) -> Matrix:
    """Cosines of the mid-ranks, on a grid so coarse that sums of their products have no error."""
    n = len(column)
    ordered = np.sort(column)
    ranks = np.searchsorted(ordered, column, "left") + np.searchsorted(ordered, column, "right")
    angles = np.pi * ranks / (2.0 * n)
    grid = 2.0 ** min(24, (51 - ceil(log2(n))) // 2)
    waves: Matrix = np.rint(np.sqrt(2.0) * np.cos(np.arange(1, WAVES + 1)[:, None] * angles) * grid)
    return waves / grid


def _ties(column: Vector) -> tuple[float, float]:
    """Shares of distinct values and of the commonest one."""
    counts = np.unique(column, return_counts=True)[1]
    return len(counts) / len(column), float(counts.max()) / len(column)


def _exchange() -> NDArray[np.intp]:
    return np.concatenate((_COPULA.T.ravel(), _SECOND, _FIRST, _TIES[[2, 3, 0, 1]], [_ROWS]))


def _mirror(first: bool, second: bool) -> tuple[NDArray[np.intp], Vector]:
    """Places and signs that turn one column, or both, upside down."""
    places, signs = np.arange(LENGTH), np.ones(LENGTH)
    turns = (-1.0) ** np.arange(1, WAVES + 1)
    waves = np.outer(turns if first else turns**2, turns if second else turns**2)
    signs[:_CELLS] = waves.ravel()
    for turned, quantiles in ((first, _FIRST), (second, _SECOND)):
        if turned:
            places[quantiles], signs[quantiles] = quantiles[::-1], -1.0
    return places, signs


_EXCHANGE = _exchange()
_MIRRORS = tuple(_mirror(first, second) for first in (False, True) for second in (False, True))


def exchanged(pictures: Pictures) -> Pictures:
    """Pictures of the same pairs with their columns exchanged."""
    return pictures[..., _EXCHANGE]


def mirrored(pictures: Pictures) -> tuple[Pictures, ...]:
    """Pictures of the same pairs with no, one or both columns upside down."""
    return tuple(pictures[..., places] * signs.astype(pictures.dtype) for places, signs in _MIRRORS)


def of_equal_margins(pictures: Pictures) -> Pictures:
    """Pictures of the same pairs with both columns as normal scores."""
    equal = pictures.copy()
    equal[..., _FIRST] = equal[..., _SECOND] = ndtri(QUANTILES)
    return equal


def network_inputs(pictures: Pictures) -> Pictures:
    """What the network sees: cosines in standard errors and as they are, and all the rest."""
    waves, rows = pictures[..., :_CELLS], pictures[..., _ROWS:]
    errors = waves * np.exp(0.5 * rows)
    quantiles = pictures[..., _CELLS : _CELLS + 2 * _LEVELS]
    return np.concatenate(
        (
            np.copysign(np.log1p(np.abs(errors)), errors),
            4.0 * waves,
            np.clip(quantiles, -_FARTHEST, _FARTHEST),
            pictures[..., _TIES],
            rows - _USUAL_ROWS,
        ),
        axis=-1,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Layers of a network, each rectified but the last, which has one output.

    Parameters
    ----------
    weights : sequence of ndarray of shape (outputs, inputs)
        Of each layer.
    biases : sequence of ndarray of shape (outputs,)
        Of each layer.
    unit : float
        Median size of its log-odds on simulated pairs.
    """

    weights: Sequence[Matrix]
    biases: Sequence[Vector]
    unit: float = 1.0

    def log_odds(self, picture: Pictures) -> float:
        """Log-odds of x -> y, as far as one can tell by the picture."""
        images = mirrored(picture)
        ahead = [self._output(image) for image in images]
        back = [-self._output(exchanged(image)) for image in images]
        return fsum((*ahead, *back)) / len(images)

    def _output(self, picture: Pictures) -> float:
        layer = network_inputs(picture)
        last = len(self.weights) - 1
        for at, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            layer = weight @ layer + bias
            if at < last:
                layer = np.maximum(layer, 0.0)
        return float(layer[0])


NETWORK = "panel_network.npz"


@lru_cache(maxsize=1)
def shipped_network() -> Network:
    """The network in the file that comes with the package."""
    with files("bqcd.methods.models").joinpath(NETWORK).open("rb") as stream:
        return network_of(np.load(stream, allow_pickle=False))


def network_of(stored: Mapping[str, NDArray[np.generic]]) -> Network:
    """Network from its arrays: weights as small whole numbers times a step of each output."""
    count = int(stored["layers"].item())
    weights = tuple(
        stored[f"weights{at}"].astype(np.float64) * stored[f"steps{at}"].astype(np.float64)[:, None]
        for at in range(count)
    )
    biases = tuple(stored[f"biases{at}"].astype(np.float64) for at in range(count))
    return Network(weights, biases, float(stored["unit"].item()))
