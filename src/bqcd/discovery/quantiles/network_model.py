"""The network behind :class:`bqcd.discovery.quantiles.Network`: shape, score, gradient."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import expit, ndtri

from bqcd.runtime.arrays import Matrix, Vector

_BLOCK = 4096
_COLUMNS = 2000


@dataclass(frozen=True, kw_only=True, eq=False)
class FittedNetwork:
    """Conditional quantiles of a fitted network.

    Parameters
    ----------
    layout : Layout
        Shape of the network.
    parameters : ndarray of shape (layout.size,)
        Free parameters, before positive weights are made positive.
    levels : ndarray of shape (m,)
        Levels of the columns of a prediction.
    """

    layout: Layout
    parameters: Vector
    levels: Vector

    def __call__(self, given: Vector) -> Matrix:
        """Quantiles at each value of ``given``, shape (n, m), rows not decreasing."""
        layers = self.layout.layers(self.parameters)
        quantiles = np.empty((len(given), len(self.levels)))
        # Blocks bound the memory for the hidden layers, whatever the number of rows.
        for first in range(0, len(given), _BLOCK):
            block = given[first : first + _BLOCK]
            activations = self.layout.buffers(block, self.levels)
            output = _forward(layers, activations).reshape(len(self.levels), len(block))
            quantiles[first : first + _BLOCK] = output.T
        # Positive weights order the levels up to rounding; this orders them exactly.
        return np.asarray(np.maximum.accumulate(quantiles, axis=1))


@dataclass(frozen=True)
class Layout:
    """Shape of a network: layers as slices of one parameter vector.

    Layer k is a matrix with one row per neuron. Its last column holds the biases; all
    others are positive, but for the covariate's column of the first layer.

    Parameters
    ----------
    hidden : tuple of int
        Neurons of each hidden layer.
    """

    hidden: tuple[int, ...]

    @cached_property
    def shapes(self) -> list[tuple[int, int]]:
        """Rows and columns of each layer."""
        return [(after, before + 1) for before, after in pairwise((2, *self.hidden, 1))]

    @cached_property
    def ends(self) -> list[int]:
        """Where each layer begins in the parameter vector, and where the last one ends."""
        return list(accumulate((rows * columns for rows, columns in self.shapes), initial=0))

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.ends[-1]

    @cached_property
    def positive(self) -> NDArray[np.bool_]:
        """Which parameters stand for positive weights, shape (size,)."""
        masks = [np.ones(shape, dtype=np.bool_) for shape in self.shapes]
        masks[0][:, 0] = False
        for mask in masks:
            mask[:, -1] = False
        return np.concatenate([mask.ravel() for mask in masks])

    def layers(self, parameters: Vector) -> list[Matrix]:
        """Weights and biases of each layer."""
        weights = parameters.copy()
        weights[self.positive] = np.logaddexp(0.0, parameters[self.positive])
        return self.split(weights)

    def parameters(self, layers: list[Matrix]) -> Vector:
        """Parameters that give these ``layers``."""
        flat = np.concatenate([layer.ravel() for layer in layers])
        positive = self.positive
        flat[positive] = np.log(np.expm1(flat[positive]))
        return flat

    def split(self, flat: Vector) -> list[Matrix]:
        """Matrices of the layers as views of one vector."""
        return [
            flat[first:last].reshape(shape)
            for first, last, shape in zip(self.ends, self.ends[1:], self.shapes, strict=False)
        ]

    def buffers(self, given: Vector, levels: Vector) -> list[Matrix]:
        """Input and hidden activations, one column per level and row, levels outermost.

        The last row of each matrix is one and carries the biases through the product.
        """
        columns = len(levels) * len(given)
        activations = [np.ones((width + 1, columns)) for width in (2, *self.hidden)]
        activations[0][0] = np.tile(given, len(levels))
        activations[0][1] = np.repeat(ndtri(levels), len(given))
        return activations


class Problem:
    """Smoothed mean pinball score of a network on one sample, with its gradient.

    Parameters
    ----------
    layout : Layout
        Shape of the network.
    given, target : ndarray of shape (n,)
        The sample.
    levels : ndarray of shape (m,)
        Levels fitted jointly.
    """

    def __init__(self, layout: Layout, given: Vector, target: Vector, levels: Vector) -> None:
        self.layout = layout
        self.target = target
        self.levels = levels
        self.total = len(target) * len(levels)
        # Blocks stay in the cache, and below the size where BLAS would start threads.
        count = -(-self.total // _COLUMNS)
        self.blocks = [
            _Block(layout, rows, part, levels)
            for rows, part in zip(
                np.array_split(given, count), np.array_split(target, count), strict=True
            )
        ]

    def __call__(self, parameters: Vector, width: float) -> tuple[float, Vector]:
        """Score and gradient; the kink is rounded off within ``width`` of zero."""
        layers = self.layout.layers(parameters)
        gradient = np.zeros(self.layout.size)
        parts = self.layout.split(gradient)
        score = sum(block.add_gradient(layers, parts, width) for block in self.blocks)
        gradient /= self.total
        positive = self.layout.positive
        gradient[positive] *= expit(parameters[positive])
        return score / self.total, gradient

    def start(self, rng: Generator) -> Vector:
        """Random parameters whose mean output is near the marginal quantiles.

        The first layer's neurons bend at values spread over the sample. Further layers
        get centred inputs, so that no neuron begins saturated.
        """
        layers = [np.empty(shape) for shape in self.layout.shapes]
        neurons = len(layers[0])
        slopes = rng.choice([-1.0, 1.0], neurons) * rng.uniform(0.75, 2.25, neurons)
        bends = ndtri((rng.permutation(neurons) + rng.uniform(0.1, 0.9, neurons)) / neurons)
        layers[0][:] = np.column_stack([slopes, np.full(neurons, 0.5), -slopes * bends])
        for depth in range(1, len(layers)):
            rows, columns = layers[depth].shape
            weights = rng.uniform(0.1, 1.0, (rows, columns - 1)) / np.sqrt(columns - 1)
            layers[depth][:, :-1] = weights
            layers[depth][:, -1] = 0.0
            hidden = self._outputs(layers[: depth + 1])
            layers[depth][:, -1] = -hidden.mean(axis=(1, 2))
        means = self._outputs(layers)[0].mean(axis=1)
        wanted = np.quantile(self.target, self.levels)
        scale = np.clip(np.ptp(wanted) / np.ptp(means), 0.1, 10.0) if len(means) > 1 else 1.0
        layers[-1] *= scale
        layers[-1][:, -1] += np.mean(wanted) - scale * np.mean(means)
        return self.layout.parameters(layers)

    def _outputs(self, layers: list[Matrix]) -> NDArray[np.float64]:
        """Linear outputs of the last of ``layers``, shape (neurons, m, n)."""
        parts = []
        for block in self.blocks:
            _activate(layers[:-1], block.activations)
            output = layers[-1] @ block.activations[len(layers) - 1]
            parts.append(output.reshape(len(output), len(self.levels), -1))
        return np.concatenate(parts, axis=2)


class _Block:
    """A part of the sample with room for its activations, so that no step allocates them."""

    def __init__(self, layout: Layout, given: Vector, target: Vector, levels: Vector) -> None:
        self.target = np.tile(target, len(levels))
        self.tilt = np.repeat(levels - 0.5, len(target))
        self.activations = layout.buffers(given, levels)
        self.deltas = [np.empty_like(hidden[:-1]) for hidden in self.activations[1:]]
        self.slopes = [np.empty_like(hidden[:-1]) for hidden in self.activations[1:]]

    def add_gradient(self, layers: list[Matrix], parts: list[Matrix], width: float) -> float:
        """Sum of scores; its gradient in weights and biases is added to ``parts``."""
        residual = self.target - _forward(layers, self.activations)
        # |r| becomes (r^2 / width + width) / 2 where it is below the width.
        clipped = np.clip(residual, -width, width)
        rounded = clipped * (residual - 0.5 * clipped) * (0.5 / width) + 0.25 * width
        score = float(np.sum(rounded + self.tilt * residual))
        slope = clipped * (-0.5 / width) - self.tilt
        parts[-1] += np.einsum("ij,j->i", self.activations[-1], slope)
        np.multiply(layers[-1][0, :-1, None], slope, out=self.deltas[-1])
        for depth in range(len(layers) - 2, -1, -1):
            delta, derivative = self.deltas[depth], self.slopes[depth]
            hidden = self.activations[depth + 1][:-1]
            np.multiply(hidden, hidden, out=derivative)
            np.subtract(1.0, derivative, out=derivative)
            np.multiply(delta, derivative, out=delta)
            parts[depth] += delta @ self.activations[depth].T
            if depth > 0:
                np.dot(layers[depth][:, :-1].T, delta, out=self.deltas[depth - 1])
        return score


def _activate(layers: list[Matrix], activations: list[Matrix]) -> None:
    """Fill the hidden rows of ``activations`` layer by layer, in place."""
    for weights, before, after in zip(layers, activations, activations[1:], strict=False):
        hidden = after[:-1]
        np.dot(weights, before, out=hidden)
        np.tanh(hidden, out=hidden)


def _forward(layers: list[Matrix], activations: list[Matrix]) -> Vector:
    """Output for each column of ``activations``, whose hidden rows are overwritten."""
    _activate(layers[:-1], activations)
    # BLAS would split this product over threads and round it differently for each number.
    return np.asarray(np.einsum("i,ij->j", layers[-1][0], activations[-1]))
