"""Random DAGs whose nodes are sums of curves of their parents, with Gaussian noise."""

from __future__ import annotations

import numpy as np

from bqcd.graphs.partial import PartialGraph

CURVES = (
    lambda x, at: np.sin(1.5 * x + at),
    lambda x, at: np.tanh(2.0 * x) + 0.3 * (x - at / 3.0) ** 2,
    lambda x, at: 2.0 * np.exp(-((x - at / 3.0) ** 2)),
)


def additive_graph(p, n, rng):
    """Columns by name, and the DAG with two edges to a node on average that made them."""
    columns, edges = {}, []
    order = [f"n{number:02}" for number in rng.permutation(p)]
    for place, node in enumerate(order):
        values = rng.uniform(0.5, 1.0) * rng.normal(size=n)
        for parent in order[:place]:
            if rng.random() < 2.0 / (p - 1):
                x = (columns[parent] - columns[parent].mean()) / columns[parent].std()
                curve = CURVES[rng.integers(len(CURVES))]
                values = values + rng.uniform(0.8, 1.6) * curve(x, rng.uniform(0.0, 3.0))
                edges.append((parent, node))
        columns[node] = values
    return columns, PartialGraph(order, directed=edges)
