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


MARKS = ("tail", "arrow", "circle")


@st.composite
def mixed_graphs(draw, most: int = 5) -> PartialGraph:
    """Graphs with any marks at the ends of their edges, whether these make sense or not."""
    names = [f"n {i}" for i in range(draw(st.integers(2, most)))]
    ends = {}
    for pair in combinations(names, 2):
        if draw(st.booleans()):
            ends[pair] = (draw(st.sampled_from(MARKS)), draw(st.sampled_from(MARKS)))
    return PartialGraph(names, mixed=ends)


@st.composite
def pags(draw, most: int = 6) -> tuple[PartialGraph, PartialGraph]:
    """An ancestral graph, and the same with circles for marks that are in no collider."""
    from bqcd.graphs.orienting.pag_rules import arrow_colliders
    from bqcd.graphs.partial import directed_path

    order = draw(st.permutations([f"n{i}" for i in range(draw(st.integers(1, most)))]))
    kinds = {pair: draw(st.sampled_from(["->", "<->", "", ""])) for pair in combinations(order, 2)}
    truth = PartialGraph(order, directed=[pair for pair, kind in kinds.items() if kind == "->"])
    both = [pair for pair, kind in kinds.items() if kind == "<->"]
    # A node that causes another has no arrow from it.
    both = [pair for pair in both if directed_path(truth, *pair) is None]
    mixed = dict.fromkeys(both, ("arrow", "arrow"))
    truth = PartialGraph(order, directed=truth.directed, mixed=mixed)
    fixed = {(node, cause) for a, node, b in arrow_colliders(truth) for cause in (a, b)}
    graph = truth.copy()
    for first, second in truth.skeleton().undirected:
        left, right = truth.ends(first, second)
        if (first, second) not in fixed and draw(st.booleans()):
            left = "circle"
        if (second, first) not in fixed and draw(st.booleans()):
            right = "circle"
        graph.set_ends(first, second, (left, right))
    return truth, graph
