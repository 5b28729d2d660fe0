"""How often directions of learners were right where the truth is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class DirectionsRight:
    """Links found that are true, and how many of them had the true direction.

    Parameters
    ----------
    n_simulated, right_simulated : int
        On simulated tables of 10, 20 and 50 columns, all noises.
    n_proteins, right_proteins : int
        On protein signals.
    """

    n_simulated: int
    right_simulated: int
    n_proteins: int
    right_proteins: int

    def facts(self, learner: str) -> dict[str, object]:
        """The counts, for a note."""
        return {
            "learner": learner,
            "simulated": self.right_simulated / self.n_simulated,
            "n_simulated": self.n_simulated,
            "proteins": self.right_proteins,
            "n_proteins": self.n_proteins,
        }


DIRECTIONS_RIGHT: Mapping[str, DirectionsRight] = MappingProxyType(
    {
        "qcam": DirectionsRight(7652, 7589, 9, 4),
        "qresit": DirectionsRight(1288, 1141, 9, 2),
    }
)
"""Counts of ``benchmarks/results/learners.jsonl``, which a test holds current."""
