"""What a card says of other machines: the same bits there, or that they may differ."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bqcd import METHODS
from bqcd.methods.table import ALL_METHODS
from bqcd.show.words.methods import elsewhere

# Of the same bits under any linear algebra, though not with any C library.
NO_LINEAR_ALGEBRA = ["bqcd", "loci", "reci", "resit", "sloppy"]
SAME = [name for name, card in METHODS.items() if card.varies == 0.0]

# Rows that arithmetic alone has made, the same everywhere.
CHILD = """
import json, sys
import numpy as np, bqcd

def column(seed, n=300):
    steps = np.empty(n, dtype=np.int64)
    for at in range(n):
        seed = (1103515245 * seed + 12345) % 2**31
        steps[at] = seed
    return steps / 2.0**31

pairs = []
for seed in (1, 2, 3):
    x, noise = column(seed), column(seed + 100)
    pairs.append((x, x**2 + (0.1 + 0.2 * x) * noise))
bits = {n: [bqcd.decide(x, y, method=n).confidence.hex() for x, y in pairs] for n in sys.argv[1:]}
matrix = np.stack([column(seed, 200) for seed in range(40)])
print(json.dumps([bits, (matrix @ matrix.T).tobytes().hex()]))
"""


def judged(methods: list[str], **variables: str) -> tuple[dict[str, list[str]], str]:
    """Confidences to the bit, and a matrix product, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *methods],
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"} | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    bits, product = json.loads(done.stdout)
    return bits, product


def why_not() -> str:
    """Why OpenBLAS cannot be told to be that of another processor; empty if it can."""
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    if platform.machine() not in ("x86_64", "AMD64"):
        return f"the processor is of the kind {platform.machine()}"
    if "DYNAMIC_ARCH" not in blas.get("openblas configuration", ""):
        return f"the linear algebra is {blas.get('name', 'unknown')}, of one kind"
    return ""


@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_methods_said_to_be_the_same_elsewhere_are_so_under_other_linear_algebra():
    here, product = judged([*SAME, *NO_LINEAR_ALGEBRA])
    there, other_product = judged([*SAME, *NO_LINEAR_ALGEBRA], OPENBLAS_CORETYPE="Prescott")
    assert product != other_product, "the other kind of processor was not played"
    assert there == here


def test_cards_tell_which_methods_depend_on_the_machine():
    assert {"igci-u", "cdci", "coin", "grci", "heci", "lingam", "slope"} <= set(SAME)
    assert elsewhere(METHODS["igci-u"]) == "the same to the bit on all kinds of processors tried"
    assert "up to" in elsewhere(METHODS["cure"])
    assert 0.0 < METHODS["bqcd"].varies < 1e-13
    assert METHODS["cure"].varies > 1e-3


def measured() -> dict[str, float]:
    """Change over the median size of a confidence, by method, of the run on record."""
    record = Path(__file__).parents[1] / "benchmarks" / "results" / "machines.txt"
    rows = [line.split() for line in record.read_text(encoding="utf-8").splitlines()]
    return {row[0]: float(row[4]) for row in rows if len(row) > 5 and row[0] in ALL_METHODS
            and row[1].isdecimal()}  # fmt: skip


def test_what_cards_say_of_other_machines_was_measured():
    found = measured()
    assert set(found) == set(ALL_METHODS)
    for name, change in found.items():
        varies = ALL_METHODS[name].varies
        # Columns of the record are of two digits.
        assert change <= 1.05 * varies, name
        assert (varies == 0.0) == (change == 0.0), name
