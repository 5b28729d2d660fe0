"""How often an edge came out which way when a graph was learnt and oriented again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EdgeFrequency:
    """What became of two nodes in many sub-samples.

    Parameters
    ----------
    first, second : str
        The nodes, in alphabetical order.
    counts : mapping of str to int
        Sub-samples by the edge as it came out, e.g. ``a -> b`` or ``a - b``.
    draws : int
        Number of sub-samples; those without an edge are in no count.

    Examples
    --------
    >>> found = EdgeFrequency("a", "b", {"a -> b": 6, "a - b": 2}, 10)
    >>> found.joined, found.share("a -> b")
    (0.8, 0.6)
    """

    first: str
    second: str
    counts: Mapping[str, int]
    draws: int

    @property
    def joined(self) -> float:
        """Share of the sub-samples with an edge between the nodes."""
        return sum(self.counts.values()) / self.draws

    @property
    def most(self) -> str:
        """The edge as it came out most often; of several, the first in alphabetical order."""
        return min(self.counts, key=lambda arrow: (-self.counts[arrow], arrow), default="")

    def share(self, arrow: str) -> float:
        """Share of the sub-samples in which the edge came out so."""
        return self.counts.get(arrow, 0) / self.draws

    def as_dict(self) -> dict[str, object]:
        """Counts and shares, ready for JSON."""
        return {
            "x": self.first,
            "y": self.second,
            "joined": self.joined,
            "counts": dict(sorted(self.counts.items())),
            "draws": self.draws,
        }
