"""Areas of the authors' confidences against the table in the paper's appendix.

Table "Area under the ROC and PR curves for bQCD", two digits. The confidences are those the
authors published with their code, so what is left is how the areas were computed and that
the table comes from another run. On AN-s the paper has 0.90 (ROC) and 0.89 (PR), these
confidences give 0.883 and 0.899; on SIM-ln 0.87 and 0.86 against 0.865 and 0.868: the two
rows look exchanged there.
"""

from __future__ import annotations

import csv

import numpy as np
import pytest

from bqcd.benchmark.datasets import load_pairs
from bqcd.benchmark.metrics import (
    accuracy,
    always_first_accuracy,
    average_precision,
    decision_rate_curve,
    is_one_sided,
    pr_auc,
    roc_auc,
)
from tests.benchmark.metrics.benchmarks import Benchmark
from tests.conftest import REFERENCE

pytestmark = pytest.mark.data

PAPER_ROC = {"SIM": 0.67, "SIM-ln": 0.87, "AN": 1.0, "AN-s": 0.90, "MN-U": 1.0}
PAPER_PR = {"SIM": 0.67, "SIM-ln": 0.86, "AN": 1.0, "AN-s": 0.89, "MN-U": 1.0}


@pytest.fixture(scope="module")
def published(data_home) -> dict[str, Benchmark]:
    confidence: dict[str, list[float]] = {}
    with (REFERENCE / "published_bqcd.csv").open() as lines:
        for row in csv.DictReader(lines):
            confidence.setdefault(row["pairset"], []).append(float(row["confidence"]))
    found = {}
    for name, values in confidence.items():
        pairs = load_pairs(name, data_home=data_home)
        truth = np.array([item.truth.sign for item in pairs])
        weight = np.array([item.weight for item in pairs])
        found[name] = Benchmark(truth, np.array(values), weight)
    return found


@pytest.mark.parametrize("name", PAPER_ROC)
def test_the_roc_area_is_within_two_hundredths_of_the_paper(name, published):
    truth, confidence, _ = published[name]
    assert roc_auc(truth, confidence) == pytest.approx(PAPER_ROC[name], abs=0.02)


@pytest.mark.parametrize("name", PAPER_PR)
@pytest.mark.parametrize("area", [average_precision, pr_auc])
def test_both_precision_areas_are_within_one_hundredth_of_the_paper(area, name, published):
    truth, confidence, _ = published[name]
    assert area(truth, confidence) == pytest.approx(PAPER_PR[name], abs=0.01)


@pytest.mark.parametrize("name", ["SIM", "SIM-ln", "AN-s"])
def test_straight_lines_come_nearer_to_the_paper_than_steps(name, published):
    truth, confidence, _ = published[name]
    lines = abs(pr_auc(truth, confidence) - PAPER_PR[name])
    steps = abs(average_precision(truth, confidence) - PAPER_PR[name])
    assert lines < steps


def test_real_pairs_have_the_accuracy_and_roc_area_of_the_paper(published):
    truth, confidence, weight = published["tuebingen"]
    assert accuracy(truth, confidence) == pytest.approx(69 / 99)
    assert accuracy(truth, confidence, weight=weight) == pytest.approx(0.771, abs=5e-4)
    # The paper has 0.71, the mean of thirty draws of ties without weights; this is one draw.
    assert roc_auc(truth, confidence) == pytest.approx(0.71, abs=0.01)


def test_on_real_pairs_bqcd_beats_a_coin_but_unweighted_not_the_first_column(published):
    truth, confidence, weight = published["tuebingen"]
    curve = decision_rate_curve(truth, confidence, weight=weight)
    assert curve.accuracy[-1] > curve.coin_high[-1]
    # Three in four Tübingen pairs have the cause in the first column.
    assert not is_one_sided(truth, weight=weight)
    assert always_first_accuracy(truth) == pytest.approx(73 / 99)
    assert always_first_accuracy(truth) > accuracy(truth, confidence)
