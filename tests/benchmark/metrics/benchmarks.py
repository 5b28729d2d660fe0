"""Small benchmarks for property tests: truths, confidences and weights."""

from __future__ import annotations

from math import nan
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st


class Benchmark(NamedTuple):
    truth: np.ndarray
    confidence: np.ndarray
    weight: np.ndarray


@st.composite
def benchmarks(draw, *, with_gaps: bool = True) -> Benchmark:
    """Few different confidences, so that ties are common; both truths have weight."""
    answer = st.integers(-3, 3).map(float)
    if with_gaps:
        answer = st.one_of(answer, st.just(nan))
    row = st.tuples(st.sampled_from([-1.0, 1.0]), answer, st.integers(0, 4).map(float))
    rows = draw(st.lists(row, min_size=0, max_size=12))
    rows += [(1.0, draw(answer), 1.0), (-1.0, draw(answer), 2.0)]
    return Benchmark(*(np.array(column) for column in zip(*rows, strict=True)))
