from __future__ import annotations

import numpy as np
import pytest

from bqcd.statistics.relations import edge_sharpness, function_share, is_monotone_function


def test_a_function_has_share_one_and_independent_columns_share_zero():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 2000))
    assert function_share(x, np.sin(x)) == pytest.approx(1.0, abs=0.02)
    assert function_share(x, y) == pytest.approx(0.0, abs=0.06)


def test_a_parabola_is_a_function_one_way_only():
    x = np.random.default_rng(1).normal(size=1000)
    assert function_share(x, x**2) > 0.99
    assert function_share(x**2, x) < 0.5


def test_chatterjees_coefficient_by_hand():
    # Ranks of y by x are 1, 3, 2, 4: 1 - 3 (2 + 1 + 2) / 15 = 0, of at most 1 - 9 / 15.
    x, y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])
    assert function_share(x, y) == pytest.approx(0.0)
    assert function_share(x, x) == pytest.approx(1.0)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_rounding_is_a_monotone_function_and_noise_is_not(sign):
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    assert is_monotone_function(x, sign * x.round(1))
    assert not is_monotone_function(x, sign * (x + 0.1 * rng.normal(size=300)).round(1))


def test_a_step_at_an_end_is_sharp_and_a_bell_is_not():
    rng = np.random.default_rng(3)
    bells = np.array([edge_sharpness(rng.normal(size=500)) for _ in range(200)])
    cut = np.array([edge_sharpness(np.abs(rng.normal(size=500))) for _ in range(200)])
    assert (bells >= 0.8).mean() <= 0.01
    assert (cut >= 0.8).mean() >= 0.9


def test_few_values_have_no_edge():
    assert edge_sharpness(np.arange(50.0)) == 0.0
