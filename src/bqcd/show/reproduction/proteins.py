"""The paper's appendix on graphs: protein signals, CAM's graph oriented by each method."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import mean, stdev
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bqcd.benchmark.datasets import LabelledTable, load_proteins
from bqcd.graphs import PartialGraph, cpdag_of, orient
from bqcd.graphs.distances import structural_hamming_distance, structural_intervention_distance
from bqcd.graphs.orienting.settling import Kind
from bqcd.graphs.skeletons import CAM
from bqcd.runtime.seeds import seed_from
from bqcd.show import plots
from bqcd.show.reproduction import paper
from bqcd.show.reproduction.products import Product
from bqcd.show.reproduction.workshop import Workshop
from bqcd.show.sheets import Cell, Sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Columns = dict[str, NDArray[np.float64]]
Distances = tuple[int, int]

_SUBSAMPLES = 10
_SHARE = 0.9
_CUTOFF = 0.05
_METHODS = {"random": "coin"}
_LABELS = {
    "bqcd": "bQCD",
    "igci-u": "IGCI-u",
    "slope": "Slope",
    "resit": "RESIT",
    "cam": "CAM",
    "emd": "EMD",
    "lingam": "LINGAM",
    "gran": "GRAN",
    "random": "Random",
}


def protein_table(workshop: Workshop) -> Product:
    """Distances to the true graph of CAM's graph, its edges oriented by each method."""
    data = load_proteins()
    truth = PartialGraph(data.columns, directed=data.edges)
    names = [
        name
        for name in paper.SACHS
        if name == "cam" or workshop.affordable(_METHODS.get(name, name))
    ]
    in_class: dict[str, list[Distances]] = {name: [] for name in names}
    free: dict[str, list[Distances]] = {name: [] for name in names}
    for at, columns in enumerate(_subsamples(data)):
        dag = CAM(cutoff=_CUTOFF).learn(columns)
        cpdag = cpdag_of(dag)
        for name in names:
            if name == "cam":
                found = every = dag
            else:
                method = _METHODS.get(name, name)
                found = _oriented(columns, cpdag, "cpdag", method=method, seed=at)
                every = _oriented(columns, cpdag.skeleton(), "skeleton", method=method, seed=at)
            in_class[name].append(_distances(found, truth))
            free[name].append(_distances(every, truth))
    notes = (
        f"{_SUBSAMPLES} random subsamples of {_SHARE:.0%} of the rows: means and standard "
        "deviations.",
        f"CAM prunes at p = {_CUTOFF:g}. Its own default of 0.001 leaves 11 edges instead of 15 "
        "and an SHD of 13: the paper does not tell its own, and this one was chosen as CAM's two "
        "distances are then near the printed ones.",
        f"Of the published truths, that with {len(data.edges)} edges; the one with 20 gives SIDs "
        "of 81 and more.",
    )
    first = _sheet("Undirected edges of CAM's CPDAG oriented", in_class, notes)
    second = _sheet("Every edge of CAM's CPDAG oriented", free, notes[:1])
    return Product((first, second), {"sachs": _picture(data, truth)})


def _subsamples(data: LabelledTable) -> Iterator[Columns]:
    n_rows = len(next(iter(data.columns.values())))
    for at in range(_SUBSAMPLES):
        rng = np.random.default_rng(seed_from("sachs", at))
        kept = np.sort(rng.permutation(n_rows)[: round(_SHARE * n_rows)])
        yield {name: column[kept] for name, column in data.columns.items()}


def _oriented(
    columns: Columns, graph: PartialGraph, kind: Kind, *, method: str = "bqcd", seed: int = 0
) -> PartialGraph:
    """DAG from a graph with open edges."""
    return orient(columns, graph, kind=kind, method=method, seed=seed, complete=True).graph


def _distances(found: PartialGraph, truth: PartialGraph) -> Distances:
    return (
        structural_intervention_distance(found, truth),
        structural_hamming_distance(found, truth),
    )


def _sheet(title: str, found: Mapping[str, list[Distances]], notes: tuple[str, ...]) -> Sheet:
    rows: list[tuple[Cell, ...]] = []
    for name, distances in found.items():
        intervention, hamming = zip(*distances, strict=True)
        printed = paper.SACHS[name]
        here = (mean(intervention), stdev(intervention), mean(hamming), stdev(hamming))
        there = (
            printed.intervention,
            printed.intervention_spread,
            printed.hamming,
            printed.hamming_spread,
        )
        rows.append((_LABELS[name], "here", *here))
        rows.append(("", "paper", *there))
    columns = ("", "", "SID", "sd of SID", "SHD", "sd of SHD")
    return Sheet(title, columns, tuple(rows), notes, digits=1)


def _picture(data: LabelledTable, truth: PartialGraph) -> Figure:
    """BQCD's graph of all rows, its edges told right, reversed or absent from the truth."""
    cpdag = cpdag_of(CAM(cutoff=_CUTOFF).learn(data.columns))
    found = _oriented(data.columns, cpdag, "cpdag")
    outcomes = {
        (tail, head): "correct"
        if truth.is_directed(tail, head)
        else "reversed"
        if truth.is_directed(head, tail)
        else "not in the truth"
        for tail, head in found.directed
    }
    return plots.plot_graph(
        found,
        outcomes=outcomes,
        title="CAM's graph of protein signals, oriented by bQCD",
    )
