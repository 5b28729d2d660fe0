"""Pairs and graphs judged through the calls of cdt, the Causal Discovery Toolbox."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bqcd.data.files.cells import csv_text
from bqcd.data.pair import Missing
from bqcd.data.tables import open_table
from bqcd.errors import InvalidPairError, InvalidTableError
from bqcd.graphs import orient
from bqcd.graphs.formats.networkx_graphs import is_networkx
from bqcd.methods.decide import decide
from bqcd.methods.table import named_method
from bqcd.methods.verdict import Method
from bqcd.runtime.atomic import write_whole
from bqcd.runtime.settings import check_choice, check_integer

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, slots=True)
class PairwiseModel:
    """A method that answers to the names of cdt's pairwise models.

    Parameters
    ----------
    method : str or Method, default="bqcd"
        A name listed by ``bqcd methods``, or any object with a ``decide`` method.
    seed : int, default=0
        Seed of the generators handed to the method.
    missing : {"raise", "drop"}, default="raise"
        What to do with rows in which either value of a pair is missing.
    settings : mapping, optional
        Settings of the method by name; calls take further ones as keywords.

    Notes
    -----
    As in cdt, scores are positive for a -> b, and their sign is what the method says if it has
    to: whether that may be relied on is :attr:`bqcd.Verdict.answer`. Unlike there,
    :meth:`predict` also takes two arrays, the frame given is left as it is, columns are not
    scaled before, pairs that cannot be judged are errors, and :meth:`orient_graph` makes no cycle.
    For reasons, abstention, knowledge and CPDAGs there is more in ``bqcd.decide`` and
    ``bqcd.orient``.

    References
    ----------
    .. [1] Kalainathan, Goudet, Dutta. Causal Discovery Toolbox: uncovering causal
       relationships in Python. JMLR 21(37), 2020.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=300)
    >>> b = a**2 + 0.2 * rng.normal(size=300)
    >>> model = PairwiseModel("bqcd")
    >>> model.predict(a, b) > 0.0
    True
    >>> [score > 0.0 for score in model.predict_dataset({"A": [a, b], "B": [b, a]})]
    [True, False]
    """

    method: str | Method = "bqcd"
    seed: int = field(default=0, kw_only=True)
    missing: Missing = field(default="raise", kw_only=True)
    settings: Mapping[str, object] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        """Check the settings."""
        check_integer("PairwiseModel", "seed", self.seed, minimum=0)
        check_choice("PairwiseModel", "missing", self.missing, ("raise", "drop"))
        named_method("PairwiseModel", self.method, self.settings)

    def predict(self, x: Any, *args: Any, **settings: Any) -> Any:
        """Scores or graph, by what is given.

        Parameters
        ----------
        x : array, series or data frame
            Data and a networkx graph: :meth:`orient_graph`. Two columns, or a series of
            two: :meth:`predict_proba`. A frame of pairs alone: :meth:`predict_dataset`.
        *args
            Graph or second column.
        **settings
            Further settings of the method, and what the method called takes.
        """
        if args and is_networkx(args[0]):
            return self.orient_graph(x, *args, **settings)
        if args:
            return self.predict_proba((x, args[0]), *args[1:], **settings)
        from narwhals.dependencies import is_into_series

        if is_into_series(x):
            return self.predict_proba(tuple(x), **settings)
        return self.predict_dataset(x, **settings)

    def predict_proba(
        self, dataset: Sequence[object], idx: object = 0, **settings: object
    ) -> float:
        """The confidence, positive for a -> b: a score, in spite of cdt's name no probability.

        Parameters
        ----------
        dataset : sequence of two array-likes
            The columns a and b, of shape (n,) or (n, 1).
        idx : object, default=0
            Not used; for compatibility.
        **settings
            Further settings of the method.

        Raises
        ------
        InvalidPairError
            If there are not two columns, or they cannot be judged.

        Notes
        -----
        A calibrated probability is ``bqcd.assess(a, b).probability``.
        """
        if len(dataset) != 2:
            raise InvalidPairError(f"A pair must have two columns, got {len(dataset)}.")
        a, b = map(_column, dataset)
        told: dict[str, Any] = {**self.settings, **settings}
        verdict = decide(a, b, method=self.method, seed=self.seed, missing=self.missing, **told)
        return verdict.confidence

    def predict_dataset(
        self, x: Any, printout: str | PathLike[str] | None = None, **settings: object
    ) -> list[float]:
        """Score of every pair, in the order of the rows.

        Parameters
        ----------
        x : data frame or mapping
            One pair a row: its cells in ``A`` and ``B``, or in the only two columns, are arrays.
        printout : path, optional
            CSV file with ``SampleID`` and ``Predictions`` to write when all are there.
        **settings
            Further settings of the method.

        Raises
        ------
        InvalidTableError
            If there are neither columns ``A`` and ``B`` nor just two.
        InvalidPairError
            If a pair cannot be judged; the message tells which.
        """
        keys, firsts, seconds = _pairs(x)
        scores = []
        for key, a, b in zip(keys, firsts, seconds, strict=True):
            try:
                scores.append(self.predict_proba((a, b), **settings))
            except InvalidPairError as error:
                raise InvalidPairError(f"The pair {key!r} cannot be judged: {error}") from error
        _print(printout, zip(map(str, keys), scores, strict=True))
        return scores

    def orient_graph(
        self,
        df_data: object,
        graph: nx.Graph[Any],
        printout: str | PathLike[str] | None = None,
        **settings: Any,
    ) -> nx.DiGraph[Any]:
        """Graph without cycles, each edge as its pair alone says, surest first.

        Parameters
        ----------
        df_data : data frame or mapping
            One numeric column for each node.
        graph : networkx.Graph or networkx.DiGraph
            Edges to orient; edges of a ``DiGraph`` that are there one way only are kept.
        printout : path, optional
            CSV file with ``SampleID`` and ``Predictions`` of the judged edges to write.
        **settings
            Further settings of the method.

        Returns
        -------
        networkx.DiGraph
            All columns, and the edges with ``weight``, the size of the confidence, and
            ``outcome``, which is ``"turned"`` where the verdict would have closed a cycle. Edges
            that were given have no weight; where the method abstains there is no edge.

        Raises
        ------
        InvalidGraphError
            If a node has no column, or the given directions have a cycle.

        Notes
        -----
        cdt takes every verdict as it is, so that cycles occur. Here the surest go first and those
        that would close a cycle are turned. As in cdt, the sign of a confidence counts also where
        the direction cannot be told; ``bqcd.orient`` leaves such edges open. Colliders are free,
        as in cdt, also where edges of a ``DiGraph`` are kept; ``bqcd.orient`` reads such a graph
        as a CPDAG.
        """
        told = {**self.settings, **settings}
        found = orient(
            df_data,
            graph,
            kind="skeleton",
            method=self.method,
            missing=self.missing,
            seed=self.seed,
            **{"force": True, **told},
        )
        judged = [one for one in found.edges if one.confidence is not None]
        _print(printout, ((f"{one.first}-{one.second}", one.confidence) for one in judged))
        return _weighted(found.directed, df_data)


def _column(cell: object) -> object:
    flat = isinstance(cell, np.ndarray) and cell.ndim == 2 and cell.shape[1] == 1
    return cell[:, 0] if flat else cell  # type: ignore[index]


def _pairs(x: Any) -> tuple[list[object], list[object], list[object]]:
    """Keys of the pairs, first and second columns."""
    names, columns_at = open_table(x)
    told = [str(name) for name in names]
    if told.count("A") == told.count("B") == 1:
        places = (told.index("A"), told.index("B"))
    elif len(told) == 2:
        places = (0, 1)
    else:
        raise InvalidTableError(
            "A table of pairs must have the columns 'A' and 'B', or two columns in all, got "
            f"{', '.join(map(repr, told[:10]))}."
        )
    firsts, seconds = (list(column) for column in columns_at(*places))  # type: ignore[call-overload]
    index = getattr(x, "index", None)
    keys = list(range(len(firsts))) if index is None else list(index)
    return keys, firsts, seconds


def _print(path: str | PathLike[str] | None, rows: Iterable[Sequence[object]]) -> None:
    if path is not None:
        write_whole(Path(path), csv_text(("SampleID", "Predictions"), rows) + "\n")


def _weighted(directed: nx.DiGraph[Any], table: object) -> nx.DiGraph[Any]:
    """The same edges with weight and outcome, and every named column as a node."""
    import networkx as nx

    result = nx.DiGraph()
    result.add_nodes_from(directed.nodes)
    for tail, head, told in directed.edges(data=True):
        result.add_edge(tail, head, outcome=told["outcome"])
        if "confidence" in told:
            result.edges[tail, head]["weight"] = abs(told["confidence"])
    if not isinstance(table, np.ndarray):
        known = {str(node) for node in directed.nodes}
        result.add_nodes_from(name for name in open_table(table)[0] if str(name) not in known)
    return result
