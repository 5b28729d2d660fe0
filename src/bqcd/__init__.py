"""Which of two columns is the cause, and how sure one may be."""

from importlib import import_module

from bqcd import errors
from bqcd.version import __version__

# As in typing, which takes as long to load as all of this.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from bqcd.assessments import Assessment, assess
    from bqcd.benchmark import Results, run_benchmark
    from bqcd.contract import Method, MethodCard, Verdict
    from bqcd.datasets import PairSet, load_pairs, simulate_pairs
    from bqcd.discovery import BQCD
    from bqcd.estimator import DirectionEstimator
    from bqcd.graphs import Knowledge, Orientation, orient
    from bqcd.methods import METHODS, decide, decide_pair, make_method
    from bqcd.pair import Direction, Pair
    from bqcd.reports import Report
    from bqcd.reports.reporting import report
    from bqcd.scans import Scan, read_scan, scan

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
    "decide",
    "decide_pair",
    "errors",
    "load_pairs",
    "make_method",
    "orient",
    "read_scan",
    "report",
    "run_benchmark",
    "scan",
    "simulate_pairs",
]

# Rooms are entered when first asked for: the command line can do without most of them, and
# answers to Ctrl-C only when this is loaded.
_LATER = {
    "BQCD": "bqcd.discovery",
    "METHODS": "bqcd.methods",
    "Assessment": "bqcd.assessments",
    "Direction": "bqcd.pair",
    "DirectionEstimator": "bqcd.estimator",
    "Knowledge": "bqcd.graphs",
    "Method": "bqcd.contract",
    "MethodCard": "bqcd.contract",
    "Orientation": "bqcd.graphs",
    "Pair": "bqcd.pair",
    "PairSet": "bqcd.datasets",
    "Report": "bqcd.reports",
    "Results": "bqcd.benchmark",
    "Scan": "bqcd.scans",
    "Verdict": "bqcd.contract",
    "assess": "bqcd.assessments",
    "decide": "bqcd.methods",
    "decide_pair": "bqcd.methods",
    "load_pairs": "bqcd.datasets",
    "make_method": "bqcd.methods",
    "orient": "bqcd.graphs",
    "read_scan": "bqcd.scans",
    "report": "bqcd.reports.reporting",
    "run_benchmark": "bqcd.benchmark",
    "scan": "bqcd.scans",
    "simulate_pairs": "bqcd.datasets",
}


def __getattr__(name: str) -> object:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    room = f"{__name__}.{name}"
    try:
        if not name.startswith("_") and name.isidentifier():
            return import_module(room)
    except ModuleNotFoundError as error:
        if error.name != room:
            raise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
