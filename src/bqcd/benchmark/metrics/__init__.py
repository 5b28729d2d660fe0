"""How good the answers of a method are: pure functions of arrays, and the table of metrics.

``truth`` is +1 where the first column causes the second and -1 where it is the other way
round; ``confidence`` is signed like it, zero for an abstention and NaN for no answer;
``weight`` is >= 0 and by default the same for all pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bqcd.benchmark.metrics.calibration import (
    CalibrationCurve,
    calibration_curve,
    calibration_error_by_chance,
    expected_calibration_error,
)
from bqcd.benchmark.metrics.comparison import (
    McNemarTest,
    PairedDifference,
    mcnemar,
    mean_paired_difference,
    paired_bootstrap,
)
from bqcd.benchmark.metrics.contract import MetricCard, Statistic
from bqcd.benchmark.metrics.decision_rate import (
    DecisionRateCurve,
    decision_rate_area,
    decision_rate_curve,
)
from bqcd.benchmark.metrics.forced import (
    Counts,
    accuracy,
    always_first_accuracy,
    counts,
    is_one_sided,
)
from bqcd.benchmark.metrics.intervals import (
    Interval,
    binomial_interval,
    bootstrap_interval,
    clopper_pearson,
)
from bqcd.benchmark.metrics.ranked import (
    PrecisionRecallCurve,
    RocCurve,
    average_precision,
    pr_auc,
    precision_recall_curve,
    roc_auc,
    roc_curve,
)
from bqcd.benchmark.metrics.reliability import Bar, Reliability, reliability

__all__ = [
    "METRICS",
    "Bar",
    "CalibrationCurve",
    "Counts",
    "DecisionRateCurve",
    "Interval",
    "McNemarTest",
    "MetricCard",
    "PairedDifference",
    "PrecisionRecallCurve",
    "Reliability",
    "RocCurve",
    "Statistic",
    "accuracy",
    "always_first_accuracy",
    "average_precision",
    "binomial_interval",
    "bootstrap_interval",
    "calibration_curve",
    "calibration_error_by_chance",
    "clopper_pearson",
    "counts",
    "decision_rate_area",
    "decision_rate_curve",
    "expected_calibration_error",
    "is_one_sided",
    "mcnemar",
    "mean_paired_difference",
    "paired_bootstrap",
    "pr_auc",
    "precision_recall_curve",
    "reliability",
    "roc_auc",
    "roc_curve",
]

METRICS: Mapping[str, MetricCard] = MappingProxyType(
    {
        card.name: card
        for card in (
            MetricCard(
                name="accuracy",
                statistic=accuracy,
                about="weighted share of right directions; no answer counts as wrong",
            ),
            MetricCard(
                name="roc_auc",
                statistic=roc_auc,
                about="area under the ROC curve, ranked by signed confidence",
            ),
            MetricCard(
                name="average_precision",
                statistic=average_precision,
                about="mean precision over the pairs whose first column is the cause",
            ),
            MetricCard(
                name="pr_auc",
                statistic=pr_auc,
                about="area under the precision-recall curve, straight lines between points",
            ),
            MetricCard(
                name="decision_rate_area",
                statistic=decision_rate_area,
                about="mean accuracy among the most confident pairs, over all decision rates",
            ),
        )
    }
)
"""Every metric of a benchmark's summary by name."""
