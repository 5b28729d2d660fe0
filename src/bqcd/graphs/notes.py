"""What a reader should know of a graph that was learnt or oriented, as codes and names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from bqcd.runtime.shown import shown

Code = Literal[
    "learner",
    "contradictory colliders",
    "cycle",
    "columns that are no node",
    "unknown nodes",
    "edges that are absent",
    "rows left out",
]


@dataclass(frozen=True, slots=True)
class GraphNote:
    """One thing to know.

    Parameters
    ----------
    code : str
        What it is about.
    facts : mapping of str to object
        Its names and numbers, ready for JSON.

    Examples
    --------
    >>> GraphNote("cycle", {"nodes": ["a", "b", "a"]}).sentence
    'The cycle a -> b -> a is left undirected.'
    """

    code: Code
    facts: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def sentence(self) -> str:
        """The note in words."""
        return str(shown(self, "sentence"))

    def as_dict(self) -> dict[str, object]:
        """Code and facts, ready for JSON."""
        return {"code": self.code, **self.facts}
