"""A table whose graph is known: a -> b -> c, and d apart."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd

import bqcd


def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    a = rng.normal(size=400)
    b = a**2 + 0.5 * rng.normal(size=400)
    c = np.sin(2.0 * b) + 0.5 * rng.normal(size=400)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": rng.normal(size=400)})


def skeleton() -> nx.Graph:
    graph = nx.path_graph(["a", "b", "c"])
    graph.add_node("d")
    return graph


def orientation() -> bqcd.Orientation:
    return bqcd.orient(table(), skeleton())
