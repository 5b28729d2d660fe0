"""Seconds to read tables of many columns, and to take in as many statements of knowledge.

    python benchmarks/wide.py [--columns 1000,2000,4000,8000]

Five rows, so that the columns are what costs; processor time, which other work on the machine
does not lengthen. Twice the columns should take twice the time: the last line tells by how much
the time grew from the first number of columns to the last, divided by that of the columns.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv, feather

from bqcd.data.reading import read_table
from bqcd.graphs.knowledge import Knowledge
from bqcd.scans.selection import chosen_columns

WRITERS: dict[str, Callable[[pa.Table, str], object]] = {
    "csv": csv.write_csv,
    "parquet": pq.write_table,
    "feather": feather.write_feather,
}


def took(job: Callable[[], object]) -> float:
    """Seconds of the processor, the best of three calls."""
    times = []
    for _ in range(3):
        start = process_time()
        job()
        times.append(process_time() - start)
    return min(times)


def seconds(n_columns: int, folder: Path) -> dict[str, float]:
    """Seconds of each job on a table of so many columns."""
    names = [f"column {at} of {n_columns}" for at in range(n_columns)]
    table = pa.Table.from_arrays(list(np.random.default_rng(0).normal(size=(n_columns, 5))), names)
    found = {}
    for kind, write in WRITERS.items():
        path = folder / f"table.{kind}"
        write(table, str(path))
        found[f"read {kind}"] = took(lambda path=path: read_table(path))
        found[f"columns {kind}"] = took(lambda path=path: read_table(path, names))
    chain = tuple(pairwise(names))
    found["knowledge"] = took(lambda: Knowledge(required=chain))
    kinds = ["float"] * n_columns
    found["positions"] = took(lambda: chosen_columns(names, kinds, list(range(n_columns))))
    return found


def main() -> None:
    """Print one line per number of columns."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", default="1000,2000,4000,8000")
    sizes = [int(word) for word in parser.parse_args().columns.split(",")]
    rows = {}
    with TemporaryDirectory() as folder:
        seconds(10, Path(folder))
        for n in sizes:
            rows[n] = seconds(n, Path(folder))
            if n == sizes[0]:
                print(f"{'columns':>8}" + "".join(f"{name:>17}" for name in rows[n]))
            print(f"{n:>8,}" + "".join(f"{s:>17.4f}" for s in rows[n].values()), flush=True)
    first, last = rows[sizes[0]], rows[sizes[-1]]
    growth = (last[name] / first[name] * sizes[0] / sizes[-1] for name in first)
    print(f"{'growth':>8}" + "".join(f"{ratio:>17.1f}" for ratio in growth))


if __name__ == "__main__":
    main()
