"""What the panel claims, and what came true: benchmarks, real pairs, and pairs without a direction.

A part of the page on trust. Benchmark files are asked here after the look that is written down in
``panel/LOOKS.md``: the same weights give the same numbers. Pairs without a direction come from the
families of the panel's prior under numbers that it has not learned from, and from tables whose
columns have nothing but hidden causes in common.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from assess_records import RESULTS, Part
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from bqcd import load_pairs, scan
from bqcd.benchmark.datasets import PairSet
from bqcd.benchmark.metrics import reliability
from bqcd.data.pair import Pair
from bqcd.methods.answers import BARS
from bqcd.methods.panel import Panel
from bqcd.scans.answering import DEPENDENT

Vector = NDArray[np.float64]

SETS = ("AN", "AN-s", "LS", "LS-s", "MN-U", "SIM", "SIM-c", "SIM-ln", "SIM-G", "tuebingen")
NOTHING = ("common plain", "common spread", "common classes", "common network",
           "apart causes", "apart effects")  # fmt: skip
EDGES = (0.5, 0.6, BARS.leaning, 0.7, BARS.clear, 0.9)
SHAPES = {"straight": lambda z: z, "bounded": lambda z: np.tanh(1.5 * z), "squared": np.square}
# The panel has learned from pairs of lower numbers.
FIRST_NUMBER = 2_000_000
COMMON, APART = "hidden common causes", "no link"


@dataclass(frozen=True)
class Plan:
    """What is asked."""

    sets: tuple[str, ...] = SETS
    pairs: int = 150
    rows: tuple[int, ...] = (500, 20_000)
    columns: int = 100
    causes: int = 20
    dependent: int = 300
    seed: int = 0


@dataclass(frozen=True)
class ClaimsRow:
    """Pairs of one source whose claimed probability lies in one bar.

    Parameters
    ----------
    kind : str
        "benchmark", "real", "hidden common causes" or "no link".
    source : str
        Set, family or table.
    low : float
        Least probability in the bar.
    pairs : int
        How many.
    weight, claimed, right : float
        Their weights in all, the mean probability and the share that is right; -1 where no
        direction exists.
    """

    kind: str
    source: str
    low: float
    pairs: int
    weight: float
    claimed: float
    right: float


def rows_of(plan: Plan) -> Iterator[ClaimsRow]:
    """Every source after the other."""
    for name in plan.sets:
        yield from _benchmark(name)
    yield from _real()
    for family in NOTHING:
        yield from _family(family, plan.pairs)
    for shape in SHAPES:
        for n_rows in plan.rows:
            yield from _hidden(shape, n_rows, plan)


def _benchmark(name: str) -> Iterator[ClaimsRow]:
    yield from _bars("benchmark", name, *_benchmark_answers(load_pairs(name)))


def _benchmark_answers(pairs: PairSet, seed: int = 0) -> tuple[Vector, Vector]:
    """Confidences, positive where right, and weights."""
    signed = [item.truth.sign * _confidence(item.pair, seed) for item in pairs.items]
    return np.array(signed), np.array([one.weight for one in pairs.items])


def _confidence(pair: Pair, seed: int = 0) -> float:
    return Panel().decide(pair, default_rng(seed)).confidence


def _real() -> Iterator[ClaimsRow]:
    answers = _real_answers()
    if len(answers):
        yield from _bars("real", "real pairs", answers, np.ones(len(answers)))


def _real_answers() -> Vector:
    """The recorded answers to the 70 real pairs, one look for each file of weights."""
    path = RESULTS / "real_pairs.json"
    told = json.loads(path.read_text(encoding="utf-8"))["methods"] if path.exists() else {}
    answers = told["panel"]["answers"].values() if "panel" in told else ()
    return np.array([one for one in answers if one is not None])


def _family(family: str, count: int) -> Iterator[ClaimsRow]:
    sys.path.insert(0, str(Path(__file__).with_name("panel")))
    from prior import simulated

    found = [simulated(family, FIRST_NUMBER + at) for at in range(count)]
    sizes = np.array([abs(_confidence(Pair(one.x, one.y))) for one in found])
    kind = APART if family.startswith("apart") else COMMON
    yield from _bars(kind, family, sizes, np.ones(count), known=False)


def hidden_table(shape: str, n_rows: int, plan: Plan, rng: Generator) -> Mapping[str, Vector]:
    """Columns that have nothing but hidden causes in common, each one or two of them."""
    causes = rng.normal(size=(plan.causes, n_rows))
    columns = {}
    for number in range(plan.columns):
        chosen = rng.choice(plan.causes, size=rng.integers(1, 3), replace=False)
        signal = sum(rng.choice([-1.0, 1.0]) * SHAPES[shape](causes[at]) for at in chosen)
        columns[f"c{number:03d}"] = signal + rng.uniform(0.3, 1.0) * rng.normal(size=n_rows)
    return columns


def _hidden(shape: str, n_rows: int, plan: Plan) -> Iterator[ClaimsRow]:
    """A random choice of the dependent pairs of a table, judged by the panel."""
    rng = default_rng([plan.seed, n_rows, list(SHAPES).index(shape)])
    table = hidden_table(shape, n_rows, plan, rng)
    pairs = scan(table).where(max_q=DEPENDENT).table.select(["x", "y"]).to_pylist()
    chosen = rng.permutation(len(pairs))[: plan.dependent]
    asked = [(pairs[at]["x"], pairs[at]["y"]) for at in chosen]
    sizes = np.abs(scan(table, pairs=asked, method="panel").numbers("confidence"))
    source = f"{shape}, {n_rows:,} rows"
    yield from _bars(COMMON, source, sizes, np.ones(len(sizes)), known=False)


def _bars(
    kind: str, source: str, signed: Vector, weight: Vector, *, known: bool = True
) -> Iterable[ClaimsRow]:
    """Signed confidences, positive where right, by claimed probability."""
    claimed, right = 0.5 * (1.0 + np.abs(signed)), (signed > 0.0) + 0.5 * (signed == 0.0)
    bar = np.searchsorted(EDGES, claimed, side="right") - 1
    for at, low in enumerate(EDGES):
        rows = bar == at
        if not rows.any():
            continue
        share = float(np.average(right[rows], weights=weight[rows])) if known else -1.0
        mean = float(np.average(claimed[rows], weights=weight[rows]))
        yield ClaimsRow(kind, source, low, int(rows.sum()), float(weight[rows].sum()), mean, share)


CLAIMS = Part("claims", ClaimsRow, rows_of, Plan(), Plan(("AN",), 3, (500,), 12, 3, 5))


@dataclass(frozen=True)
class CalibrationRow:
    """How far what the panel claims of one source is from what came true.

    Parameters
    ----------
    source : str
        Set.
    pairs : int
        How many.
    claimed, right, error, error_by_chance, surer_half : float
        As in :class:`bqcd.benchmark.metrics.Reliability`.
    """

    source: str
    pairs: int
    claimed: float
    right: float
    error: float
    error_by_chance: float
    surer_half: float


@dataclass(frozen=True)
class CalibrationPlan:
    """What is asked of calibration."""

    sets: tuple[str, ...] = SETS
    draws: int = 5


def calibration_rows(plan: CalibrationPlan) -> Iterator[CalibrationRow]:
    """Every set, several times if rows of it are drawn, and the real pairs."""
    for name in plan.sets:
        pairs = load_pairs(name)
        long = any(len(item.pair.x) > Panel().max_rows for item in pairs.items)
        for seed in range(plan.draws if long else 1):
            source = f"{name}, draw {seed + 1} of rows" if long else name
            yield _calibration(source, *_benchmark_answers(pairs, seed))
    if len(answers := _real_answers()):
        yield _calibration("real pairs", answers, np.ones(len(answers)))


def _calibration(source: str, signed: Vector, weight: Vector) -> CalibrationRow:
    found = reliability(np.ones(len(signed)), 0.5 * (1.0 + signed), weight=weight)
    numbers = (found.claimed, found.right, found.error, found.error_by_chance, found.surer_half)
    return CalibrationRow(source, found.pairs, *numbers)


CALIBRATION = Part(
    "calibration", CalibrationRow, calibration_rows, CalibrationPlan(), CalibrationPlan(("AN",))
)
