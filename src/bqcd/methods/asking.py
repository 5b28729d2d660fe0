"""A method asked for its verdict on a pair: what it cannot take is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bqcd.data.pair import Pair
from bqcd.data.scales import DECLARE
from bqcd.data.vector_pair import VectorPair
from bqcd.errors import InvalidPairError, InvalidVerdictError
from bqcd.methods.verdict import Method, VectorMethod, Verdict

TAKE_VECTORS = ("bqcd", "auto", "trace", "vecci")
"""Names of the methods that take groups of columns."""


def judged(method: Method, name: str, pair: Pair | VectorPair, seed: int) -> Verdict:
    """Verdict of a method on a pair, with the method, its name and the seed.

    Parameters
    ----------
    method : Method
        Who judges.
    name : str
        What it is called.
    pair : Pair or VectorPair
        Two columns, or two groups of them.
    seed : int
        Of the generator handed to the method.

    Raises
    ------
    InvalidVerdictError
        If that is no verdict.
    InvalidPairError
        If a column has no order and the method needs one, or a side is a group of columns and the
        method judges single columns only.
    """
    if pair.nominal and not getattr(method, "takes_nominal", False):
        raise InvalidPairError(_orderless(pair.nominal, name))
    rng = np.random.default_rng(seed)
    verdict = (
        method.decide(pair, rng)
        if isinstance(pair, Pair)
        else _vector_method(method, name, pair).decide_vectors(pair, rng)
    )
    if not isinstance(verdict, Verdict):
        raise InvalidVerdictError(f"The method {name} must return a Verdict, got {verdict!r}.")
    if verdict.choice is not None:
        return replace(verdict, pair=pair, seed=seed)
    return replace(verdict, pair=pair, method=method, name=name, seed=seed)


TAKE_LEVELS = ("auto", "cisc", "entropic", "hcr", "origo")
"""Methods that take columns without an order, by name."""


def _orderless(columns: tuple[str, ...], name: str) -> str:
    """That columns have no order, and which methods need none."""
    told = " and ".join(map(repr, columns))
    which = f"Column {told} is" if len(columns) == 1 else f"Columns {told} are"
    return (
        f"{which} categorical without an order, and {name} needs one. Methods that need none: "
        f"{', '.join(TAKE_LEVELS)}. If there is an order, {DECLARE}."
    )


def _vector_method(method: Method, name: str, pair: VectorPair) -> VectorMethod:
    if isinstance(method, VectorMethod):
        return method
    vector = pair.x_name if len(pair.x_names) > 1 else pair.y_name
    raise InvalidPairError(
        f"The method {name} judges two columns, but {vector!r} is a group of them; methods that "
        f"take groups: {', '.join(TAKE_VECTORS)}."
    )
