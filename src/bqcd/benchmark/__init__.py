"""Many methods on many pairs, run once, resumed where they stopped, in one table."""

from bqcd.benchmark.reading import read_results
from bqcd.benchmark.results import FORMATS, Results
from bqcd.benchmark.running.contenders import contender, label, labels, split_specs
from bqcd.benchmark.running.folder import ResultsFolder
from bqcd.benchmark.running.runner import Progress, run_benchmark

__all__ = [
    "FORMATS",
    "Progress",
    "Results",
    "ResultsFolder",
    "contender",
    "label",
    "labels",
    "read_results",
    "run_benchmark",
    "split_specs",
]
