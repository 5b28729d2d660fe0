"""RESIT: its formulas with dense matrices, published numbers, and what it can and cannot solve."""

from __future__ import annotations

import csv
from functools import lru_cache
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import gamma

from bqcd import Pair, Verdict
from bqcd.benchmark.datasets import PairSet, load_pairs, simulate_pairs
from bqcd.methods.resit import RESIT
from tests.conftest import REFERENCE

# One process, as what is shared takes a while to make.
pytestmark = pytest.mark.xdist_group("resit")

EVERY = {
    "published": RESIT(),
    "standardised": RESIT(standardise=True),
    "trained": RESIT(regressor="trained"),
    "never abstains": RESIT(alpha=1.0),
}
every_kind = pytest.mark.parametrize("method", EVERY.values(), ids=EVERY)


def judged(method: RESIT, x, y) -> Verdict:
    return method.decide(Pair(x, y), np.random.default_rng(0))


def confidence(method: RESIT, x, y) -> float:
    return judged(method, x, y).confidence


# -- formulas --------------------------------------------------------------------------


def published_log_p(first: np.ndarray, second: np.ndarray) -> float:
    """log p of independence as the published test has it, with matrices of all pairs."""
    n = len(first)
    centring = np.eye(n) - 1.0 / n
    moments, norms, centred = [], [], []
    for column in (first, second):
        squares = (column[:, None] - column) ** 2
        gram = np.exp(-squares / np.median(squares[np.triu_indices(n, 1)]))
        moments.append((gram.sum() - n) / (n * (n - 1)))
        centred.append(centring @ gram @ centring)
        norms.append(np.sum(centred[-1] ** 2) / (n - 1) ** 2)
    statistic = np.sum(centred[0] * centred[1]) / n**2
    mean = (1.0 + moments[0] * moments[1] - moments[0] - moments[1]) / n
    factor = 2.0 * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2) * (n - 3))
    variance = factor * norms[0] * norms[1]
    return gamma.logsf(n * statistic, mean**2 / variance, scale=n * variance / mean)


def published_residuals(given: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Residuals of the published regressor: a Gaussian process that nobody trained."""
    gram = np.exp(-0.5 * (given[:, None] - given) ** 2)
    centred = target - target.mean()
    return centred - gram @ np.linalg.solve(gram + exp(-2.0) * np.eye(len(given)), centred)


def formula_pairs() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=200), rng.normal(size=200)
    return {
        "bent": (x, x**2 + noise),
        "large units": (1e3 * x, 50.0 * (x**2 + noise)),
        "small units": (1e-3 * x, np.tanh(x) + 0.2 * noise),
        "ties": (x.round(1), (x**2 + noise).round(1)),
        "twenty rows": (x[:20], x[:20] + noise[:20]),
    }


FORMULA_PAIRS = formula_pairs()


@pytest.mark.parametrize(("x", "y"), FORMULA_PAIRS.values(), ids=FORMULA_PAIRS)
def test_evidence_is_that_of_dense_matrices(x, y):
    evidence = RESIT().evidence(Pair(x, y))
    x_to_y = -published_log_p(x, published_residuals(x, y))
    y_to_x = -published_log_p(y, published_residuals(y, x))
    assert evidence.x_to_y == pytest.approx(x_to_y, rel=1e-7, abs=1e-9)
    assert evidence.y_to_x == pytest.approx(y_to_x, rel=1e-7, abs=1e-9)
    assert evidence.facts["independence_log_p"] == pytest.approx(published_log_p(x, y), rel=1e-9)
    assert evidence.n_rows == len(x)


def test_the_confidence_is_the_difference_of_the_two_log_p():
    verdict = judged(RESIT(), *FORMULA_PAIRS["bent"])
    assert verdict.confidence == verdict.evidence.y_to_x - verdict.evidence.x_to_y > 0.0


def test_standardising_is_scaling_to_variance_one():
    x, y = FORMULA_PAIRS["large units"]
    scaled = judged(RESIT(), x / x.std(ddof=1), y / y.std(ddof=1))
    own = judged(RESIT(standardise=True), x, y)
    assert own.confidence == pytest.approx(scaled.confidence, rel=1e-8)
    assert own.confidence != pytest.approx(confidence(RESIT(), x, y), rel=1e-2)


@pytest.mark.parametrize("name", ["standardised", "trained"])
def test_without_units_scale_changes_nothing(name):
    x, y = (np.round(column * 2.0**20) / 2.0**20 for column in FORMULA_PAIRS["bent"])
    found = confidence(EVERY[name], x, y)
    assert confidence(EVERY[name], 16.0 * x - 3.0, 0.25 * y + 40.0) == found


# -- abstaining ------------------------------------------------------------------------


def test_independent_columns_stay_undecided_in_95_of_100_cases():
    rng = np.random.default_rng(1)
    columns = rng.normal(size=(200, 2, 80))
    decided = sum(confidence(RESIT(), x, y) != 0.0 for x, y in columns)
    # 5 % of 200, and three standard errors either way.
    assert 1 <= decided <= 19
    assert all(confidence(RESIT(alpha=1.0), x, y) != 0.0 for x, y in columns[:20])


def test_evidence_says_why_a_pair_is_undecided():
    x, y = np.random.default_rng(2).normal(size=(2, 100))
    verdict = judged(RESIT(), x, y)
    assert verdict.confidence == 0.0
    assert verdict.evidence.facts["independence_log_p"] > log(0.05)
    assert verdict.evidence.facts["related"] is False
    assert verdict.evidence.x_to_y != verdict.evidence.y_to_x


# -- what can be solved and what cannot ------------------------------------------------


@every_kind
@pytest.mark.parametrize("name", ["AN", "AN-s"])
def test_additive_noise_is_solved(method, name):
    right = [
        method.decide(item.pair, np.random.default_rng(0)).confidence * item.truth.sign > 0.0
        for item in simulate_pairs(name, n_pairs=25, n_rows=400, seed=3)
    ]
    assert np.mean(right) >= 0.95


def test_linear_pairs_without_gaussian_columns_are_solved():
    rng = np.random.default_rng(5)
    right = 0
    for _ in range(40):
        x = rng.uniform(-2.0, 2.0, 400)
        right += confidence(RESIT(), x, x + rng.uniform(-1.0, 1.0, 400)) > 0.0
    assert right >= 38


# -- many rows -------------------------------------------------------------------------


def test_no_row_is_left_out_of_many():
    rng = np.random.default_rng(8)
    x = rng.normal(size=20_000)
    verdict = judged(RESIT(), x, np.tanh(x) + 0.5 * rng.uniform(size=20_000))
    assert verdict.evidence.n_rows == 20_000
    assert verdict.cause == "x"
    # Far below the smallest double, which would have made a tie of it.
    assert verdict.confidence > 745.0


# -- published numbers -----------------------------------------------------------------

COMPARED = ("AN", "LS-s", "SIM", "SIM-G")
SIMULATED = ("SIM", "SIM-c", "SIM-ln", "SIM-G", "AN", "AN-s", "LS", "LS-s", "MN-U")
# The bQCD paper's accuracies; another run of the published code on the same files gave the
# same but 0.83 on SIM-c, where it decided two pairs that the test of the columns leaves open.
ACCURACIES = dict(zip(SIMULATED, (0.78, 0.82, 0.87, 0.77, 1.0, 1.0, 0.60, 0.03, 0.05), strict=True))
# Below this log p, the published code has p = 0.
UNDERFLOW = -745.0


@lru_cache(maxsize=16)
def verdicts(method: RESIT, name: str, home: Path) -> tuple[PairSet, list[Verdict]]:
    pairs = load_pairs(name, data_home=home)
    return pairs, [method.decide(item.pair, np.random.default_rng(0)) for item in pairs]


def published_score(verdict: Verdict) -> float:
    """p of the direction chosen, with its sign."""
    if verdict.confidence > 0.0:
        return exp(-verdict.evidence.x_to_y)
    return -exp(-verdict.evidence.y_to_x)


@pytest.mark.data
@pytest.mark.parametrize("name", COMPARED)
@pytest.mark.parametrize(
    ("column", "method"),
    [
        ("resit", RESIT()),
        pytest.param("resit_std", RESIT(standardise=True), marks=pytest.mark.slow),
    ],
)
def test_probabilities_are_the_published_ones(name, column, method, data_home):
    """Against scores published with LOCI (Immer et al., ICML 2023), computed by the R code of
    J. Peters: the p of the direction chosen, positive for x -> y. Some are as small as 1e-105.
    """
    with (REFERENCE / "published_resit.csv").open() as lines:
        theirs = [float(row[column]) for row in csv.DictReader(lines) if row["pairset"] == name]
    _, found = verdicts(method, name, data_home)
    assert len(theirs) == len(found) == 100
    np.testing.assert_allclose([published_score(v) for v in found], theirs, rtol=1e-7, atol=0.0)


@pytest.mark.data
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in COMPARED else pytest.mark.slow) for name in SIMULATED],
)
def test_accuracies_are_those_of_the_paper(name, data_home):
    pairs, found = verdicts(RESIT(), name, data_home)
    right = [v.confidence * item.truth.sign > 0.0 for item, v in zip(pairs, found, strict=True)]
    assert np.mean(right) == pytest.approx(ACCURACIES[name], abs=1e-9)


@pytest.mark.data
def test_tuebingen_accuracy_is_the_published_one(data_home):
    """The paper has 0.53, weighted 0.63; the table published with LOCI 0.525 and 0.620.

    Where both p underflow theirs decides y -> x, which no swap of columns would turn round;
    here such pairs stay undecided. Theirs takes bandwidths from 1,000 random rows, ours from all.
    """
    pairs, found = verdicts(RESIT(), "tuebingen", data_home)
    truth = np.array([item.truth.sign for item in pairs])
    weights = [item.weight for item in pairs]
    ours = np.sign([v.confidence for v in found])
    assert np.mean(ours == truth) == pytest.approx(0.53, abs=0.01)
    assert np.average(ours == truth, weights=weights) == pytest.approx(0.63, abs=0.01)
    tied = [max(-v.evidence.x_to_y, -v.evidence.y_to_x) < UNDERFLOW for v in found]
    assert (np.array(tied) <= (ours == 0.0)).all()
    theirs = np.where(tied, -1.0, ours)
    assert np.mean(theirs == truth) == pytest.approx(0.53, abs=0.02)
    assert np.average(theirs == truth, weights=weights) == pytest.approx(0.62, abs=0.02)


def test_vanishing_p_leave_the_pair_undecided_unless_logarithms_are_asked_for():
    rng = np.random.default_rng(3)
    x = rng.normal(size=3000)
    pair = Pair(x, np.sin(9.0 * x) * (1.0 + x**2) + 0.01 * rng.normal(size=3000))
    strict = RESIT(smallest_p=1e-3).decide(pair, rng)
    assert strict.confidence == 0.0
    assert min(strict.evidence.x_to_y, strict.evidence.y_to_x) > 7.0
    assert RESIT(smallest_p=0.0).decide(pair, rng).confidence != 0.0
