"""Hidden common causes seen by other columns: how often, and what it takes from direct links.

Tables whose columns have nothing but hidden causes in common, and tables of direct links only. The
panel judges dependent pairs; its claim counts before, after what two columns show, and after what
the other columns of the table show as well. The last is the answer of a scan; that of an assessment
may be less sure where rows belong together, which they do not here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent / "panel"))

from causes import drawn_cause
from mechanisms import drawn_mechanism, standardised
from noises import drawn_noise

from bqcd.assessments.dependence import dependence_of
from bqcd.assessments.holding import held_back
from bqcd.assessments.separation import Neighbours
from bqcd.assessments.third_columns import Beside
from bqcd.data.pair import Pair
from bqcd.methods.answers import answer_by_probability
from bqcd.methods.decide import decide_pair

Vector = NDArray[np.float64]
Table = dict[str, Vector]
Edges = list[tuple[str, str]]

SHAPES = {"straight": lambda z: z, "bounded": lambda z: np.tanh(1.5 * z), "squared": np.square}
LINKS = ("chain", "star", "degree 2", "degree 4")
MECHANISMS = ("additive", "location and scale")
COLUMNS, CAUSES, _NODES = 100, 20, 20
# Dependent at about q <= 0.05 among all pairs of such a table.
_DEPENDENT = 1e-3


def hidden(shape: str, n: int, rng: Generator) -> Table:
    """Columns that have nothing but hidden causes in common, each one or two of them.

    "mixed" has causes, functions and noises of the panel's prior, another function for each column.
    """
    mixed = shape == "mixed"
    causes = [
        standardised(drawn_cause(n, rng)[1]) if mixed else rng.normal(size=n) for _ in range(CAUSES)
    ]

    def effect(cause: Vector) -> Vector:
        if mixed:
            return standardised(drawn_mechanism(cause, rng)[1])
        return np.asarray(rng.choice([-1.0, 1.0]) * SHAPES[shape](cause))

    table = {}
    for number in range(COLUMNS):
        chosen = rng.choice(CAUSES, size=rng.integers(1, 3), replace=False)
        noise = standardised(drawn_noise(n, rng)[1]) if mixed else rng.normal(size=n)
        signal = sum(effect(causes[at]) for at in chosen)
        table[f"c{number:03d}"] = np.asarray(signal + rng.uniform(0.3, 1.0) * noise)
    return table


def parents_of(links: str, rng: Generator) -> list[list[int]]:
    """Causes of each column."""
    if links == "chain":
        return [[at - 1] if at else [] for at in range(_NODES)]
    if links == "star":
        return [[0] if at else [] for at in range(_NODES)]
    chance = float(links.split()[-1]) / (_NODES - 1)
    return [[one for one in range(at) if rng.random() < chance] for at in range(_NODES)]


def linked(links: str, mechanism: str, n: int, rng: Generator) -> tuple[Table, Edges]:
    """Columns of a graph of direct links, and its edges."""
    columns: list[Vector] = []
    edges: Edges = []
    for at, parents in enumerate(parents_of(links, rng)):
        if not parents:
            columns.append(standardised(drawn_cause(n, rng)[1]))
            continue
        signal = sum(standardised(drawn_mechanism(columns[one], rng)[1]) for one in parents)
        noise = rng.uniform(0.3, 1.0) * standardised(drawn_noise(n, rng)[1])
        if mechanism == "location and scale":
            noise = noise * (0.5 + np.abs(columns[parents[0]]).clip(0.0, 3.0))
        columns.append(standardised(np.asarray(signal + noise)))
        edges += [(f"v{one:02d}", f"v{at:02d}") for one in parents]
    return {f"v{at:02d}": column for at, column in enumerate(columns)}, edges


def _dependent(table: Mapping[str, Vector], pairs: Edges) -> Iterator[tuple[str, str]]:
    for x, y in pairs:
        if dependence_of(Pair(table[x], table[y])).p_value <= _DEPENDENT:
            yield x, y


def _told(beside: Neighbours, table: Table, x: str, y: str) -> tuple[tuple[str, str, str], bool]:
    """Answers before limits, after those of the pair, after those of the table; and the sign."""
    pair = Pair(table[x], table[y], x, y)
    verdict = decide_pair(pair, method="panel")
    claimed = 0.5 * (1.0 + abs(verdict.confidence))
    places = beside.beside.names.index(x), beside.beside.names.index(y)
    held = held_back(verdict), held_back(verdict, beside.of_pair(pair, places))
    left = [claimed if one is None else one.most for one in held]
    return tuple(map(answer_by_probability, (claimed, *left))), verdict.confidence > 0.0


def measured(name: str, n: int, pairs: int) -> dict[str, Any]:
    """Shares of answers on the pairs of one kind of table."""
    rng = default_rng([crc32(name.encode()), n])
    directed = not name.startswith("hidden")
    found: list[tuple[tuple[str, str, str], bool]] = []
    while len(found) < pairs:
        with np.errstate(all="ignore"):
            if directed:
                links, mechanism = name.split(", ")
                table, edges = linked(links, mechanism, n, rng)
            else:
                table = hidden(name.split()[-1], n, rng)
                names = list(table)
                edges = [(x, y) for at, x in enumerate(names) for y in names[at + 1 :]]
        edges = [edges[at] for at in rng.permutation(len(edges))]
        chosen = _dependent(table, edges)
        beside = Neighbours(Beside.of_table(table, n))
        found += [_told(beside, table, *one) for one, _ in zip(chosen, range(pairs), strict=False)]
    found = found[:pairs]
    told: dict[str, Any] = {"tables": name, "rows": n, "pairs": pairs, "directed": directed}
    for at, when in enumerate(("claimed", "pair", "table")):
        for answer in ("clear", "leaning"):
            kept = [one[0][at] == answer and (one[1] or not directed) for one in found]
            told[f"{when}_{answer}"] = round(float(np.mean(kept)), 3)
    return told


def kinds() -> tuple[str, ...]:
    """All kinds of tables."""
    return (
        *(f"hidden causes, {shape}" for shape in (*SHAPES, "mixed")),
        *(f"{links}, {mechanism}" for links in LINKS for mechanism in MECHANISMS),
    )
