"""Orientation of simulated graphs given the true CPDAG: accuracy, distances and time.

    OPENBLAS_NUM_THREADS=1 python benchmarks/graphs.py [--nodes 10 20 50 100] [--graphs 5]

For Erdős-Rényi and scale-free graphs of mean degree 2 and three mechanisms, at 1,000 rows:
share of the open edges that come out right, their number, SHD and SID of the DAG, and CPU
seconds for a graph. "no checks" orients every edge by its pair alone, as cdt does, and tells how
many graphs have a cycle. "known" judges edges by what known parents leave. Methods that need more
than 0.1 s for a pair are tried on graphs of 10 nodes only, and those above 5 s on the first graph
of each kind. The first line is a graph of 100 nodes with 200 edges, all of them open.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from statistics import mean
from time import process_time

import numpy as np

from bqcd.benchmark.datasets.generators.networks import simulate_table
from bqcd.graphs import PartialGraph, cpdag_of, orient
from bqcd.graphs.distances import structural_hamming_distance, structural_intervention_distance
from bqcd.graphs.partial import directed_cycle
from bqcd.methods.table import COMPARED, METHODS
from bqcd.runtime.seeds import seed_from

SLOW, SLOWEST = 0.1, 5.0  # seconds for a pair
WAYS = ("checked", "no checks", "known")


def by_pairs_alone(columns: dict, cpdag: PartialGraph, method: str) -> PartialGraph:
    """Every open edge by its verdict, whatever comes out."""
    directed = list(cpdag.directed)
    for first, second in cpdag.undirected:
        one = PartialGraph((first, second), undirected=[(first, second)])
        directed += orient(columns, one, method=method, force=True, complete=True).graph.directed
    return PartialGraph(cpdag.nodes, directed=directed)


def outcome(columns: dict, cpdag: PartialGraph, truth: PartialGraph, method: str, way: str) -> dict:
    """Numbers of one graph."""
    start = process_time()
    if way == "no checks":
        found = by_pairs_alone(columns, cpdag, method)
    else:
        known = way == "known"
        asked = {"given_known": known, "force": True, "complete": True}
        found = orient(columns, cpdag, kind="cpdag", method=method, **asked).graph
    seconds = process_time() - start
    right = [found.is_directed(*edge) == truth.is_directed(*edge) for edge in cpdag.undirected]
    cyclic = directed_cycle(found) is not None
    return {
        "right": (sum(right), len(right)),
        "shd": structural_hamming_distance(found, truth),
        "sid": None if cyclic else structural_intervention_distance(found, truth),
        "cyclic": cyclic,
        "seconds": seconds,
    }


def told(name: str, outcomes: list[dict]) -> str:
    """One line of the table."""
    right, edges = (sum(one["right"][at] for one in outcomes) for at in (0, 1))
    distances = [one["sid"] for one in outcomes if one["sid"] is not None]
    sid = f"{mean(distances):7.1f}" if distances else f"{'-':>7}"
    cyclic = sum(one["cyclic"] for one in outcomes)
    shd, seconds = (mean(one[number] for one in outcomes) for number in ("shd", "seconds"))
    return (
        f"{name:>32} {right / max(edges, 1):7.2f} {edges:6d} {shd:7.1f} "
        f"{sid} {cyclic:4d}/{len(outcomes):<3d} {seconds:8.3f}"
    )


def tried(methods: list[str], nodes: int, at: int) -> list[str]:
    """Methods that are quick enough for the graph ``at`` of its kind."""
    most = SLOW if nodes > 10 else SLOWEST if at else np.inf
    return [method for method in methods if METHODS[method].seconds <= most]


def simulated(nodes: int, graphs: int, methods: list[str]) -> None:
    """Table of one size of graphs."""
    found: dict[tuple[str, str], list[dict]] = defaultdict(list)
    by_kind: dict[tuple[str, str], list[dict]] = defaultdict(list)
    for topology in ("erdos-renyi", "scale-free"):
        for mechanism in ("AN", "LS", "MN"):
            for at in range(graphs):
                rng = np.random.default_rng(seed_from(topology, mechanism, nodes, at))
                table = simulate_table(nodes, topology=topology, mechanism=mechanism, rng=rng)
                truth = PartialGraph(table.columns, directed=table.edges)
                cpdag = cpdag_of(truth)
                for method in tried(methods, nodes, at):
                    for way in WAYS if method == "bqcd" else WAYS[:1]:
                        one = outcome(table.columns, cpdag, truth, method, way)
                        found[method, way].append(one)
                        by_kind[f"{topology} {mechanism}", f"{method}, {way}"].append(one)
    print(f"\n{f'{nodes} nodes':>32}   right  edges     SHD     SID   cyclic  seconds")
    for (method, way), outcomes in found.items():
        print(told(method if way == "checked" else f"{method}, {way}", outcomes), flush=True)
    for (kind, name), outcomes in by_kind.items():
        if name.startswith("bqcd"):
            print(told(f"{kind}, {name}", outcomes))


def largest() -> None:
    """Time of 200 open edges."""
    rng = np.random.default_rng(7)
    table = simulate_table(100, degree=4.4, rng=rng)
    edges = table.edges[:200]
    graph = PartialGraph(table.columns, undirected=edges)
    start = process_time()
    orient(table.columns, graph)
    seconds = process_time() - start
    print(f"100 nodes, {len(edges)} open edges: {seconds:.2f} s, with all that is loaded once")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=[10, 20, 50, 100])
    parser.add_argument("--graphs", type=int, default=5)
    parser.add_argument("--methods", nargs="+", default=list(COMPARED))
    asked = parser.parse_args()
    largest()  # loads what is loaded once
    for nodes in asked.nodes:
        simulated(nodes, asked.graphs, asked.methods)


if __name__ == "__main__":
    main()
