from __future__ import annotations

import numpy as np

import bqcd
from bqcd.discovery.published_ties import published_ranks, r_generator, r_uniforms


def test_uniform_numbers_are_those_of_r() -> None:
    # runif(3) after set.seed(0), and runif(2) after set.seed(42), as R prints them.
    first = r_uniforms(r_generator(0), 3)
    np.testing.assert_allclose(first, [0.8966972, 0.2655087, 0.3721239], atol=5e-8)
    second = r_uniforms(r_generator(42), 2)
    np.testing.assert_allclose(second, [0.9148060, 0.9370754], atol=5e-8)


def test_ranks_have_no_ties_and_respect_the_values() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 5, 100) * 1.0, rng.normal(size=100)
    x_ranks, y_ranks = published_ranks(x, y)
    assert sorted(x_ranks) == list(range(1, 101))
    assert (np.diff(x[np.argsort(x_ranks)]) >= 0).all()
    np.testing.assert_array_equal(np.argsort(y_ranks), np.argsort(y))


def test_tied_rows_are_ordered_by_the_uniform_numbers() -> None:
    # With one value all rows are tied: their ranks are those of R's first uniform numbers.
    x = np.zeros(6)
    x_ranks, _ = published_ranks(x, np.arange(6.0))
    uniforms = r_uniforms(r_generator(0), 6)
    np.testing.assert_array_equal(x_ranks, np.argsort(np.argsort(uniforms)) + 1)


def test_the_published_order_depends_on_rows_and_without_ties_changes_nothing() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 300))
    plain = bqcd.decide(x, y)
    assert bqcd.decide(x, y, published_ties=True).confidence == plain.confidence
    tied = np.round(x)
    rows = rng.permutation(300)
    one = bqcd.decide(tied, y, published_ties=True)
    other = bqcd.decide(tied[rows], y[rows], published_ties=True)
    assert one.confidence != other.confidence
    assert one.evidence.tie_orders == 1
    assert one.evidence.x_ties == 300 - len(np.unique(tied))
