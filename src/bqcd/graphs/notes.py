"""What a reader should know of a graph that was learnt or oriented, as codes and names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bqcd.runtime.shown import CodedNote

Code = Literal[
    "learner",
    "directions right",
    "contradictory colliders",
    "cycle",
    "columns that are no node",
    "unknown nodes",
    "overruled",
    "edges that are absent",
    "rows left out",
]


@dataclass(frozen=True, slots=True)
class GraphNote(CodedNote):
    """One thing to know of a graph.

    Examples
    --------
    >>> GraphNote("cycle", {"nodes": ["a", "b", "a"]}).sentence
    'The cycle a -> b -> a is left undirected.'
    """

    code: Code
