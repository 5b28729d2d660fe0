"""The pair as a whole, for the panel: a picture of it, and a network that reads pictures.

Methods ask one question each. A picture holds the pair itself, as far as a few hundred rows can
tell it: the relation as means of products, of cosines of ranks and powers of the values, and each
column by quantiles and ties. A network has learned from many simulated pairs what pictures of
causes and effects look like. It says two things. Its log-odds of a direction are a difference
between the picture and that of the exchanged columns, those of a direct link rather than a common
cause are a sum; both are means over mirror images. So exchanging the columns flips the first and
leaves the second to the last bit, and turning a column upside down leaves both alone.
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

from bqcd.data.margins import mapped_to_normal
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.scaling import unit_variance

WAVES = 12
"""Cosines of the ranks of a column, of half a wave to six."""

POWERS = 3
"""Powers of the values of a column."""

QUANTILES = np.linspace(0.02, 0.98, 17)
"""Levels of the quantiles that tell a column."""

_FUNCTIONS, _LEVELS = WAVES + POWERS, len(QUANTILES)
_CELLS = _FUNCTIONS * _FUNCTIONS
LENGTH = _CELLS + 2 * _LEVELS + 5
"""Numbers of a picture: relation, quantiles of both columns, ties of both, logarithm of the rows.
"""

_RELATION = np.arange(_CELLS).reshape(_FUNCTIONS, _FUNCTIONS)
_FIRST = _CELLS + np.arange(_LEVELS)
_SECOND = _FIRST + _LEVELS
_TIES = _CELLS + 2 * _LEVELS + np.arange(4)
_ROWS = LENGTH - 1
# Where picture and network are in the middle of what was learned from.
_USUAL_ROWS, _FARTHEST = 5.7, 4.0
# Largest size of a standardised power, which decides how fine the grid of values can be.
_LOUDEST = 8.0

Pictures = NDArray[np.floating]


def pictures_of(x: Vector, y: Vector) -> Matrix:
    """Pictures of a pair, to the bit the same for any order of the rows.

    Parameters
    ----------
    x, y : ndarray of shape (n,)
        Columns that vary.

    Returns
    -------
    ndarray of shape (2, LENGTH)
        The pair as it comes, and both columns as normal scores; finite numbers.

    Examples
    --------
    >>> x = np.linspace(0.0, 1.0, 101)
    >>> pictures = pictures_of(x, x**3)
    >>> pictures.shape == (2, LENGTH)
    True
    >>> pictures[:, :3].round(2)
    array([[1., 0., 0.],
           [1., 0., 0.]])
    """
    waves, ties = (_waves(x), _waves(y)), [*_ties(x), *_ties(y), log(len(x))]
    quantiles = [np.quantile(unit_variance(column), QUANTILES) for column in (x, y)]
    seen = (
        (x, y, np.concatenate(quantiles)),
        (mapped_to_normal(x), mapped_to_normal(y), np.tile(ndtri(QUANTILES), 2)),
    )
    pictures = np.array(
        [
            np.concatenate((_relation((first, second), waves).ravel(), columns, ties))
            for first, second, columns in seen
        ]
    )
    return np.where(np.isfinite(pictures), pictures, 0.0)


def _relation(columns: tuple[Vector, Vector], waves: tuple[Matrix, Matrix]) -> Matrix:
    """Means of products of what is told of either column.

    Rounded to a grid so coarse that sums of products have no error, whatever their order.
    """
    n = len(columns[0])
    grid = 2.0 ** min(22, (47 - ceil(log2(n))) // 2)
    x, y = (
        np.rint(grid * np.vstack((wave, _powers(column)))) / grid
        for column, wave in zip(columns, waves, strict=True)
    )
    relation: Matrix = x @ y.T / n
    return relation


def _waves(column: Vector) -> Matrix:
    """Cosines of the mid-ranks."""
    n = len(column)
    ordered = np.sort(column)
    ranks = np.searchsorted(ordered, column, "left") + np.searchsorted(ordered, column, "right")
    angles = np.pi * ranks / (2.0 * n)
    return np.sqrt(2.0) * np.cos(np.arange(1, WAVES + 1)[:, None] * angles)


def _powers(column: Vector) -> Matrix:
    """Powers of the values, far ones drawn in, each with mean 0 and variance 1."""
    values = np.clip(unit_variance(column), -_FARTHEST, _FARTHEST)
    in_order = np.sort(values)
    powers = np.empty((POWERS, len(column)))
    for at in range(POWERS):
        # Of sorted values, so that the last bit does not know the order of the rows.
        ordered = in_order ** (at + 1)
        mean, spread = ordered.mean(), ordered.std()
        powers[at] = (values ** (at + 1) - mean) / spread if spread > 0.0 else 0.0
    return np.clip(powers, -_LOUDEST, _LOUDEST)


def _ties(column: Vector) -> tuple[float, float]:
    """Shares of distinct values and of the commonest one."""
    counts = np.unique(column, return_counts=True)[1]
    return len(counts) / len(column), float(counts.max()) / len(column)


def _exchange() -> NDArray[np.intp]:
    return np.concatenate((_RELATION.T.ravel(), _SECOND, _FIRST, _TIES[[2, 3, 0, 1]], [_ROWS]))


def _mirror(first: bool, second: bool) -> tuple[NDArray[np.intp], Vector]:
    """Places and signs that turn one column, or both, upside down."""
    places, signs = np.arange(LENGTH), np.ones(LENGTH)
    turns = (-1.0) ** np.concatenate((np.arange(1, WAVES + 1), np.arange(1, POWERS + 1)))
    cells = np.outer(turns if first else turns**2, turns if second else turns**2)
    signs[:_CELLS] = cells.ravel()
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
    return tuple(mirror_image(pictures, which) for which in range(len(_MIRRORS)))


def mirror_image(pictures: Pictures, which: int) -> Pictures:
    """One of :func:`mirrored`."""
    places, signs = _MIRRORS[which]
    return pictures[..., places] * signs.astype(pictures.dtype)


def network_inputs(pictures: Pictures) -> Pictures:
    """What the network sees: the relation in standard errors and as it is, and all the rest."""
    relation, rows = pictures[..., :_CELLS], pictures[..., _ROWS:]
    errors = relation * np.exp(0.5 * rows)
    quantiles = pictures[..., _CELLS : _CELLS + 2 * _LEVELS]
    return np.concatenate(
        (
            np.copysign(np.log1p(np.abs(errors)), errors),
            4.0 * relation,
            np.clip(quantiles, -_FARTHEST, _FARTHEST),
            pictures[..., _TIES],
            rows - _USUAL_ROWS,
        ),
        axis=-1,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Layers of a network, each rectified but the last, which has two outputs.

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

    def said(self, picture: Pictures) -> tuple[float, float]:
        """Log-odds of x -> y, and of a direct link rather than a common cause.

        Neither is more than the picture can tell, and the second has no offset: a direct link and
        a common cause are as likely before anything is seen.
        """
        images = mirrored(picture)
        ahead = [self._outputs(image) for image in images]
        back = [self._outputs(exchanged(image)) for image in images]
        odd = [one[0] for one in ahead] + [-one[0] for one in back]
        even = [one[1] for one in (*ahead, *back)]
        return fsum(odd) / len(images), fsum(even) / len(images)

    def _outputs(self, picture: Pictures) -> tuple[float, float]:
        layer = network_inputs(picture)
        last = len(self.weights) - 1
        for at, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            layer = weight @ layer + bias
            if at < last:
                layer = np.maximum(layer, 0.0)
        return float(layer[0]), float(layer[1])


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
