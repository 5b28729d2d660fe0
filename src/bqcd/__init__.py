"""Which of two columns is the cause, and how sure one may be."""

from bqcd import errors
from bqcd.contract import Method, MethodCard, Verdict
from bqcd.discovery import BQCD
from bqcd.estimator import DirectionEstimator
from bqcd.methods import METHODS, decide, decide_pair, make_method
from bqcd.pair import Direction, Pair

__version__ = "0.1.0"

__all__ = [
    "BQCD",
    "METHODS",
    "Direction",
    "DirectionEstimator",
    "Method",
    "MethodCard",
    "Pair",
    "Verdict",
    "__version__",
    "decide",
    "decide_pair",
    "errors",
    "make_method",
]
