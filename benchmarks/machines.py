"""Whether confidences depend on the machine: every method under several kinds of processor.

    python benchmarks/machines.py [--methods anm,reci] [--pairs 30]

Other processors are played by environment variables, each in a process of its own: the kernels
that OpenBLAS takes for other cores, NumPy and the C library without their newer instructions,
compiled code for any processor. Those that this machine cannot play are left out. The same pairs,
of 300 rows and drawn once, are judged everywhere; those of slow methods are fewer. Printed are, of
the pairs whose confidence is not the same to the bit, how many there are in the worst case, the
largest difference, and that in units of the median size of a confidence. The field ``varies`` of
the cards is that share, rounded up.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import bqcd

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
SCENARIOS = ("AN", "LS", "MN-U", "SIM", "SIM-c")
REGRESSORS = ("forest", "network")


def contenders() -> dict[str, tuple[str, dict[str, object], float]]:
    """Method, settings and rough seconds of whatever is compared, by name."""
    found: dict[str, tuple[str, dict[str, object], float]] = {
        name: (name, {}, card.seconds) for name, card in bqcd.METHODS.items()
    }
    for regressor in REGRESSORS:
        found[f"bqcd {regressor}"] = ("bqcd", {"regressor": regressor}, 0.3)
    return found


def n_pairs(seconds: float, most: int) -> int:
    """Pairs that a method of so many seconds is asked for."""
    return min(most, max(3, int(3.0 / seconds)))


def drawn(most: int) -> np.ndarray:
    """Pairs, drawn once for all: the generators themselves may depend on the machine."""
    each = -(-most // len(SCENARIOS))
    sets = [list(bqcd.simulate_pairs(s, n_pairs=each, n_rows=300, seed=1)) for s in SCENARIOS]
    pairs = [one.pair for together in zip(*sets, strict=True) for one in together][:most]
    return np.array([(pair.x, pair.y) for pair in pairs])


def confidences(names: list[str], pairs: np.ndarray) -> dict[str, list[str]]:
    """Confidences to the bit, on this machine."""
    found = {}
    for name in names:
        method, settings, seconds = contenders()[name]
        found[name] = [
            bqcd.decide(x, y, method=method, **settings).confidence.hex()
            for x, y in pairs[: n_pairs(seconds, len(pairs))]
        ]
    return found


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
    parser.add_argument("--judge", help="pairs to judge on this machine, as an array of NumPy")
    asked = parser.parse_args()
    names = asked.methods.split(",")
    if asked.judge:
        print(json.dumps(confidences(names, np.load(asked.judge))))
        return
    played = {}
    with TemporaryDirectory() as folder:
        pairs = Path(folder, "pairs.npy")
        np.save(pairs, drawn(asked.pairs))
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
        size = worst / float(np.median(np.abs(base))) if worst else 0.0
        print(f"{name:<16}{len(base):>6}{count:>7}{worst:>10.1e}{size:>10.1e}  {where}")


if __name__ == "__main__":
    main()
