"""Which effects come out wrong when another graph's parents are adjusted for.

Under a graph, the distribution of an effect after its cause was set by hand follows from
adjusting for the parents of the cause. Taken from a wrong graph these parents may still do, or
may not: what Peters and Bühlmann count as the structural intervention distance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bqcd.graphs.partial import PartialGraph

_Table = Mapping[str, list[str]]


class Adjustments:
    """Errors that parents from another graph make in a DAG.

    Parameters
    ----------
    truth : PartialGraph
        The DAG that is true.

    Examples
    --------
    >>> truth = Adjustments(PartialGraph(directed=["ab", "ac", "bc"]))
    >>> sorted(truth.wrong_effects("b", [])), sorted(truth.wrong_effects("b", ["a"]))
    (['a', 'c'], [])
    """

    def __init__(self, truth: PartialGraph) -> None:
        self._parents: _Table = {node: truth.parents(node) for node in truth.nodes}
        self._children: _Table = {node: truth.children(node) for node in truth.nodes}
        self._counts: dict[tuple[str, frozenset[str]], int] = {}

    def count(self, cause: str, parents: Iterable[str]) -> int:
        """Number of effects of a cause that come out wrong."""
        key = cause, frozenset(parents)
        if key not in self._counts:
            self._counts[key] = len(self.wrong_effects(*key))
        return self._counts[key]

    def wrong_effects(self, cause: str, parents: Iterable[str]) -> set[str]:
        """Nodes whose distribution after setting the cause is wrong.

        Parameters
        ----------
        cause : str
            Node that is set.
        parents : iterable of str
            Its alleged parents. What is among them is alleged not to change.
        """
        given = frozenset(parents)
        effects = reached([cause], self._children) - {cause}
        # A cause of what is adjusted for, on the way to an effect, spoils the effect.
        spoiling = effects & reached(given, self._parents)
        spoilt = reached(spoiling, self._children) | self._confounded(cause, given)
        return (effects & given) | (spoilt - given - {cause})

    def _confounded(self, cause: str, given: frozenset[str]) -> set[str]:
        """Nodes at the end of a walk from the cause that is open and not directed away from it.

        A walk passes a node at which arrows meet if that is given, and any other if not. It
        is remembered by its end, whether it got there along an arrow, and whether it only
        followed arrows since the cause.
        """
        start = [(node, False, False) for node in self._parents[cause]]
        start += [(node, True, True) for node in self._children[cause]]
        seen, waiting = set(start), start
        while waiting:
            node, along, causal = waiting.pop()
            steps: list[tuple[str, bool, bool]] = []
            if (node in given) == along:
                steps += [(parent, False, False) for parent in self._parents[node]]
            if node not in given:
                steps += [(child, True, causal) for child in self._children[node]]
            new = {step for step in steps if step[0] != cause} - seen
            seen |= new
            waiting.extend(new)
        return {node for node, _, causal in seen if not causal}


def reached(nodes: Iterable[str], following: _Table) -> set[str]:
    """Nodes that can be reached from some, these included."""
    found = set(nodes)
    waiting = list(found)
    while waiting:
        new = set(following[waiting.pop()]) - found
        found |= new
        waiting.extend(new)
    return found
