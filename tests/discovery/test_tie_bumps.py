from __future__ import annotations

import numpy as np
import pytest

from bqcd.discovery.ranks import normal_scores
from bqcd.discovery.tie_bumps import HALF_WIDTH, SHARES, bumps_along


@pytest.mark.parametrize(("n", "steps"), [(2, 2), (7, 63), (300, 17), (1000, 26)])
def test_bumps_are_triangles_about_equally_distant_knots(n: int, steps: int) -> None:
    scores, bumps = normal_scores(n), bumps_along(n, steps)
    knots = np.linspace(scores[0], scores[-1], steps + 1)
    wide = HALF_WIDTH * (knots[1] - knots[0])
    for k, knot in enumerate(knots):
        first, stop, begin, total = bumps.reach[:, k]
        triangle = np.zeros(n)
        triangle[first:stop] = bumps.shares[begin : begin + stop - first]
        expected = np.maximum(1.0 - np.abs(scores - knot) / wide, 0.0) * SHARES
        np.testing.assert_allclose(triangle, expected, atol=0.5 + 1e-9)
        assert total == triangle.sum()
        assert begin + stop - first == bumps.reach[2, k + 1]
        assert bumps.counts[k] == 1.0 / (HALF_WIDTH * SHARES * max(total, 1) * n)
        at = bumps.places[k]
        assert scores[at] >= knot - 1e-12 or at == n - 1
        assert at == 0 or scores[at - 1] < knot + 1e-12
    assert len(bumps.shares) == bumps.reach[2, -1]
