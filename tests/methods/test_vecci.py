"""2G-VecCI: known answers, and the numbers of another implementation."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import bqcd
from bqcd.benchmark.datasets import simulate_pairs
from bqcd.data.vector_pair import vector_pair
from bqcd.errors import InvalidPairError
from bqcd.methods.vecci import VecCI, partial_p_values
from tests.methods.test_trace import drawn

# ``full_conditioning_ind_test`` of the code published with Wahl, Ninad, Runge (AAAI 2023), with
# partial correlations of tigramite 5.2.10 at level 0.01: densities of X, X given Y, Y, Y given X.
PUBLISHED = {
    1: (1.0, 1.0, 2 / 3, 0.0),
    2: (5 / 6, 0.5, 2 / 3, 0.0),
    3: (1.0, 1.0, 1.0, 0.0),
}


@pytest.mark.parametrize("seed", PUBLISHED)
def test_densities_are_those_of_the_published_code(seed):
    found = VecCI().evidence(drawn(seed))
    told = (found.x, found.x_given_y, found.y, found.y_given_x)
    assert told == pytest.approx(PUBLISHED[seed])
    assert found.confidence == pytest.approx(told[2] - told[3] - told[0] + told[1])


def test_given_columns_count_as_given():
    # The published code says 1.0 here: of one pair p is 0.0094 if three given columns are
    # forgotten, and 0.0100 if they are counted.
    assert VecCI().evidence(drawn(0)).x_given_y == pytest.approx(5 / 6)
    assert VecCI(alpha=0.0101).evidence(drawn(0)).x_given_y == 1.0


def test_partial_correlations_are_those_of_residuals():
    rng = np.random.default_rng(3)
    columns = rng.normal(size=(80, 5)) @ rng.normal(size=(5, 5))
    columns -= columns.mean(axis=0)
    found = partial_p_values(columns)
    for a, b in combinations(range(5), 2):
        others = np.delete(columns, (a, b), axis=1)
        left = [
            c - others @ np.linalg.lstsq(others, c, rcond=None)[0] for c in columns[:, (a, b)].T
        ]
        r = float(np.corrcoef(left)[0, 1])
        expected = 2.0 * stats.t.sf(abs(r) * np.sqrt(75 / (1 - r * r)), 75)
        assert found[a, b] == pytest.approx(expected, rel=1e-6)


def test_independent_columns_are_linked_as_often_as_the_level_says():
    rng, method = np.random.default_rng(4), VecCI(alpha=0.05)
    found = [method.evidence(vector_pair(*rng.normal(size=(2, 100, 6)))) for _ in range(60)]
    shares = [(one.x, one.x_given_y, one.y, one.y_given_x) for one in found]
    # 3,600 tests: three standard deviations are 0.011.
    assert np.mean(shares) == pytest.approx(0.05, abs=0.015)


def test_wide_linear_vectors_are_told_apart():
    pairs = simulate_pairs("vector-linear", n_pairs=20, n_rows=500, causes=12, effects=12)
    said = [bqcd.decide_pair(item.pair, method="vecci").confidence for item in pairs]
    right = [c * item.truth.sign > 0.0 for c, item in zip(said, pairs, strict=True)]
    assert sum(right) >= 14


def test_two_single_columns_are_refused():
    with pytest.raises(InvalidPairError, match="vecci needs groups of columns, but 'x' and 'y'"):
        bqcd.decide(range(20), range(20), method="vecci")
