"""What every metric of the table promises."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bqcd.benchmark.metrics import (
    METRICS,
    accuracy,
    average_precision,
    decision_rate_area,
    pr_auc,
    roc_auc,
)
from tests.benchmark.metrics.benchmarks import Benchmark, benchmarks

every_metric = pytest.mark.parametrize("name", METRICS)
quickly = settings(max_examples=30, deadline=None)


def same(value: float):
    return pytest.approx(value, rel=0.0, abs=1e-12)


@every_metric
@quickly
@given(benchmark=benchmarks())
def test_the_value_is_a_plain_number_from_zero_to_one(name: str, benchmark: Benchmark):
    value = METRICS[name].compute(*benchmark)
    assert type(value) is float
    assert 0.0 <= value <= 1.0


@every_metric
@quickly
@given(benchmark=benchmarks(), rng=st.integers(0, 10**6).map(np.random.default_rng))
def test_the_order_of_rows_does_not_matter(name: str, benchmark: Benchmark, rng):
    order = rng.permutation(len(benchmark.truth))
    shuffled = [column[order] for column in benchmark]
    assert METRICS[name].compute(*shuffled) == same(METRICS[name].compute(*benchmark))


@every_metric
@quickly
@given(benchmark=benchmarks(), factor=st.floats(1e-100, 1e100))
def test_the_unit_of_weights_does_not_matter(name: str, benchmark: Benchmark, factor: float):
    truth, confidence, weight = benchmark
    scaled = METRICS[name].compute(truth, confidence, factor * weight)
    assert scaled == same(METRICS[name].compute(*benchmark))


@every_metric
@quickly
@given(benchmark=benchmarks())
def test_a_weight_of_n_is_the_pair_n_times(name: str, benchmark: Benchmark):
    truth, confidence, weight = benchmark
    times = weight.astype(int)
    copied = METRICS[name].compute(np.repeat(truth, times), np.repeat(confidence, times))
    assert copied == same(METRICS[name].compute(*benchmark))


@every_metric
@quickly
@given(benchmark=benchmarks())
def test_only_sign_and_order_of_confidences_matter(name: str, benchmark: Benchmark):
    truth, confidence, weight = benchmark
    stretched = METRICS[name].compute(truth, np.sinh(confidence), weight)
    assert stretched == same(METRICS[name].compute(*benchmark))


@every_metric
@quickly
@given(benchmark=benchmarks())
def test_knowing_the_truth_is_perfect(name: str, benchmark: Benchmark):
    assert METRICS[name].compute(benchmark.truth, benchmark.truth, benchmark.weight) == same(1.0)


@pytest.mark.parametrize("metric", [accuracy, decision_rate_area, roc_auc])
@quickly
@given(benchmark=benchmarks())
def test_exchanging_the_columns_of_all_pairs_changes_nothing(metric, benchmark: Benchmark):
    truth, confidence, weight = benchmark
    exchanged = metric(-truth, -confidence, weight=weight)
    assert exchanged == same(metric(truth, confidence, weight=weight))


@pytest.mark.parametrize("metric", [average_precision, pr_auc])
def test_precision_depends_on_which_column_comes_first(metric):
    truth, confidence = np.array([1, 1, -1]), np.array([3.0, 1.0, 2.0])
    assert metric(truth, confidence) > 0.7
    assert metric(-truth, -confidence) < 0.6


@every_metric
def test_a_card_is_filed_under_its_name_and_survives_pickling(name: str):
    card = pickle.loads(pickle.dumps(METRICS[name]))
    assert card.name == name
    assert card.better == "higher"
    assert card.compute([1, -1], [0.3, 0.2]) == METRICS[name].compute([1, -1], [0.3, 0.2])
