"""Neighbours' ways in and out: cdt's calls, graphs for causal-learn, pgmpy and dowhy.

Estimators in the style of scikit-learn are :class:`bqcd.DirectionEstimator`; other files of
graphs, such as DAGitty's for R, are written by :meth:`bqcd.Orientation.save`.
"""

from bqcd.adapters.causal_learn import from_causal_learn, to_causal_learn
from bqcd.adapters.cdt_style import PairwiseModel
from bqcd.adapters.dowhy_graphs import to_dowhy
from bqcd.adapters.pgmpy_graphs import to_pgmpy

__all__ = ["PairwiseModel", "from_causal_learn", "to_causal_learn", "to_dowhy", "to_pgmpy"]
