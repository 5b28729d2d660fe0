"""What every learner of graphs does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from bqcd.graphs.knowledge import NOTHING_KNOWN, Knowledge
from bqcd.graphs.partial import PartialGraph
from bqcd.runtime.arrays import Vector


class Found(Protocol):
    """What a search has found: a graph, and how."""

    @property
    def graph(self) -> PartialGraph:
        """The graph."""


@dataclass(frozen=True, kw_only=True)
class Learner(ABC):
    """Something that learns graphs, with its settings."""

    @abstractmethod
    def search(
        self, columns: Mapping[str, Vector], *, knowledge: Knowledge = NOTHING_KNOWN
    ) -> Found:
        """Graph of some columns as in :meth:`learn`, and what it rests on."""

    def learn(
        self, columns: Mapping[str, Vector], *, knowledge: Knowledge = NOTHING_KNOWN
    ) -> PartialGraph:
        """Graph of some columns, each of which is a node.

        Parameters
        ----------
        columns : mapping of str to ndarray of shape (n,)
            Finite numbers, no column constant.
        knowledge : Knowledge, optional
            Directions that are known. They go into the search: what is found obeys them.

        Raises
        ------
        InvalidTableError
            If columns differ in length, are constant or not finite, have too few rows, or, for
            learners by linear relations, depend linearly on others.
        InvalidKnowledgeError
            If the knowledge names what is no column.
        MissingPackageError
            If the learner needs causal-learn, and that is not installed.
        """
        return self.search(columns, knowledge=knowledge).graph
