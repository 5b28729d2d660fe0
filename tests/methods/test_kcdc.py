"""Kernel conditional deviance beside the formulas on whole Gram matrices."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.data.pair import Pair
from bqcd.methods.kcdc import KCDC


def deviance(cause: np.ndarray, effect: np.ndarray, width: float, ridge: float) -> float:
    """Variance of the norms of the conditional embeddings, as published."""

    def gram(column):
        column = (column - column.min()) / np.ptp(column)
        distances = np.abs(column[:, None] - column)
        median = np.median(distances[np.triu_indices(len(column), 1)])
        return np.exp(-(distances**2) / (2.0 * max(width * median, 0.01) ** 2))

    given, target, n = gram(cause), gram(effect), len(cause)
    weights = np.linalg.solve(given + n * ridge * np.eye(n), given)
    norms = np.sqrt(np.einsum("ij,ik,kj->j", weights, target, weights))
    return float(np.var(norms))


@pytest.mark.parametrize("settings", [{}, {"width": 0.5, "ridge": 0.01}])
def test_deviances_are_those_of_the_formula(settings):
    rng = np.random.default_rng(0)
    x = rng.normal(size=120)
    y = x**2 + 0.4 * rng.normal(size=120)
    method = KCDC(**settings)
    found = method.evidence(Pair(x, y), rng)
    assert found.x_to_y == pytest.approx(deviance(x, y, method.width, method.ridge), rel=1e-5)
    assert found.y_to_x == pytest.approx(deviance(y, x, method.width, method.ridge), rel=1e-5)


def test_smooth_functions_of_a_normal_cause_are_told():
    """Additive noise on functions like those of Mitrovic et al., at their 100 rows."""
    right = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=100)
        y = np.log(x + 10.0) + x ** (2 + 4 * (seed % 2)) + rng.normal(size=100)
        right += KCDC().decide(Pair(x, y), rng).confidence > 0.0
    assert right >= 26
