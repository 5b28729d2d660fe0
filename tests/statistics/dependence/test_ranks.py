from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest
from scipy import stats

from bqcd.statistics.dependence.ranks import (
    _polynomials,
    _untied_polynomials,
    tied_dependence,
    untied_dependence,
)


def inverse_of(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.argsort(np.argsort(x))[np.argsort(y)].astype(np.int32)


def codes_of(values: np.ndarray) -> np.ndarray:
    return (stats.rankdata(values, method="dense") - 1).astype(np.int32)


def projected(values: np.ndarray) -> np.ndarray:
    """Orthonormal columns of mid-ranks, their squares and cubes, by the QR of a plain matrix."""
    ranks = stats.rankdata(values)
    ranks = (ranks - ranks.mean()) / ranks.std()
    degrees = min(3, len(set(values)) - 1)
    q, _ = np.linalg.qr(np.column_stack([ranks**k for k in range(degrees + 1)]))
    return q[:, 1:]


SHAPES = {
    "independent": lambda x, e: e,
    "falling": lambda x, e: -x + e,
    "bend": lambda x, e: x**2 + 0.3 * e,
    "fan": lambda x, e: x * e,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("digits", [0, 1, 9])
def test_correlations_are_those_of_projections_on_polynomials(shape: str, digits: int) -> None:
    rng = np.random.default_rng(len(shape))
    x, e = rng.normal(size=(2, 300))
    y = SHAPES[shape](x, e).round(digits)
    x = x.round(digits)
    found = tied_dependence(codes_of(x), codes_of(y))
    across = projected(x).T @ projected(y)
    assert found.strength == pytest.approx(np.linalg.norm(across, 2), abs=1e-12)
    assert found.spearman == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    chi2 = stats.chi2.sf(299 * (across**2).sum(), across.size)
    assert found.p_value >= chi2 * (1 - 1e-9)


@pytest.mark.parametrize("n", [10, 63, 500, 5000])
def test_without_ties_both_functions_say_the_same(n: int) -> None:
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    y = np.sin(2 * x) + rng.normal(size=n)
    one = untied_dependence(inverse_of(x, y)[None])
    other = tied_dependence(codes_of(x), codes_of(y))
    assert one.spearman == pytest.approx(other.spearman, abs=1e-12)
    assert one.strength == pytest.approx(other.strength, abs=1e-12)
    assert one.p_value == pytest.approx(other.p_value, rel=1e-3)


def test_many_pairs_at_once_are_the_same_to_the_bit_as_one_by_one() -> None:
    rng = np.random.default_rng(3)
    inverses = np.array([rng.permutation(400) for _ in range(30)], dtype=np.int32)
    together = untied_dependence(inverses)
    for k in range(30):
        alone = untied_dependence(inverses[k : k + 1])
        assert alone.spearman[0] == together.spearman[k]
        assert alone.strength[0] == together.strength[k]
        assert alone.p_value[0] == together.p_value[k]


@pytest.mark.parametrize(("n", "least"), [(50, 0.3), (200, 0.6), (1000, 0.7)])
def test_independent_columns_are_rejected_no_more_often_than_asked(n: int, least: float) -> None:
    rng = np.random.default_rng(n)
    inverses = np.array([rng.permutation(n) for _ in range(8000)], dtype=np.int32)
    p_value = untied_dependence(inverses).p_value
    for level in (0.05, 0.01):
        share = (p_value < level).mean()
        assert share < level + 3 * np.sqrt(level / 8000)
        assert share > least * level - 3 * np.sqrt(level / 8000)


def rare(rng: np.random.Generator) -> np.ndarray:
    values = np.zeros(400)
    values[rng.choice(400, size=5, replace=False)] = 1.0
    return values


AWKWARD = {
    "binary": lambda rng: rng.integers(2, size=400).astype(float),
    "rare": rare,
    "counts": lambda rng: rng.poisson(1.5, size=400).astype(float),
    "mostly zero": lambda rng: np.where(rng.random(400) < 0.8, 0.0, rng.random(400)),
}


@pytest.mark.parametrize(("first", "second"), list(combinations_with_replacement(AWKWARD, 2)))
def test_ties_do_not_spoil_the_size_of_the_test(first: str, second: str) -> None:
    rng = np.random.default_rng([len(first), len(second)])
    p_values = [
        tied_dependence(codes_of(AWKWARD[first](rng)), codes_of(AWKWARD[second](rng))).p_value[0]
        for _ in range(1500)
    ]
    for level in (0.1, 0.01):
        assert np.mean(np.array(p_values) < level) < level + 4 * np.sqrt(level / 1500)


@pytest.mark.parametrize("shape", ["bend", "fan"])
def test_dependence_without_a_trend_is_found(shape: str) -> None:
    rng = np.random.default_rng(7)
    found = 0
    for _ in range(100):
        x, e = rng.normal(size=(2, 200))
        y = SHAPES[shape](x, e)
        found += untied_dependence(inverse_of(x, y)[None]).p_value[0] < 0.01
    assert found >= 97


def test_a_rare_coincidence_is_not_taken_for_proof() -> None:
    """Two columns, each with a single one, which falls into the same row once in n."""
    code = np.zeros(1000, dtype=np.int32)
    code[17] = 1
    assert 1e-4 < tied_dependence(code, code).p_value[0] < 1e-2


def test_a_single_tie_among_many_rows_changes_little() -> None:
    rng = np.random.default_rng(8)
    x = rng.normal(size=200_000)
    y = x**2 + rng.normal(size=200_000)
    tied = x.copy()
    tied[0] = tied[1]
    one = untied_dependence(inverse_of(x, y)[None])
    other = tied_dependence(codes_of(tied), codes_of(y))
    assert other.spearman == pytest.approx(one.spearman, abs=1e-4)
    assert other.strength == pytest.approx(one.strength, abs=1e-4)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 21, 1000, 4096])
def test_polynomials_without_ties_are_those_of_the_kernel_to_the_bit(n: int) -> None:
    assert np.array_equal(_untied_polynomials(n), _polynomials(np.ones(n)))
