"""A DAG improved by turning edges, as long as that shortens the code of its columns.

A greedy search adds the edge that gains most while other parents are missing, and what it gets
wrong then stays. Here every edge is tried the other way round with the parents of both its ends on
offer to both, which compares the two orders of its ends given all that is before them. The edge
that gains most is turned, then edges are added that have become possible, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bqcd.graphs.skeletons.level_scores import CodeLengths
from bqcd.graphs.skeletons.order_search import ROUNDING, Step, ordered_edges

Flags = NDArray[np.bool_]
Parents = list[frozenset[int]]


@dataclass(frozen=True, eq=False, kw_only=True)
class EdgeTurning:
    """What may be turned, and what it must gain.

    Parameters
    ----------
    codes : CodeLengths
        Columns.
    allowed : ndarray of shape (k, k)
        Which edges are tried.
    before : ndarray of shape (k, k)
        Which nodes come before which, known beforehand.
    max_parents : int
        Parents of a node, at most.
    exact : bool
        Whether every gain of a new edge is found exactly, or of those only that lead.
    price : float
        What an edge must gain.
    """

    codes: CodeLengths
    allowed: Flags
    before: Flags
    max_parents: int
    exact: bool
    price: float

    def improved(self, steps: Sequence[Step]) -> list[Step]:
        """Edges of a DAG, improved until no turn gains; the largest gain first."""
        parents: Parents = [frozenset()] * self.codes.n_nodes
        for step in steps:
            parents[step.head] |= {step.tail}
        turned: Parents | None = parents
        while turned is not None:
            parents = self._grown(turned)
            turned = self._turned(parents)
        found = [step for node, own in enumerate(parents) for step in self._steps(node, own)]
        return sorted(found, key=lambda step: -step.gain)

    def along(self, steps: Sequence[Step]) -> EdgeTurning:
        """The same for some edges only, either way round."""
        links = np.zeros_like(self.allowed)
        for step in steps:
            links[step.tail, step.head] = links[step.head, step.tail] = True
        return replace(self, allowed=self.allowed & links)

    def _cost(self, node: int, parents: frozenset[int]) -> float:
        return self.codes.length(node, parents) + self.price * len(parents)

    def _grown(self, parents: Parents) -> Parents:
        """Parents without those that do not pay, and with all further ones that do."""
        parents = [self._thinned(node, own) for node, own in enumerate(parents)]
        steps = ordered_edges(
            self.codes,
            self.allowed,
            max_parents=self.max_parents,
            exact=self.exact,
            before=self.before,
            start=[self.codes.length(node, own) for node, own in enumerate(parents)],
            min_gain=self.price,
            parents=parents,
        )
        for step in steps:
            parents[step.head] |= {step.tail}
        return [self._thinned(node, own) for node, own in enumerate(parents)]

    def _thinned(self, node: int, parents: frozenset[int]) -> frozenset[int]:
        """Parents of a node, one after the other dropped as long as that lowers the cost."""
        while parents:
            costs = {one: self._cost(node, parents - {one}) for one in sorted(parents)}
            least = min(costs, key=lambda one: costs[one])
            if costs[least] > self._cost(node, parents):
                break
            parents -= {least}
        return parents

    def _turned(self, parents: Parents) -> Parents | None:
        """The DAG with that edge turned which gains most; None if none gains."""
        best, gain = None, ROUNDING
        for head, own in enumerate(parents):
            for tail in sorted(own):
                if not self._may_turn(parents, tail, head):
                    continue
                offered = (own | parents[tail]) - {tail}
                new = list(parents)
                for node, given in ((head, offered), (tail, offered | {head})):
                    may = frozenset(one for one in given if self.allowed[one, node])
                    new[node] = self._thinned(node, may)
                fall = sum(
                    self._cost(node, parents[node]) - self._cost(node, new[node])
                    for node in (tail, head)
                )
                if fall > gain:
                    best, gain = new, fall
        return best

    def _may_turn(self, parents: Parents, tail: int, head: int) -> bool:
        """Whether an edge may point the other way and no other path says that it does not."""
        if not self.allowed[head, tail] or len(parents[tail]) >= self.max_parents:
            return False
        seen, left = {tail}, [tail]
        while left:
            node = left.pop()
            new = {
                after
                for after, own in enumerate(parents)
                if (node in own or self.before[node, after]) and (node, after) != (tail, head)
            }
            left += new - seen
            seen |= new
        return head not in seen and not self.before[tail, head]

    def _steps(self, node: int, parents: frozenset[int]) -> list[Step]:
        """Parents of a node, in the order in which each gains most given those before."""
        steps: list[Step] = []
        given: frozenset[int] = frozenset()
        while given != parents:
            left = {one: self.codes.length(node, given | {one}) for one in sorted(parents - given)}
            best = min(left, key=lambda one: left[one])
            steps.append(Step(best, node, self.codes.length(node, given) - left[best]))
            given |= {best}
        return steps
