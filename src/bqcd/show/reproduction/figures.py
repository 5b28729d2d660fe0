"""The paper's figures on benchmarks: spiders, decision rates, ROC curves, sweeps, galleries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bqcd.benchmark import contender, metrics
from bqcd.benchmark.datasets import LabelledPair, PairSet
from bqcd.benchmark.summary import Answers
from bqcd.runtime.arrays import Vector
from bqcd.show import plots
from bqcd.show.reproduction import paper, tables
from bqcd.show.reproduction.products import Product
from bqcd.show.reproduction.rows import BQCD_ROW, contestants, spec_of
from bqcd.show.reproduction.workshop import MAIN, Workshop, spread
from bqcd.show.sheets import Cell, Sheet
from bqcd.show.words.methods import ties_label

_LEVELS = (1, 3, 5, 7)
_ROWS = (50, 100, 200, 300, 500, 1000)
_SHOWN = 6


def spider_figure(workshop: Workshop) -> Product:
    """Accuracies as radar charts, every method over bQCD."""
    rows = [row for row in contestants(workshop) if not row.other_ties]
    found = workshop.on_simulated([row.simulated for row in rows])
    values = {
        row.label: [found[row.simulated, at].mean("accuracy") for at in paper.SIMULATED]
        for row in rows
    }
    figure = plots.plot_spider(values, paper.SIMULATED, emphasised=BQCD_ROW)
    return Product(pictures={"spider": figure})


def decision_rate_figure(workshop: Workshop) -> Product:
    """Weighted accuracy on the Tübingen pairs against the share of pairs decided."""
    found = _on_tuebingen(workshop)
    curves = {
        name: metrics.decision_rate_curve(one.truth, one.confidence[0], weight=one.weight)
        for name, one in found.items()
    }
    coin = curves[BQCD_ROW]
    figure = plots.plot_decision_rates(
        {name: (curve.rate, curve.accuracy, curve.pairs) for name, curve in curves.items()},
        (coin.rate, coin.coin_low, coin.coin_high),
        emphasised=BQCD_ROW,
        title=_real_title(workshop),
    )
    rows = tuple(
        (name, one.mean("accuracy"), one.mean("decision_rate_area")) for name, one in found.items()
    )
    notes = (
        "The paper shows curves without numbers. The band is a fair coin's on the same pairs.",
        *tables.ties_notes([row.real for row in contestants(workshop)]),
    )
    columns = ("method", "weighted accuracy", "area under the curve")
    sheet = Sheet("Decision rates on the Tübingen pairs", columns, rows, notes, digits=3)
    return Product((sheet,), {"decision-rates": figure})


def roc_figure(workshop: Workshop) -> Product:
    """ROC curves of bQCD on all benchmarks, and of all methods on the Tübingen pairs."""
    spec = spec_of(paper.ACCURACY[1])
    pairsets = workshop.pairsets(paper.BENCHMARKS)
    found = workshop.answers(MAIN, [spec], pairsets)
    every = {pairset.name: found[spec, pairset.name] for pairset in pairsets}
    pictures = {
        "roc-benchmarks": plots.plot_roc(
            {name: _roc(one) for name, one in every.items()},
            emphasised=None,
            title=f"bQCD on every benchmark ({_orders([spec])})",
        ),
        "roc-tuebingen": plots.plot_roc(
            {name: _roc(one) for name, one in _on_tuebingen(workshop).items()},
            emphasised=BQCD_ROW,
            title=_real_title(workshop),
        ),
    }
    return Product(pictures=pictures)


def _real_title(workshop: Workshop) -> str:
    return f"Tübingen pairs, weighted ({_orders([row.real for row in contestants(workshop)])})"


def _orders(specs: Sequence[str]) -> str:
    found = [contender(spec) for spec in specs]
    return ties_label((one.name, one.settings) for one in found)


def _on_tuebingen(workshop: Workshop) -> dict[str, Answers]:
    rows = contestants(workshop)
    found = workshop.on_real([row.real for row in rows])
    return {row.label: found[row.real, "tuebingen"] for row in rows}


def _roc(one: Answers) -> tuple[Vector, Vector, float]:
    curve = metrics.roc_curve(one.truth, one.confidence[0], weight=one.weight)
    return curve.false_positive_rate, curve.true_positive_rate, one.mean("roc_auc")


def regressor_figure(workshop: Workshop) -> Product:
    """Accuracy of bQCD with each of the paper's three regressors, for several m."""
    cells = _by_regressor(workshop)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (f"m = {m}", name, *(cells[name, m, at] for at in paper.BENCHMARKS))
        for m in _LEVELS
        for name in _REGRESSORS
        if (name, m, "AN") in cells
    )
    notes = [
        "Tübingen weighted. The paper shows this as a figure without numbers.",
        *tables.ties_notes(["bqcd"]),
    ]
    if workshop.quick:
        notes.append(
            f"Quick run: benchmarks thinned evenly to {_QUICK_PAIRS['forest']} pairs for the "
            f"forest, and to {_QUICK_PAIRS['network']} and m = 3 for the network."
        )
    title = "Accuracy of bQCD by regressor and number of levels"
    columns = ("levels", "regressor", *paper.BENCHMARKS)
    panels = {
        f"m = {m}": {
            name: [cells.get((name, m, at), float("nan")) for at in paper.BENCHMARKS]
            for name in _REGRESSORS
        }
        for m in _LEVELS
    }
    figure = plots.plot_accuracy_dots(panels, paper.BENCHMARKS)
    return Product((Sheet(title, columns, rows, tuple(notes)),), {"regressors": figure})


_REGRESSORS = ("copula", "forest", "network")
_QUICK_PAIRS: Mapping[str, int] = {"forest": 20, "network": 5}


def _by_regressor(workshop: Workshop) -> dict[tuple[str, int, str], float]:
    pairsets = workshop.pairsets(paper.BENCHMARKS)
    cells = {}
    for name in _REGRESSORS:
        thin = workshop.quick and name in _QUICK_PAIRS
        levels = (3,) if workshop.quick and name == "network" else _LEVELS
        chosen = [spread(one, _QUICK_PAIRS[name]) for one in pairsets] if thin else pairsets
        specs = {m: f"bqcd:regressor={name}:n_levels={m}" for m in levels}
        found = workshop.answers(f"regressors-{name}", list(specs.values()), chosen)
        for m, spec in specs.items():
            for pairset in chosen:
                cells[name, m, pairset.name] = found[spec, pairset.name].mean("accuracy")
    return cells


def sweep_figure(workshop: Workshop) -> Product:
    """Accuracy of bQCD against the number of levels and the number of rows."""
    specs = {m: f"bqcd:n_levels={m}:small_n=0" for m in _LEVELS}
    pairsets = workshop.pairsets(paper.SIMULATED)
    cells: dict[tuple[str, int, int], float] = {}
    for size in _ROWS:
        cut = [_first_rows(pairset, size) for pairset in pairsets]
        found = workshop.answers(f"rows-{size}", list(specs.values()), cut)
        for m, spec in specs.items():
            for pairset in cut:
                cells[pairset.name, m, size] = found[spec, pairset.name].mean("accuracy")
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, f"m = {m}", *(cells[name, m, size] for size in _ROWS))
        for name in paper.SIMULATED
        for m in _LEVELS
    )
    sheet = Sheet(
        "Accuracy of bQCD by number of levels and rows",
        ("benchmark", "levels", *(f"n = {size}" for size in _ROWS)),
        rows,
        ("First n rows of every pair. The paper shows this as a figure without numbers.",),
    )
    by_rows = {
        name: {f"m = {m}": (_ROWS, [cells[name, m, n] for n in _ROWS]) for m in _LEVELS}
        for name in paper.SIMULATED
    }
    by_levels = {
        name: {f"n = {n}": (_LEVELS, [cells[name, m, n] for m in _LEVELS]) for n in _ROWS}
        for name in paper.SIMULATED
    }
    pictures = {
        "accuracy-by-rows": plots.plot_lines(by_rows, x_label="rows"),
        "accuracy-by-levels": plots.plot_lines(by_levels, x_label="quantile levels m"),
    }
    return Product((sheet,), pictures)


def _first_rows(pairset: PairSet, size: int) -> PairSet:
    def cut(item: LabelledPair) -> LabelledPair:
        pair = item.pair
        return replace(item, pair=replace(pair, x=pair.x[:size], y=pair.y[:size]))

    return replace(pairset, items=tuple(cut(item) for item in pairset))


def gallery_figures(workshop: Workshop) -> Product:
    """Scatter plots of the first pairs of the simulated benchmarks, the cause across."""

    def shown(names: Sequence[str]) -> list[tuple[str, list[tuple[Vector, Vector]]]]:
        return [
            (name, [_cause_first(item) for item in workshop.pairset(name).head(_SHOWN)])
            for name in names
        ]

    return Product(
        pictures={
            "gallery-sim": plots.plot_gallery(shown(["SIM", "SIM-c", "SIM-ln", "SIM-G"])),
            "gallery-noise": plots.plot_gallery(shown(["AN", "AN-s", "LS", "LS-s", "MN-U"])),
        }
    )


def _cause_first(item: LabelledPair) -> tuple[Vector, Vector]:
    pair = item.pair if item.truth.sign > 0 else item.pair.swapped()
    return pair.x, pair.y
