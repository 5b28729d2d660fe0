"""Protein signals of Sachs et al.: a graph learnt, oriented and compared.

Eleven proteins in 853 cells. CAM learns which are linked, bQCD says which way each open edge
points, and biologists have agreed on the answer. Needs the benchmark files (`BQCD_DATA`).

Fewer than half of the edges are right: CAM's links are in part not in the consensus, which is
itself not beyond doubt, and the cells share causes that nobody measured. The first picture is
coloured by how each edge got its direction, the second by whether it is right. CAM prunes at
p = 0.05 here, which leaves more edges to look at than its default of 0.001 (`bqcd reproduce sachs`
has both). With `force=True` every edge gets a direction, also where it cannot be told.
"""

from bqcd import orient
from bqcd.benchmark.datasets import load_proteins
from bqcd.graphs import PartialGraph, compare_graphs
from bqcd.graphs.skeletons import CAM
from bqcd.show.plots import plot_graph

data = load_proteins()
skeleton = CAM(cutoff=0.05).learn(data.columns).skeleton()
found = orient(data.columns, skeleton, kind="skeleton", replicates=20, force=True)
found.plot("oriented.png")
print(found.summary)
for record in found.edges[:5]:
    print(" ", record.sentence)

truth = PartialGraph(data.columns, directed=data.edges)
print()
compared = compare_graphs(found.graph, truth)
shared, right = compared.skeleton.n_both, compared.orientation.n_both
print(f"{len(found.edges)} edges, {shared} of them in the consensus, {right} with its direction")
print(f"structural Hamming distance {compared.shd}, intervention distance {compared.sid}")
marks = {
    (tail, head): "right"
    if truth.is_directed(tail, head)
    else "reversed"
    if truth.is_directed(head, tail)
    else "not in it"
    for tail, head in found.graph.directed
}
plot_graph(
    found.graph, outcomes=marks, title="Against the consensus", path="against-the-consensus.png"
)
