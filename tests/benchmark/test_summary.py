"""Numbers of a report against the metrics they are made of."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.benchmark import Results, contender, metrics
from bqcd.benchmark.results import table_of
from bqcd.benchmark.running.journal import Outcome
from bqcd.benchmark.running.tasks import TaskKey
from bqcd.benchmark.summary import answers, method_labels, value_or_reason
from bqcd.errors import UndefinedMetricError

RNG = np.random.default_rng(0)
TRUTH = np.where(RNG.random(40) < 0.6, 1, -1)
WEIGHT = RNG.uniform(0.1, 1.0, 40)


def confidences(seed: int, *, skill: float = 0.5, repeats: int = 1) -> np.ndarray:
    return skill * TRUTH + np.random.default_rng(seed).normal(size=(repeats, len(TRUTH)))


def results_of(
    answered: dict[str, np.ndarray],
    *,
    truth=TRUTH,
    weight=WEIGHT,
    pairset="set",
    margins="as-is",
    claiming=(),
) -> Results:
    """Table of confidences by method; NaN is a failure, infinity a timeout.

    Those of methods that are ``claiming`` are 2p - 1 for a claimed probability p.
    """
    rows = []
    for spec, drawn in answered.items():
        one = contender(spec)
        for repeat, row in enumerate(drawn):
            for number, confidence in enumerate(row.tolist()):
                key = TaskKey(pairset, f"{pairset}/{number}", one.name, one.settings, repeat)
                seconds = 0.001 * (1 + number)
                if np.isfinite(confidence):
                    claimed = 0.5 + 0.5 * confidence if spec in claiming else None
                    outcome = Outcome(key, confidence, seconds, "done", probability=claimed)
                else:
                    status = "failed" if np.isnan(confidence) else "timeout"
                    outcome = Outcome(key, None, seconds, status, "for a reason")
                rows.append((outcome, int(truth[number]), float(weight[number])))
    return Results(table_of(rows, margins))


@pytest.mark.parametrize("metric", sorted(metrics.METRICS))
@pytest.mark.parametrize("weighted", [True, False])
def test_means_are_those_of_the_metrics_over_repetitions(metric, weighted):
    drawn = confidences(1, repeats=3)
    (one,) = answers(results_of({"coin": drawn}))
    weight = WEIGHT if weighted else None
    statistic = metrics.METRICS[metric].compute
    expected = np.mean([statistic(TRUTH, row, weight) for row in drawn])
    assert one.mean(metric, weighted=weighted) == pytest.approx(expected, abs=1e-15)


def test_accuracy_by_hand():
    drawn = np.array([[1.0, 1.0, -2.0, 0.0, np.nan, np.inf]])
    truth, weight = [1, -1, -1, 1, 1, -1], [1.0, 2.0, 3.0, 1.0, 1.0, 2.0]
    (one,) = answers(results_of({"coin": drawn}, truth=truth, weight=weight))
    # Right are the first and the third; abstention, failure and timeout are not.
    assert one.mean("accuracy") == pytest.approx(4.0 / 10.0)
    assert one.mean("accuracy", weighted=False) == pytest.approx(2.0 / 6.0)
    counts = one.counts()
    assert (counts.right, counts.wrong, counts.undecided, counts.failed) == (2, 1, 1, 2)
    assert one.timeouts == 1
    np.testing.assert_allclose(one.seconds[0], 0.001 * np.arange(1, 7))


def test_counts_are_over_all_repetitions():
    drawn = np.array([[1.0, np.nan], [0.0, np.inf], [-1.0, 1.0]])
    (one,) = answers(results_of({"coin": drawn}, truth=[1, 1], weight=[1.0, 1.0]))
    counts = one.counts()
    assert (counts.right, counts.wrong, counts.undecided, counts.failed) == (2, 1, 1, 2)
    assert one.timeouts == 1
    assert np.isnan(one.confidence).sum() == 2


def test_the_interval_of_equal_weights_is_that_of_clopper_and_pearson():
    drawn = confidences(2)
    (one,) = answers(results_of({"coin": drawn}, weight=np.full(40, 0.3)))
    right = int((drawn[0] * TRUTH > 0).sum())
    expected = metrics.binomial_interval(right, 40)
    interval = one.accuracy_interval()
    assert interval.low == pytest.approx(expected.low, rel=1e-12)
    assert interval.high == pytest.approx(expected.high, rel=1e-12)
    assert interval.level == 0.95


def test_the_interval_of_unequal_weights_is_that_of_fewer_pairs():
    drawn = confidences(2)
    # Half of the pairs have no weight: what is left are 20 equal pairs.
    weight = np.repeat([1.0, 0.0], 20)
    (one,) = answers(results_of({"coin": drawn}, weight=weight))
    right = int((drawn[0] * TRUTH > 0)[:20].sum())
    expected = metrics.binomial_interval(right, 20)
    interval = one.accuracy_interval()
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_the_interval_holds_the_true_accuracy_in_19_of_20_cases():
    rng = np.random.default_rng(3)
    weight = rng.uniform(0.2, 1.0, 100)
    held = 0
    for _ in range(400):
        right = rng.random(100) < 0.7
        drawn = np.where(right, 1.0, -1.0)[None, :]
        (one,) = answers(results_of({"coin": drawn}, truth=np.ones(100), weight=weight))
        interval = one.accuracy_interval()
        held += interval.low <= 0.7 <= interval.high
    # An interval of level 95 % that is exact or longer; 3 standard deviations below 380.
    assert held >= 367


def test_answers_come_in_the_order_of_the_table_under_labels():
    results = results_of({"bqcd:n_levels=7": confidences(1), "coin": confidences(2)})
    assert [one.label for one in answers(results)] == ["bqcd:n_levels=7", "coin"]
    assert list(method_labels(results).values()) == ["bqcd:n_levels=7", "coin"]


def test_pairs_that_one_repetition_lacks_are_left_out():
    table = results_of({"coin": confidences(1, repeats=2)}).table
    # The second repetition has reached the first 25 pairs.
    (one,) = answers(Results(table.slice(0, 65)))
    assert one.pairs == tuple(f"set/{number}" for number in range(25))
    assert one.confidence.shape == (2, 25)
    np.testing.assert_array_equal(one.truth, TRUTH[:25])
    np.testing.assert_array_equal(one.weight, WEIGHT[:25])
    np.testing.assert_array_equal(one.confidence, confidences(1, repeats=2)[:, :25])


def test_rows_in_another_order_give_the_same_answers():
    table = results_of({"coin": confidences(1, repeats=2)}).table
    (one,) = answers(Results(table))
    (other,) = answers(Results(table.take(np.random.default_rng(0).permutation(len(table)))))
    for metric in metrics.METRICS:
        assert other.mean(metric) == pytest.approx(one.mean(metric), abs=1e-12)


def test_an_empty_table_has_no_answers():
    assert list(answers(Results(table_of([])))) == []


def test_a_metric_without_a_value_tells_the_reason():
    (one,) = answers(results_of({"coin": confidences(1)}, truth=np.ones(40)))
    with pytest.raises(UndefinedMetricError) as caught:
        one.mean("roc_auc")
    assert value_or_reason(one, "roc_auc") == str(caught.value)
    assert value_or_reason(one, "accuracy") == one.mean("accuracy")


def test_claimed_probabilities_are_those_of_the_rows():
    drawn = np.tanh(confidences(1, repeats=2))
    drawn[0, 3] = np.nan
    one, coin = answers(results_of({"bqcd": drawn, "coin": drawn}, claiming=("bqcd",)))
    np.testing.assert_allclose(one.probability, 0.5 + 0.5 * drawn, equal_nan=True)
    assert one.claims
    assert not coin.claims
    assert one.reliability() == metrics.reliability(TRUTH, one.probability[0], weight=WEIGHT)
    with pytest.raises(UndefinedMetricError):
        coin.reliability()


def test_answers_tell_the_margins():
    (one,) = answers(results_of({"coin": confidences(1)}, margins="uniform"))
    assert one.margins == "uniform"
