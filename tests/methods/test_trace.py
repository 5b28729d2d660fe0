"""The trace method: known answers, and the numbers of another implementation."""

from __future__ import annotations

import numpy as np
import pytest

import bqcd
from bqcd.data.vector_pair import vector_pair
from bqcd.errors import InvalidPairError
from bqcd.methods.trace import Trace, random_rotations

# ``trace_method`` of the code published with Wahl, Ninad, Runge (AAAI 2023), run on centred
# columns as they are and divided by their standard deviations; the data of :func:`drawn`.
PUBLISHED = {
    0: ((0.01578877339452331, 0.23736422630488718), (0.030678849637659957, 0.1714398513696212)),
    1: ((-0.24658066301088144, 0.06968737612962994), (-0.4579432781935551, -0.07869870224920897)),
    2: ((0.31876801283187906, 0.2467755361924271), (0.09963531129884337, -0.11035088042882989)),
    3: ((-6.109876524676514, 0.0027640872180456633), (-5.6728198566009995, 0.056129007272046304)),
}


def drawn(seed: int, p: int = 4, q: int = 3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(200, p)) @ (np.eye(p) + 0.5 * rng.normal(size=(p, p)))
    return vector_pair(x, x @ rng.normal(size=(p, q)) + rng.normal(size=(200, q)))


@pytest.mark.parametrize("seed", PUBLISHED)
def test_distances_are_those_of_the_published_code(seed):
    pair, rng = drawn(seed), np.random.default_rng(0)
    for standardised, expected in zip((False, True), PUBLISHED[seed], strict=True):
        found = Trace(standardised=standardised).evidence(pair, rng)
        assert (found.x_to_y, found.y_to_x) == pytest.approx(expected, rel=1e-6)


def deterministic(seed: int, d: int):
    """Y = A X, with a covariance of X and a matrix A that know nothing of each other."""
    rng = np.random.default_rng(seed)
    spread = np.exp(rng.normal(size=d))
    x = (rng.normal(size=(1000, d)) * spread) @ random_rotations(d, 1, rng)[0]
    return vector_pair(x, x @ rng.normal(size=(d, d)))


def test_random_linear_maps_are_told_from_their_inverses():
    # The paper: five columns may be enough, and more make it surer.
    method = Trace(standardised=False, rotations=1)
    right = {
        d: sum(bqcd.decide_pair(deterministic(s, d), method=method).confidence > 0
               for s in range(40))
        for d in (5, 20)
    }  # fmt: skip
    assert right[5] >= 36
    assert right[20] == 40


def test_rotations_reject_the_wrong_direction_and_not_the_right_one():
    found = [Trace(standardised=False).evidence(deterministic(s, 10), np.random.default_rng(s))
             for s in range(20)]  # fmt: skip
    assert sum(one.p_x_to_y < 0.05 for one in found) <= 4
    assert sum(one.p_y_to_x < 0.05 for one in found) >= 18


def test_rotations_are_orthogonal_and_have_no_favourite_direction():
    turned = random_rotations(3, 4000, np.random.default_rng(1))
    np.testing.assert_allclose(turned @ turned.transpose(0, 2, 1), np.eye(3)[None].repeat(4000, 0), atol=1e-12)  # fmt: skip  # noqa: E501
    # Each entry has mean 0 and variance 1/3.
    assert np.abs(turned.mean(axis=0)).max() < 4.0 / np.sqrt(3 * 4000)
    assert np.abs((turned**2).mean(axis=0) - 1 / 3).max() < 0.02


def test_a_side_of_one_column_is_no_ground_for_an_answer():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(100, 5))
    found = bqcd.decide(x, x.sum(axis=1), method="trace")
    assert found.confidence == 0.0
    assert found.evidence.p_x_to_y is None


def test_two_single_columns_are_refused():
    with pytest.raises(InvalidPairError, match="trace needs groups of columns, but 'x' and 'y'"):
        bqcd.decide(range(20), range(20), method="trace")
