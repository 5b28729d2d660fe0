"""Equal margins: nothing is left but the order of the values, ties included."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, rankdata

from bqcd.data.margins import MARGINS, with_margins
from bqcd.data.pair import Pair
from bqcd.errors import InvalidSettingError

EQUAL = MARGINS[1:]


def tied_pair(seed: int = 0, n: int = 300) -> Pair:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return Pair(x, (x**2 + rng.normal(size=n)).round(1), "dose", "response", "key", 3)


def test_as_they_come_is_the_pair_itself():
    pair = tied_pair()
    assert with_margins(pair, "as-is") is pair


def test_the_columns_are_average_ranks_and_their_normal_quantiles():
    pair = tied_pair()
    ranks = [rankdata(column) / (len(pair) + 1) for column in (pair.x, pair.y)]
    uniform, normal = (with_margins(pair, margins) for margins in EQUAL[::-1])
    np.testing.assert_array_equal((uniform.x, uniform.y), ranks)
    np.testing.assert_allclose((normal.x, normal.y), norm.ppf(ranks), rtol=1e-12)


@pytest.mark.parametrize("margins", EQUAL)
def test_increasing_maps_change_nothing_to_the_bit(margins):
    pair = tied_pair()
    bent = Pair(np.exp(3.0 * pair.x), 1e-300 * pair.y**3 + 0.0)
    one, other = (with_margins(given, margins) for given in (pair, bent))
    assert one.x.tobytes() == other.x.tobytes()
    assert one.y.tobytes() == other.y.tobytes()


@pytest.mark.parametrize("margins", EQUAL)
def test_exchanged_columns_and_permuted_rows_stay_so(margins):
    pair, order = tied_pair(), np.random.default_rng(1).permutation(300)
    turned = Pair(pair.y[order], pair.x[order])
    one, other = (with_margins(given, margins) for given in (pair, turned))
    assert one.x[order].tobytes() == other.y.tobytes()
    assert one.y[order].tobytes() == other.x.tobytes()


@pytest.mark.parametrize("margins", EQUAL)
def test_names_key_and_dropped_rows_stay(margins):
    mapped = with_margins(tied_pair(), margins)
    told = (mapped.x_name, mapped.y_name, mapped.key, mapped.dropped_rows)
    assert told == ("dose", "response", "key", 3)


@pytest.mark.parametrize("margins", EQUAL)
def test_columns_without_ties_have_the_same_values(margins):
    rng = np.random.default_rng(2)
    mapped = with_margins(Pair(rng.exponential(size=50), rng.normal(size=50)), margins)
    np.testing.assert_array_equal(np.sort(mapped.x), np.sort(mapped.y))


def test_other_margins_are_refused_by_name():
    with pytest.raises(InvalidSettingError, match=r"margins .* 'as-is', 'normal', 'uniform'"):
        with_margins(tied_pair(), "gaussian")
