from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest

from bqcd.benchmark.metrics import METRICS
from bqcd.benchmark.metrics.answers import checked_answers
from bqcd.errors import InvalidSettingError


@pytest.mark.parametrize(
    ("truth", "confidence", "weight", "message"),
    [
        ([], [], None, "truth must hold at least one pair, got []"),
        ([1, 0], [1, 1], None, "truth must be -1 or +1, got 0 for pair 2"),
        ([1, nan], [1, 1], None, "truth must be -1 or +1, got nan for pair 2"),
        ([True, False], [1, 1], None, "truth must be -1 or +1, got 0 for pair 2"),
        (["a"], [1], None, "truth must be a one-dimensional row of numbers, got ['a']"),
        ([[1, -1]], [1], None, "truth must be a one-dimensional row of numbers"),
        ([[1], [1, -1]], [1], None, "truth must be a one-dimensional row of numbers"),
        (1, [1], None, "truth must be a one-dimensional row of numbers, got 1"),
        ([1, -1], [1], None, "confidence must have one value for each of the 2 .* got 1"),
        ([1, -1], [1, -inf], None, "confidence must be finite, .* got -inf for pair 2"),
        ([1, -1], [1, 1j], None, "confidence must be a one-dimensional row of numbers"),
        ([1, -1], [1, object()], None, "confidence must be a one-dimensional row of numbers"),
        ([1, -1], [1, -1], [1, 1, 1], "weight must have one value for each of the 2 .* got 3"),
        ([1, -1], [1, -1], [1, -2], "weight must be finite and >= 0, got -2 for pair 2"),
        ([1, -1], [1, -1], [nan, 1], "weight must be finite and >= 0, got nan for pair 1"),
        ([1, -1], [1, -1], [inf, 1], "weight must be finite and >= 0, got inf for pair 1"),
        ([1, -1], [1, -1], [0, 0], "weight must be positive for at least one pair"),
    ],
)
def test_broken_input_is_refused_by_argument_and_value(truth, confidence, weight, message):
    pattern = message.replace("[", r"\[").replace("]", r"\]").replace("+", r"\+")
    with pytest.raises(InvalidSettingError, match=pattern):
        checked_answers(truth, confidence, weight)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_checks_its_input(name):
    with pytest.raises(InvalidSettingError, match="got 2 for pair 1"):
        METRICS[name].compute([2, 1], [0.1, 0.2])


def test_no_answer_may_be_written_as_none():
    answers = checked_answers([1, -1, 1], [None, 0.0, 2])
    assert answers.failed.tolist() == [True, False, False]
    assert answers.undecided.tolist() == [False, True, False]
    assert answers.right.tolist() == [False, False, True]


def test_the_largest_floats_are_fine_as_weights_and_confidences():
    answers = checked_answers([1, -1], [1.7e308, -5e-324], [1e308, 1.7e308])
    assert answers.right.all()
    assert np.isfinite(answers.weight.sum())
    assert METRICS["accuracy"].compute([1, -1], [1e308, 1e-300], [1.7e308, 1.7e308]) == 0.5


def test_input_is_left_as_it_was():
    truth, confidence, weight = np.array([1.0, -1.0]), np.array([nan, 0.0]), np.array([2.0, 4.0])
    for card in METRICS.values():
        card.compute(truth, confidence, weight)
    np.testing.assert_array_equal(truth, [1.0, -1.0])
    np.testing.assert_array_equal(confidence, [nan, 0.0])
    np.testing.assert_array_equal(weight, [2.0, 4.0])
