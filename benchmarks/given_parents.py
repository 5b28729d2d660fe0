"""Edges judged by their pair, and given the parents known by then, in two ways.

    OPENBLAS_NUM_THREADS=1 python benchmarks/given_parents.py [--graphs 4]

From the true CPDAG and from the true skeleton of simulated graphs of mean degree 3, 1,000 rows:
share of open edges that come out right, and the sum of SIDs. "additive" takes an additive model of
the known parents off both columns, as ``given_known=True`` does; "ranks" takes the ranks that both
columns have given the parents, freed of location and scale. Written to
``results/given_parents.md``.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np

from bqcd.benchmark.datasets.generators.networks import simulate_table
from bqcd.graphs import PartialGraph, cpdag_of, orient
from bqcd.graphs.distances import structural_intervention_distance
from bqcd.graphs.orienting import edges
from bqcd.runtime.seeds import seed_from
from bqcd.statistics.conditional_scores import conditional_scores

OUT = Path(__file__).parent / "results" / "given_parents.md"
TOPOLOGIES, MECHANISMS = ("erdos-renyi", "scale-free"), ("AN", "LS", "MN", "HS", "HT")
WAYS = {
    "pair": None,
    "additive": edges._left_over,
    "ranks": lambda column, givens: conditional_scores([column], givens)[0],
}


def counted(nodes: int, mechanism: str, graphs: int) -> dict[tuple[str, str], list[int]]:
    """Edges right, edges asked and sum of SIDs, by what is given and how it is judged."""
    found: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for topology in TOPOLOGIES:
        for at in range(graphs):
            rng = np.random.default_rng(seed_from("given", topology, mechanism, nodes, at))
            drawn = {"topology": topology, "mechanism": mechanism, "degree": 3.0, "rng": rng}
            table = simulate_table(nodes, **drawn)
            truth = PartialGraph(table.columns, directed=table.edges)
            for kind, graph in (("cpdag", cpdag_of(truth)), ("skeleton", truth.skeleton())):
                for way, left_over in WAYS.items():
                    edges._left_over = left_over or edges._left_over
                    asked = {"force": True, "complete": True, "given_known": left_over is not None}
                    dag = orient(table.columns, graph, kind=kind, **asked).graph
                    right = [dag.is_directed(*e) == truth.is_directed(*e) for e in graph.undirected]
                    sums = found[kind, way]
                    sums[0] += sum(right)
                    sums[1] += len(right)
                    sums[2] += structural_intervention_distance(dag, truth)
    return found


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", type=int, default=4)
    graphs = parser.parse_args().graphs
    lines = [
        "# Judging edges given known parents",
        "",
        "Made by `benchmarks/given_parents.py`: share of open edges right, and sum of SIDs.",
        "",
        "| nodes | noise | from | edges | pair | additive | ranks | SID, pair | additive | ranks |",
        "|---:|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for nodes in (10, 20):
        for mechanism in MECHANISMS:
            found = counted(nodes, mechanism, graphs)
            for kind in ("cpdag", "skeleton"):
                own = [found[kind, way] for way in WAYS]
                shares = " | ".join(f"{right / max(asked, 1):.3f}" for right, asked, _ in own)
                distances = " | ".join(str(sid) for _, _, sid in own)
                asked = own[0][1]
                cells = f"{nodes} | {mechanism} | {kind} | {asked} | {shares} | {distances}"
                lines.append(f"| {cells} |")
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
