"""Five hundred columns: every pair judged in seconds.

124,750 pairs of 200 rows. Ten columns are causes, forty are effects of them, and 450 are noise
that depends on nothing.

Independent columns also get a direction, which is to be ignored. That is why each
pair has a test of independence, with the false discovery rate over all pairs: the first table
filters by it, and finds the real links among noise. Columns that share a cause depend on each
other too, so a scan finds more links than the forty that are there; it is not a graph of causes.
"""

from time import process_time

import numpy as np

from bqcd import scan
from bqcd.graphs import PartialGraph
from bqcd.show.plots import plot_graph

rng = np.random.default_rng(5)
causes = {f"cause {k}": rng.normal(size=200) for k in range(10)}
table, links = dict(causes), set()
for k in range(40):
    name = f"cause {k % 10}"
    x = causes[name]
    table[f"effect {k}"] = np.sin(2.0 * x) + x**2 / 2.0 + 0.4 * rng.normal(size=200)
    links.add((name, f"effect {k}"))
table |= {f"noise {k}": rng.normal(size=200) for k in range(450)}

started = process_time()
found = scan(table)
seconds = process_time() - started
print(f"{found}: {seconds:.0f} s of one core")

linked = found.where(max_q=0.05)
print(f"{len(linked):,} pairs depend on each other at a false discovery rate of 5 %")
told = found.graph(max_q=0.05)
right = sum(told.has_edge(*link) for link in links)
print(f"{right} of {len(links)} real links have their direction right")

for row in found.top(5, max_q=0.05).to_pylist():
    arrow = f"{row['x']} {row['direction']} {row['y']}"
    print(f"  {arrow:24}{row['confidence']:+.3f}   q = {row['q_value']:.0e}")

first = [edge for edge in told.edges if "cause 0" in edge]
nodes = sorted({name for edge in first for name in edge})
plot_graph(
    PartialGraph(nodes, directed=first), title="Verdicts on the links of cause 0", path="links.png"
)
