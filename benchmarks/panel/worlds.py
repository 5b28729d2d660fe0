"""Two worlds of simulated pairs that share no kind of cause, mechanism or noise, and no family.

A family left out is still made of causes, mechanisms and noises that were learned from in other
families. A real table need not be. In one world half of the kinds and half of the families exist,
in the other one the other halves; what has learned in one is judged in the other. What is left in
common are parts of kinds (a sum of several noises has a skewed one, a cause that was caused began
as another kind) and how columns are measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from zlib import crc32

WORLDS = (0, 1)
_here: list[int] = []


def world_of(name: str, among: Sequence[str]) -> int:
    """World in which a name exists: halves of all names, by fingerprints of these."""
    order = sorted(set(among), key=lambda one: crc32(f"world {one}".encode()))
    return order.index(name) % len(WORLDS)


@contextmanager
def inhabited(world: int) -> Iterator[None]:
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
    here = [kind for kind in kinds if world_of(kind, among) == _here[-1]]
    return here or [kind for kind in among if world_of(kind, among) == _here[-1]]
