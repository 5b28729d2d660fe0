"""Scans of damaged files and of tables with odd names."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import bqcd
from bqcd.scans.results import Scan
from tests.fuzz import seeds
from tests.fuzz.cases import Case, check_cases, every_case
from tests.fuzz.mutation import NAMES, WORDS, mutated, numbers

FILES = {
    "scan-text": (seeds.texts, (".csv", ".txt", "")),
    "scan-parquet": (seeds.parquets, (".parquet", "")),
    "scan-arrow": (seeds.arrows, (".arrow", "")),
    "scan-array": (seeds.arrays, (".npy", "")),
}
PATTERNS = (*NAMES, "a", "b", "[!a]", "[", "!*", "*?*", "!", 0, 1, -1, 99, None, True, 1.5)


@every_case(*FILES, share=0.4)
def test_damaged_files_are_scanned_or_refused(target, numbers, tmp_path):
    check_cases(target, numbers, tmp_path, scan_one_file)


def scan_one_file(case: Case) -> None:
    samples, suffixes = FILES[case.target]
    path = case.file(case.pick(suffixes), mutated(samples(), case.rng))
    check_found(case, bqcd.scan(path, missing=case.pick(("raise", "drop", "drop"))))


@every_case("scan-names", share=0.5)
def test_tables_with_odd_names_are_scanned(target, numbers, tmp_path):
    check_cases(target, numbers, tmp_path, scan_odd_names)


def scan_odd_names(case: Case) -> None:
    names = [case.pick(NAMES) for _ in range(case.pick((1, 2, 3, 4)))]
    columns = numbers(case.pick((10, 12, 30)), len(names))
    options: dict[str, Any] = {}
    if case.chance(0.3):
        options["columns"] = [case.pick((*PATTERNS, *names)) for _ in range(case.pick((1, 2)))]
    if case.chance(0.2):
        options["exclude"] = case.pick((*PATTERNS, *names))
    if case.chance(0.2):
        options["against"] = case.pick((*PATTERNS, *names))
    if case.chance(0.2):
        options["dtypes"] = case.pick(("float", "number", "text", "x", "", ("integer", "float")))
    if case.chance(0.2):
        pairs = "\n".join(",".join(map(str, (case.pick(names), case.pick(names)))) for _ in names)
        seed = pairs.encode(errors="surrogatepass")
        options["pairs"] = case.file(".pairs", mutated((seed, b"x,y\n0,1\n"), case.rng))
    if case.chance(0.3):
        options["out"] = case.folder / "out"
    check_found(case, bqcd.scan(as_table(case, names, columns), **options))


def as_table(case: Case, names: list[str], columns: np.ndarray) -> object:
    kind = case.pick(("mapping", "arrow", "pandas", "polars", "parquet"))
    by_name = dict(zip(names, columns.T, strict=True))
    if any("\ud800" in name for name in names) or kind == "mapping":
        return by_name
    if kind == "arrow":
        return pa.table([pa.array(column) for column in columns.T], names=names)
    if kind == "pandas":
        import pandas as pd

        return pd.DataFrame(columns, columns=names)
    if kind == "polars":
        import polars as pl

        return pl.DataFrame(by_name)
    path = case.folder / f"{case.target}-{case.number}.parquet"
    pq.write_table(pa.table(by_name), path)
    return path


def check_found(case: Case, found: Scan) -> None:
    """All that can be told and written of a scan, and that exchanged columns flip its signs."""
    json.dumps(found.as_dict(), allow_nan=False)
    for text in (found.summary(), repr(found)):
        assert not any(sign in text for sign in "\x1b\0\r"), repr(text)
    for suffix in (".csv", ".parquet", ".json"):
        found.save(case.folder / f"all{suffix}")
    found.save_matrix(case.folder / "matrix.csv")
    found.sheet(3)
    found.skipped_sheet(3)
    names, matrix = found.matrix()
    assert len(names) == len(matrix)
    both = np.isfinite(matrix) & np.isfinite(matrix.T)
    assert (matrix[both] == -matrix.T[both]).all()


def test_the_names_are_those_that_readers_stumble_over():
    assert len(set(NAMES)) == len(NAMES)
    assert len(set(WORDS)) == len(WORDS)
