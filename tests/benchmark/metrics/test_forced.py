from __future__ import annotations

from math import nan

import pytest

from bqcd.benchmark.metrics import accuracy, always_first_accuracy, counts, is_one_sided
from bqcd.errors import InvalidSettingError, UndefinedMetricError

# right, wrong, undecided, failed
TRUTH = [1, 1, -1, -1]
CONFIDENCE = [0.7, -0.1, 0.0, nan]
WEIGHT = [4, 3, 2, 1]


def test_the_four_ways_to_end_are_counted():
    found = counts([1, 1, 1, -1, -1, -1, -1], [0.2, -0.2, 3.0, 0.0, -0.0, nan, 1.0])
    assert (found.right, found.wrong, found.undecided, found.failed) == (2, 2, 2, 1)
    assert found.total == 7


@pytest.mark.parametrize(
    ("undecided", "failed", "expected"),
    [
        ("wrong", "wrong", 4 / 10),
        ("half", "wrong", 5 / 10),
        ("skip", "wrong", 4 / 8),
        ("wrong", "half", 4.5 / 10),
        ("half", "half", 5.5 / 10),
        ("skip", "half", 4.5 / 8),
        ("wrong", "skip", 4 / 9),
        ("half", "skip", 5 / 9),
        ("skip", "skip", 4 / 7),
    ],
)
def test_accuracy_by_hand_under_every_rule(undecided, failed, expected):
    found = accuracy(TRUTH, CONFIDENCE, weight=WEIGHT, undecided=undecided, failed=failed)
    assert found == pytest.approx(expected, abs=1e-15)


def test_by_default_a_missing_decision_is_a_wrong_one():
    assert accuracy(TRUTH, CONFIDENCE) == 0.25


@pytest.mark.parametrize("rule", ["undecided", "failed"])
def test_an_unknown_rule_is_refused(rule):
    with pytest.raises(InvalidSettingError, match=f"{rule} of accuracy must be one of .*'third'"):
        accuracy(TRUTH, CONFIDENCE, **{rule: "third"})


def test_skipping_everything_leaves_no_accuracy():
    with pytest.raises(UndefinedMetricError, match="skips all 2 pairs"):
        accuracy([1, -1], [0.0, nan], undecided="skip", failed="skip")
    with pytest.raises(UndefinedMetricError, match="that have weight"):
        accuracy([1, -1], [0.0, 1.0], weight=[1, 0], undecided="skip")


def test_always_the_first_column_scores_the_weight_of_plus_one():
    assert always_first_accuracy([1, 1, -1, -1]) == 0.5
    assert always_first_accuracy([1, 1, -1, -1], weight=[3, 3, 1, 1]) == 0.75
    assert always_first_accuracy([1, 1]) == 1.0


@pytest.mark.parametrize(
    ("truth", "weight", "expected"),
    [
        ([1, 1], None, True),
        ([-1, -1], None, True),
        ([1, -1], None, False),
        ([1, -1], [1, 0], True),
        ([-1, 1, 1], [0, 1, 2], True),
    ],
)
def test_one_sided_means_one_truth_among_pairs_with_weight(truth, weight, expected):
    assert is_one_sided(truth, weight=weight) is expected
