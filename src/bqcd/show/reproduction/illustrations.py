"""The paper's figures on single examples: mechanisms, Engel's table, code lengths, run time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bqcd.benchmark.datasets import load_table, simulate_pairs
from bqcd.data.pair import Direction, Pair
from bqcd.discovery.code_lengths import MECHANISMS, CodeComparison, Mechanism, compare_codes
from bqcd.methods.decide import decide, decide_pair
from bqcd.runtime.seeds import seed_from
from bqcd.show import plots
from bqcd.show.plots import QuantilePanel
from bqcd.show.reproduction.products import Product
from bqcd.show.reproduction.workshop import Workshop
from bqcd.show.sheets import Cell, Sheet
from bqcd.show.views import DRAWN_LEVELS, Curves, quantile_curves

_EXAMPLE_ROWS = 1000
_DRAWS = 100
_LEVELS = (0.5, 0.8)


def motivating_figure(workshop: Workshop) -> Product:
    """Additive, multiplicative and location-scale pairs with quantile curves, and the verdicts."""
    panels: list[QuantilePanel] = []
    rows: list[tuple[Cell, ...]] = []
    wrong: list[str] = []
    for name, mechanism in MECHANISMS.items():
        rng = np.random.default_rng(seed_from("motivation", name))
        x, y = mechanism.sample(_EXAMPLE_ROWS, rng)
        pair = Pair(x, y, key=name)
        verdict, median = decide_pair(pair), decide_pair(pair, n_levels=1)
        given = np.linspace(x.min(), x.max(), 200)
        curves = Curves(given, mechanism.quantiles(given, DRAWN_LEVELS))
        panels.append(QuantilePanel(name, x, y, curves, note=verdict.headline))
        rows.append((name, verdict.confidence, median.confidence, *_right(name, mechanism)))
        if verdict.confidence <= 0.0:
            wrong.append(name)
    positive = _right("multiplicative", MECHANISMS["multiplicative"], positive=True)
    rows.append(("multiplicative, x > 0", None, None, *positive))
    columns = ("mechanism", "confidence, m = 3", "median only", _COUNTED[3], _COUNTED[1])
    notes = _motivating_notes(wrong)
    sheet = Sheet("Motivating examples", columns, tuple(rows), notes, digits=4)
    return Product((sheet,), {"motivation": plots.plot_motivation(panels)})


_COUNTED = {3: f"right of {_DRAWS}, m = 3", 1: f"right of {_DRAWS}, median only"}


def _right(name: str, mechanism: Mechanism, *, positive: bool = False) -> tuple[int, int]:
    """How many draws get their direction, with three levels and with the median alone."""
    rng = np.random.default_rng(seed_from("motivation, draws", name))
    drawn = [mechanism.sample(_EXAMPLE_ROWS, rng) for _ in range(_DRAWS)]
    pairs = [Pair(np.abs(x) if positive else x, y) for x, y in drawn]
    three, one = (
        sum(decide_pair(pair, n_levels=m).confidence > 0.0 for pair in pairs) for m in _COUNTED
    )
    return three, one


def _motivating_notes(wrong: Sequence[str]) -> tuple[str, ...]:
    notes = [
        f"{_EXAMPLE_ROWS:,} rows each, x is the cause: a positive confidence is right. The paper "
        "prints no numbers.",
        "Median only, multiplicative: the paper says that the median cannot tell the direction; "
        "the fitted one mostly tells the wrong one.",
        "x > 0: the same with the size of x for the cause. Where the noise multiplies a cause "
        "of one sign, bQCD tells the wrong direction.",
    ]
    if wrong:
        notes.insert(1, f"Drawn and wrong, as the confidence is negative: {', '.join(wrong)}.")
    return tuple(notes)


def engel_figure(workshop: Workshop) -> Product:
    """Food expenditure by income of 235 households, and which is taken for the cause."""
    table = load_table("engel")
    verdicts = {m: decide("income", "foodexp", table=table, n_levels=m) for m in (1, 3, 5, 7, 15)}
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (m, one.confidence, f"income {Direction.of(one.confidence).value} foodexp")
        for m, one in verdicts.items()
    )
    verdict = decide("income", "foodexp", table=table)
    curves = quantile_curves(verdict, DRAWN_LEVELS).y_given_x
    panel = QuantilePanel(
        "Engel's households",
        verdict.pair.x,
        verdict.pair.y,
        curves,
        x_name="income",
        y_name="food expenditure",
        note=verdict.headline,
    )
    right = sum(one.confidence > 0.0 for one in verdicts.values())
    notes = (
        "The paper says that several quantiles find income -> food expenditure; here "
        f"{right} of {len(verdicts)} choices of levels do. {verdict.explain()}",
    )
    columns = ("levels", "confidence", "direction")
    sheet = Sheet("Engel's table", columns, rows, notes, digits=5)
    return Product((sheet,), {"engel": plots.plot_motivation([panel])})


def code_length_figure(workshop: Workshop) -> Product:
    """Two-part code lengths of both directions, and their ratio, against the number of rows."""
    repetitions = 10 if workshop.quick else 100
    comparisons = [
        comparison
        for name in MECHANISMS
        for comparison in compare_codes(
            name,
            rng=np.random.default_rng(seed_from("code lengths", name)),
            levels=_LEVELS,
            repetitions=repetitions,
        )
    ]
    sizes = comparisons[0].sizes
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (one.mechanism, f"{one.level:g}", *map(float, one.ratio), float(one.share_identified[-1]))
        for one in comparisons
    )
    columns = ("mechanism", "level", *(f"n = {size}" for size in sizes), "identified")
    notes = (
        f"Ratio of causal to anti-causal code length, mean of {repetitions} repetitions (100 in "
        "the paper, which shows curves without numbers): below 1 the causal direction is the "
        "shorter one. Identified: share of repetitions at the largest n.",
        _ratio_note(comparisons),
    )
    sheet = Sheet("Code lengths", columns, rows, notes, digits=3)
    return Product((sheet,), {"code-lengths": plots.plot_code_lengths(comparisons)})


def _ratio_note(comparisons: Sequence[CodeComparison]) -> str:
    """For which mechanisms and levels the causal code is the shorter one, and for which not."""
    above = [
        f"{one.mechanism} at level {one.level:g} ({one.ratio[-1]:.3f}, below 1 at "
        f"{(one.ratio < 1.0).sum()} of {len(one.sizes)} sizes)"
        for one in comparisons
        if one.ratio[-1] >= 1.0
    ]
    count = len(comparisons)
    head = f"At the largest n the ratio is below 1 in {count - len(above)} of {count} rows"
    if not above:
        return f"{head}."
    return (
        f"{head}. Not below 1: {', '.join(above)}. The paper says that the multiplicative one "
        "converges slowly to 1 at the median."
    )


def scaling_figure(workshop: Workshop) -> Product:
    """Run time of bQCD with one level over pairs of more and more rows."""
    pairs = 10 if workshop.quick else 100
    sizes = [250, 500, 1000, 2000, 4000, 8000, 16000, 32000, 64000]
    spec = "bqcd:n_levels=1"
    seconds = []
    for size in sizes:
        pairset = simulate_pairs("AN", n_pairs=pairs, n_rows=size, seed=0)
        one = workshop.answers(f"scaling-{size}", [spec], [pairset])[spec, pairset.name]
        seconds.append(float(np.median(one.seconds)))
    slope = float(np.polyfit(np.log(sizes[-5:]), np.log(seconds[-5:]), 1)[0])
    rows = tuple((size, 1000.0 * each) for size, each in zip(sizes, seconds, strict=True))
    notes = (
        f"Median over {pairs} generated pairs (100 in the paper), m = 1. From {sizes[-5]:,} rows "
        f"on, time grows like n to the power {slope:.2f}; the paper claims 1.",
    )
    sheet = Sheet("Run time of bQCD", ("rows", "ms a pair"), rows, notes, digits=3)
    figure = plots.plot_scaling({"bqcd": (sizes, seconds)}, y_label="seconds a pair")
    return Product((sheet,), {"scaling": figure})
