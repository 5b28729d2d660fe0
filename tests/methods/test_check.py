"""A method that breaks a promise is told so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.random import Generator

import bqcd
from bqcd import Pair, Verdict
from bqcd.errors import InvalidVerdictError


@dataclass(frozen=True)
class Gap:
    """Difference of the skewness: a method that keeps all promises."""

    def gap(self, pair: Pair) -> float:
        x, y = (np.sort(column) for column in (pair.x, pair.y))
        return float(np.mean((x - x.mean()) ** 3) - np.mean((y - y.mean()) ** 3))

    def decide(self, pair: Pair, rng: Generator) -> Any:
        return Verdict(self.gap(pair), pair)


class Silent(Gap):
    def decide(self, pair, rng):
        return self.gap(pair)


class Raising(Gap):
    def decide(self, pair, rng):
        raise ZeroDivisionError("no rows")


class OneSided(Gap):
    def decide(self, pair, rng):
        return Verdict(abs(self.gap(pair)), pair)


class FirstRow(Gap):
    def decide(self, pair, rng):
        return Verdict(pair.x[0] - pair.y[0], pair)


class Moody(Gap):
    said: ClassVar = [0.0]

    def decide(self, pair, rng):
        self.said[0] += 1.0
        return Verdict(self.said[0] * self.gap(pair), pair)


class Careless(Gap):
    def decide(self, pair, rng):
        np.random.random()  # noqa: NPY002
        return super().decide(pair, rng)


class Rooted(Gap):
    def __reduce__(self):
        raise TypeError("not to be moved")


class Spilling(Gap):
    def decide(self, pair, rng):
        return Verdict(self.gap(pair), pair, evidence=Infinite())


class Infinite:
    def as_dict(self, pair):
        return {"score": float("inf")}


class Lots(Gap):
    """Equal columns are not seen."""

    def decide(self, pair, rng):
        lot = 1.0 if pair.x.sum() >= pair.y.sum() else -1.0
        return Verdict(lot, pair)


@pytest.mark.parametrize("name", ["bqcd", "igci-g", "lingam", "cdci", "slope", "resit", "coin"])
def test_methods_of_the_table_keep_their_promises(name) -> None:
    bqcd.check_method(name)


def test_a_method_of_ones_own_passes() -> None:
    bqcd.check_method(Gap())


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (Silent(), "decide must return a Verdict, but on a pair without ties"),
        (Raising(), "ZeroDivisionError: no rows"),
        (OneSided(), "Exchanging the columns must flip the sign"),
        (FirstRow(), "Permuting the rows must change nothing"),
        (Moody(), "The same seed must give the same verdict"),
        (Careless(), "All randomness must come from the generator handed in"),
        (Rooted(), "must survive pickling, but that fails: TypeError: not to be moved"),
        (Spilling(), "Evidence must be ready for JSON, but on a pair without ties"),
        (Lots(), "Two equal columns must be undecided"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Gap) else "",
)
def test_a_broken_promise_is_named(method, words) -> None:
    with pytest.raises(InvalidVerdictError, match=f"The method {type(method).__name__} breaks"):
        bqcd.check_method(method)
    with pytest.raises(InvalidVerdictError) as caught:
        bqcd.check_method(method)
    assert words in str(caught.value)


def test_settings_go_with_a_name() -> None:
    bqcd.check_method("bqcd", n_levels=5)
