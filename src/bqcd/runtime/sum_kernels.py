"""Long sums in a fixed number of lanes, compiled: quick, and the same on every machine."""

from __future__ import annotations

from bqcd.runtime.arrays import Vector
from bqcd.runtime.kernel import kernel


@kernel
def lane_sum(values: Vector) -> float:
    """Sum, in eight lanes."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    e, f, g, h = 0.0, 0.0, 0.0, 0.0
    whole = len(values) // 8 * 8
    for i in range(0, whole, 8):
        a += values[i]
        b += values[i + 1]
        c += values[i + 2]
        d += values[i + 3]
        e += values[i + 4]
        f += values[i + 5]
        g += values[i + 6]
        h += values[i + 7]
    for i in range(whole, len(values)):
        a += values[i]
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


@kernel
def inner_product(first: Vector, second: Vector) -> float:
    """Sum of products, in four lanes."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = len(first) // 4 * 4
    for i in range(0, whole, 4):
        a += first[i] * second[i]
        b += first[i + 1] * second[i + 1]
        c += first[i + 2] * second[i + 2]
        d += first[i + 3] * second[i + 3]
    for i in range(whole, len(first)):
        a += first[i] * second[i]
    return (a + b) + (c + d)


@kernel
def long_inner_product(first: Vector, second: Vector) -> float:
    """Sum of products, in eight lanes."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    e, f, g, h = 0.0, 0.0, 0.0, 0.0
    whole = len(first) // 8 * 8
    for i in range(0, whole, 8):
        a += first[i] * second[i]
        b += first[i + 1] * second[i + 1]
        c += first[i + 2] * second[i + 2]
        d += first[i + 3] * second[i + 3]
        e += first[i + 4] * second[i + 4]
        f += first[i + 5] * second[i + 5]
        g += first[i + 6] * second[i + 6]
        h += first[i + 7] * second[i + 7]
    for i in range(whole, len(first)):
        a += first[i] * second[i]
    return ((a + b) + (c + d)) + ((e + f) + (g + h))
