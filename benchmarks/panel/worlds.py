"""Two worlds of simulated pairs that share no kind of cause, mechanism or noise, and no family.

A family left out is still made of causes, mechanisms and noises that were learned from in other
families. A real table need not be. In one world half of the kinds and half of the families exist,
in the other one the other halves; what has learned in one is judged in the other. What is left in
common are parts of kinds (a sum of several noises has a skewed one, a cause that was caused began
as another kind) and how columns are measured. What comes out depends on the halves, so there are
several draws of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple
from zlib import crc32

HALVES = (0, 1)


class World(NamedTuple):
    """One of two halves of all kinds, by one of several draws."""

    draw: int
    half: int


_here: list[World] = []


def half_of(name: str, among: Sequence[str], draw: int) -> int:
    """Half in which a name exists, by fingerprints of the names."""
    order = sorted(set(among), key=lambda one: crc32(f"world {draw} {one}".encode()))
    return order.index(name) % len(HALVES)


@contextmanager
def inhabited(world: World) -> Iterator[None]:
    """A world to be in: only its kinds are drawn. Outside, all kinds are."""
    _here.append(world)
    try:
        yield
    finally:
        _here.pop()


def existing(kinds: Sequence[str], among: Sequence[str]) -> list[str]:
    """Those of some kinds that exist here; if none of them does, all that exist."""
    if not _here:
        return list(kinds)
    draw, half = _here[-1]
    exist = [kind for kind in among if half_of(kind, among, draw) == half]
    return [kind for kind in kinds if kind in exist] or exist
