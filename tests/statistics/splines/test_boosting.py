import numpy as np

from bqcd.statistics.splines.boosting import selection_counts
from bqcd.statistics.splines.smooth_terms import smooth_term, smooth_terms


def test_counts_are_those_of_boosting_over_all_rows():
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(4, 150))
    target = np.sin(columns[0]) + 0.5 * columns[2] + 0.5 * rng.normal(size=150)
    target -= target.mean()
    smoothers = []
    for column in columns[[0, 2, 3]]:
        term = smooth_term(column)
        grid = np.exp(np.linspace(-15.0, 10.0, 20_001))[:, None] * term.stiffness
        kept = 1.0 / (1.0 + grid)
        best = kept[np.abs(1.0 + (kept * (2.0 - kept)).sum(axis=1) - 4.0).argmin()]
        smoothers.append((term.functions.T * best) @ term.functions)
    left, expected = target.copy(), [0, 0, 0]
    for _ in range(100):
        fits = [smoother @ left for smoother in smoothers]
        best = int(np.argmin([np.square(left - fit).sum() for fit in fits]))
        left -= 0.1 * fits[best]
        expected[best] += 1
    terms = smooth_terms(columns)
    assert selection_counts(terms, [0, 2, 3], terms.products(target)).tolist() == expected


def test_columns_of_few_values_take_part_too():
    rng = np.random.default_rng(1)
    columns = np.stack([rng.integers(0, 2, 200), rng.integers(0, 3, 200)]).astype(float)
    terms = smooth_terms(columns)
    target = 1.0 * columns[1] ** 2 + rng.normal(size=200)
    counts = selection_counts(terms, [0, 1], terms.products(target - target.mean()))
    assert counts.sum() == 100
    assert counts[1] > counts[0]
