"""From a table and a graph to an orientation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from bqcd.assessments.assessing import DEFAULT
from bqcd.assessments.unit_columns import UnitColumns
from bqcd.data.nominal import declared_table
from bqcd.data.pair import Missing
from bqcd.data.places import column_position, name_places
from bqcd.data.tables import held_table, open_table
from bqcd.errors import InvalidGraphError, InvalidSettingError
from bqcd.graphs.formats import ReadGraph, read_graph
from bqcd.graphs.formats.directions import graph_of
from bqcd.graphs.knowledge import NOTHING_KNOWN, Knowledge, read_knowledge
from bqcd.graphs.notes import GraphNote
from bqcd.graphs.orienting.case import Case
from bqcd.graphs.orienting.edges import Judge, given_parents, judge_edges
from bqcd.graphs.orienting.orientation import Orientation
from bqcd.graphs.orienting.pag_rules import open_edges
from bqcd.graphs.orienting.policy import Policy
from bqcd.graphs.orienting.records import Judgement
from bqcd.graphs.orienting.settling import Kind, check_known
from bqcd.graphs.orienting.table import NodeColumns
from bqcd.graphs.partial import Edge, PartialGraph, refuse_mixed
from bqcd.methods.table import named_method
from bqcd.methods.verdict import Method, settings_of
from bqcd.runtime.settings import (
    MOST_REPEATS,
    check_choice,
    check_flag,
    check_integer,
    check_number,
    nearest_names,
)


def orient(
    table: object,
    graph: object,
    *,
    kind: Kind | None = None,
    convention: str | None = None,
    method: str | Method = "bqcd",
    knowledge: Knowledge | str | PathLike[str] = NOTHING_KNOWN,
    overrule: bool = False,
    min_confidence: float = 0.0,
    min_share: float = 0.0,
    replicates: int = 0,
    find_units: bool = True,
    given_known: bool = False,
    force: bool = False,
    assessed: bool = False,
    complete: bool = False,
    missing: Missing = "raise",
    nominal: str | Sequence[str] = (),
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    **settings: object,
) -> Orientation:
    """Orient the open edges of a graph by verdicts on pairs of columns.

    Edges are judged pair by pair, ranked by the size of the confidence, and added one by one,
    each unless it would close a cycle or, in a CPDAG, make a collider the graph does not
    have. What then follows by Meek's rules is oriented at once.

    Parameters
    ----------
    table : path, data frame, mapping or ndarray of shape (n, k)
        One column for each node of the graph; a file, or any table that :func:`bqcd.read_table`
        takes.
    graph : networkx graph, PartialGraph, LearntGraph, causal-learn graph, adjacency matrix or path
        Nodes are column names, or positions in an array; rows of a matrix without names are
        the columns in order. Directed edges stay as they are. Of a graph that :func:`learn_graph`
        gave they are judged too, to tell how far the pair alone says the same.
    kind : {"skeleton", "cpdag", "pag"}, optional
        Whether colliders are free, or those of the graph are all there are. By default a
        graph without any directed edge is a skeleton, any other a CPDAG; one with circles or two
        heads is a PAG, of which only circles are judged, and all other ends stay.
    convention : {"row-causes-column", "column-causes-row", "causal-learn", "pcalg"}, optional
        How an adjacency matrix is to be read that is not symmetric. Of a file with a list of
        edges, "directed" or "undirected": what edges without a type are.
    method : str or Method, default="bqcd"
        What judges pairs. ``"auto"`` picks a method for each pair; confidences then have different
        scales, and edges are ranked by how far they exceed what they must.
    knowledge : Knowledge or path, optional
        Tiers, required and forbidden directions, or a file with them.
    overrule : bool, default=False
        Whether knowledge turns directions that the graph has, and the edge's record says so. A
        contradiction is an error otherwise.
    min_confidence : float, default=0.0
        Edges whose confidence is smaller are left open.
    min_share : float, default=0.0
        Edges whose verdict a smaller share of replicates has are left open.
    replicates : int, default=0
        Number of random halves of the rows on which each verdict is checked; 100 if only
        ``min_share`` is given.
    find_units : bool, default=True
        Whether to look for rows that belong together and draw halves by them, as
        :func:`bqcd.assess` does. False takes all rows as independent.
    given_known : bool, default=False
        Whether an edge is judged, when its turn comes, by what is left of both columns after
        an additive model of the parents known by then. Rows must be complete in all columns.
    force : bool, default=False
        Whether the sign of the confidence counts where the direction of an edge cannot be told
        (see :attr:`bqcd.Verdict.answer`). Such edges are left open otherwise.
    assessed : bool, default=False
        Whether each edge is assessed as by :func:`bqcd.assess`, with its probability and answer.
        That takes as long as so many assessments.
    complete : bool, default=False
        Whether edges left open are oriented after all, so that a DAG comes out.
    missing : {"raise", "drop"}, default="raise"
        What to do with rows in which either value of a pair is missing.
    nominal : str or sequence of str, default=()
        Columns whose numbers are names and have no order. Edges of such columns, and of words, are
        left open with the reason by methods that need an order; ``"auto"`` picks one that does not.
    seed : int, default=0
        Seed; each edge has its own, made of this and the names of its nodes by
        :func:`bqcd.graphs.edge_seed`, and found as ``record(a, b).judgement.seed``. With it
        ``decide`` and ``assess`` give the pair the edge's confidence and share.
    progress : callable, optional
        Told how many edges of how many are judged.
    **settings
        Settings of the method.

    Raises
    ------
    InvalidGraphError
        If a node has no column, the given directions have a cycle, or the graph is not one.
    InvalidKnowledgeError
        If knowledge contradicts the graph, or names what is neither a column nor a node.

    Examples
    --------
    >>> import numpy as np
    >>> import networkx as nx
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=500)
    >>> b = a**2 + 0.5 * rng.normal(size=500)
    >>> c = np.sin(2.0 * b) + 0.5 * rng.normal(size=500)
    >>> found = orient({"a": a, "b": b, "c": c}, nx.path_graph(["a", "b", "c"]))
    >>> sorted(found.directed.edges)
    [('a', 'b'), ('b', 'c')]
    """
    policy = _policy(min_confidence, min_share, complete)
    flags = {
        "given_known": given_known,
        "find_units": find_units,
        "force": force,
        "overrule": overrule,
        "assessed": assessed,
    }
    for name, flag in flags.items():
        check_flag("orient", name, flag)
    check_integer("orient", "seed", seed, minimum=0)
    check_integer("orient", "replicates", replicates, minimum=0, maximum=MOST_REPEATS)
    if method == "auto" and assessed:
        settings = {"ordered": DEFAULT, **settings}
    judge = _judge(method, settings, replicates or (100 if min_share else 0), seed)
    judge = replace(judge, force=force, assessed=assessed)
    table = held_table(declared_table(table, nominal))
    names, columns_at = open_table(table)
    told = [str(name) for name in names]
    source = _source(graph, convention, told)
    chosen: Kind = _kind_of(graph, source) if kind is None else kind
    check_choice("orient", "kind", chosen, ("skeleton", "cpdag", "pag"))
    _check_kind(source.graph, chosen, given_known=given_known, complete=complete)
    known = _known(knowledge)
    known.check_nodes({*told, *source.graph.nodes})
    places = _places(source, told)
    spare = [name for at, name in enumerate(told) if at not in places.values()]
    notes = [*_learnt_notes(graph, source), *_notes(source.graph, spare, known)]
    asked = _asked(source, chosen)
    unjudged = dict.fromkeys(asked, Judgement(0.0))
    case = Case(source.graph, unjudged, chosen, known, policy, overrule, source.learner)
    _check_case(case)
    looks = find_units and bool(judge.replicates or assessed)
    beside = UnitColumns.of_table(table) if looks else None
    columns = NodeColumns(columns_at, places, missing, beside)
    if given_known:
        _refuse_levels(columns)
    judgements = judge_edges(judge, asked, columns, progress=progress)
    rejudge = given_parents(judge, columns.complete()) if given_known and places else None
    case = replace(case, judgements=judgements)
    settled, records = case.settled(rejudge)
    notes.extend(_dropped(columns, judgements))
    facts = {"kind": chosen, **_facts(judge, policy), **flags}
    # Verdicts that depend on what is known by then are no longer right at another bar.
    again = None if given_known else case
    return Orientation(settled, tuple(records), dict(source.labels), facts, tuple(notes), again)


def _source(graph: object, convention: str | None, names: list[str]) -> ReadGraph:
    """The graph with its labels, and what learnt it."""
    if getattr(graph, "learner", "") and not isinstance(graph, ReadGraph):
        return graph_of(graph)
    return read_graph(graph, convention=convention, names=names)


def _kind_of(graph: object, source: ReadGraph) -> Kind:
    """Kind of a graph: of a learnt one that which its learner says."""
    kind: Kind = getattr(graph, "kind", source.kind) if source.learner else source.kind
    return kind


def _learnt_notes(graph: object, source: ReadGraph) -> tuple[GraphNote, ...]:
    """What is to be told of how a graph was learnt."""
    notes: tuple[GraphNote, ...] = getattr(graph, "notes", ()) if source.learner else ()
    return notes


def _asked(source: ReadGraph, kind: Kind) -> list[Edge]:
    """Edges to judge: open ones, and those whose direction was learnt."""
    if kind == "pag":
        return open_edges(source.graph)
    learnt = source.graph.directed if source.learner else []
    return [*source.graph.undirected, *sorted((min(edge), max(edge)) for edge in learnt)]


def _check_kind(graph: PartialGraph, kind: Kind, *, given_known: bool, complete: bool) -> None:
    """Refuse what cannot be done with a PAG, and a PAG that is taken for something else."""
    if kind != "pag":
        refuse_mixed(graph, f"A graph of kind {kind!r}")
        return
    for name, asked in (("given_known", given_known), ("complete", complete)):
        if asked:
            raise InvalidSettingError(
                f"{name} of orient must be False for a PAG, in which hidden causes leave more than "
                "two directions open."
            )


def _refuse_levels(columns: NodeColumns) -> None:
    """Refuse models of columns without an order."""
    if columns.nominal:
        raise InvalidSettingError(
            "given_known of orient must be False where a column has no order, as "
            f"{columns.nominal[0]!r} has none."
        )


def _check_case(case: Case) -> None:
    """Refuse directions and knowledge that do not fit each other, before any pair is judged."""
    if case.kind == "pag":
        case.settled()
    else:
        known, overrule = case.knowledge, case.overrule
        check_known(case.graph, kind=case.kind, knowledge=known, overrule=overrule)


def _facts(judge: Judge, policy: Policy) -> dict[str, object]:
    return {
        "method": judge.name,
        "settings": settings_of(judge.method),
        "replicates": judge.replicates,
        "seed": judge.seed,
        "min_confidence": policy.min_confidence,
        "min_share": policy.min_share,
        "complete": policy.complete,
    }


def _dropped(columns: NodeColumns, judgements: Mapping[Edge, Judgement]) -> Iterator[GraphNote]:
    """How many rows were left out of a pair."""
    if not judgements:
        return
    rows = len(columns.column(next(iter(judgements))[0]))
    dropped = rows - min(judgement.n_rows for judgement in judgements.values())
    if dropped:
        yield GraphNote("rows left out", {"at_most": dropped})


def _policy(min_confidence: float, min_share: float, complete: bool) -> Policy:
    if min_confidence != 0.0:
        check_number("orient", "min_confidence", min_confidence, above=0.0)
    if min_share != 0.0:
        check_number("orient", "min_share", min_share, above=0.0, at_most=1.0)
    check_flag("orient", "complete", complete)
    return Policy(min_confidence=min_confidence, min_share=min_share, complete=complete)


def _judge(method: str | Method, settings: Mapping[str, Any], replicates: int, seed: int) -> Judge:
    name, judge = named_method("orient", method, settings)
    return Judge(judge, name, replicates, seed)


def _known(knowledge: object) -> Knowledge:
    if isinstance(knowledge, str | PathLike):
        return read_knowledge(knowledge)
    if not isinstance(knowledge, Knowledge):
        raise InvalidSettingError(
            f"knowledge of orient must be a Knowledge or the path of a file, got {knowledge!r:.80}."
        )
    return knowledge


def _places(source: ReadGraph, names: list[str]) -> dict[str, int]:
    """Position of every node's column, by name, or by number if these are no names."""
    nodes, places = source.graph.nodes, name_places(names)
    if all(node in places for node in nodes):
        return {node: column_position(names, node, places) for node in nodes}
    labels = {node: source.labels.get(node, node) for node in nodes}
    numbers = {node: int(at) for node, at in labels.items() if isinstance(at, int | np.integer)}
    fitting = {node: at for node, at in numbers.items() if 0 <= at < len(names)}
    if len(fitting) == len(nodes):
        return fitting
    counted = len(numbers) == len(nodes)
    strange = next(node for node in nodes if node not in (fitting if counted else names))
    raise InvalidGraphError(
        f"Every node must be a column of the table, which has no {strange!r}. "
        + (
            f"Positions run from 0 to {len(names) - 1}."
            if counted
            else nearest_names(strange, names)
        )
    )


def _notes(graph: PartialGraph, spare: list[str], knowledge: Knowledge) -> list[GraphNote]:
    """What to tell of columns and knowledge that the graph has no use for."""
    notes = []
    if spare:
        notes.append(GraphNote("columns that are no node", {"columns": spare}))
    nodes = set(graph.nodes)
    strange = sorted(knowledge.nodes - nodes)
    if strange:
        notes.append(GraphNote("unknown nodes", {"nodes": strange}))
    edges = [edge for edge in knowledge.required if set(edge) <= nodes]
    absent = [[a, b] for a, b in edges if not graph.adjacent(a, b)]
    if absent:
        notes.append(GraphNote("edges that are absent", {"required": absent}))
    return notes
