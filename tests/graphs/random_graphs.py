"""Random graphs for properties that must hold for all of them."""

from __future__ import annotations

from itertools import combinations, product

from hypothesis import strategies as st

from bqcd.graphs.partial import PartialGraph, directed_cycle


@st.composite
def dags(draw, most: int = 7) -> PartialGraph:
    """DAGs over names whose alphabetical order says nothing."""
    size = draw(st.integers(1, most))
    order = draw(st.permutations([f"n{i}" for i in range(size)]))
    pairs = list(combinations(order, 2))
    chosen = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    edges = [pair for pair, keep in zip(pairs, chosen, strict=True) if keep]
    return PartialGraph(order, directed=edges)


def all_orientations(graph: PartialGraph):
    """Every DAG with the same adjacencies."""
    edges = [*graph.directed, *graph.undirected]
    for turned in product((False, True), repeat=len(edges)):
        directed = [(b, a) if turn else (a, b) for (a, b), turn in zip(edges, turned, strict=True)]
        dag = PartialGraph(graph.nodes, directed=directed)
        if directed_cycle(dag) is None:
            yield dag
