"""Files of SAS as SAS writes them.

No library writes them, so that there is none in the repository. ``BQCD_SAS`` names a folder with
``sample.sas7bdat`` and ``sample.csv``: those of the tests of pyreadstat (``test_data/basic``).
"""

from __future__ import annotations

import csv
import os
from datetime import date, datetime, time
from pathlib import Path

import pytest

import bqcd

FOLDER = Path(os.environ.get("BQCD_SAS", "."))

pytestmark = pytest.mark.skipif(
    not (FOLDER / "sample.sas7bdat").is_file(), reason="BQCD_SAS names no folder with a SAS file"
)


def test_a_file_of_sas_has_the_values_of_the_text_beside_it() -> None:
    pytest.importorskip("pyreadstat", reason="pyreadstat is not installed")
    with (FOLDER / "sample.csv").open(encoding="utf-8-sig", newline="") as text:
        expected = list(csv.DictReader(text))
    found = bqcd.read_table(FOLDER / "sample.sas7bdat").to_pylist()
    assert len(found) == len(expected) == 5
    readers = {
        "mychar": str,
        "mynum": float,
        "mydate": date.fromisoformat,
        "dtime": datetime.fromisoformat,
        "mylabl": float,
        "myord": float,
        "mytime": lambda word: time.fromisoformat(word.zfill(15)),
    }
    for row, words in zip(found, expected, strict=True):
        for name, reader in readers.items():
            # Empty fields are missing, words among them.
            assert row[name] == (reader(words[name]) if words[name] else None), name
