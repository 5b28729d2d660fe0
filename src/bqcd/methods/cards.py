"""What is known of a method before it is asked: one row of the table of methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from bqcd.methods.verdict import Method, settings_of

Takes = Literal["order", "whole numbers", "levels", "any", "groups"]
"""What columns a method is made for."""


@dataclass(frozen=True, slots=True)
class MethodCard:
    """One row of the method table: how to build the method and what it claims.

    The claims are what ``tests/methods/test_every_method.py`` checks and what ``bqcd methods``
    prints.

    Parameters
    ----------
    name : str
        Name used on the command line and in results, e.g. ``"bqcd"``.
    build : callable
        Returns a :class:`Method` from keyword settings.
    assumes : str
        The model class in one line.
    reference : str
        Authors, title and year.
    cost : {"n log n", "n", "n^2", "n^3"}
        Growth of the run time with the number of rows.
    unchanged_by : frozenset of {"shift and scale", "increasing maps", "relabelling"}
        Column-wise transformations that leave the verdict unchanged; "relabelling" exchanges the
        levels of columns that are few enough not to be cut.
    uses_chance : bool
        Whether two generators may give two verdicts on the same data, of no more rows than
        the method takes.
    extra : str or None
        Optional-dependency group the method needs.
    seconds : float
        Rough time for one pair of 1,000 rows on one core, for planning.
    note : str
        What a reader of its numbers should know, such as published ones that are not reached.
    seconds_beyond : tuple of float
        The same for 10,000, 100,000 and 1,000,000 rows, from ``benchmarks/growth.py``.
    varies : float
        Largest change of a confidence that other processors' linear algebra, or another C
        library, made on the pairs of ``benchmarks/machines.py``, in units of the median size
        of a confidence; 0 where all were the same to the bit.
    chosen : mapping of str to str
        Settings whose defaults were chosen by looking at benchmark files, or as they come
        nearest to published accuracies, and how; "version" is all of it, whatever the settings.
        Tables of accuracies mark such methods.
    probabilistic : bool
        Whether the confidence is 2p - 1, where p is the probability of X -> Y.
    takes : {"order", "whole numbers", "levels", "any", "groups"}
        What columns it is made for: any with an order; few whole numbers, or levels with an order;
        levels, also without an order; whatever comes; or groups of columns only. Methods of the
        second and third kind judge other columns after cutting them into levels, and have no place
        in comparisons on continuous data. The tables of methods are made by this.

    Examples
    --------
    >>> from bqcd import METHODS
    >>> METHODS["igci-u"].varies, METHODS["emd"].most_rows
    (0.0, None)
    """

    name: str
    build: Callable[..., Method]
    assumes: str
    reference: str
    cost: Literal["n log n", "n", "n^2", "n^3"]
    unchanged_by: frozenset[str] = frozenset()
    uses_chance: bool = False
    extra: str | None = None
    seconds: float = 0.0
    note: str = ""
    seconds_beyond: tuple[float, ...] = ()
    varies: float = 0.0
    chosen: Mapping[str, str] = field(default_factory=dict, hash=False)
    probabilistic: bool = False
    takes: Takes = "order"

    @property
    def most_rows(self) -> int | None:
        """Rows above which that many are drawn at random; None if all are always taken."""
        most = settings_of(self.build()).get("max_rows")
        return int(str(most)) if most else None
