"""Pairs judged for pgmpy: what its ``ExpertInLoop`` asks for the direction of an edge."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any, cast

from bqcd.data.pair import Direction, Missing
from bqcd.data.tables import open_table
from bqcd.errors import InvalidTableError, MissingPackageError, UnknownNameError
from bqcd.graphs.orienting.edges import edge_seed
from bqcd.methods.answers import Answer
from bqcd.methods.decide import decide
from bqcd.methods.verdict import Method, Verdict
from bqcd.runtime.optional import require
from bqcd.runtime.settings import check_flag, nearest_names

if TYPE_CHECKING:
    import pandas as pd

_PARAMETERS = ("method", "seed", "missing", "abstain", "settings")


class PairwiseEstimator:
    """Two columns in, ``causal_graph_`` out: a pairwise estimator of pgmpy.

    Parameters
    ----------
    method : str or Method, default="bqcd"
        A name listed by ``bqcd methods``, or any object with a ``decide`` method.
    seed : int, default=0
        Seed; each pair has its own, made of this and its names.
    missing : {"raise", "drop"}, default="raise"
        What to do with rows in which either value is missing.
    abstain : bool, default=False
        Whether ``causal_graph_`` has no edge where the direction cannot be told. pgmpy then leaves
        the edge out altogether, so that by default the sign of the confidence decides, and
        ``answer_`` says how far that may be trusted.
    settings : mapping, default=None
        Settings of the method by name.

    Attributes
    ----------
    causal_graph_ : pgmpy.base.DAG
        Both columns, and the edge from cause to effect; a networkx ``DiGraph`` without pgmpy.
    adjacency_matrix_ : pandas.DataFrame
        1 where the row causes the column.
    direction_score_ : float
        Confidence, positive if the first column causes the second.
    answer_ : {"clear", "leaning", "cannot tell"}
        What may be said of the direction.
    verdict_ : Verdict
        Everything that was found.

    Notes
    -----
    ``ExpertInLoop(pairwise_estimator=PairwiseEstimator())`` in versions of pgmpy that have this
    slot. In 1.1 and before the slot is a function, which :meth:`orientation` gives:
    ``ExpertInLoop(orientation_fn=PairwiseEstimator().orientation(table))``.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.random.default_rng(0).normal(size=300)
    >>> found = PairwiseEstimator().fit({"a": a, "b": a**2})
    >>> list(found.causal_graph_.edges()), found.answer_
    ([('a', 'b')], 'leaning')
    """

    verdict_: Verdict
    causal_graph_: Any

    def __init__(
        self,
        method: str | Method = "bqcd",
        *,
        seed: int = 0,
        missing: Missing = "raise",
        abstain: bool = False,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        self.method = method
        self.seed = seed
        self.missing: Missing = missing
        self.abstain = abstain
        self.settings = settings

    def fit(self, X: Any, y: Any = None) -> PairwiseEstimator:
        """Judge the two columns of a table.

        Parameters
        ----------
        X : data frame, mapping or ndarray of shape (n, 2)
            Two columns.
        y : object, default=None
            Not looked at.

        Raises
        ------
        InvalidTableError
            If there are not two columns.
        InvalidPairError
            If the columns cannot be judged.
        """
        check_flag("PairwiseEstimator", "abstain", self.abstain)
        names, _ = open_table(X)
        if len(names) != 2:
            raise InvalidTableError(f"A pairwise estimator takes 2 columns, got {len(names)}.")
        first, second = names
        self.verdict_ = decide(
            0,
            1,
            table=X,
            method=self.method,
            seed=edge_seed(self.seed, str(first), str(second)),
            missing=self.missing,
            **cast("dict[str, Any]", self.settings or {}),
        )
        way = self.verdict_.direction if self.abstain else Direction.of(self.verdict_.confidence)
        edge = {Direction.X_TO_Y: (first, second), Direction.Y_TO_X: (second, first)}.get(way)
        self.causal_graph_ = _dag([first, second], edge)
        self.n_features_in_, self.feature_names_in_ = 2, [first, second]
        return self

    @property
    def direction_score_(self) -> float:
        """Confidence, positive if the first column causes the second."""
        return self.verdict_.confidence

    @property
    def answer_(self) -> Answer:
        """What may be said of the direction."""
        return self.verdict_.answer

    @property
    def adjacency_matrix_(self) -> pd.DataFrame:
        """Adjacency matrix of both columns.

        Raises
        ------
        MissingPackageError
            If pandas is not installed.
        """
        pandas = require("pandas", extra="pandas", needed_by="adjacency_matrix_")
        names, edges = self.feature_names_in_, set(self.causal_graph_.edges())
        entries = [[int((tail, head) in edges) for head in names] for tail in names]
        frame: pd.DataFrame = pandas.DataFrame(entries, index=names, columns=names)
        return frame

    def orientation(self, table: Any) -> Callable[[Hashable, Hashable], tuple[Any, Any] | None]:
        """Function from two names of columns of a table to the edge between them.

        What ``ExpertInLoop`` of pgmpy 1.1 takes as ``orientation_fn``.

        Parameters
        ----------
        table : data frame or mapping
            Where the columns are.
        """
        names, columns_at = open_table(table)
        place = {name: at for at, name in enumerate(names)}

        def oriented(first: Hashable, second: Hashable) -> tuple[Any, Any] | None:
            x, y = columns_at(place[first], place[second])
            edges = list(self.fit({first: x, second: y}).causal_graph_.edges())
            return edges[0] if edges else None

        return oriented

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Parameters by name, as scikit-learn's ``clone`` asks for them."""
        return {name: getattr(self, name) for name in _PARAMETERS}

    def set_params(self, **parameters: object) -> PairwiseEstimator:
        """Change parameters by name.

        Raises
        ------
        UnknownNameError
            If there is no such parameter.
        """
        for name, value in parameters.items():
            if name not in _PARAMETERS:
                raise UnknownNameError(
                    f"PairwiseEstimator has no parameter {name!r}. "
                    f"{nearest_names(name, _PARAMETERS)}"
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return f"PairwiseEstimator(method={self.method!r})"


def _dag(nodes: list[Any], edge: tuple[Any, Any] | None) -> Any:
    """DAG of pgmpy where it is installed, else of networkx."""
    import networkx as nx

    try:
        graph = require("pgmpy.base", extra="pgmpy", needed_by="PairwiseEstimator").DAG()
    except MissingPackageError:
        graph = nx.DiGraph()
    graph.add_nodes_from(nodes)
    if edge is not None:
        graph.add_edge(*edge)
    return graph
