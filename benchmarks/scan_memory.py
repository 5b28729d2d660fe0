"""A table four times larger than the memory allowed, scanned all the same.

    python benchmarks/scan_memory.py [--columns 400] [--rows 1e6] [--folder FOLDER]

A Parquet table is written, then one of its columns is judged against all others by a process
whose address space is limited to a share of the table's size, as ``ulimit -v`` does. What the
process maps counts, used or not: libraries take some 0.55 GB of address space before the first
row is read.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

ROWS_AT_ONCE = 50_000

# What reserves address space it does not use: OpenBLAS a buffer for every thread, malloc an
# arena for every thread, Arrow's own allocator a gigabyte at the first allocation.
FRUGAL = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}

WHOLE = """
import sys
from bqcd.data.reading import read_table

try:
    read_table(sys.argv[1])
except Exception as error:
    sys.exit(f"refused: {error}")
"""


def write_table(path: Path, n_columns: int, n_rows: int) -> None:
    """Write normal columns, every tenth of them rounded, in row groups of 50,000 rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    names = [f"c{number}" for number in range(n_columns)]
    schema = pa.schema([(name, pa.float64()) for name in names])
    plain = {"compression": "none", "use_dictionary": False}
    with pq.ParquetWriter(path, schema, **plain) as writer:
        for start in range(0, n_rows, ROWS_AT_ONCE):
            rows = rng.normal(size=(n_columns, min(ROWS_AT_ONCE, n_rows - start)))
            rows[::10] = rows[::10].round(2)
            writer.write_table(pa.table(list(rows), schema=schema))


def run_limited(command: list[str], limit: int) -> tuple[int, int, float]:
    """Exit code, peak resident bytes and seconds of a process with limited address space."""

    def restrict() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    start = perf_counter()
    process = subprocess.Popen(command, env=os.environ | FRUGAL, preexec_fn=restrict)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss * 1024, perf_counter() - start


def jobs(table: Path, folder: Path) -> dict[str, list[str]]:
    """Commands to run under the limit, by name."""
    command = str(Path(sys.executable).with_name("bqcd"))
    scan = [command, "scan", str(table), "--against", "c1", "--top", "0"]
    tied = [command, "scan", str(table), "--against", "c0", "--top", "0"]
    return {
        "scan against a column": [*scan, "--out", str(folder / "scan")],
        "against a tied column": [*tied, "--out", str(folder / "tied")],
        "whole table at once": [sys.executable, "-c", WHOLE, str(table)],
    }


def measure(folder: Path, n_columns: int, n_rows: int, share: float) -> None:
    """Print a line for each job; the last one must fail, or the limit shows nothing."""
    table = folder / "table.parquet"
    start = perf_counter()
    write_table(table, n_columns, n_rows)
    size = table.stat().st_size
    limit = int(size * share)
    print(f"{n_columns} columns x {n_rows} rows: {size / 1e9:.2f} GB as Parquet,", end=" ")
    print(
        f"written in {perf_counter() - start:.0f} s; address space limited to {limit / 1e9:.2f} GB"
    )
    print(f"{'job':<22} {'ended':>8} {'peak resident':>14} {'seconds':>8}", flush=True)
    for name, command in jobs(table, folder).items():
        code, peak, seconds = run_limited(command, limit)
        ended = "well" if code == 0 else f"code {code}"
        print(f"{name:<22} {ended:>8} {peak / 1e9:>11.2f} GB {seconds:>8.1f}", flush=True)


def main() -> None:
    """Measure in a temporary folder, and remove it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=float, default=400)
    parser.add_argument("--rows", type=float, default=1e6)
    parser.add_argument("--share", type=float, default=0.25, help="limit, as share of the table")
    parser.add_argument("--folder", type=Path, default=None, help="where to put the table")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="scan_memory_", dir=asked.folder))
    try:
        measure(folder, int(asked.columns), int(asked.rows), asked.share)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
