"""The paper's appendix on graphs: protein signals, CAM's graph oriented by each method."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bqcd.benchmark.datasets import LabelledTable, load_proteins
from bqcd.graphs import PartialGraph, cpdag_of, orient
from bqcd.graphs.distances import structural_hamming_distance, structural_intervention_distance
from bqcd.graphs.orienting.settling import Kind
from bqcd.graphs.skeletons import CAM
from bqcd.graphs.skeletons.cam import CAMSearch
from bqcd.runtime.seeds import seed_from
from bqcd.show import plots
from bqcd.show.reproduction import paper
from bqcd.show.reproduction.products import Product
from bqcd.show.reproduction.workshop import Workshop
from bqcd.show.sheets import Cell, Sheet
from bqcd.show.words.methods import table_notes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Columns = dict[str, NDArray[np.float64]]
Distances = tuple[int, int]
Found = dict[tuple[str, Kind], list[Distances]]

CUTOFFS: Mapping[float, str] = {
    0.001: "the default of the R package, and the paper says that it used the defaults",
    0.05: "CAM's own two distances are then nearest the printed ones, and so are those of most "
    "methods",
}
"""P-values at which CAM prunes, and why each is shown."""

NEAR = (2.0, 1.5)
"""A printed SID and SHD are taken as reached within these."""

LINGAM_ALONE = paper.GraphDistances(46.7, 1.6, 13.7, 0.7)
"""Graph of all eleven columns by causal-learn's ICALiNGAM (seed 0), on the same subsamples."""

_SUBSAMPLES = 10
_SHARE = 0.9
_KINDS: tuple[Kind, ...] = ("skeleton", "cpdag")
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
_COLUMNS = ("SID", "sd of SID", "SHD", "sd of SHD")


@dataclass(frozen=True, slots=True)
class Subsample:
    """Some of the rows, and what CAM's search found in them."""

    columns: Columns
    search: CAMSearch

    def graph(self, cutoff: float) -> PartialGraph:
        """DAG of the edges whose p-value is below the cutoff."""
        kept = [
            (edge.tail, edge.head)
            for edge in self.search.edges
            if edge.p_value is not None and edge.p_value < cutoff
        ]
        return PartialGraph(self.columns, directed=kept)


def protein_table(workshop: Workshop) -> Product:
    """Distances to the true graph of CAM's graph, its edges oriented by each method."""
    data = load_proteins()
    truth = PartialGraph(data.columns, directed=data.edges)
    names = [
        name
        for name in paper.SACHS
        if name == "cam" or workshop.affordable(_METHODS.get(name, name))
    ]
    left_out = [_LABELS[name] for name in workshop.left_out(list(paper.SACHS))]
    subsamples = [Subsample(one, CAM().search(one)) for one in protein_subsamples(data)]
    sheets: list[Sheet] = []
    pictures: dict[str, Figure] = {}
    for cutoff in CUTOFFS:
        found = _found(subsamples, truth, names, cutoff)
        least = [_skeleton_distance(one.graph(cutoff), truth) for one in subsamples]
        sheets.append(_sheet(cutoff, found, least, left_out))
        stem = "sachs" if not pictures else f"sachs-{cutoff:g}"
        pictures[stem] = _picture(data, truth, cutoff)
    return Product(tuple(sheets), pictures)


def protein_subsamples(data: LabelledTable) -> Iterator[Columns]:
    """Columns of ten random subsamples of nine tenths of the rows."""
    n_rows = len(next(iter(data.columns.values())))
    for at in range(_SUBSAMPLES):
        rng = np.random.default_rng(seed_from("sachs", at))
        kept = np.sort(rng.permutation(n_rows)[: round(_SHARE * n_rows)])
        yield {name: column[kept] for name, column in data.columns.items()}


def _found(
    subsamples: Sequence[Subsample], truth: PartialGraph, names: Sequence[str], cutoff: float
) -> Found:
    """Distances of each subsample, by method and by which edges it orients."""
    found: Found = {(name, kind): [] for name in names for kind in _KINDS}
    for at, one in enumerate(subsamples):
        dag = one.graph(cutoff)
        open_graphs = {"cpdag": cpdag_of(dag), "skeleton": cpdag_of(dag).skeleton()}
        for name, kind in found:
            graph = dag
            if name != "cam":
                method = _METHODS.get(name, name)
                graph = _oriented(one.columns, open_graphs[kind], kind, method=method, seed=at)
            found[name, kind].append(_distances(graph, truth))
    return found


def _oriented(
    columns: Columns, graph: PartialGraph, kind: Kind, *, method: str = "bqcd", seed: int = 0
) -> PartialGraph:
    """DAG from a graph with open edges."""
    return orient(
        columns, graph, kind=kind, method=method, seed=seed, force=True, complete=True
    ).graph


def _distances(found: PartialGraph, truth: PartialGraph) -> Distances:
    return (
        structural_intervention_distance(found, truth),
        structural_hamming_distance(found, truth),
    )


def _skeleton_distance(found: PartialGraph, truth: PartialGraph) -> int:
    """The least SHD that any orientation of these edges can have."""
    return structural_hamming_distance(found.skeleton(), truth.skeleton())


def _sheet(cutoff: float, found: Found, least: Sequence[int], left_out: Sequence[str]) -> Sheet:
    rows: list[tuple[Cell, ...]] = []
    for name in dict.fromkeys(name for name, _ in found):
        printed = _four(paper.SACHS[name])
        here = [_summary(found[name, kind]) for kind in _KINDS]
        gaps = [_gaps(one, printed) for one in here]
        rows.append((_LABELS[name], "here", *here[0], *here[1]))
        rows.append(("", "paper", *printed, *printed))
        rows.append(("", "+/-", *gaps[0], *gaps[1]))
    floor = (None, None, fmean(least), stdev(least))
    rows.append(("Any method, at least", "here", *floor, *floor))
    title = f"Protein signals: CAM's graph pruned at p = {cutoff:g}, oriented by each method"
    columns = ("", "", *_COLUMNS, *(f"{column}, open" for column in _COLUMNS))
    return Sheet(title, columns, tuple(rows), _notes(cutoff, found, left_out), digits=1)


def _summary(distances: Sequence[Distances]) -> tuple[float, float, float, float]:
    intervention, hamming = zip(*distances, strict=True)
    return fmean(intervention), stdev(intervention), fmean(hamming), stdev(hamming)


def _four(printed: paper.GraphDistances) -> tuple[float, float, float, float]:
    return (
        printed.intervention,
        printed.intervention_spread,
        printed.hamming,
        printed.hamming_spread,
    )


def _gaps(here: Sequence[float], there: Sequence[float]) -> list[str | None]:
    """Differences of the means; those of standard deviations say little with ten subsamples."""
    gaps = [f"{a - b:+.1f}" for a, b in zip(here, there, strict=True)]
    return [gaps[0], None, gaps[2], None]


def _notes(cutoff: float, found: Found, left_out: Sequence[str]) -> tuple[str, ...]:
    first = cutoff == next(iter(CUTOFFS))
    notes = [f"CAM prunes at p = {cutoff:g}: {CUTOFFS[cutoff]}.", _reached(found)]
    if left_out:
        notes.append(f"Left out of the quick run for their cost: {', '.join(left_out)}.")
    return (*notes, *(_ABOUT if first else ()), *_REASONS[cutoff], *table_notes([("bqcd", "{}")]))


def _reached(found: Found) -> str:
    """Which rows come near the printed ones when every edge is oriented."""
    missed = [
        f"{_LABELS[name]} ({', '.join(gap for gap in _gaps(here, printed)[::2] if gap)})"
        for name in dict.fromkeys(name for name, _ in found)
        for here, printed in [(_summary(found[name, "skeleton"]), _four(paper.SACHS[name]))]
        if abs(here[0] - printed[0]) > NEAR[0] or abs(here[2] - printed[2]) > NEAR[1]
    ]
    rows = len(found) // len(_KINDS)
    head = (
        f"{rows - len(missed)} of {rows} rows are reached within {NEAR[0]:g} in SID and "
        f"{NEAR[1]:g} in SHD"
    )
    return f"{head}. Not reached: {', '.join(missed)}." if missed else f"{head}."


_ABOUT = (
    f"{_SUBSAMPLES} random subsamples of {_SHARE:.0%} of the rows, as in the paper's text (its "
    "caption says 10-fold cross-validation): means and standard deviations.",
    "The first four columns have every edge of CAM's CPDAG oriented by the method, as the paper "
    'says; "open" those alone that the CPDAG leaves undirected.',
    "Any method, at least: SHD of a graph with CAM's edges and no reversed one.",
    "Truth: of the published graphs, the one with 17 edges; the one with 20 gives SIDs of 81 and "
    "more. The paper does not say which it used.",
    "The paper's text calls bQCD best by SID and SHD; by its own table RESIT and LINGAM have the "
    "lower SHD. Its text has 53 and 17 for CAM's own graph, the table 53.4 and 15.4.",
)
_REASONS: Mapping[float, tuple[str, ...]] = {
    0.001: (),
    0.05: (
        "RESIT and LINGAM are reached at p = 0.001 and not here, most others here and not there. "
        "The two seem to rest on another graph: the printed SHD of RESIT has a standard deviation "
        "of 0.3, less than CAM's edges have by themselves (last row).",
        "Or they are graphs of their own, as both implementations learn whole ones, which the "
        "paper does not say it used: LiNGAM's of all eleven columns has here SID "
        f"{LINGAM_ALONE.intervention} ({LINGAM_ALONE.intervention_spread}) and SHD "
        f"{LINGAM_ALONE.hamming} ({LINGAM_ALONE.hamming_spread}).",
        "Random, and GRAN in a thorough run, miss by less than the printed standard deviations "
        "of their SIDs, 3.6 and 4.",
    ),
}


def _picture(data: LabelledTable, truth: PartialGraph, cutoff: float) -> Figure:
    """BQCD's graph of all rows, its edges told right, reversed or absent from the truth."""
    skeleton = CAM(cutoff=cutoff).learn(data.columns).skeleton()
    found = _oriented(data.columns, skeleton, "skeleton")
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
        title=f"CAM's graph of protein signals (p < {cutoff:g}), oriented by bQCD",
    )
