"""What is done with edges that could go either way."""

from __future__ import annotations

from dataclasses import dataclass

from bqcd.graphs.orienting.records import Bar, Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What is done with edges that could go either way.

    Parameters
    ----------
    min_confidence : float, default=0.0
        Edges whose confidence is smaller, either way, are left open.
    min_share : float, default=0.0
        Edges whose verdict fewer replicates share are left open.
    complete : bool, default=False
        Whether edges left open are then oriented, so that a DAG comes out.
    """

    min_confidence: float = 0.0
    min_share: float = 0.0
    complete: bool = False

    def doubt(self, judgement: Judgement) -> Bar | None:
        """What a verdict does not reach; None if it is good enough."""
        if not judgement.decided:
            return Bar("answer", None)
        if abs(judgement.confidence) < self.min_confidence:
            return Bar("confidence", self.min_confidence)
        if judgement.share is not None and judgement.share < self.min_share:
            return Bar("share", self.min_share)
        return None
