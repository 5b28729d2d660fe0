"""Learners of graphs on simulated tables and protein signals: SHD, SID, order, time.

    OPENBLAS_NUM_THREADS=1 python benchmarks/learners.py [--nodes 10 20 50] [--graphs 3 3 1]
    [--noises AN LS MN HS HT] [--learners cam qcam] [--seconds 600]

Erdős-Rényi and scale-free graphs of mean degree 2, 1,000 rows; noise that is added (AN), with a
spread that follows the signal (LS), multiplied (MN), with a spread of its own (HS), heavy-tailed
(HT). Every outcome is a line of ``--rows`` at once, and what is there is not computed again: with
``--seconds`` the same command goes on another day. The page is made of all lines: means with their
standard errors over graphs, and differences to CAM on the same graphs.

"+ bqcd" takes the CPDAG and lets verdicts on pairs orient it, all edges and without cycles; after
CAM and quantile CAM, whose graphs are at hand, its time is that of the verdicts alone. RESIT is
lingam's with additive splines, where lingam is installed, on the first graphs of 10 nodes. "Order"
is the share of true edges against which the graph found has a directed path; "directions right"
counts the true links that were found. GES stops at 20 nodes.
``--graphs`` are those of each size, topology and noise. Where some noises have more graphs than
others, tables over all noises are of the first graphs, of which all have the same number.

Whether quantile CAM is ahead of CAM by means takes more graphs. Their number was fixed before any
of them was drawn, by the spread of those at hand, for standard errors of 0.3 and 1 (LS, 10 and 20
nodes) and of 0.7 and 2 (MN), with ``--learners cam qcam "qcam + bqcd"``:

    --noises LS --nodes 10 20 --graphs 100 50
    --noises MN --nodes 10 20 --graphs 50 30

Time was up with 56 and 37 of LS, before outcomes were compared; the commands go on from there.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from statistics import mean, stdev
from time import perf_counter, process_time

import numpy as np
from scipy.stats import binomtest

from bqcd.benchmark.datasets import load_proteins
from bqcd.benchmark.datasets.generators.networks import simulate_table
from bqcd.benchmark.datasets.proteins import LabelledTable
from bqcd.errors import BqcdError
from bqcd.graphs import PartialGraph, cpdag_of, orient
from bqcd.graphs.distances import structural_hamming_distance, structural_intervention_distance
from bqcd.graphs.partial import topological_order
from bqcd.graphs.skeletons import CAM, GES, PC, QuantileCAM, QuantileRESIT
from bqcd.runtime.seeds import seed_from

RESULTS = Path(__file__).parent / "results"
TOPOLOGIES, MECHANISMS = ("erdos-renyi", "scale-free"), ("AN", "LS", "MN", "HS", "HT")
Columns = dict[str, np.ndarray]


def judged(columns: Columns, cpdag: PartialGraph, *, known: bool = False) -> PartialGraph:
    """DAG of a CPDAG, by verdicts on pairs."""
    asked = {"force": True, "complete": True, "given_known": known}
    return orient(columns, cpdag, kind="cpdag", **asked).graph


def lingam_resit(columns: Columns) -> PartialGraph:
    """RESIT of the package lingam, with additive splines."""
    import lingam
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import SplineTransformer

    splines = make_pipeline(SplineTransformer(n_knots=8), RidgeCV(np.logspace(-3, 3, 7)))
    names = list(columns)
    values = np.column_stack(list(columns.values()))
    model = lingam.RESIT(regressor=splines, alpha=0.001).fit(values)
    edges = np.argwhere(model.adjacency_matrix_ != 0)
    return PartialGraph(names, directed=[(names[tail], names[head]) for head, tail in edges])


def cam(columns: Columns) -> CAM:
    """CAM, with parents preselected where there are many columns, as its authors advise."""
    return CAM(preselect=len(columns) > 30)


_LEARNT: dict[str, tuple[Columns, PartialGraph]] = {}


def learnt(name: str, columns: Columns) -> PartialGraph:
    """Graph that a learner found in the same columns last time, or finds now."""
    if name not in _LEARNT or _LEARNT[name][0] is not columns:
        _LEARNT[name] = columns, LEARNERS[name](columns)
    return _LEARNT[name][1]


LEARNERS: dict[str, Callable[[Columns], PartialGraph]] = {
    "cam": lambda columns: cam(columns).learn(columns),
    "qcam": lambda columns: QuantileCAM().learn(columns),
    "qresit": lambda columns: QuantileRESIT().learn(columns),
    "cam + bqcd": lambda columns: judged(columns, cpdag_of(learnt("cam", columns))),
    "qcam + bqcd": lambda columns: judged(columns, cpdag_of(learnt("qcam", columns))),
    "pc + bqcd": lambda columns: judged(columns, PC(test="copula", alpha=0.01).learn(columns)),
    "ges + bqcd": lambda columns: judged(columns, GES().learn(columns)),
    "resit (lingam)": lingam_resit,
}


def tried(name: str, nodes: int, at: int) -> bool:
    """Whether a learner is quick enough for a graph."""
    if name == "resit (lingam)":
        return nodes <= 10 and at == 0 and _has_lingam()
    return nodes <= 20 or name != "ges + bqcd"


def _has_lingam() -> bool:
    from importlib.util import find_spec

    return find_spec("lingam") is not None


def outcome(table: LabelledTable, name: str) -> dict[str, object]:
    """Numbers of one graph."""
    truth = PartialGraph(table.columns, directed=table.edges)
    start = process_time()
    try:
        found = learnt(name, table.columns)
    except BqcdError as error:
        return {"failed": str(error)}
    seconds = process_time() - start
    place = {node: at for at, node in enumerate(topological_order(found))}
    against = [edge for edge in table.edges if _leads(found, edge[1], edge[0], place)]
    links = {frozenset(edge) for edge in found.directed}, {frozenset(edge) for edge in table.edges}
    return {
        "shd": structural_hamming_distance(found, truth),
        "sid": structural_intervention_distance(found, truth),
        "order": len(against) / max(len(table.edges), 1),
        "extra": len(links[0] - links[1]),
        "missing": len(links[1] - links[0]),
        "edges": len(table.edges),
        "seconds": seconds,
    }


def _leads(graph: PartialGraph, start: str, end: str, place: dict[str, int]) -> bool:
    """Whether a directed path leads from one node to another."""
    seen, left = {end}, [end]
    while left:
        node = left.pop()
        if node == start:
            return True
        new = {one for one in graph.parents(node) if place[one] >= place[start]} - seen
        seen |= new
        left += new
    return False


def tasks(
    sizes: dict[int, int], noises: Sequence[str], learners: Sequence[str]
) -> Iterator[tuple[int, str, str, int, str]]:
    """What is to be done, small graphs first."""
    for size, graphs in sizes.items():
        for at, mechanism, topology in product(range(graphs), noises, TOPOLOGIES):
            for name in learners:
                if tried(name, size, at):
                    yield size, mechanism, topology, at, name


def run(path: Path, asked: argparse.Namespace) -> None:
    """Append the outcomes that are not there yet."""
    done = {tuple(row["task"]) for row in rows_of(path)}
    end = perf_counter() + asked.seconds
    drawn: dict[tuple[object, ...], LabelledTable] = {}
    sizes = dict(zip(asked.nodes, asked.graphs, strict=True))
    for task in tasks(sizes, asked.noises, asked.learners):
        if task in done:
            continue
        if perf_counter() > end:
            return
        size, mechanism, topology, at, name = task
        if task[:-1] not in drawn:
            rng = np.random.default_rng(seed_from("learners", topology, mechanism, size, at))
            table = simulate_table(size, topology=topology, mechanism=mechanism, rng=rng)
            drawn = {task[:-1]: table}
        append(path, {"task": task, **outcome(drawn[task[:-1]], name)})
    for name in asked.learners:
        task = ("sachs", "", "", 0, name)
        if task not in done and (name != "resit (lingam)" or _has_lingam()):
            append(path, {"task": task, **outcome(load_proteins(), name)})


def append(path: Path, row: dict[str, object]) -> None:
    """Add a line."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def rows_of(path: Path) -> list[dict]:
    """All lines."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def directions(rows: list[dict], name: str) -> tuple[int, int]:
    """True links that a learner found, and how many of them it gave the true direction."""
    own = [row for row in rows if row["task"][4] == name and "failed" not in row]
    links = sum(row["edges"] - row["missing"] for row in own)
    return links, links - sum(row["shd"] - row["extra"] - row["missing"] for row in own)


def page(rows: list[dict]) -> str:
    """Tables of all outcomes."""
    lines = ["# Learners of graphs", "", *_head()]
    rows = [row for row in rows if "failed" not in row]
    for size in sorted({row["task"][0] for row in rows if row["task"][0] != "sachs"}):
        of_size = [row for row in rows if row["task"][0] == size]
        lines += ["", f"## {size} nodes", ""]
        lines += _table(_balanced(of_size))
        lines += ["", "SID by mechanism, ± standard error (graphs):", "", *_by_mechanism(of_size)]
        lines += ["", "SID less that of CAM on the same graphs:", ""]
        lines += _by_mechanism(_less_cam(of_size))
    simulated = [row for row in rows if row["task"][0] != "sachs"]
    lines += ["", "## Graph by graph", "", *_SIGNS, ""]
    lines += _by_mechanism(_less_cam(simulated), _signs)
    sachs = [row for row in rows if row["task"][0] == "sachs"]
    if sachs:
        lines += ["", "## Protein signals (853 cells, 11 proteins, 17 edges)", "", *_table(sachs)]
    return "\n".join(lines) + "\n"


_SIGNS = (
    "Graphs of all sizes on which the SID is smaller than CAM's, and larger; in brackets how",
    "likely signs as uneven are by chance (sign test, both sides). Graphs differ much in size and",
    "SID, so that few of them make up the means above.",
)


def _head() -> list[str]:
    return [
        "Made by `benchmarks/learners.py` (`make bench-learners`): simulated tables of 1,000 rows,",
        "means over graphs, half of them Erdős-Rényi and half scale-free; CPU seconds on one core",
        "while others worked on the same machine. A learner counts on the graphs it was tried on:",
        "compare those with as many graphs, or differences to CAM.",
        "",
        "Most rows of quantile learners are from before tests of levels took the variance of",
        "levels from what the model leaves; the last of LS (from number 56 with 10 nodes, 37 with",
        "20) and MN (15, 10) are from after. Of 1,514 tests of parents on 42 of the graphs of 10",
        "nodes (AN, LS, MN, HT) none is decided otherwise since.",
    ]


def _balanced(rows: list[dict]) -> list[dict]:
    """Outcomes of the first graphs, as many of each noise."""
    had: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        had[row["task"][1]].add(row["task"][3])
    return [row for row in rows if row["task"][3] < min(len(graphs) for graphs in had.values())]


def _table(rows: list[dict]) -> list[str]:
    lines = [
        "| learner | graphs | SHD | SID | order against | directions right | extra | missing |"
        " seconds |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name in LEARNERS:
        own = [row for row in rows if row["task"][4] == name]
        if own:
            told = [mean(row[key] for row in own) for key in ("shd", "sid")]
            share = sum(row["order"] * row["edges"] for row in own) / sum(r["edges"] for r in own)
            rest = [mean(row[key] for row in own) for key in ("extra", "missing", "seconds")]
            links, right = directions(own, name)
            numbers = f"{told[0]:.1f} | {told[1]:.1f} | {share:.3f} | {right} of {links}"
            cells = f"{numbers} | {rest[0]:.1f} | {rest[1]:.1f} | {rest[2]:.1f}"
            lines.append(f"| {name} | {len(own)} | {cells} |")
    return lines


def _less_cam(rows: list[dict]) -> list[dict]:
    """Differences of SIDs to those of CAM."""
    cam_has = {tuple(row["task"][:4]): row["sid"] for row in rows if row["task"][4] == "cam"}
    return [
        {"task": row["task"], "sid": row["sid"] - cam_has[tuple(row["task"][:4])]}
        for row in rows
        if row["task"][4] != "cam" and tuple(row["task"][:4]) in cam_has
    ]


def _told(cell: list[float]) -> str:
    """Mean, standard error and number."""
    if not cell:
        return "-"
    error = f" ± {stdev(cell) / len(cell) ** 0.5:.1f}" if len(cell) > 1 else ""
    return f"{mean(cell):.1f}{error} ({len(cell)})"


def _signs(cell: list[float]) -> str:
    """How often a difference is below 0 and above, and the p-value of a sign test."""
    below, above = sum(one < 0 for one in cell), sum(one > 0 for one in cell)
    if below + above == 0:
        return "0, 0" if cell else "-"
    return f"{below}, {above} ({binomtest(below, below + above).pvalue:.2g})"


def _by_mechanism(rows: list[dict], told: Callable[[list[float]], str] = _told) -> list[str]:
    lines = [
        f"| learner | {' | '.join(MECHANISMS)} |",
        f"|---|{'---:|' * len(MECHANISMS)}",
    ]
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        found[row["task"][4], row["task"][1]].append(row["sid"])
    for name in LEARNERS:
        cells = [found.get((name, mechanism), []) for mechanism in MECHANISMS]
        if any(cells):
            lines.append(f"| {name} | {' | '.join(told(cell) for cell in cells)} |")
    return lines


def main() -> None:
    """Run what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=[10, 20, 50])
    parser.add_argument("--graphs", type=int, nargs="+", default=[3, 3, 1])
    parser.add_argument("--noises", nargs="+", default=MECHANISMS, choices=MECHANISMS)
    parser.add_argument("--learners", nargs="+", default=list(LEARNERS), choices=list(LEARNERS))
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--rows", type=Path, default=RESULTS / "learners.jsonl")
    asked = parser.parse_args()
    run(asked.rows, asked)
    (RESULTS / "learners.md").write_text(page(rows_of(asked.rows)), encoding="utf-8")


if __name__ == "__main__":
    main()
