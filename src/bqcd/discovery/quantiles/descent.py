"""L-BFGS for small problems with kinks rounded off."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from bqcd.runtime.arrays import Vector

Objective = Callable[[Vector], tuple[float, Vector]]

_MEMORY = 20
_PATIENCE = 20


def minimise(
    function: Objective, start: Vector, *, steps: int, tolerance: float
) -> tuple[Vector, int]:
    """Point reached by L-BFGS and the number of steps taken.

    SciPy's L-BFGS-B solves its small systems with threaded BLAS; on a busy machine one of
    its steps then takes milliseconds. All products here are too short for threads.
    """
    point = start
    value, gradient = function(point)
    memory: deque[tuple[Vector, Vector, float]] = deque(maxlen=_MEMORY)
    checked = value
    for step in range(steps):
        direction = _direction(gradient, memory)
        length = 1.0 if memory else min(1.0, 1.0 / float(np.linalg.norm(gradient) + 1e-300))
        found = _line_search(function, point, value, gradient, direction, length)
        if found is None:
            return point, step
        reached, value, new_gradient = found
        move, change = reached - point, new_gradient - gradient
        memory.append((move, change, float(move.dot(change))))
        point, gradient = reached, new_gradient
        if (step + 1) % _PATIENCE == 0:
            if checked - value < _PATIENCE * tolerance:
                return point, step + 1
            checked = value
    return point, steps


def _direction(gradient: Vector, memory: deque[tuple[Vector, Vector, float]]) -> Vector:
    """Descent direction of L-BFGS from past moves, gradient changes and their products."""
    direction = -gradient
    if not memory:
        return direction
    factors = []
    for move, change, product in reversed(memory):
        factor = move.dot(direction) / product
        direction -= factor * change
        factors.append(factor)
    move, change, product = memory[-1]
    direction *= product / change.dot(change)
    for (move, change, product), factor in zip(memory, reversed(factors), strict=True):
        direction += (factor - change.dot(direction) / product) * move
    return direction


def _line_search(
    function: Objective,
    point: Vector,
    value: float,
    gradient: Vector,
    direction: Vector,
    length: float,
) -> tuple[Vector, float, Vector] | None:
    """Point, value and gradient where both weak Wolfe conditions hold; None if not found.

    Bisection, as is fit for functions with kinks (Lewis & Overton, 2013).
    """
    descent = gradient.dot(direction)
    if descent >= 0.0:
        return None
    low, high = 0.0, float("inf")
    for _ in range(30):
        reached = point + length * direction
        new_value, new_gradient = function(reached)
        if new_value > value + 1e-4 * length * descent:
            high = length
        elif new_gradient.dot(direction) < 0.9 * descent:
            low = length
        else:
            return reached, new_value, new_gradient
        length = 2.0 * low if high == float("inf") else 0.5 * (low + high)
    return None
