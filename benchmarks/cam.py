"""Cost of CAM against the number of columns, at 1,000 rows.

    OPENBLAS_NUM_THREADS=1 python benchmarks/cam.py [--columns 5 10 20 30 50] [--most 120]

CPU seconds of the search with every edge's gain by a model of its own ("exact"), with gains
screened first, and with parents preselected by boosting; each with the SHD to the true graph. A way
is left out from the size on at which it would take more than ``--most`` seconds, judged by the
cube of the number of columns; "exact" beyond the 25 columns that CAM allows it for.
"""

from __future__ import annotations

import argparse
from time import process_time

import numpy as np

from bqcd.benchmark.datasets.generators.networks import simulate_table
from bqcd.graphs import PartialGraph
from bqcd.graphs.distances import structural_hamming_distance
from bqcd.graphs.skeletons import CAM

WAYS = {
    "exact": CAM(max_exact=25),
    "screened": CAM(max_exact=0),
    "preselected": CAM(preselect=True, max_exact=0),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, nargs="+", default=[5, 10, 20, 30, 50, 100])
    parser.add_argument("--most", type=float, default=120.0)
    asked = parser.parse_args()
    CAM().learn(simulate_table(3, rng=np.random.default_rng(0)).columns)  # loads what it needs
    last: dict[str, tuple[int, float]] = {}
    print("columns  edges" + "".join(f"{f'{name}, s':>16}  SHD" for name in WAYS))
    for size in asked.columns:
        table = simulate_table(size, mechanism="AN", rng=np.random.default_rng(size))
        truth = PartialGraph(table.columns, directed=table.edges)
        line = f"{size:7d}  {len(table.edges):5d}"
        for name, learner in WAYS.items():
            before, seconds = last.get(name, (size, 0.0))
            beyond = 0 < learner.max_exact < size
            if beyond or seconds * (size / before) ** 3 > asked.most:
                line += f"{'-':>16}  {'-':>3}"
                continue
            start = process_time()
            found = learner.learn(table.columns)
            last[name] = size, process_time() - start
            distance = structural_hamming_distance(found, truth)
            line += f"{last[name][1]:16.2f}  {distance:3d}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
