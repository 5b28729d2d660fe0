"""PC and GES through causal-learn: CPDAGs by tests of independence, and by a linear score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from itertools import pairwise
from typing import Any, Literal
from warnings import catch_warnings, filterwarnings

import numpy as np
from numpy.typing import NDArray

from bqcd.errors import InvalidKnowledgeError, InvalidTableError
from bqcd.graphs.knowledge import NOTHING_KNOWN, Knowledge
from bqcd.graphs.notes import GraphNote
from bqcd.graphs.partial import PartialGraph, directed_cycle
from bqcd.graphs.skeletons.known_ges import search_with_knowledge
from bqcd.graphs.skeletons.learner import Learner
from bqcd.graphs.skeletons.table import checked_columns
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.optional import require
from bqcd.runtime.settings import check_choice, check_number
from bqcd.statistics.scaling import unit_variance

TESTS = ("fisherz", "copula", "kernel")
"""Tests of independence that PC can take."""

# Correlations this close to a linear dependence cannot be tested.
SINGULAR = 1e-10


@dataclass(frozen=True, slots=True)
class LearntGraph:
    """A graph learnt from columns, with what had to be changed.

    Parameters
    ----------
    graph : PartialGraph
        Directed and undirected edges.
    notes : tuple of GraphNote
        One sentence for each edge that lost its direction: it had two, or was in a cycle.
    kind : {"cpdag", "pag"}, default="cpdag"
        What its open edges are: without direction, or with circles at their ends.
    learner : str, default=""
        Name of what learnt it.
    """

    graph: PartialGraph
    notes: tuple[GraphNote, ...] = ()
    kind: Literal["cpdag", "pag"] = "cpdag"
    learner: str = ""


@dataclass(frozen=True, kw_only=True)
class PC(Learner):
    """The PC algorithm: edges between what no others make independent [1]_.

    The version that does not depend on the order of columns in its search for edges; as to
    colliders that contradict each other, the first ones in alphabetical order win.

    Parameters
    ----------
    test : {"fisherz", "copula", "kernel"}, default="fisherz"
        Test of conditional independence: of partial correlations; the same of normal scores
        of the ranks, which any increasing change of a column leaves as it is; or the kernel
        test, whose time grows with the third power of the rows.
    alpha : float, default=0.05
        Independent is what has a larger p-value.

    Notes
    -----
    The package causal-learn does the work: ``pip install 'bqcd[graphs]'``.

    References
    ----------
    .. [1] Spirtes, Glymour, Scheines. Causation, Prediction, and Search. MIT Press 2000.
       Colombo, Maathuis. Order-independent constraint-based causal structure learning. JMLR
       2014. Harris, Drton. PC algorithm for nonparanormal graphical models. JMLR 2013.
       Zhang, Peters, Janzing, Schölkopf. Kernel-based conditional independence test. UAI 2011.
    """

    test: str = "fisherz"
    alpha: float = 0.05

    def __post_init__(self) -> None:
        """Check the settings."""
        check_choice("PC", "test", self.test, TESTS)
        check_number("PC", "alpha", self.alpha, above=0.0, at_most=0.999)

    def search(
        self, columns: Mapping[str, Vector], *, knowledge: Knowledge = NOTHING_KNOWN
    ) -> LearntGraph:
        """CPDAG of some columns, with notes on contradictory colliders.

        Known directions go into the search, before colliders are looked for: no collider is
        made against them, and what follows from them is oriented.
        """
        table = checked_columns(columns, owner="PC", min_rows=10)
        knowledge.check_nodes(table)
        search = require(
            "causallearn.search.ConstraintBased.PC", extra="graphs", needed_by="The PC algorithm"
        )
        values = scores_of(table) if self.test == "copula" else scaled(table)
        if self.test != "kernel":
            check_independent(values, list(table), "PC")
        with silence():
            found = search.pc(
                values,
                alpha=float(self.alpha),
                indep_test="kci" if self.test == "kernel" else "fisherz",
                show_progress=False,
                node_names=list(table),
                background_knowledge=statements_of(knowledge, list(table)),
            )
        return obedient(from_end_marks(list(table), found.G.graph), knowledge)


@dataclass(frozen=True, kw_only=True)
class GES(Learner):
    """Greedy equivalence search: the CPDAG with the best BIC of linear Gaussian models [1]_.

    Parameters
    ----------
    penalty : float, default=1.0
        Factor of the term log(n) / 2 for each parameter; 1 is the BIC.

    Notes
    -----
    The package causal-learn does the work: ``pip install 'bqcd[graphs]'``.

    References
    ----------
    .. [1] Chickering. Optimal structure identification with greedy search. JMLR 2002.
    """

    penalty: float = 1.0

    def __post_init__(self) -> None:
        """Check the settings."""
        check_number("GES", "penalty", self.penalty, above=0.0)

    def search(
        self, columns: Mapping[str, Vector], *, knowledge: Knowledge = NOTHING_KNOWN
    ) -> LearntGraph:
        """CPDAG of some columns; there are no notes.

        With knowledge, the search is among the graphs that obey it: each step must lead to one.
        causal-learn has no way to hand it on, so that these steps are made here.
        """
        table = checked_columns(columns, owner="GES", min_rows=10)
        knowledge.check_nodes(table)
        search = require(
            "causallearn.search.ScoreBased.GES",
            extra="graphs",
            needed_by="Greedy equivalence search",
        )
        values = scaled(table)
        check_independent(values, list(table), "GES")
        if knowledge:
            penalty = float(self.penalty)
            return LearntGraph(
                search_with_knowledge(list(table), values, penalty=penalty, knowledge=knowledge)
            )
        with silence():
            found = search.ges(
                values,
                score_func="local_score_BIC",
                node_names=list(table),
                lambda_value=0.5 * float(self.penalty),
            )
        return from_end_marks(list(table), found["G"].graph)


def from_end_marks(names: list[str], marks: NDArray[Any]) -> LearntGraph:
    """Graph of a matrix of end marks, as causal-learn has it.

    Parameters
    ----------
    names : list of str
        Nodes in the order of the matrix.
    marks : ndarray of shape (k, k)
        Mark of the edge between i and j at the end of i: -1 a tail, 1 an arrow, 0 no edge.

    Examples
    --------
    >>> from_end_marks(["a", "b"], np.array([[0, -1], [1, 0]])).graph.directed
    [('a', 'b')]
    >>> from_end_marks(["a", "b"], np.array([[0, 1], [1, 0]])).notes[0].sentence
    "'a' <-> 'b' of contradictory colliders is left undirected."
    """
    directed: list[tuple[str, str]] = []
    undirected: list[tuple[str, str]] = []
    notes: list[GraphNote] = []
    for i, j in np.argwhere(np.triu(marks != 0)):
        first, second = names[i], names[j]
        at_first, at_second = int(marks[i, j]), int(marks[j, i])
        if at_first != at_second:
            directed.append((first, second) if at_second == 1 else (second, first))
            continue
        undirected.append((first, second))
        if at_first == 1:
            notes.append(GraphNote("contradictory colliders", {"nodes": [first, second]}))
    return _without_cycles(PartialGraph(names, directed=directed, undirected=undirected), notes)


def obedient(learnt: LearntGraph, knowledge: Knowledge) -> LearntGraph:
    """The graph with every edge as it is known to be, and a note on each that was turned.

    Contradictory tests can leave an edge against what is known, or in a cycle with it; of a
    cycle, edges that are not known lose their direction.

    Parameters
    ----------
    learnt : LearntGraph
        What was learnt.
    knowledge : Knowledge
        Directions that are known.
    """
    known = {edge: knowledge.direction(*edge) for edge in learnt.graph.skeleton().undirected}
    fixed = {(one.tail, one.head): one for one in known.values() if one is not None}
    against = [edge for edge in learnt.graph.directed if edge[::-1] in fixed]
    notes = [
        GraphNote("overruled", {"nodes": list(edge), "why": fixed[edge[::-1]].why})
        for edge in against
    ]
    free = [edge for edge in learnt.graph.directed if {edge, edge[::-1]}.isdisjoint(fixed)]
    graph = PartialGraph(
        learnt.graph.nodes,
        directed=[*fixed, *free],
        undirected=[edge for edge in learnt.graph.undirected if known[edge] is None],
    )
    return _without_cycles(graph, [*learnt.notes, *notes], kept=frozenset(fixed))


def statements_of(knowledge: Knowledge, names: list[str]) -> Any:
    """The knowledge as causal-learn takes it; None if there is none."""
    if not knowledge:
        return None
    module = "causallearn.utils.PCUtils.BackgroundKnowledge"
    package = require(module, extra="graphs", needed_by="Knowledge for a search")
    node_type = require("causallearn.graph.GraphNode", extra="graphs", needed_by="A search")
    node = {name: node_type.GraphNode(name) for name in names}
    told = package.BackgroundKnowledge()
    for number, tier in enumerate(knowledge.tiers):
        for name in tier:
            told.add_node_to_tier(node[name], number)
    for tail, head in knowledge.required:
        told.add_required_by_node(node[tail], node[head])
        told.add_forbidden_by_node(node[head], node[tail])
    for tail, head in knowledge.forbidden:
        told.add_forbidden_by_node(node[tail], node[head])
    return told


def _without_cycles(
    graph: PartialGraph, notes: list[GraphNote], kept: frozenset[tuple[str, str]] = frozenset()
) -> LearntGraph:
    """The graph with the edges of directed cycles, which wrong tests can make, undirected.

    Edges that are kept stay directed.
    """
    cycle = directed_cycle(graph)
    while cycle is not None:
        loose = set(pairwise(cycle)) - kept
        if not loose:
            told = " -> ".join(cycle)
            raise InvalidKnowledgeError(
                f"What is known must have no cycle, got {told} among the edges that were found."
            )
        graph = PartialGraph(
            graph.nodes,
            directed=[edge for edge in graph.directed if edge not in loose],
            undirected=[*graph.undirected, *loose],
        )
        notes = [*notes, GraphNote("cycle", {"nodes": list(cycle)})]
        cycle = directed_cycle(graph)
    return LearntGraph(graph, tuple(notes))


def scaled(table: Mapping[str, Vector]) -> Matrix:
    """Columns with variance 1, side by side."""
    return np.stack([unit_variance(column) for column in table.values()], axis=1)


def scores_of(table: Mapping[str, Vector]) -> Matrix:
    """Normal scores of the ranks, each with variance 1; tied values have a mean rank."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    scores = {name: ndtri(rankdata(column) / (len(column) + 1.0)) for name, column in table.items()}
    return scaled(scores)


def check_independent(values: Matrix, names: list[str], owner: str) -> None:
    """Refuse columns that are linear functions of those before them."""
    orthogonal: list[Vector] = []
    for name, column in zip(names, values.T, strict=True):
        left = column / np.sqrt(column @ column)
        for _ in range(2):
            for other in orthogonal:
                left = left - (other @ left) * other
        size = float(left @ left)
        if size < SINGULAR:
            raise InvalidTableError(
                f"Columns of {owner} must not depend linearly on each other, {name!r} does on "
                "those before it in alphabetical order."
            )
        orthogonal.append(left / np.sqrt(size))


@contextmanager
def silence() -> Iterator[None]:
    """No prints of causal-learn, nor its warning of tables with more columns than rows."""
    with redirect_stdout(StringIO()), catch_warnings():
        filterwarnings("ignore", message="The number of features is much larger")
        yield
