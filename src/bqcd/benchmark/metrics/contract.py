"""What a metric takes and gives back, and the row it has in the table of metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from numpy.typing import ArrayLike


class Statistic(Protocol):
    """Anything that turns truths, confidences and weights into one number."""

    def __call__(
        self, truth: ArrayLike, confidence: ArrayLike, /, *, weight: ArrayLike | None = None
    ) -> float:
        """Value of the metric; UndefinedMetricError where it has none."""
        ...


@dataclass(frozen=True, slots=True)
class MetricCard:
    """One row of the table of metrics.

    Parameters
    ----------
    name : str
        Name in summaries, e.g. ``"roc_auc"``.
    statistic : Statistic
        The function behind it, with its own defaults.
    about : str
        What the number is, in one line.
    better : {"higher", "lower"}, default="higher"
        Which way is up.
    """

    name: str
    statistic: Statistic
    about: str
    better: Literal["higher", "lower"] = "higher"

    def compute(
        self, truth: ArrayLike, confidence: ArrayLike, weight: ArrayLike | None = None
    ) -> float:
        """Value of the metric; every card is called alike.

        Raises
        ------
        UndefinedMetricError
            If the metric has no value on these data.
        """
        return self.statistic(truth, confidence, weight=weight)
