from __future__ import annotations

from math import fsum

import numpy as np
import pytest

from bqcd.runtime.sum_kernels import inner_product, lane_sum, long_inner_product


@pytest.mark.parametrize("length", [0, 1, 3, 4, 7, 8, 9, 1000, 1003])
def test_sums_in_lanes_leave_nothing_out(length: int) -> None:
    first, second = np.random.default_rng(length).normal(size=(2, length))
    exact = fsum(a * b for a, b in zip(first, second, strict=True))
    assert inner_product(first, second) == pytest.approx(exact, abs=1e-12)
    assert long_inner_product(first, second) == pytest.approx(exact, abs=1e-12)
    assert lane_sum(first) == pytest.approx(fsum(first), abs=1e-12)
