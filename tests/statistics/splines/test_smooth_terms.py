import numpy as np
import pytest

from bqcd.statistics.splines.smooth_terms import smooth_term, smooth_terms


@pytest.mark.parametrize("kind", ["normal", "ties", "two clusters"])
def test_functions_of_a_term_are_orthonormal_and_have_no_mean(kind):
    rng = np.random.default_rng(0)
    column = rng.normal(size=300)
    if kind == "ties":
        column = np.round(2.0 * column)
    if kind == "two clusters":
        column = np.where(column > 0.0, 1.0, -1.0) + 1e-4 * column
    functions = smooth_term(column).functions
    assert np.abs(functions @ functions.T - np.eye(len(functions))).max() < 1e-9
    assert np.abs(functions.sum(axis=1)).max() < 1e-9


def test_the_first_function_is_the_column_itself_and_costs_nothing():
    column = np.random.default_rng(1).normal(size=100)
    term = smooth_term(column)
    centred = column - column.mean()
    assert abs(term.functions[0] @ centred) == pytest.approx(np.sqrt(centred @ centred))
    assert term.stiffness[0] == 0.0
    assert term.stiffness[1:].min() == 1.0


@pytest.mark.parametrize(("distinct", "width"), [(2, 1), (3, 2), (6, 5), (50, 9)])
def test_a_term_has_one_function_less_than_there_are_values(distinct, width):
    term = smooth_term(np.tile(np.arange(float(distinct)), 4), n_basis=10)
    assert len(term.functions) == len(term.stiffness) == width


def test_products_are_those_of_the_functions():
    rng = np.random.default_rng(2)
    columns = [rng.normal(size=80), rng.integers(0, 4, size=80).astype(float), rng.random(80)]
    terms = smooth_terms(columns, n_basis=6)
    target = rng.normal(size=80)
    both = np.concatenate([terms.terms[2].functions, terms.terms[1].functions])
    places = terms.places([2, 1])
    np.testing.assert_allclose(terms.gram[np.ix_(places, places)], both @ both.T, atol=1e-12)
    np.testing.assert_allclose(terms.products(target)[places], both @ target, atol=1e-12)
    assert terms.widths([2, 1]).tolist() == [5, 3]
    assert len(terms.stiffness([2, 1])) == 8
    assert terms.n_rows == 80
