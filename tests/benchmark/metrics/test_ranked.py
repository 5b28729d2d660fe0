from __future__ import annotations

import sys
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given, settings

from bqcd.benchmark.metrics import (
    average_precision,
    pr_auc,
    precision_recall_curve,
    roc_auc,
    roc_curve,
)
from bqcd.errors import MissingPackageError, UndefinedMetricError
from tests.benchmark.metrics.benchmarks import Benchmark, benchmarks

ALL = (roc_auc, roc_curve, average_precision, precision_recall_curve, pr_auc)


def chance_of_the_right_order(truth, confidence, weight) -> float:
    """Weighted Mann-Whitney statistic, straight from its definition."""
    won = total = 0.0
    for c, w in zip(confidence[truth > 0], weight[truth > 0], strict=True):
        for d, v in zip(confidence[truth < 0], weight[truth < 0], strict=True):
            won += w * v * ((c > d) + 0.5 * (c == d))
            total += w * v
    return won / total


def precision_at_steps_of_recall(truth, confidence, weight) -> float:
    """Average precision, straight from its definition."""
    area = before = 0.0
    positive = weight[truth > 0].sum()
    for threshold in sorted(set(confidence.tolist()), reverse=True):
        above = confidence >= threshold
        hits = weight[above & (truth > 0)].sum()
        if weight[above].sum() > 0:
            area += (hits - before) / positive * hits / weight[above].sum()
            before = hits
    return area


@settings(max_examples=60, deadline=None)
@given(benchmark=benchmarks())
def test_roc_area_is_the_chance_of_the_right_order(benchmark: Benchmark):
    truth, confidence, weight = benchmark
    expected = chance_of_the_right_order(truth, np.nan_to_num(confidence), weight)
    assert roc_auc(truth, confidence, weight=weight) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(benchmark=benchmarks())
def test_average_precision_is_its_definition(benchmark: Benchmark):
    truth, confidence, weight = benchmark
    expected = precision_at_steps_of_recall(truth, np.nan_to_num(confidence), weight)
    assert average_precision(truth, confidence, weight=weight) == pytest.approx(expected, abs=1e-12)


def test_curves_by_hand():
    truth, confidence = [1, -1, 1, -1], [0.9, 0.4, 0.4, -2.0]
    roc = roc_curve(truth, confidence)
    np.testing.assert_allclose(roc.false_positive_rate, [0, 0, 0.5, 1])
    np.testing.assert_allclose(roc.true_positive_rate, [0, 0.5, 1, 1])
    np.testing.assert_allclose(roc.threshold, [inf, 0.9, 0.4, -2.0])
    found = precision_recall_curve(truth, confidence)
    np.testing.assert_allclose(found.recall, [0, 0.5, 1, 1])
    np.testing.assert_allclose(found.precision, [1, 1, 2 / 3, 1 / 2])
    np.testing.assert_allclose(found.threshold, [inf, 0.9, 0.4, -2.0])


def test_areas_by_hand():
    truth, confidence = [1, -1, 1, -1], [0.9, 0.4, 0.4, -2.0]
    # Three of the four pairs of +1 and -1 in order, one tied.
    assert roc_auc(truth, confidence) == pytest.approx(3.5 / 4)
    assert average_precision(truth, confidence) == pytest.approx(0.5 * 1 + 0.5 * 2 / 3)
    assert pr_auc(truth, confidence) == pytest.approx(0.5 * 1 + 0.5 * (1 + 2 / 3) / 2)


def test_weighted_areas_by_hand():
    truth, confidence, weight = [1, -1, 1], [3.0, 2.0, 1.0], [1, 2, 3]
    assert roc_auc(truth, confidence, weight=weight) == pytest.approx(1 / 4)
    assert average_precision(truth, confidence, weight=weight) == pytest.approx(
        1 / 4 * 1 + 3 / 4 * 4 / 6
    )
    assert pr_auc(truth, confidence, weight=weight) == pytest.approx(
        1 / 4 * 1 + 3 / 4 * (1 / 3 + 4 / 6) / 2
    )


def test_the_area_under_the_roc_curve_is_the_roc_area():
    rng = np.random.default_rng(3)
    truth, weight = rng.choice([-1, 1], 60), rng.random(60)
    confidence = 0.5 * truth + rng.normal(size=60)
    curve = roc_curve(truth, confidence, weight=weight)
    area = np.trapezoid(curve.true_positive_rate, curve.false_positive_rate)
    assert area == pytest.approx(roc_auc(truth, confidence, weight=weight), abs=1e-12)


def test_a_failure_ranks_like_an_abstention():
    truth, failed, undecided = [1, -1, 1], [2.0, 1.0, nan], [2.0, 1.0, 0.0]
    for metric in (roc_auc, average_precision, pr_auc):
        assert metric(truth, failed) == metric(truth, undecided)
    assert roc_auc([1, 1, -1], [nan, 0.0, nan]) == 0.5


@pytest.mark.parametrize("metric", ALL)
@pytest.mark.parametrize(("truth", "weight"), [([1, 1], None), ([-1, -1], None), ([1, -1], [1, 0])])
def test_labels_all_alike_cannot_be_ranked(metric, truth, weight):
    with pytest.raises(UndefinedMetricError, match="always naming the same column would be perf"):
        metric(truth, [0.3, 0.2], weight=weight)


@pytest.mark.parametrize("curve", [roc_curve, precision_recall_curve])
def test_a_curve_cannot_be_changed(curve):
    found = curve([1, -1], [0.3, 0.2])
    with pytest.raises(ValueError, match="read-only"):
        found.threshold[0] = 0.0


def test_without_scikit_learn_the_message_says_what_to_install(monkeypatch):
    class Absent:
        def find_spec(self, name, path=None, target=None):
            if name == "sklearn":
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    for name in [name for name in sys.modules if name.partition(".")[0] == "sklearn"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Absent(), *sys.meta_path])
    with pytest.raises(
        MissingPackageError, match=r"bqcd\.benchmark\.metrics\.roc_auc .*'bqcd\[bench\]'"
    ):
        roc_auc([1, -1], [0.3, 0.2])
