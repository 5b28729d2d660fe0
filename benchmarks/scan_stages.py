"""Where the time of a scan goes, each stage timed within the scan itself.

    OPENBLAS_NUM_THREADS=1 python benchmarks/scan_stages.py [--columns 1000] [--rows 200]

CPU time of one process that scans a Parquet file to a folder. What the timers cost is in "all
else", as is planning and the loop around the kernels.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from scan import columns

from bqcd.discovery.quantiles import copula
from bqcd.scans import form_kernels, judging, records, scanning, stores, tile_files
from bqcd.scans.folder import ScanFolder
from bqcd.scans.records import StoredBlock
from bqcd.scans.scanning import scan
from bqcd.scans.sources import Source

KERNELS = {
    "fill_kernel_shapes": "maximal correlation and bandwidth",
    "fill_densities": "density on the grid",
    "fill_scores_both_ways": "curves and scores",
}
CALLS = [
    (Source, "fingerprint", "fingerprint of the file"),
    (Source, "check_unchanged", "looking at the file again"),
    (scanning, "store_columns", "reading, ranking and storing the columns"),
    (StoredBlock, "columns", "mapping the columns of a tile"),
    (stores, "checksum", "checksums of columns"),
    (records, "checksum", "checksums of columns"),
    (form_kernels, "fill_orders", "gathering the ranks of a pair"),
    (form_kernels, "fill_untied_forms", "gathering the ranks of a pair"),
    (judging, "untied_dependence", "dependence and its p-value"),
    (ScanFolder, "write_tile", "files of tiles"),
    (tile_files, "_stamp", "stamps of tiles"),
    (ScanFolder, "read", "reading the tiles into one table"),
]


class Timers:
    """Seconds by stage; a stage within another counts for itself only."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._within: list[float] = []

    def timed(self, call: Callable[..., Any], stage: str) -> Callable[..., Any]:
        """The same function, its time noted."""

        def timing(*given: Any, **named: Any) -> Any:
            start = process_time()
            self._within.append(0.0)
            try:
                return call(*given, **named)
            finally:
                took = process_time() - start
                self.seconds[stage] += took - self._within.pop()
                if self._within:
                    self._within[-1] += took

        return timing

    def watch(self) -> None:
        """Put timers around every stage, for the rest of this process."""
        for owner, name, stage in CALLS:
            setattr(owner, name, self.timed(getattr(owner, name), stage))
        kernels = copula._kernels()
        watched = {name: self.timed(getattr(kernels, name), KERNELS[name]) for name in KERNELS}
        copula._kernels = lambda: kernels._replace(**watched)


def main() -> None:
    """Print seconds, microseconds a pair and shares of all stages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=200)
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        pq.write_table(pa.table(columns(asked.rows, asked.columns)), path)
        scan(path, columns=[0, 1])
        timers = Timers()
        timers.watch()
        start = process_time()
        n_pairs = len(scan(path, out=Path(folder) / "scan"))
        whole = process_time() - start
    timers.seconds["all else"] = whole - sum(timers.seconds.values())
    size = f"{asked.columns:,} columns, {asked.rows:,} rows, {n_pairs:,} pairs"
    print(f"{size}: {whole:.1f} s, {n_pairs / whole:,.0f} pairs/s")
    print(f"  {'stage':<42} {'s':>7} {'us a pair':>12} {'share':>7}")
    for stage, seconds in sorted(timers.seconds.items(), key=lambda one: -one[1]):
        pair = f"{seconds / n_pairs * 1e6:12,.2f}"
        print(f"  {stage:<42} {seconds:7.2f} {pair} {seconds / whole:7.1%}")


if __name__ == "__main__":
    main()
