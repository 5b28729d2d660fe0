"""The short way to a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bqcd.data.nominal import declared_column, declared_table
from bqcd.data.pair import Missing, Pair
from bqcd.data.vector import series_name
from bqcd.data.vector_pair import VectorPair, is_vector, vector_pair
from bqcd.errors import InvalidPairError, InvalidSettingError
from bqcd.methods.asking import judged
from bqcd.methods.auto import Auto
from bqcd.methods.table import named_method
from bqcd.methods.verdict import Method, Verdict
from bqcd.runtime.settings import check_integer

if TYPE_CHECKING:
    from bqcd.data.weights import WeightedPair


def decide(
    x: object,
    y: object,
    *,
    table: object = None,
    method: str | Method = "bqcd",
    seed: int = 0,
    missing: Missing = "raise",
    weights: object = None,
    nominal: str | Sequence[str] = (),
    **settings: object,
) -> Verdict:
    """Say which of two columns causes the other.

    Parameters
    ----------
    x, y : array-like of shape (n,), or column names
        Columns row by row observed together: numbers, dates, booleans, ordered categories; words
        and other categories have no order, which few methods take. With ``table``, the names or
        0-based positions of two of its columns. Ties are allowed. A side may be a group of
        columns: an array of shape (n, d), a frame or, with ``table``, a list of names; see
        :class:`bqcd.data.vector_pair.VectorPair`.
    table : path or table, optional
        Where to look ``x`` and ``y`` up: a file, or any table that :func:`bqcd.read_table` takes.
    method : str or Method, default="bqcd"
        A name listed by ``bqcd methods``, or any object with a ``decide`` method. ``"auto"``
        picks by the kinds of the columns: :class:`bqcd.methods.auto.Auto`.
    seed : int, default=0
        Seed of the generator handed to the method.
    missing : {"raise", "drop"}, default="raise"
        What to do with rows in which a value, or the weight, is missing.
    weights : array-like of shape (n,), or a column name, optional
        What each row counts for: the inverse of its chance to be in the data. Only ratios
        matter; a row of weight 0 is left out. Default: all rows count the same.
    nominal : str or sequence of str, default=()
        Names of columns whose values are names without an order, though they are numbers; those
        of arrays are ``"x"`` and ``"y"``, or their own.
    **settings
        Settings of the method, e.g. ``n_levels=7`` or ``regressor="forest"``.

    Returns
    -------
    Verdict

    Notes
    -----
    This assumes that one column causes the other, without confounding, selection or feedback.
    The verdict says which direction describes the data more briefly; on data that break these
    assumptions it still says so.

    With weights, any method judges random draws of rows, with chances in proportion to the
    weights, and the mean of its confidences counts: 8 to 100 draws, each of fewer rows than there
    are, see :class:`bqcd.data.weights.WeightedPair`. That undoes a selection of rows whose
    chances are known.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=1000)
    >>> y = np.exp(x) * (1.0 + 0.2 * rng.normal(size=1000)) + x**2
    >>> decide(x, y).direction.value
    '->'
    >>> decide(y, x).direction.value
    '<-'

    Large values of y were recorded half as often as others:

    >>> chance = np.where(y > 2.0, 0.5, 1.0)
    >>> seen = rng.random(1000) < chance
    >>> verdict = decide(x[seen], y[seen], weights=1.0 / chance[seen])
    >>> verdict.direction.value, verdict.weighting.draw_rows < verdict.n_rows
    ('->', True)

    Two columns that together may be the cause of a third:

    >>> z = rng.normal(size=1000)
    >>> decide({"x": x, "z": z}, y).cause
    'x, z'
    """
    pair = observed_pair(x, y, table=table, missing=missing, weights=weights, nominal=nominal)
    return decide_pair(pair, method=method, seed=seed, **settings)


def observed_pair(
    x: object,
    y: object,
    *,
    table: object = None,
    missing: Missing = "raise",
    weights: object = None,
    nominal: str | Sequence[str] = (),
) -> Pair | VectorPair | WeightedPair:
    """Pair of two columns as they were handed in, weighted if rows count for more or less.

    A pair of groups of columns if a side is one.

    Parameters
    ----------
    x, y, table, missing, weights, nominal
        As in :func:`decide`.
    """
    in_table = table is not None
    if is_vector(x, in_table=in_table) or is_vector(y, in_table=in_table):
        if weights is not None:
            raise InvalidSettingError("weights must be None where a side is a group of columns.")
        if nominal:
            raise InvalidSettingError("nominal must be () where a side is a group of columns.")
        return vector_pair(x, y, table=table, missing=missing)
    if nominal and table is None:
        x, y = _declared(x, y, nominal)
    elif nominal:
        table = declared_table(table, nominal)
    if weights is not None:
        from bqcd.data.weights import weighted_pair

        return weighted_pair(x, y, weights=weights, table=table, missing=missing)
    if table is None:
        return Pair.from_arrays(x, y, missing=missing)
    return Pair.from_table(table, x, y, missing=missing)  # type: ignore[arg-type]


def _declared(x: object, y: object, nominal: str | Sequence[str]) -> tuple[object, object]:
    """Columns of which some are declared to have no order."""
    asked = (nominal,) if isinstance(nominal, str) else tuple(nominal)
    names = [{place, series_name(column) or place} for place, column in (("x", x), ("y", y))]
    if strange := [name for name in asked if not any(name in known for known in names)]:
        raise InvalidPairError(f"There is no column {strange[0]!r} to be nominal.")
    columns = [
        declared_column(column, min(known)) if known & set(asked) else column
        for column, known in zip((x, y), names, strict=True)
    ]
    return columns[0], columns[1]


def decide_pair(
    pair: Pair | VectorPair | WeightedPair,
    /,
    *,
    method: str | Method = "bqcd",
    seed: int = 0,
    **settings: object,
) -> Verdict:
    """Verdict on a pair that was built before; see :func:`decide`."""
    check_integer("decide", "seed", seed, minimum=0)
    name, judge = named_method("decide", method, settings)
    if isinstance(pair, Pair | VectorPair):
        return judged(judge, name, pair, seed)
    from bqcd.data.weights import WeightedPair
    from bqcd.methods.weighted import judged_by_weight

    if not isinstance(pair, WeightedPair):
        raise InvalidPairError(f"decide_pair takes a Pair, got {type(pair).__name__}.")
    if not isinstance(judge, Auto):
        return judged_by_weight(judge, name, pair, seed)
    first = judged(judge, name, pair.pair, seed)
    # What was picked for all rows judges every draw of them.
    assert first.method is not None
    picked = judged_by_weight(first.method, first.name, pair, seed)
    return replace(picked, choice=first.choice)
