"""Ties broken as in the paper's published results.

The authors ranked with R's ``rank(ties.method = "random")`` after ``set.seed(0)``: rows are
ordered by value and, within a value, by a uniform number from R's Mersenne Twister, drawn
for the first column and then for the second. The outcome depends on the order of rows and
columns, so it serves to compare with published numbers and nothing else.
"""

from __future__ import annotations

import numpy as np

from bqcd.runtime.arrays import Vector

_WORD = 0xFFFFFFFF


def published_ranks(x: Vector, y: Vector) -> tuple[Vector, Vector]:
    """Ranks of both columns, 1 to n, without ties."""
    stream = r_generator(0)
    return _random_ranks(x, stream), _random_ranks(y, stream)


def r_generator(seed: int) -> np.random.MT19937:
    """Mersenne Twister in the state R's ``set.seed`` leaves it in."""
    word = seed & _WORD
    words = []
    for step in range(50 + 625):
        word = (69069 * word + 1) & _WORD
        if step >= 50:
            words.append(word)
    generator = np.random.MT19937()
    state = generator.state
    # R keeps the position in the first word and marks it as used up.
    state["state"] = {"key": np.array(words[1:], dtype=np.uint32), "pos": 624}
    generator.state = state
    return generator


def r_uniforms(generator: np.random.MT19937, n: int) -> Vector:
    """Next n numbers of R's ``runif``.

    Examples
    --------
    >>> r_uniforms(r_generator(42), 2).round(7)
    array([0.914806 , 0.9370754])
    """
    return np.asarray(generator.random_raw(n) * 2.3283064365386963e-10)


def _random_ranks(values: Vector, generator: np.random.MT19937) -> Vector:
    order = np.lexsort((r_uniforms(generator, len(values)), values))
    ranks = np.empty(len(values))
    ranks[order] = np.arange(1.0, len(values) + 1.0)
    return ranks
