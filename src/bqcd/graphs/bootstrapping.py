"""Confidence in a whole graph: learnt and oriented again on many sub-samples of the rows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from bqcd.assessments.halves import half_places, rows_of_half
from bqcd.data.pair import Missing
from bqcd.data.tables import held_table, open_table
from bqcd.errors import BqcdError, InvalidResultsError, InvalidSettingError
from bqcd.graphs.bootstrap_folder import BootstrapFolder, Draw
from bqcd.graphs.formats.directions import graph_of
from bqcd.graphs.knowledge import NOTHING_KNOWN, Knowledge
from bqcd.graphs.learning import learnt_from
from bqcd.graphs.orienting.frequencies import EdgeFrequency
from bqcd.graphs.orienting.orient import orient
from bqcd.graphs.orienting.orientation import Orientation
from bqcd.graphs.orienting.table import complete_columns
from bqcd.graphs.partial import Edge, PartialGraph
from bqcd.graphs.skeletons import Learner
from bqcd.methods.table import named_method
from bqcd.methods.verdict import settings_of
from bqcd.runtime.arrays import Numbers, Vector
from bqcd.runtime.pool import answers_in_order
from bqcd.runtime.seeds import seed_from
from bqcd.runtime.settings import MOST_REPEATS, check_integer
from bqcd.runtime.shown import shown

_MOST_WORKERS = 1024
_OF_ORIENT = (
    "kind",
    "min_confidence",
    "force",
    "complete",
    "given_known",
    "min_share",
    "replicates",
)


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """What became of each edge when a graph was learnt and oriented on sub-samples.

    Parameters
    ----------
    edges : tuple of EdgeFrequency
        Pairs of nodes that were joined at least once, in alphabetical order.
    draws : int
        Sub-samples that gave a graph.
    rows : int
        Rows of a sub-sample.
    failed : tuple of str
        Why the other sub-samples gave none.
    facts : mapping of str to object
        What was done, ready for JSON.
    """

    edges: tuple[EdgeFrequency, ...]
    draws: int
    rows: int
    failed: tuple[str, ...]
    facts: Mapping[str, object]

    def frequency(self, a: str, b: str) -> EdgeFrequency:
        """What became of two nodes, in either order."""
        first, second = sorted((a, b))
        return self._by_edge.get((first, second)) or EdgeFrequency(first, second, {}, self.draws)

    @cached_property
    def _by_edge(self) -> dict[Edge, EdgeFrequency]:
        return {(edge.first, edge.second): edge for edge in self.edges}

    def told_of(self, orientation: Orientation) -> Orientation:
        """The orientation with the frequency of every edge in its record."""
        records = tuple(
            replace(record, frequency=self.frequency(*record.edge)) for record in orientation.edges
        )
        return replace(orientation, edges=records, bootstrap=self.as_dict())

    @property
    def summary(self) -> str:
        """How many sub-samples there were, and how many edges are in most of them."""
        return str(shown(self, "summary"))

    def sheet(self) -> Any:
        """Table of the pairs of nodes, those joined most often first."""
        return shown(self, "sheet")

    def as_dict(self) -> dict[str, object]:
        """Everything, ready for JSON."""
        return {
            **self.facts,
            "draws": self.draws,
            "rows": self.rows,
            "failed": list(self.failed),
            "edges": [edge.as_dict() for edge in self.edges],
        }


def bootstrap_graph(
    table: object,
    graph: object,
    *,
    draws: int = 100,
    knowledge: Knowledge = NOTHING_KNOWN,
    units: Sequence[object] | None = None,
    missing: Missing = "raise",
    seed: int = 0,
    workers: int = 1,
    folder: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: object,
) -> Bootstrap:
    """How often each edge is found, and which way, on random halves of the rows.

    On each half the graph is learnt again, if a learner is given, and its open edges are oriented
    again. Halves without replacement are what stability selection draws: rows that come twice, as
    in a bootstrap with replacement, would look like dependence to tests of independence [1]_.

    Parameters
    ----------
    table : path, data frame, mapping or ndarray of shape (n, k)
        As for :func:`bqcd.orient`.
    graph : learner, or graph that ``orient`` takes
        Such as ``bqcd.graphs.skeletons.PC()``; the edges of a graph stay, and only their
        directions are asked for again.
    draws : int, default=100
        Number of halves.
    knowledge : Knowledge, optional
        Directions that are known, for the learner and for ``orient``.
    units : sequence of length n, optional
        Which rows belong together: rows with the same entry are drawn together.
    missing : {"raise", "drop"}, default="raise"
        What to do with rows in which a value is missing; a half is drawn of complete rows.
    seed : int, default=0
        Seed; each half has its own, made of this and its number.
    workers : int, default=1
        Number of processes; the numbers do not depend on it.
    folder : path, optional
        Where finished halves are kept. The same call goes on from there; more ``draws`` are added.
    progress : callable, optional
        Told how many halves of how many are done.
    **options
        Of :func:`bqcd.orient`: ``kind``, ``method``, ``min_confidence``, ``force``, ``complete``,
        ``given_known``, and settings of the method.

    Raises
    ------
    InvalidResultsError
        If the folder holds something else.

    References
    ----------
    .. [1] Meinshausen, Bühlmann. Stability selection. JRSS B 2010.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=400)
    >>> table = {"a": a, "b": a**2 + 0.4 * rng.normal(size=400)}
    >>> bootstrap_graph(table, PartialGraph(undirected=["ab"]), draws=20).edges[0].counts
    {'a -> b': 20}
    """
    check_integer("bootstrap_graph", "draws", draws, minimum=1, maximum=MOST_REPEATS)
    check_integer("bootstrap_graph", "seed", seed, minimum=0)
    check_integer("bootstrap_graph", "workers", workers, minimum=1, maximum=_MOST_WORKERS)
    names, columns_at = open_table(held_table(table))
    told = [str(name) for name in names]
    learner, given = _source(graph, told)
    nodes = told if given is None else given.nodes
    knowledge.check_nodes({*told, *nodes})
    used = {name: columns_at(told.index(name))[0] for name in nodes if name in told}
    columns = complete_columns(used, missing=missing)
    known, numbers = knowledge.among(nodes), _numbers(units, columns)
    desk = _Desk(columns, learner, given, known, numbers, seed, options)
    if folder is None:
        done = _drawn(desk, range(draws), workers, progress, draws)
        return _counted(desk, [one for _, one in done])
    return _kept(desk, BootstrapFolder(folder), draws, workers, progress)


def _source(graph: object, names: list[str]) -> tuple[Learner | None, PartialGraph | None]:
    if hasattr(graph, "search") and hasattr(graph, "learn"):
        return graph, None  # type: ignore[return-value]
    return None, graph_of(graph, names=names).graph


def _numbers(units: Sequence[object] | None, columns: Mapping[str, Vector]) -> Numbers | None:
    """Number of the unit of each row."""
    if units is None:
        return None
    rows = len(next(iter(columns.values())))
    if len(units) != rows:
        raise InvalidSettingError(
            f"units of bootstrap_graph must name the {rows:,} complete rows, got {len(units):,}."
        )
    _, numbers = np.unique(np.asarray(units, dtype=object).astype(str), return_inverse=True)
    return np.asarray(numbers, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class _Desk:
    """All that a sub-sample takes; sent to each worker once."""

    columns: Mapping[str, Vector]
    learner: Learner | None
    graph: PartialGraph | None
    knowledge: Knowledge
    units: Numbers | None
    seed: int
    options: Mapping[str, object]

    @property
    def n_rows(self) -> int:
        return len(next(iter(self.columns.values())))

    def __call__(self, number: int) -> Draw:
        """Edges that one sub-sample gives."""
        rng = np.random.default_rng(seed_from(self.seed, "sub-sample", number))
        rows = half_places(self.n_rows, rows_of_half(self.n_rows), rng, self.units)
        part = {name: column[rows] for name, column in self.columns.items()}
        try:
            graph = self.graph
            options = dict(self.options)
            if self.learner is not None:
                learnt = learnt_from(part, self.learner, self.knowledge)
                graph = learnt.graph
                options["kind"] = options.get("kind") or learnt.kind
            found = orient(
                part,
                graph,
                knowledge=self.knowledge,
                overrule=True,
                find_units=False,
                seed=seed_from(self.seed, "verdicts", number),
                **options,  # type: ignore[arg-type]
            )
        except BqcdError as error:
            return {"message": str(error)}
        return {"arrows": [[*record.edge, record.arrow] for record in found.edges]}

    def manifest(self) -> dict[str, Any]:
        """Whatever the numbers depend on, ready for JSON."""
        known = self.knowledge
        settings = {name: value for name, value in self.options.items() if name != "method"}
        told = [name for name in settings if name not in _OF_ORIENT]
        name, method = named_method(
            "bootstrap_graph",
            self.options.get("method", "bqcd"),  # type: ignore[arg-type]
            {one: settings[one] for one in told},
        )
        return {
            "columns": _digest(self.columns, self.units),
            "learner": repr(self.learner) if self.learner is not None else None,
            "graph": None if self.graph is None else _arrows(self.graph),
            "knowledge": [known.tiers, known.required, known.forbidden],
            "method": name,
            "settings": settings_of(method),
            "options": {one: settings[one] for one in settings if one in _OF_ORIENT},
            "seed": self.seed,
        }


def _arrows(graph: PartialGraph) -> list[str]:
    return sorted(graph.arrow(*edge) for edge in graph.skeleton().undirected)


def _digest(columns: Mapping[str, Vector], units: Numbers | None) -> str:
    """Digest of names and numbers."""
    digest = blake2b(digest_size=16)
    for name in sorted(columns):
        digest.update(json.dumps(name).encode())
        digest.update(np.ascontiguousarray(columns[name], dtype="<f8").tobytes())
    if units is not None:
        digest.update(np.ascontiguousarray(units, dtype="<i8").tobytes())
    return digest.hexdigest()


def _drawn(
    desk: _Desk,
    numbers: Sequence[int],
    workers: int,
    progress: Callable[[int, int], None] | None,
    total: int,
) -> Iterator[tuple[int, Draw]]:
    """Sub-samples with their numbers, in order, as they are done."""
    workers = min(workers, max(1, len(numbers)))
    preloaded = [__name__, "numba", "scipy.special"]
    answers = answers_in_order(desk, numbers, workers=workers, preloaded=preloaded)
    with closing(answers):
        for at, (number, draw) in enumerate(zip(numbers, answers, strict=True), start=1):
            if progress is not None:
                progress(total - len(numbers) + at, total)
            yield number, draw


def _counted(desk: _Desk, done: Sequence[Draw]) -> Bootstrap:
    """Frequencies over sub-samples."""
    good = [draw["arrows"] for draw in done if "arrows" in draw]
    failed = tuple(draw["message"] for draw in done if "message" in draw)
    if not good:
        raise InvalidResultsError(f"No sub-sample gave a graph; the first says: {failed[0]}")
    counts: dict[Edge, Counter[str]] = {}
    for arrows in good:
        for first, second, arrow in arrows:
            counts.setdefault((first, second), Counter())[arrow] += 1
    edges = tuple(
        EdgeFrequency(*edge, dict(sorted(counts[edge].items())), len(good))
        for edge in sorted(counts)
    )
    facts = {
        "learner": None if desk.learner is None else repr(desk.learner),
        "seed": desk.seed,
    }
    return Bootstrap(edges, len(good), rows_of_half(desk.n_rows), failed, facts)


def _kept(
    desk: _Desk,
    folder: BootstrapFolder,
    draws: int,
    workers: int,
    progress: Callable[[int, int], None] | None,
) -> Bootstrap:
    """Frequencies, finished sub-samples taken from the folder and new ones kept there."""
    with folder.held():
        digest = folder.agree(desk.manifest())
        found = {number: folder.read_draw(number, digest) for number in range(draws)}
        lacking = [number for number, draw in found.items() if draw is None]
        for number, draw in _drawn(desk, lacking, workers, progress, draws):
            folder.write_draw(number, digest, draw)
            found[number] = draw
    return _counted(desk, [draw for draw in found.values() if draw is not None])
