"""What the panel has learned: boosted trees on voices, from a file, in NumPy.

A head is a function g of voices v and of a context c that is the same for both orders of the
columns: the sum of some trees, which rises with the voice of every method. Its log-odds are half
of g(v, c) - g(-v, c) and a plain vote of the methods, times a factor below 1 that keeps the
probabilities honest on families the head has not seen: exchanging the columns flips the sign to
the last bit. The vote keeps the answer near what most methods say where the voices are unlike any
that were learned from. Heads of the other kind, for what has no direction, are g(|v|, c) with the
levels of the voices in c.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from math import fsum

import numpy as np
from numpy.typing import NDArray

from bqcd.methods.models.panel_scores import Sounds
from bqcd.methods.models.trees import FIELDS, Trees, trees_of
from bqcd.runtime.arrays import Matrix, Vector

WEIGHTS = "panel.npz"
# Voices beyond this many units, on a logarithmic scale, say no more than those at it.
LOUDEST = 4.0
CONTEXT = ("rows", "linked", "unexplained", "neighbours", "unique", "heaped")
"""What surrounds the voices: rows, strength of the link, and ties."""

Places = NDArray[np.int64]


def squashed(voices: Matrix | Vector, units: Vector) -> Matrix:
    """Voices on a logarithmic scale: 0.69 is a typical one, the sign stays.

    Parameters
    ----------
    voices : ndarray of shape (..., k)
        Numbers of any size.
    units : ndarray of shape (k,)
        Median size of each voice on simulated pairs.

    Examples
    --------
    >>> squashed(np.array([2.0, -2.0, 0.0, 1e9]), np.array([2.0, 2.0, 1.0, 1.0])).round(2)
    array([ 0.69, -0.69,  0.  ,  4.  ])
    """
    sizes = np.log1p(np.abs(voices) / units)
    return np.copysign(np.minimum(sizes, LOUDEST), voices)


def context_of(levels: Mapping[str, Vector]) -> Matrix:
    """What surrounds the voices, a column for each of ``CONTEXT``.

    Parameters
    ----------
    levels : mapping of str to ndarray of shape (n,)
        Levels by name, as :func:`bqcd.methods.panel_voices.heard` tells them.
    """
    return np.column_stack(
        (
            np.log(levels["rows"]),
            np.log1p(np.maximum(levels["ranks linked"], 0.0)),
            levels["ranks unexplained"],
            levels["ranks neighbours"],
            levels["margin unique"],
            levels["margin heaped"],
        )
    )


@dataclass(frozen=True, eq=False)
class Head:
    """Trees, what they see, and by how much their log-odds are shrunk.

    Parameters
    ----------
    names : tuple of str
        Voices seen.
    units, level_units : ndarray of shape (k,)
        Median size of each voice and level on simulated pairs.
    trees : Trees
        Inputs are the voices, then the context and, without direction, the levels.
    shrinkage : float
        Factor of the log-odds.
    offset : float
        Added to log-odds without direction: those of a kind before anything is seen.
    shift : float
        Added to what the trees say.
    ballot : float
        What a unanimous vote of the methods adds to log-odds with a direction.
    voters : ndarray of int
        Places of the voices that vote.
    """

    names: tuple[str, ...]
    units: Vector
    level_units: Vector
    trees: Trees
    shrinkage: float
    offset: float = 0.0
    shift: float = 0.0
    ballot: float = 0.0
    voters: Places = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def direction(self, sounds: Sounds) -> float:
        """Log-odds of x -> y."""
        voices, context = self._voices(sounds), _context(sounds)
        forward = self.trees.total(np.concatenate((voices, context)))
        backward = self.trees.total(np.concatenate((-voices, context)))
        return self.shrinkage * (0.5 * (forward - backward) + self.ballot * self._vote(voices))

    def kind(self, sounds: Sounds) -> float:
        """Log-odds of a kind of pair that has no direction."""
        levels = squashed(np.array([sounds[name][1] for name in self.names]), self.level_units)
        inputs = np.concatenate((np.abs(self._voices(sounds)), _context(sounds), levels))
        return self.shrinkage * (self.trees.total(inputs) + self.shift) + self.offset

    def _vote(self, voices: Vector) -> float:
        """Mean of the methods' voices, each of which counts as one at most."""
        if len(self.voters) == 0:
            return 0.0
        return fsum(np.clip(voices[self.voters], -1.0, 1.0).tolist()) / len(self.voters)

    def _voices(self, sounds: Sounds) -> Vector:
        """Voices on the scale the trees see."""
        return squashed(np.array([sounds[name][0] for name in self.names]), self.units)


def _context(sounds: Sounds) -> Vector:
    levels = {name: np.array([level]) for name, (_, level) in sounds.items()}
    context: Vector = context_of(levels)[0]
    return context


@lru_cache(maxsize=1)
def shipped_heads() -> Mapping[str, Head]:
    """Heads in the file that comes with the package, by name."""
    with files("bqcd.methods.models").joinpath(WEIGHTS).open("rb") as stream:
        stored = np.load(stream, allow_pickle=False)
        return {str(name): _head(stored, str(name)) for name in stored["heads"]}


def shipped_units() -> dict[str, float]:
    """Median size of each voice on simulated pairs, by name."""
    heads = shipped_heads()
    return {
        name: float(unit)
        for head in (heads["relation"], heads["scales"])
        for name, unit in zip(head.names, head.units, strict=True)
    }


def shipped_version() -> str:
    """First digits of the fingerprint of the file of weights."""
    weights = files("bqcd.methods.models").joinpath(WEIGHTS).read_bytes()
    return sha256(weights).hexdigest()[:12]


def _head(stored: Mapping[str, NDArray[np.generic]], name: str) -> Head:
    """One head from its arrays."""
    part = {key: stored[f"{name}/{key}"] for key in STORED}
    units, level_units, numbers = (
        part[key].astype(np.float64) for key in ("units", "level_units", "numbers")
    )
    shift, shrinkage, offset, ballot = numbers.tolist()
    return Head(
        tuple(str(text) for text in part["names"]),
        units,
        level_units,
        trees_of({key: part[key].tolist() for key in FIELDS}),
        shrinkage,
        offset,
        shift,
        ballot,
        part["voters"].astype(np.int64),
    )


STORED = ("names", "units", "level_units", "numbers", "voters", *FIELDS)
"""Arrays of a head in the file of weights; numbers are shift, shrinkage, offset and ballot."""
