"""How far verdicts on the pairs of one table fit together.

Each verdict is on two columns alone, and nothing makes them agree: they may run in a circle, or
contradict independences that the same rows show. Where i and k are independent and both depend on
j, neither may be an effect of j; where j makes i and k independent, not both may be causes of j.
How many of these demands are met is set against verdicts by coin. That needs no truth, and it is
only necessary: verdicts that fit together can all be wrong, though seldom by chance.

The demands are those of graphs without cycles whose independences all come from separation, after
Faller and others (2024) and Jahn and Janzing (2026); the score is our own, as that of the latter
was not at hand beyond its outline.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import nan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bqcd.assessments.dependence import dependence_of
from bqcd.data.pair import Pair
from bqcd.runtime.arrays import Vector
from bqcd.runtime.seeds import seed_from
from bqcd.runtime.shown import shown
from bqcd.statistics.conditional_scores import conditional_scores

Kind = Literal["circle", "collider", "no collider"]
"""What a demand is: no circle of three, the middle one an effect of both, or not of both."""

Link = tuple[str, str]
Triple = tuple[str, str, str]
"""Two nodes around a middle one."""

COINS = 2000
"""Draws of verdicts by coin."""

# Independent is what has a larger p-value; what is between this and dependence counts as neither.
INDEPENDENT = 0.1
# Columns of a wide table that are looked at: those in most verdicts.
MOST_COLUMNS = 30


@dataclass(frozen=True, slots=True)
class Demand:
    """Verdicts that must not all be.

    Parameters
    ----------
    kind : {"circle", "collider", "no collider"}
        Why.
    directions : tuple of (str, str)
        Causes and effects that contradict it if all of them are verdicts.
    """

    kind: Kind
    directions: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Compatibility:
    """How many demands the verdicts on pairs meet.

    Parameters
    ----------
    verdicts : int
        Pairs whose direction can be told.
    demands : int
        Demands on them.
    broken : int
        Demands that are not met.
    expected : float
        Demands that verdicts by coin would not meet, on average.
    p_value : float
        Share of draws by coin with as few broken demands, or fewer; small where the verdicts fit.
    circling : int
        Verdicts that lie on a circle of causes.
    by_kind : mapping of str to (int, int)
        Broken and all demands of each kind.

    Examples
    --------
    >>> verdicts = {("a", "b"): 1, ("b", "c"): 1, ("a", "c"): -1}
    >>> found = compatibility_of(verdicts, [*circle_demands(verdicts)])
    >>> found.broken, found.demands, found.circling
    (1, 2, 3)
    """

    verdicts: int
    demands: int
    broken: int
    expected: float
    p_value: float
    circling: int
    by_kind: Mapping[str, tuple[int, int]]

    @property
    def fit(self) -> float:
        """1 if all demands are met, 0 if no more than by coin, less if fewer; NaN without any."""
        return 1.0 - self.broken / self.expected if self.demands else nan

    @property
    def sentence(self) -> str:
        """How far the verdicts fit together, in one sentence."""
        return str(shown(self, "sentence"))

    def as_dict(self) -> dict[str, object]:
        """All numbers, ready for JSON."""
        return {
            "verdicts": self.verdicts,
            "demands": self.demands,
            "broken": self.broken,
            "expected": self.expected,
            "p_value": self.p_value if self.demands else None,
            "fit": self.fit if self.demands else None,
            "circling": self.circling,
            "by_kind": {kind: list(counts) for kind, counts in self.by_kind.items()},
        }


def compatibility_of(
    verdicts: Mapping[Link, int], demands: Sequence[Demand], *, seed: int = 0
) -> Compatibility:
    """How many demands some verdicts meet, next to verdicts by coin.

    Parameters
    ----------
    verdicts : mapping of (str, str) to int
        1 if the first causes the second, -1 if the second causes the first.
    demands : sequence of Demand
        On these pairs.
    seed : int, default=0
        Of the coins.
    """
    place = {link: at for at, link in enumerate(sorted(verdicts))}
    signs = np.array([verdicts[link] for link in place], dtype=np.int8)
    rng = np.random.default_rng(seed_from(seed, "coins"))
    coins = rng.choice(np.array([-1, 1], dtype=np.int8), size=(COINS, len(signs)))
    broken = np.zeros(COINS + 1, dtype=np.int64)
    by_kind: dict[str, tuple[int, int]] = {}
    drawn = np.vstack([signs[None, :], coins])
    expected = 0.0
    for demand in demands:
        all_so = np.ones(COINS + 1, dtype=np.bool_)
        for tail, head in demand.directions:
            known = (tail, head) in place
            at, sign = (place[tail, head], 1) if known else (place[head, tail], -1)
            all_so &= drawn[:, at] == sign
        broken += all_so
        expected += 0.5 ** len(demand.directions)
        few, many = by_kind.get(demand.kind, (0, 0))
        by_kind[demand.kind] = few + int(all_so[0]), many + 1
    below = int((broken[1:] <= broken[0]).sum())
    return Compatibility(
        len(signs),
        len(demands),
        int(broken[0]),
        expected,
        (1 + below) / (COINS + 1),
        _circling(verdicts),
        by_kind,
    )


def _circling(verdicts: Mapping[Link, int]) -> int:
    """Verdicts within groups of nodes that all lead to each other."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not verdicts:
        return 0
    ways = [link if sign > 0 else link[::-1] for link, sign in verdicts.items()]
    place = {name: at for at, name in enumerate(sorted({name for way in ways for name in way}))}
    tails, heads = (np.array([place[way[end]] for way in ways]) for end in (0, 1))
    ones = np.ones(len(ways))
    graph = coo_array((ones, (tails, heads)), shape=(len(place), len(place)))
    _, groups = connected_components(graph, directed=True, connection="strong")
    return int((groups[tails] == groups[heads]).sum())


def circle_demands(verdicts: Mapping[Link, int]) -> Iterator[Demand]:
    """That no three verdicts run in a circle, either way round."""
    near = _near(verdicts)
    for a, b, c in _triangles(near):
        yield Demand("circle", ((a, b), (b, c), (c, a)))
        yield Demand("circle", ((b, a), (c, b), (a, c)))


def collider_demands(
    verdicts: Mapping[Link, int], *, colliders: Sequence[Triple], others: Sequence[Triple]
) -> Iterator[Demand]:
    """That middle nodes are effects of both others, or not of both, as independences have it.

    Parameters
    ----------
    verdicts : mapping of (str, str) to int
        What the demands are on.
    colliders, others : iterable of (str, str, str)
        Nodes around a middle one that are independent, and that it makes independent.
    """
    near = _near(verdicts)
    for first, middle, second in colliders:
        for node in (first, second):
            if node in near.get(middle, ()):
                yield Demand("collider", ((middle, node),))
    for first, middle, second in others:
        if {first, second} <= near.get(middle, set()):
            yield Demand("no collider", ((first, middle), (second, middle)))


def _near(links: Iterable[Link]) -> dict[str, set[str]]:
    near: dict[str, set[str]] = {}
    for first, second in links:
        near.setdefault(first, set()).add(second)
        near.setdefault(second, set()).add(first)
    return near


def _triangles(near: Mapping[str, set[str]]) -> Iterator[tuple[str, str, str]]:
    for a in sorted(near):
        later = sorted(name for name in near[a] if name > a)
        for b, c in combinations(later, 2):
            if c in near[b]:
                yield a, b, c


def seen_triples(
    p_values: Mapping[Link, float],
    links: Collection[Link],
    columns: Mapping[str, Vector] | None = None,
) -> tuple[list[Triple], list[Triple]]:
    """Triples whose ends are independent, and whose ends the middle one makes independent.

    Independence given a column is tested on what it leaves of both: residuals of splines of
    location and scale, and polynomials of their ranks, as :func:`bqcd.assess` does with ``given``.

    Parameters
    ----------
    p_values : mapping of (str, str) to float
        Of independence of pairs, by names in alphabetical order.
    links : collection of (str, str)
        Pairs that depend on each other.
    columns : mapping of str to ndarray of shape (n,), optional
        Complete columns; without them there are no triples of the second kind.
    """
    near = _near(among_most_linked(links))
    colliders, others = [], []
    for middle in sorted(near):
        for first, second in combinations(sorted(near[middle]), 2):
            if p_values.get((first, second), nan) > INDEPENDENT:
                colliders.append((first, middle, second))
            elif second in near[first]:
                others.append((first, middle, second))
    return colliders, [] if columns is None else _separated(others, columns)


def _separated(triples: Sequence[Triple], columns: Mapping[str, Vector]) -> list[Triple]:
    """Those triples whose ends are independent given the middle one."""
    left: dict[Link, Vector] = {}

    def given(middle: str, node: str) -> Vector:
        if (node, middle) not in left:
            [left[node, middle]] = conditional_scores([columns[node]], [columns[middle]])
        return left[node, middle]

    return [
        (first, middle, second)
        for first, middle, second in triples
        if {first, middle, second} <= set(columns)
        and _independence(given(middle, first), given(middle, second)) > INDEPENDENT
    ]


def among_most_linked(links: Collection[Link]) -> list[Link]:
    """Links among the columns that have most of them, ``MOST_COLUMNS`` at most."""
    counts = Counter(name for link in links for name in link)
    ranked = sorted(counts, key=lambda name: (-counts[name], name))[:MOST_COLUMNS]
    kept = set(ranked)
    return [link for link in links if kept.issuperset(link)]


def _independence(first: Vector, second: Vector) -> float:
    """P-value of independence of two columns."""
    return float(dependence_of(Pair(first, second)).p_value)


def as_signs(names: Sequence[Link], signs: NDArray[np.int_]) -> dict[Link, int]:
    """Verdicts by pairs in alphabetical order, those without a direction left out.

    Examples
    --------
    >>> as_signs([("b", "a"), ("a", "c")], np.array([1, 0]))
    {('a', 'b'): -1}
    """
    return {
        (min(x, y), max(x, y)): int(sign) if x < y else -int(sign)
        for (x, y), sign in zip(names, signs.tolist(), strict=True)
        if sign
    }
