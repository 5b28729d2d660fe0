"""Labelled pairs drawn by seed: the published scenarios, and difficulties put on them.

Every generator is a frozen dataclass of settings with ``draw(n_rows, rng)``. Cause and effect
are handed out as x and y in an order drawn by a fair coin, and the truth flips along.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import Field, fields
from hashlib import sha256
from itertools import count, islice
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence

from bqcd.benchmark.datasets.generators import discrete, paper, sim, stress, vectors
from bqcd.benchmark.datasets.generators.mechanism import GeneratorCard, PairGenerator
from bqcd.benchmark.datasets.records import LabelledPair, PairSet, placed_pair
from bqcd.data.pair import MIN_ROWS, Direction, Pair
from bqcd.errors import UnknownNameError
from bqcd.runtime.settings import MOST_ROWS, MOST_STEPS, check_integer, nearest_names

__all__ = [
    "ALL_GENERATORS",
    "GENERATORS",
    "VECTOR_GENERATORS",
    "GeneratorCard",
    "PairGenerator",
    "make_generator",
    "pair_stream",
    "simulate_pairs",
]

USUAL_ROWS = 1000

GENERATORS: Mapping[str, GeneratorCard[PairGenerator]] = MappingProxyType(
    {card.name: card for card in (*paper.CARDS, *sim.CARDS, *stress.CARDS, *discrete.CARDS)}
)
"""Generators of two columns by name: the paper's, of Mooij et al., difficulties, few values."""

VECTOR_GENERATORS: Mapping[str, GeneratorCard[PairGenerator]] = MappingProxyType(
    {card.name: card for card in vectors.CARDS}
)
"""Generators of two groups of columns by name."""

ALL_GENERATORS: Mapping[str, GeneratorCard[PairGenerator]] = MappingProxyType(
    {**GENERATORS, **VECTOR_GENERATORS}
)
"""Every generator by name."""


def simulate_pairs(
    name: str, *, n_pairs: int = 100, n_rows: int = 1000, seed: int = 0, **settings: object
) -> PairSet:
    """Labelled pairs drawn from one generator.

    Parameters
    ----------
    name : str
        One of ``ALL_GENERATORS``; the names of those of groups of columns begin with ``vector-``.
    n_pairs : int, default=100
        Number of pairs. Asking for more leaves the first ones as they are.
    n_rows : int, default=1000
        Rows of each pair, before incomplete ones are dropped.
    seed : int, default=0
        Other seeds give other pairs.
    **settings
        Settings of the generator, e.g. ``strength=0.3`` or ``base="LS-s"``.

    Raises
    ------
    UnknownNameError
        If no generator is called ``name``, or it has no setting of a given name.
    InvalidSettingError
        If a number or a setting is outside its range.

    Notes
    -----
    A pair follows from generator, settings, seed, number and rows alone. A difficulty uses the
    random numbers of its base: pair 1 of ``outliers`` is pair 1 of ``AN`` with outliers.

    Examples
    --------
    >>> pairs = simulate_pairs("AN-s", n_pairs=3, n_rows=200)
    >>> [item.pair.key for item in pairs]
    ['AN-s~rows=200~seed0/0001', 'AN-s~rows=200~seed0/0002', 'AN-s~rows=200~seed0/0003']
    >>> simulate_pairs("missing", n_pairs=1, share=0.5).items[0].pair.dropped_rows
    524
    """
    check_integer("simulate_pairs", "n_pairs", n_pairs, minimum=1, maximum=MOST_STEPS)
    stream = _stream("simulate_pairs", name, settings, n_rows=n_rows, seed=seed)
    return PairSet(name, tuple(islice(stream, n_pairs)), ALL_GENERATORS[name].source)


def pair_stream(
    name: str, *, n_rows: int = 1000, seed: int = 0, first: int = 1, **settings: object
) -> Iterator[LabelledPair]:
    """Endless iterator over the pairs of :func:`simulate_pairs`, one drawn at a time.

    Parameters
    ----------
    name : str
        One of ``ALL_GENERATORS``.
    n_rows : int, default=1000
        Rows of each pair, before incomplete ones are dropped.
    seed : int, default=0
        Other seeds give other pairs.
    first : int, default=1
        Number of the pair to begin with.
    **settings
        Settings of the generator.

    Examples
    --------
    >>> next(pair_stream("SIM", n_rows=100, first=7)).pair.key
    'SIM~rows=100~seed0/0007'
    """
    check_integer("pair_stream", "first", first, minimum=1)
    return _stream("pair_stream", name, settings, n_rows=n_rows, seed=seed, first=int(first))


def make_generator(name: str, /, **settings: object) -> PairGenerator:
    """Generator built by name.

    Raises
    ------
    UnknownNameError
        If no generator is called ``name``, or it has no setting of a given name.
    InvalidSettingError
        If a setting is outside its range.

    Examples
    --------
    >>> make_generator("confounded", base="LS", strength=0.2)
    Confounded(base='LS', strength=0.2)
    """
    if not isinstance(name, str) or name not in ALL_GENERATORS:
        hint = nearest_names(str(name), ALL_GENERATORS)
        raise UnknownNameError(f"No generator is called {name!r}. {hint}")
    build = ALL_GENERATORS[name].build
    # A generator of vectors is called by its relation.
    named = ("relation",) if name in VECTOR_GENERATORS else ()
    known = [field.name for field in _fields(build()) if field.name not in named]
    for setting in settings:
        if setting not in known:
            hint = nearest_names(setting, known)
            raise UnknownNameError(f"The generator {name!r} has no setting {setting!r}. {hint}")
    return build(**settings)


def _stream(
    owner: str,
    name: str,
    settings: Mapping[str, object],
    *,
    n_rows: int,
    seed: int,
    first: int = 1,
) -> Iterator[LabelledPair]:
    generator = make_generator(name, **settings)
    check_integer(owner, "n_rows", n_rows, minimum=MIN_ROWS, maximum=MOST_ROWS)
    check_integer(owner, "seed", seed, minimum=0)
    label = _label(name, generator, n_rows, seed)
    # A difficulty uses the random numbers of its base.
    words = _words(getattr(generator, "base", name))
    return (
        _labelled_pair(
            generator,
            n_rows,
            SeedSequence([int(seed), number, int(n_rows), *words]),
            key=f"{label}/{number:04d}",
        )
        for number in count(first)
    )


def _fields(generator: Any) -> tuple[Field[Any], ...]:
    return fields(generator)


def _label(name: str, generator: PairGenerator, n_rows: int, seed: int) -> str:
    """Name, then whatever is not as usual, then the seed: ``AN~rows=200~seed0``."""
    usual = ALL_GENERATORS[name].build()
    parts = [name]
    for field in _fields(generator):
        value = getattr(generator, field.name)
        if value != getattr(usual, field.name):
            parts.append(f"{field.name}={value}".replace(", ", ",").replace(" ", "-"))
    if n_rows != USUAL_ROWS:
        parts.append(f"rows={n_rows}")
    return "~".join([*parts, f"seed{seed}"])


def _words(name: str) -> tuple[int, int]:
    digest = sha256(name.encode()).digest()
    return int.from_bytes(digest[:4], "big"), int.from_bytes(digest[4:8], "big")


def _labelled_pair(
    generator: PairGenerator, n_rows: int, sequence: SeedSequence, *, key: str
) -> LabelledPair:
    coin, columns = (Generator(PCG64(child)) for child in sequence.spawn(2))
    cause, effect = generator.draw(n_rows, columns)
    first = coin.random() < 0.5
    if isinstance(cause, np.ndarray) and isinstance(effect, np.ndarray) and cause.ndim == 2:
        sides = (cause, effect) if first else (effect, cause)
        truth = Direction.X_TO_Y if first else Direction.Y_TO_X
        return LabelledPair(placed_pair(*sides, key=key), truth)
    if first:
        pair = Pair.from_arrays(cause, effect, missing="drop", key=key)
        return LabelledPair(pair, Direction.X_TO_Y)
    pair = Pair.from_arrays(effect, cause, missing="drop", key=key)
    return LabelledPair(pair, Direction.Y_TO_X)
