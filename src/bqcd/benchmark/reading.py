"""Results of a benchmark read again."""

from __future__ import annotations

from pathlib import Path

from bqcd.benchmark.results import Results, results_of_file
from bqcd.benchmark.running.folder import ResultsFolder


def read_results(path: str | Path) -> Results:
    """Results from a file written by :meth:`Results.save`, or from the folder of a benchmark.

    Parameters
    ----------
    path : str or Path
        A file that ends in ``.parquet``, ``.csv`` or ``.jsonl``, or what was ``out`` of the
        benchmark.

    Raises
    ------
    InvalidResultsError
        If there are none, or they cannot be read.
    """
    path = Path(path)
    return ResultsFolder(path).results() if path.is_dir() else results_of_file(path)
