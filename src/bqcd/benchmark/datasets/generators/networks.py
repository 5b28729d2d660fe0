"""Tables drawn from random causal graphs, with the edges they were drawn from."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.random import Generator

from bqcd.benchmark.datasets.proteins import LabelledTable
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import MOST_ROWS, check_choice, check_integer, check_number

Topology = Literal["erdos-renyi", "scale-free"]
Mechanism = Literal["AN", "LS", "MN", "HS", "HT"]

# Cosines a random smooth function is the sum of: near enough to a Gaussian process.
_COSINES = 100
_NOISE = 0.3
# Degrees of freedom of heavy tails: the variance is not finite.
_HEAVY = 2.0


def simulate_table(
    n_nodes: int,
    *,
    n_rows: int = 1000,
    topology: Topology = "erdos-renyi",
    degree: float = 2.0,
    mechanism: Mechanism = "AN",
    rng: Generator,
) -> LabelledTable:
    """Columns of a random DAG with smooth functions of the parents, each of variance 1.

    Parameters
    ----------
    n_nodes : int
        Number of columns; their names say nothing of their order.
    n_rows : int, default=1000
        Rows.
    topology : {"erdos-renyi", "scale-free"}, default="erdos-renyi"
        Edges equally likely between all nodes, or more so with nodes that have many.
    degree : float, default=2.0
        Mean number of edges of a node.
    mechanism : {"AN", "LS", "MN", "HS", "HT"}, default="AN"
        Noise that is added ("AN"), added with a spread that follows the signal ("LS"), multiplied,
        uniform from 0 to 1 ("MN"), added with a spread that is a function of its own of the
        parents ("HS"), or added with the heavy tails of Student's t of 2 degrees ("HT").
    rng : Generator
        Source of randomness.

    Examples
    --------
    >>> table = simulate_table(5, n_rows=50, rng=np.random.default_rng(0))
    >>> sorted(table.columns), len(table.columns["v1"])
    (['v0', 'v1', 'v2', 'v3', 'v4'], 50)
    """
    check_integer("simulate_table", "n_nodes", n_nodes, minimum=2, maximum=100_000)
    check_integer("simulate_table", "n_rows", n_rows, minimum=2, maximum=MOST_ROWS)
    check_choice("simulate_table", "topology", topology, get_args(Topology))
    check_choice("simulate_table", "mechanism", mechanism, get_args(Mechanism))
    check_number("simulate_table", "degree", degree, above=0.0, at_most=n_nodes - 1.0)
    parents = (_even if topology == "erdos-renyi" else _preferential)(n_nodes, degree, rng)
    width = len(str(n_nodes - 1))
    names = [f"v{place:0{width}d}" for place in rng.permutation(n_nodes)]
    values: list[Vector] = []
    for own in parents:
        values.append(_column([values[parent] for parent in own], n_rows, mechanism, rng))
    edges = [(names[a], names[b]) for b, own in enumerate(parents) for a in own]
    return LabelledTable(
        f"{topology} {mechanism}",
        dict(sorted(zip(names, values, strict=True))),
        tuple(sorted(edges)),
    )


def _even(n_nodes: int, degree: float, rng: Generator) -> list[list[int]]:
    """Parents of each node among those before it, each with the same chance."""
    chance = degree / (n_nodes - 1)
    return [np.flatnonzero(rng.random(node) < chance).tolist() for node in range(n_nodes)]


def _preferential(n_nodes: int, degree: float, rng: Generator) -> list[list[int]]:
    """Parents of each node among those before it, by the number of edges these have."""
    edges = np.ones(n_nodes)
    parents: list[list[int]] = []
    for node in range(n_nodes):
        # Half of a node's edges come from before it, on average.
        wanted = int(degree / 2.0) + int(rng.random() < degree / 2.0 % 1.0)
        chosen: list[int] = []
        if node:
            weights = edges[:node] / edges[:node].sum()
            own = rng.choice(node, size=min(wanted, node), replace=False, p=weights)
            chosen = sorted(own.tolist())
        edges[[*chosen, node]] += 1.0
        parents.append(chosen)
    return parents


def _column(parents: list[Vector], n_rows: int, mechanism: Mechanism, rng: Generator) -> Vector:
    noise = rng.normal(size=n_rows)
    if not parents:
        return _standardised(noise)
    signal = _smooth(parents, rng)
    if mechanism == "AN":
        return _standardised(signal + _NOISE * noise)
    if mechanism == "LS":
        return _standardised(signal + _NOISE * (signal - signal.min()) * noise)
    if mechanism == "HS":
        return _standardised(signal + _NOISE * np.exp(_smooth(parents, rng)) * noise)
    if mechanism == "HT":
        return _standardised(signal + _NOISE * rng.standard_t(_HEAVY, size=n_rows))
    return _standardised(signal * rng.uniform(size=n_rows))


def _smooth(parents: list[Vector], rng: Generator) -> Vector:
    """Sum of random smooth functions, one of each parent."""
    total = np.zeros(len(parents[0]))
    for parent in parents:
        speeds, heights = rng.normal(size=(2, _COSINES))
        shifts = rng.uniform(0.0, 2.0 * np.pi, _COSINES)
        total += np.cos(np.outer(parent, speeds) + shifts) @ heights * np.sqrt(2.0 / _COSINES)
    smooth: Vector = total / np.sqrt(len(parents))
    return smooth


def _standardised(column: Vector) -> Vector:
    scaled: Vector = (column - column.mean()) / column.std()
    return scaled
