"""Whether a method keeps the promises that everything here relies on."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import numpy as np
from numpy.random import default_rng

from bqcd.data.pair import Pair
from bqcd.errors import InvalidVerdictError, counted
from bqcd.methods.asking import judged
from bqcd.methods.table import named_method
from bqcd.methods.verdict import Method, Verdict

_LISTED = 5


def check_method(method: str | Method, **settings: object) -> None:
    """Refuse a method that breaks a promise.

    A scan may judge a pair with its columns exchanged, a benchmark shuffles rows, workers get
    methods and send verdicts back: all of that is right if the method keeps to what is checked
    here, on a few small pairs with and without ties.

    Parameters
    ----------
    method : str or Method
        Any object with a method ``decide(pair, rng)``, or a name in ``METHODS``.
    **settings
        Settings of the method, if it is given by name.

    Raises
    ------
    InvalidVerdictError
        If a promise is broken. The message names each, the pair and the numbers.

    Examples
    --------
    >>> check_method("bqcd")
    >>> from bqcd.methods.chance import AlwaysFirst
    >>> try:
    ...     check_method(AlwaysFirst())
    ... except InvalidVerdictError as error:
    ...     print(str(error)[:94])
    The method AlwaysFirst breaks 2 promises. Exchanging the columns must flip the sign and change
    """
    name, _ = named_method("check_method", method, settings)
    broken = [
        f"{promise} {found}." for promise, found in broken_promises(method, **settings).items()
    ]
    if broken:
        listed = " ".join(broken[:_LISTED])
        raise InvalidVerdictError(
            f"The method {name} breaks {counted(len(broken), 'promise')}. {listed}"
        )


def broken_promises(method: str | Method, **settings: object) -> dict[str, str]:
    """Promises that a method breaks, each with the pair and the numbers that show it.

    Parameters
    ----------
    method, **settings
        As in :func:`check_method`.

    Examples
    --------
    >>> broken_promises("bqcd")
    {}
    """
    asked = _Asked(*named_method("check_method", method, settings))
    tried = {promise: _first(check, asked) for promise, check in PROMISES.items()}
    return {promise: found for promise, found in tried.items() if found}


class _Asked:
    """A method under question, and pairs to ask it about."""

    def __init__(self, name: str, method: Method) -> None:
        self.name, self.method = name, method

    def verdict(self, pair: Pair, seed: int = 0) -> Verdict:
        return judged(self.method, self.name, pair, seed)

    def confidence(self, pair: Pair, seed: int = 0) -> float:
        return self.verdict(pair, seed).confidence

    @property
    def pairs(self) -> Mapping[str, Pair]:
        rng = default_rng(7)
        x = rng.normal(size=120)
        y = x**2 + 0.3 * rng.normal(size=120)
        return {
            "a pair without ties": Pair(x, y),
            "a pair with ties in one column": Pair(np.round(x, 1), y),
            "a pair with ties in both columns": Pair(np.round(x), np.round(y)),
            "a pair of 10 rows": Pair(x[:10], y[:10]),
        }


def _first(check: Callable[[_Asked], Iterator[str]], asked: _Asked) -> str:
    """How a promise is broken; empty if it is kept, or cannot be asked for as decide fails."""
    try:
        return next(check(asked), "")
    except Exception:
        if check is _gives_verdicts:
            raise
        return ""


def _gives_verdicts(asked: _Asked) -> Iterator[str]:
    for name, pair in asked.pairs.items():
        try:
            asked.verdict(pair)
        except Exception as error:
            yield f"but on {name} it fails: {type(error).__name__}: {error}"


def _flips(asked: _Asked) -> Iterator[str]:
    for name, pair in asked.pairs.items():
        one, other = asked.confidence(pair), asked.confidence(Pair(pair.y, pair.x))
        if one != -other:
            yield f"but on {name} the confidence is {one} and then {other}"


def _ignores_rows(asked: _Asked) -> Iterator[str]:
    for name, pair in asked.pairs.items():
        rows = default_rng(1).permutation(len(pair))
        one, other = asked.confidence(pair), asked.confidence(Pair(pair.x[rows], pair.y[rows]))
        if one != other:
            yield f"but on {name} the confidence is {one} and then {other}"


def _repeats(asked: _Asked) -> Iterator[str]:
    for name, pair in asked.pairs.items():
        one, other = asked.confidence(pair, 3), asked.confidence(pair, 3)
        if one != other:
            yield f"but on {name} the confidence is {one} and then {other}"


def _sees_equal_columns(asked: _Asked) -> Iterator[str]:
    for name, pair in asked.pairs.items():
        found = asked.confidence(Pair(pair.x, pair.x))
        if found != 0.0:
            yield f"but on {name} the confidence is {found}"


def _leaves_alone(asked: _Asked) -> Iterator[str]:
    before = _global_states()
    asked.verdict(asked.pairs["a pair without ties"])
    if _global_states() != before:
        yield "but it draws from a global one"


def _global_states() -> tuple[bytes, object]:
    return pickle.dumps(np.random.get_state()), random.getstate()  # noqa: NPY002


def _travels(asked: _Asked) -> Iterator[str]:
    pair = asked.pairs["a pair without ties"]
    try:
        again = pickle.loads(pickle.dumps(asked.method))
        pickle.loads(pickle.dumps(asked.verdict(pair)))
    except Exception as error:
        yield f"but that fails: {type(error).__name__}: {error}"
        return
    if judged(again, asked.name, pair, 0).confidence != asked.confidence(pair):
        yield "but the copy gives another confidence"


def _tells_facts(asked: _Asked) -> Iterator[str]:
    for name, pair in asked.pairs.items():
        try:
            json.dumps(asked.verdict(pair).as_dict(), allow_nan=False)
        except (TypeError, ValueError) as error:
            yield f"but on {name} as_dict() does not: {error}"


PROMISES: Mapping[str, Callable[[_Asked], Iterator[str]]] = MappingProxyType(
    {
        "decide must return a Verdict,": _gives_verdicts,
        "Exchanging the columns must flip the sign and change nothing else,": _flips,
        "Permuting the rows must change nothing,": _ignores_rows,
        "The same seed must give the same verdict,": _repeats,
        "Two equal columns must be undecided,": _sees_equal_columns,
        "All randomness must come from the generator handed in,": _leaves_alone,
        "A method and its verdicts must survive pickling,": _travels,
        "Evidence must be ready for JSON,": _tells_facts,
    }
)
"""What every method promises, and what finds it broken."""
