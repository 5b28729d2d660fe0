"""What came of a scan: every pair with its verdict, to be filtered, ranked, drawn and saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bqcd.data.vector import as_vector
from bqcd.errors import counted
from bqcd.methods.answers import BARS, Answer
from bqcd.runtime.arrays import Vector
from bqcd.runtime.optional import require
from bqcd.runtime.shown import Pictured, shown
from bqcd.scans.answering import answered
from bqcd.scans.forms import facts_of, graph_of, matrix_of
from bqcd.scans.pair_tables import checked_pairs, is_word
from bqcd.scans.problems import TableProblems
from bqcd.scans.records import ColumnFacts
from bqcd.scans.result_files import write_matrix, write_pairs
from bqcd.scans.rows import PairRows
from bqcd.scans.views import Order, ranked, wanted

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    import pyarrow as pa

    from bqcd.assessments.compatibility import Compatibility
    from bqcd.runtime.shown import Sheet


@dataclass(frozen=True, eq=False, repr=False)
class Scan(Pictured):
    """Verdicts on many pairs of columns of one table.

    Parameters
    ----------
    pairs : pyarrow.Table
        One row per pair: columns ``x``, ``y``, ``confidence``, ``n_rows``, ``spearman``,
        ``dependence``, ``p_value``, ``bound``, ``most``, ``limit``, ``status`` and ``message``, or
        all those of :attr:`table`.
    columns : tuple of ColumnFacts
        Every column that was chosen, also those that could not be judged.
    method : str
        Name of what judged.
    n_rows : int
        Rows of the table.
    label : str
        Name of the file, or kind of the table.
    settings : mapping of str to object, optional
        Settings of the method that are not the usual ones.
    complete : bool, default=True
        Whether all pairs that were asked for have a row.
    folder : Path or None, default=None
        Where the scan is kept.
    then : Scan or None, default=None
        What a second method says of some of the pairs.
    abstain : float or None, default=None
        Least probability of a direction that is told.
    """

    pairs: pa.Table = field(repr=False)
    columns: tuple[ColumnFacts, ...] = field(repr=False)
    method: str
    n_rows: int
    label: str
    settings: Mapping[str, object] = field(default_factory=dict)
    complete: bool = True
    folder: Path | None = None
    then: Scan | None = field(default=None, repr=False)
    abstain: float | None = None

    def __post_init__(self) -> None:
        """Refuse a table with other columns or types, or with names that are no column."""
        names = {one.name for one in self.columns}
        object.__setattr__(self, "pairs", checked_pairs(self.pairs, names))

    def __len__(self) -> int:
        return int(self.pairs.num_rows)

    def __repr__(self) -> str:
        unfinished = "" if self.complete else ", unfinished"
        return (
            f"<Scan of {self.label!r} by {self.method}: {counted(len(self), 'pair')} of "
            f"{counted(len(self.names), 'column')}, {counted(self.n_rows, 'row')}{unfinished}>"
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns that could be judged, in the order of the table."""
        usable = (one for one in self.columns if not one.problem)
        return tuple(one.name for one in sorted(usable, key=lambda one: one.position))

    @property
    def skipped(self) -> tuple[ColumnFacts, ...]:
        """Columns that could not be judged, in the order of the table."""
        found = (one for one in self.columns if one.problem)
        return tuple(sorted(found, key=lambda one: one.position))

    @cached_property
    def table(self) -> pa.Table:
        """Pairs with all that follows from their numbers.

        ``answer`` is "clear", "leaning" or "cannot tell", and ``direction`` goes with it: "--"
        where it cannot be told, which is so for all pairs that may be independent. ``probability``
        is that of the direction, by the method that claims one, and ``limit`` what leaves it no
        larger (:mod:`bqcd.assessments.holding`), or "no probability" for a pair that leans by the
        first method and that the second, which claims them, was not asked about: it is not told.
        ``then_confidence`` is what the second method says. Q-values are by Benjamini and Hochberg
        over all pairs of the scan, and views of a scan keep those of the whole.
        """
        return self.pairs if "answer" in self.pairs.column_names else answered(self)

    def to_pandas(self) -> pd.DataFrame:
        """Pairs with their q-values as a pandas frame; words are categories.

        Raises
        ------
        MissingPackageError
            If pandas is not installed.
        """
        require("pandas", extra="pandas", needed_by="Scan.to_pandas")
        frame: pd.DataFrame = self.table.to_pandas()
        return frame

    def where(
        self,
        *,
        min_dependence: float = 0.0,
        max_q: float | None = None,
        min_confidence: float = 0.0,
        direction: str | None = None,
        answer: Answer | None = None,
    ) -> Scan:
        """View of the judged pairs that meet all conditions.

        Parameters
        ----------
        min_dependence : float, default=0.0
            Least strength of the dependence, from 0 to 1.
        max_q : float or None, default=None
            Largest q-value of independence, e.g. 0.05.
        min_confidence : float, default=0.0
            Least size of the confidence, either way.
        direction : {"->", "<-", "--"} or None, default=None
            Direction from x to y; "--" for pairs of which it cannot be told.
        answer : {"clear", "leaning", "cannot tell"} or None, default=None
            What may be said of the direction.

        Raises
        ------
        InvalidSettingError
            If a condition is out of its range.
        """
        import pyarrow as pa

        keep = wanted(
            self,
            min_dependence=min_dependence,
            max_q=max_q,
            min_confidence=min_confidence,
            direction=direction,
            answer=answer,
        )
        return replace(self, pairs=self.table.filter(pa.array(keep)))

    def compatibility(self, table: object = None, *, seed: int = 0) -> Compatibility:
        """How far the verdicts on the pairs fit together, next to verdicts by coin.

        Parameters
        ----------
        table : data frame, mapping or ndarray of shape (n, k), optional
            What was scanned: with it, pairs that a third column makes independent are looked for
            as well. Default: circles of three verdicts, and pairs that are independent.
        seed : int, default=0
            Of the coins.

        Examples
        --------
        >>> import bqcd
        >>> rng = np.random.default_rng(0)
        >>> a, b, noise = rng.normal(size=(3, 500))
        >>> found = bqcd.scan({"a": a, "b": b, "c": a**2 + b**2 + 0.3 * noise})
        >>> fit = found.compatibility()
        >>> fit.demands, fit.broken
        (2, 0)
        """
        from bqcd.scans.fitting import fit_of

        return fit_of(self, table, seed=seed)

    def count(self, answer: Answer) -> int:
        """Number of pairs with an answer.

        Parameters
        ----------
        answer : {"clear", "leaning", "cannot tell"}
            Which.
        """
        return int(np.count_nonzero(is_word(self.table["answer"], answer)))

    def top(
        self,
        k: int = 20,
        *,
        min_dependence: float = 0.0,
        max_q: float | None = None,
        by: Order = "confidence",
    ) -> PairRows:
        """Rows of the foremost pairs, the first one first; equals go by confidence, then by name.

        Parameters
        ----------
        k : int, default=20
            How many, at most.
        min_dependence : float, default=0.0
            Least strength of the dependence, from 0 to 1.
        max_q : float or None, default=None
            Largest q-value of independence, e.g. 0.05.
        by : {"probability", "confidence", "dependence", "p_value"}, default="confidence"
            Probability, size of the confidence or dependence, largest first, or the p-value,
            smallest first.

        Returns
        -------
        PairRows
            A table of Arrow that can be read as it is printed.

        Raises
        ------
        InvalidSettingError
            If ``k``, ``by`` or a condition is out of its range.
        """
        chosen = self.where(min_dependence=min_dependence, max_q=max_q)
        rows = chosen.table.take(ranked(chosen, k, by))
        title = f"{counted(rows.num_rows, 'pair')} of {len(self):,} by {by.replace('_', '-')}"
        return PairRows(rows, title, BARS.raised(self.abstain).leaning)

    def matrix(self) -> tuple[tuple[str, ...], Vector]:
        """Names of the judged columns, and the confidence that one causes the other.

        Entry [i, j] is positive if column i is the cause of column j, and minus the entry
        [j, i]. It is NaN where the pair was not judged.

        Raises
        ------
        InvalidSettingError
            If there are more than 20,000 columns.
        """
        return self.names, matrix_of(self)

    def graph(
        self, *, max_q: float = 0.05, min_dependence: float = 0.0, min_confidence: float = 0.0
    ) -> nx.DiGraph[str]:
        """Picture of the answers: an edge from cause to effect for every pair that has one.

        This is no causal graph. Pairs are judged one by one, so columns that merely share
        a cause are joined too, and the edges may form cycles. To orient a graph of direct
        causes, use :func:`bqcd.orient`.

        Parameters
        ----------
        max_q : float, default=0.05
            Largest q-value of independence.
        min_dependence : float, default=0.0
            Least strength of the dependence, from 0 to 1.
        min_confidence : float, default=0.0
            Least confidence.

        Returns
        -------
        networkx.DiGraph
            Every column that could be judged is a node. Edges have the attributes ``answer``,
            ``probability`` if it is known, ``confidence``, ``dependence``, ``spearman``,
            ``p_value`` and ``q_value``. Pairs whose direction cannot be told have no edge.
        """
        return graph_of(
            self.where(max_q=max_q, min_dependence=min_dependence, min_confidence=min_confidence)
        )

    def sheet(self, k: int = 20, *, by: Order = "confidence") -> Sheet:
        """The foremost pairs for reading, the cause at the left.

        Parameters
        ----------
        k : int, default=20
            How many, at most.
        by : {"confidence", "dependence", "p_value"}, default="confidence"
            As in :meth:`top`.
        """
        sheet: Sheet = shown(self, "sheet", k, by)
        return sheet

    def skipped_sheet(self, k: int | None = None) -> Sheet:
        """Columns that could not be judged, with the reason.

        Parameters
        ----------
        k : int or None, default=None
            How many are listed, at most. Default: all.
        """
        sheet: Sheet = shown(self, "skipped", k)
        return sheet

    def failed_sheet(self, k: int | None = None) -> Sheet:
        """Pairs that could not be judged with the reason.

        Parameters
        ----------
        k : int or None, default=None
            How many are listed, at most. Default: all.
        """
        sheet: Sheet = shown(self, "failed", k)
        return sheet

    @property
    def n_judged(self) -> int:
        """Number of pairs with a verdict, be it that their direction cannot be told."""
        return len(self) - int(self.pairs["confidence"].null_count)

    def summary(self) -> str:
        """How many pairs have a direction worth a look, and what was judged, in sentences."""
        return str(shown(self, "summary"))

    def as_dict(self, k: int = 20, *, by: Order = "confidence") -> dict[str, object]:
        """Facts of the scan and its foremost pairs, ready for JSON.

        Parameters
        ----------
        k : int, default=20
            How many pairs, at most.
        by : {"confidence", "dependence", "p_value"}, default="confidence"
            As in :meth:`top`.
        """
        return {**self.facts(), "top": self.top(k, by=by).to_pylist()}

    def save(self, path: str | Path) -> None:
        """Write the pairs with their q-values to a file, in one step or not at all.

        Parameters
        ----------
        path : str or Path
            Ends in ``.csv``, ``.tsv``, ``.parquet`` or ``.json``.

        Raises
        ------
        InvalidSettingError
            If the suffix is another.
        """
        write_pairs(self.table, self.facts(), Path(path))

    def save_matrix(self, path: str | Path) -> None:
        """Write the matrix of confidences, in one step or not at all.

        Parameters
        ----------
        path : str or Path
            Ends in ``.csv``, with names, or ``.npy``, without.

        Raises
        ------
        InvalidSettingError
            If the suffix is another, or there are more than 20,000 columns.
        """
        write_matrix(*self.matrix(), Path(path))

    def facts(self) -> dict[str, object]:
        """What is known of the scan as a whole, ready for JSON."""
        return facts_of(self)

    def problems(self) -> TableProblems:
        """Series, sorted rows, few values and columns that follow from each other."""
        return TableProblems.of(self.columns, self.numbers("spearman"))

    def numbers(self, name: str) -> Vector:
        """One column of the table as numbers, NaN where there is none.

        Parameters
        ----------
        name : str
            One of ``confidence``, ``n_rows``, ``spearman``, ``dependence``, ``p_value`` and
            ``q_value``.
        """
        return as_vector(self.table[name], name)
