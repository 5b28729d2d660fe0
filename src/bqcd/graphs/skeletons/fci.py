"""FCI through causal-learn: a PAG, which allows for hidden causes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bqcd.graphs.formats.general_graphs import from_general_graph
from bqcd.graphs.knowledge import NOTHING_KNOWN, Knowledge
from bqcd.graphs.skeletons.causal_learn import (
    TESTS,
    LearntGraph,
    check_independent,
    scaled,
    scores_of,
    silence,
    statements_of,
)
from bqcd.graphs.skeletons.learner import Learner
from bqcd.graphs.skeletons.table import checked_columns
from bqcd.runtime.arrays import Vector
from bqcd.runtime.optional import require
from bqcd.runtime.settings import check_choice, check_number


@dataclass(frozen=True, kw_only=True)
class FCI(Learner):
    """Fast causal inference: edges and ends that hold whatever hidden causes there are [1]_.

    Parameters
    ----------
    test : {"fisherz", "copula", "kernel"}, default="fisherz"
        Test of conditional independence, as for :class:`PC`.
    alpha : float, default=0.05
        Independent is what has a larger p-value.

    Notes
    -----
    The package causal-learn does the work: ``pip install 'bqcd[graphs]'``. A circle at an end of
    an edge says that the data leave open whether there is a tail or an arrow.

    References
    ----------
    .. [1] Spirtes, Meek, Richardson. Causal inference in the presence of latent variables and
       selection bias. UAI 1995. Zhang. On the completeness of orientation rules for causal
       discovery in the presence of latent confounders and selection bias. AIJ 2008.
    """

    test: str = "fisherz"
    alpha: float = 0.05

    def __post_init__(self) -> None:
        """Check the settings."""
        check_choice("FCI", "test", self.test, TESTS)
        check_number("FCI", "alpha", self.alpha, above=0.0, at_most=0.999)

    def search(
        self, columns: Mapping[str, Vector], *, knowledge: Knowledge = NOTHING_KNOWN
    ) -> LearntGraph:
        """PAG of some columns; there are no notes."""
        table = checked_columns(columns, owner="FCI", min_rows=10)
        knowledge.check_nodes(table)
        search = require(
            "causallearn.search.ConstraintBased.FCI", extra="graphs", needed_by="The FCI algorithm"
        )
        values = scores_of(table) if self.test == "copula" else scaled(table)
        if self.test != "kernel":
            check_independent(values, list(table), "FCI")
        with silence():
            graph, _ = search.fci(
                values,
                independence_test_method="kci" if self.test == "kernel" else "fisherz",
                alpha=float(self.alpha),
                background_knowledge=statements_of(knowledge, list(table)),
                show_progress=False,
                node_names=list(table),
            )
        return LearntGraph(from_general_graph(graph).graph, kind="pag")
