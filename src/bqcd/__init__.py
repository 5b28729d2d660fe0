"""Which of two columns is the cause, and how sure one may be."""

from importlib import import_module as _import_module

from bqcd import errors
from bqcd.runtime.version import __version__

# As in typing, which takes as long to load as all of this.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from bqcd.assessments import Assessment, assess
    from bqcd.benchmark import Results, read_results, run_benchmark
    from bqcd.benchmark.datasets import PairSet, load_pairs, load_table, simulate_pairs
    from bqcd.data.pair import Direction, Pair
    from bqcd.data.reading import read_table
    from bqcd.graphs import (
        Knowledge,
        Orientation,
        bootstrap_graph,
        compare_graphs,
        invariant_causes,
        learn_graph,
        orient,
    )
    from bqcd.methods.bqcd import BQCD
    from bqcd.methods.cards import MethodCard
    from bqcd.methods.check import check_method
    from bqcd.methods.decide import decide, decide_pair
    from bqcd.methods.table import METHODS, make_method
    from bqcd.methods.verdict import Method, Verdict
    from bqcd.methods.wrappers.estimator import DirectionEstimator
    from bqcd.scans import Scan, read_scan, scan
    from bqcd.show.reports import Report
    from bqcd.show.reports.reporting import report

__all__ = [
    "BQCD",
    "METHODS",
    "Assessment",
    "Direction",
    "DirectionEstimator",
    "Knowledge",
    "Method",
    "MethodCard",
    "Orientation",
    "Pair",
    "PairSet",
    "Report",
    "Results",
    "Scan",
    "Verdict",
    "__version__",
    "assess",
    "bootstrap_graph",
    "check_method",
    "compare_graphs",
    "decide",
    "decide_pair",
    "errors",
    "invariant_causes",
    "learn_graph",
    "load_pairs",
    "load_table",
    "make_method",
    "orient",
    "read_results",
    "read_scan",
    "read_table",
    "report",
    "run_benchmark",
    "scan",
    "simulate_pairs",
]

# Rooms are entered when first asked for: the command line can do without most of them, and
# answers to Ctrl-C only when this is loaded.
_LATER = {
    "BQCD": "bqcd.methods.bqcd",
    "METHODS": "bqcd.methods.table",
    "Assessment": "bqcd.assessments",
    "Direction": "bqcd.data.pair",
    "DirectionEstimator": "bqcd.methods.wrappers.estimator",
    "Knowledge": "bqcd.graphs",
    "Method": "bqcd.methods.verdict",
    "MethodCard": "bqcd.methods.cards",
    "Orientation": "bqcd.graphs",
    "Pair": "bqcd.data.pair",
    "PairSet": "bqcd.benchmark.datasets",
    "Report": "bqcd.show.reports",
    "Results": "bqcd.benchmark",
    "Scan": "bqcd.scans",
    "Verdict": "bqcd.methods.verdict",
    "assess": "bqcd.assessments",
    "bootstrap_graph": "bqcd.graphs",
    "check_method": "bqcd.methods.check",
    "compare_graphs": "bqcd.graphs",
    "decide": "bqcd.methods.decide",
    "decide_pair": "bqcd.methods.decide",
    "invariant_causes": "bqcd.graphs",
    "learn_graph": "bqcd.graphs",
    "load_pairs": "bqcd.benchmark.datasets",
    "load_table": "bqcd.benchmark.datasets",
    "make_method": "bqcd.methods.table",
    "orient": "bqcd.graphs",
    "read_results": "bqcd.benchmark",
    "read_scan": "bqcd.scans",
    "read_table": "bqcd.data.reading",
    "report": "bqcd.show.reports.reporting",
    "run_benchmark": "bqcd.benchmark",
    "scan": "bqcd.scans",
    "simulate_pairs": "bqcd.benchmark.datasets",
}


def __getattr__(name: str) -> object:
    if name in _LATER:
        return getattr(_import_module(_LATER[name]), name)
    room = f"{__name__}.{name}"
    try:
        if not name.startswith("_") and name.isidentifier():
            return _import_module(room)
    except ModuleNotFoundError as error:
        if error.name != room:
            raise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
