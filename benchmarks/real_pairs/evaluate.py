"""Methods on the real pairs of ``pairs.csv``: accuracies with intervals, claimed against right.

    python -m benchmarks.real_pairs.evaluate [METHOD ...] [--workers 1] [--keep FOLDER]
    python -m benchmarks.real_pairs.evaluate --render

``make bench-real`` installs the packages first. Answers go into
``benchmarks/results/real_pairs.json``, where those of other methods stay, and the page
``real_pairs.md`` beside it is made from that record; ``--render`` does only that. With
``--keep`` an interrupted run goes on where it was.

The methods ``assessed`` and ``assessed panel`` are bQCD and the panel with the probability that
``bqcd.assess`` leaves them, so that claims can be held against what came out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

import bqcd
from benchmarks.real_pairs.figures import Record, page
from benchmarks.real_pairs.load import HERE, NAME, load_real_pairs, read_list
from bqcd import METHODS, Pair, PairSet, Verdict, run_benchmark
from bqcd.benchmark.summary import Answers, answers
from bqcd.runtime.atomic import write_whole

RECORDED = HERE.parent / "results" / "real_pairs.json"
ASKED = (
    "bqcd",
    "assessed",
    "panel",
    "assessed panel",
    "panel:depth=quick",
    "majority",
    "margins",
    "grci",
    "slope",
    "loci",
    "coin",
)
# Methods whose confidence is 2 p - 1, with p a probability that the direction is x -> y.
PROBABILITIES = ("assessed", "panel", "assessed panel")
SEED = 0


@dataclass(frozen=True, kw_only=True)
class Assessed:
    """A method, its confidence replaced by 2 p - 1 with the p that ``assess`` leaves."""

    method: str = "bqcd"

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Verdict with the sign of the method and the size of its probability."""
        seed = int(rng.integers(2**31))
        assessment = bqcd.assess(pair.x, pair.y, method=self.method, seed=seed)
        verdict, probability = assessment.verdict, assessment.probability
        assert probability is not None
        size = 2.0 * probability - 1.0
        confidence = float(np.sign(verdict.confidence)) * size
        return replace(verdict, confidence=confidence, pair=pair)


ASSESSED = {"assessed": Assessed(), "assessed panel": Assessed(method="panel")}


def default_methods() -> tuple[str, ...]:
    """Those of ``ASKED`` that this version has."""
    return tuple(name for name in ASKED if name.split(":")[0] in METHODS or name in ASSESSED)


def measured(
    names: Sequence[str], pairs: PairSet, *, workers: int = 1, keep: Path | None = None
) -> dict[str, Any]:
    """What the record says of these methods, by label."""
    methods = [(name, ASSESSED[name]) if name in ASSESSED else name for name in names]
    results = run_benchmark(methods, [pairs], workers=workers, seed=SEED, out=keep)
    return {one.label: _told(one) for one in answers(results) if one.pairset == NAME}


def _told(one: Answers) -> dict[str, Any]:
    signed = one.confidence[0] * one.truth
    ids = (key.removeprefix(f"{NAME}/") for key in one.pairs)
    return {
        "commit": commit(),
        "on": date.today().isoformat(),
        "seconds": float(f"{one.seconds.sum():.2g}"),
        "probability": one.method in PROBABILITIES,
        "answers": {
            key: None if np.isnan(value) else float(f"{value:.6g}")
            for key, value in zip(ids, signed, strict=True)
        },
    }


def commit() -> str:
    """Commit of the code, with ``-dirty`` where files differ from it; empty if not known."""
    asked = ("git", "-C", str(HERE), "describe", "--always", "--dirty", "--exclude=*")
    try:
        told = subprocess.run(asked, capture_output=True, check=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return told.stdout.strip()


def merged(before: Record, found: Mapping[str, Any], fingerprint: str) -> dict[str, Any]:
    """Record with the answers found, and how often each method was asked so far.

    Answers to other data, or to another order of the columns, are left behind.
    """
    earlier = before.get("methods", {})
    kept = earlier if before.get("fingerprint") == fingerprint else {}
    looks = {name: 1 + earlier.get(name, {}).get("looks", 0) for name in found}
    asked = {name: {"looks": looks[name], **told} for name, told in found.items()}
    return {"seed": SEED, "fingerprint": fingerprint, "methods": {**kept, **asked}}


def read_record(path: Path = RECORDED) -> Record:
    """The record, empty if there is none."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask the methods, add their answers to the record, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("methods", nargs="*", help="names as in bqcd bench; default: the usual")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="save progress here; rerun to resume")
    parser.add_argument("--out", type=Path, default=RECORDED, help="the record, .json")
    parser.add_argument("--render", action="store_true", help="only make the page again")
    asked = parser.parse_args(arguments)
    record = read_record(asked.out)
    if not asked.render:
        pairs = load_real_pairs(SEED)
        names = asked.methods or default_methods()
        found = measured(names, pairs, workers=asked.workers, keep=asked.keep)
        record = merged(record, found, pairs.fingerprint)
        write_whole(asked.out, json.dumps(record, indent=1) + "\n")
    text = page(record, read_list())
    write_whole(asked.out.with_suffix(".md"), text)
    print(text)


if __name__ == "__main__":
    main()
