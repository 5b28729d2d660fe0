"""Graphs: open edges oriented by verdicts on pairs, each with the reason.

From a table and a graph (:mod:`formats`, :mod:`skeletons`) over verdicts on the edges
(:mod:`judging`) to directions without cycles or new colliders (:mod:`settling`), told edge by
edge (:mod:`records`, :mod:`orientation`), and compared with the truth (:mod:`comparison`).
"""

from bqcd.graphs.bootstrapping import Bootstrap, bootstrap_graph
from bqcd.graphs.comparison import Comparison, compare_graphs
from bqcd.graphs.equivalence import consistent_extension, cpdag_of
from bqcd.graphs.formats import ReadGraph, as_adjacency, read_graph, write_graph
from bqcd.graphs.invariance import InvariantCauses, invariant_causes
from bqcd.graphs.knowledge import NOTHING_KNOWN, Knowledge, read_knowledge
from bqcd.graphs.learning import learn_graph
from bqcd.graphs.orienting.edges import edge_seed
from bqcd.graphs.orienting.orient import orient
from bqcd.graphs.orienting.orientation import Orientation
from bqcd.graphs.orienting.records import EdgeRecord, Outcome
from bqcd.graphs.partial import PartialGraph

__all__ = [
    "NOTHING_KNOWN",
    "Bootstrap",
    "Comparison",
    "EdgeRecord",
    "InvariantCauses",
    "Knowledge",
    "Orientation",
    "Outcome",
    "PartialGraph",
    "ReadGraph",
    "as_adjacency",
    "bootstrap_graph",
    "compare_graphs",
    "consistent_extension",
    "cpdag_of",
    "edge_seed",
    "invariant_causes",
    "learn_graph",
    "orient",
    "read_graph",
    "read_knowledge",
    "write_graph",
]
