"""Whether confidences depend on the machine: every method under several kinds of processor.

    python benchmarks/machines.py [--methods anm,reci] [--pairs 30]

Other processors are played by environment variables, each in a process of its own: the kernels
that OpenBLAS takes for other cores, NumPy and the C library without their newer instructions,
compiled code for any processor. Those that this machine cannot play are left out. The same pairs,
of 300 rows and drawn once, are judged everywhere; those of slow methods are fewer. Methods for few
values are asked about such columns, ``auto`` about those and others by turns, methods for groups
about groups. Printed are, of the pairs whose confidence is not the same to the bit, how many there
are in the worst case, the largest difference, and that in units of the median size of a confidence
that is not zero. The field ``varies`` of the cards is that share, rounded up.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import bqcd
from bqcd.methods.table import ALL_METHODS

# The first one is what the others are compared with.
MACHINES: dict[str, dict[str, str]] = {
    "as it is": {},
    "blas of Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "blas of SkylakeX": {"OPENBLAS_CORETYPE": "SkylakeX"},
    "blas of Sandybridge": {"OPENBLAS_CORETYPE": "Sandybridge"},
    "blas of Nehalem": {"OPENBLAS_CORETYPE": "Nehalem"},
    "blas of Prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "NumPy without AVX": {"NPY_DISABLE_CPU_FEATURES": "X86_V4 X86_V3"},
    "C library without FMA": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4"},
    "any processor": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
}
ROWS = 300
SCENARIOS = ("AN", "LS", "MN-U", "SIM", "SIM-c")
FEW_VALUES = ("discrete-additive", "ordinal", "counts", "zero-inflated")
GROUPS = ("vector-linear", "vector-additive", "vector-scale")
WIDTH = 3
REGRESSORS = ("forest", "network")


@dataclass(frozen=True)
class Contender:
    """Something to compare.

    Parameters
    ----------
    method : str
        Its name in the table.
    seconds : float
        Rough time of a pair.
    pairs : {"columns", "few values", "any", "groups"}
        What it is asked about.
    settings : dict
        Of the method.
    """

    method: str
    seconds: float
    pairs: str
    settings: dict[str, object] = field(default_factory=dict)


_ASKED_ABOUT = {
    "order": "columns", "whole numbers": "few values", "levels": "few values", "any": "any",
    "groups": "groups",
}  # fmt: skip


def contenders() -> dict[str, Contender]:
    """Whatever is compared, by name."""
    found = {}
    for name, card in ALL_METHODS.items():
        found[name] = Contender(name, card.seconds, _ASKED_ABOUT[card.takes])
    for regressor in REGRESSORS:
        chosen: dict[str, object] = {"regressor": regressor}
        found[f"bqcd {regressor}"] = Contender("bqcd", 0.3, "columns", chosen)
    return found


def n_pairs(seconds: float, most: int) -> int:
    """Pairs that a method of so many seconds is asked for."""
    return min(most, max(3, int(3.0 / seconds)))


def drawn(most: int) -> dict[str, np.ndarray]:
    """Pairs, drawn once for all: the generators themselves may depend on the machine."""
    columns, few = _by_turns(SCENARIOS, most), _by_turns(FEW_VALUES, most)
    mixed = [one for both in zip(columns, few, strict=True) for one in both][:most]
    return {
        "columns": np.array(columns),
        "few values": np.array(few),
        "any": np.array(mixed),
        "groups": np.array(_by_turns(GROUPS, most, causes=WIDTH, effects=WIDTH)),
    }


def _by_turns(scenarios: tuple[str, ...], most: int, **widths: int) -> list[np.ndarray]:
    """Both sides of pairs side by side, of the scenarios one after the other."""
    each = -(-most // len(scenarios))
    asked = {"n_pairs": each, "n_rows": ROWS, "seed": 1, **widths}
    sets = [list(bqcd.simulate_pairs(name, **asked)) for name in scenarios]
    pairs = [one.pair for together in zip(*sets, strict=True) for one in together][:most]
    return [np.column_stack([pair.x, pair.y]) for pair in pairs]


def confidences(names: list[str], pairs: Mapping[str, np.ndarray]) -> dict[str, list[str]]:
    """Confidences to the bit, on this machine."""
    found = {}
    for name in names:
        asked = contenders()[name]
        tables = pairs[asked.pairs]
        found[name] = [
            bqcd.decide(*_sides(table), method=asked.method, **asked.settings).confidence.hex()
            for table in tables[: n_pairs(asked.seconds, len(tables))]
        ]
    return found


def _sides(table: np.ndarray) -> list[np.ndarray]:
    return [side.squeeze() for side in np.split(table, 2, axis=1)]


def elsewhere(
    names: list[str], pairs: Path, variables: dict[str, str]
) -> dict[str, list[str]] | None:
    """Confidences on a machine of another kind, None if it cannot be played."""
    command = [sys.executable, __file__, "--methods", ",".join(names), "--judge", str(pairs)]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"} | variables
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def main() -> None:
    """Print one line per method, or confidences if asked for those of this machine."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", default=",".join(contenders()))
    parser.add_argument("--pairs", type=int, default=30)
    parser.add_argument("--judge", help="pairs to judge on this machine, as arrays of NumPy")
    asked = parser.parse_args()
    names = asked.methods.split(",")
    if asked.judge:
        print(json.dumps(confidences(names, np.load(asked.judge))))
        return
    played = {}
    with TemporaryDirectory() as folder:
        pairs = Path(folder, "pairs.npz")
        np.savez(pairs, **drawn(asked.pairs))
        for machine, variables in MACHINES.items():
            answers = elsewhere(names, pairs, variables)
            if answers is None:
                print(f"{machine}: cannot be played here", flush=True)
            else:
                played[machine] = answers
    print_table(names, played)


def print_table(names: list[str], played: dict[str, dict[str, list[str]]]) -> None:
    """One line per method: how its confidences differ, and on which machines."""
    first, *others = played
    print(f"{'method':<16}{'pairs':>6}{'differ':>7}{'largest':>10}{'/ median':>10}  where")
    for name in names:
        base = np.array([float.fromhex(text) for text in played[first][name]])
        gaps = {
            machine: np.abs(np.array([float.fromhex(t) for t in played[machine][name]]) - base)
            for machine in others
        }
        worst = max(float(gap.max()) for gap in gaps.values())
        count = max(int(np.count_nonzero(gap)) for gap in gaps.values())
        where = ", ".join(machine for machine, gap in gaps.items() if gap.any()) or "nowhere"
        size = worst / float(np.median(np.abs(base[base != 0.0]))) if worst else 0.0
        print(f"{name:<16}{len(base):>6}{count:>7}{worst:>10.1e}{size:>10.1e}  {where}")


if __name__ == "__main__":
    main()
