"""What a page says of an oriented graph: its edges at every bar of confidence, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, nextafter

import numpy as np

from bqcd.errors import InvalidGraphError
from bqcd.graphs import EdgeRecord, Orientation, Outcome
from bqcd.graphs.orienting.records import Bar
from bqcd.graphs.partial import Edge
from bqcd.show.reports.colophon import Colophon, bibtex_of, fingerprint_of, setting_words
from bqcd.show.reports.contents import Report
from bqcd.show.reports.graph_lines import orientation_lines
from bqcd.show.reports.pairs import PairRow
from bqcd.show.reports.places import GraphPlaces, graph_places
from bqcd.show.words import counted

MOST_BARS = 60
"""Most bars of confidence at which a graph is settled."""

# Settling is quick, but not if there are many edges, or directions that block each other.
_USUAL_EDGES, _BARS_IF_BLOCKED = 200, 8

OUTCOMES: Mapping[Outcome, str] = {
    Outcome.GIVEN: "The graph had this direction from the start.",
    Outcome.LEARNT: "The learner of the graph found this direction.",
    Outcome.V_STRUCTURE: "The graph had it, as part of a collider.",
    Outcome.KNOWLEDGE: "What is known beforehand demands it.",
    Outcome.JUDGED: "The verdict on the pair.",
    Outcome.COMPELLED: "Other directions leave no choice; the verdict does not object.",
    Outcome.TURNED: "Other directions leave no choice, against the verdict.",
    Outcome.COMPLETED: "Directed only because a full DAG was asked for.",
    Outcome.BORDERLINE: "Left open: it cannot be told, or the verdict is below the bar.",
    Outcome.ABSTAINED: "Left open: there is no verdict.",
    Outcome.BLOCKED: "Left open: either direction is impossible.",
    Outcome.EXCLUDED: "Left open: the graph excludes what the verdict says.",
}
"""What each outcome means, for a legend."""


@dataclass(frozen=True, slots=True)
class EdgeState:
    """How an edge stands from some bar on.

    Parameters
    ----------
    bar : float
        Smallest bar of confidence at which it stands so.
    state : {"a->b", "b->a", "open"}
        Its direction.
    outcome : Outcome
        How it was settled.
    reason : str
        Why, in one sentence.
    """

    bar: float
    state: str
    outcome: Outcome
    reason: str

    def as_dict(self) -> dict[str, object]:
        """The state, ready for JSON."""
        told = {"state": self.state, "outcome": self.outcome.value, "reason": self.reason}
        return {"from": self.bar, **told}


@dataclass(frozen=True, slots=True)
class GraphPart:
    """A graph as it is drawn, at every bar of confidence.

    Parameters
    ----------
    kind : str
        Kind of graph that was given.
    drawing : GraphPlaces
        Where nodes and edges lie.
    records : tuple of EdgeRecord
        Edges as they came out, in the order in which they were settled.
    states : dict of (str, str) to tuple of EdgeState
        How each edge stands, by increasing bar; a state holds up to the next one.
    bars : tuple of float
        Bars at which the graph was settled and something changed.
    bar : float
        The one the orientation was made with.
    notes : tuple of str
        What the user should know of the bars.
    """

    kind: str
    drawing: GraphPlaces
    records: tuple[EdgeRecord, ...]
    states: dict[Edge, tuple[EdgeState, ...]]
    bars: tuple[float, ...]
    bar: float
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """The graph, ready for JSON; edges have the number of their pair."""
        drawn = self.drawing
        number = {name: at for at, name in enumerate(drawn.places)}
        pairs = pair_numbers(self.records)
        met = {state.outcome for states in self.states.values() for state in states}
        return {
            "kind": self.kind,
            "nodes": [
                {
                    "id": number[name],
                    "name": name,
                    "label": drawn.labels.get(name, name),
                    "x": x,
                    "y": y,
                    "width": drawn.widths.get(name, 0.0),
                }
                for name, (x, y) in drawn.places.items()
            ],
            "edges": [
                {
                    "a": number[record.first],
                    "b": number[record.second],
                    "pair": pairs.get(record.edge),
                    "confidence": record.confidence,
                    "rank": record.rank,
                    "share": None if record.judgement is None else record.judgement.share,
                    "way": drawn.way(record.first, record.second),
                    "states": [state.as_dict() for state in self.states[record.edge]],
                }
                for record in self.records
            ],
            "bars": list(self.bars),
            "bar": self.bar,
            "outcomes": [
                {"name": outcome.value, "says": says}
                for outcome, says in OUTCOMES.items()
                if outcome in met
            ],
        }


def graph_part(orientation: Orientation, *, drawn: bool = True) -> GraphPart:
    """Graph of an orientation, settled again at every bar at which something may change.

    No pair is judged again. Where there are more bars than may be shown, they are those at
    equal steps of the rank; the states are right at each of them.

    Parameters
    ----------
    orientation : Orientation
        What was found.
    drawn : bool, default=True
        Whether the graph is to be drawn. For a table of its edges neither the places of its
        nodes nor other bars are worked out.

    Examples
    --------
    >>> from bqcd.graphs.orienting.orient import orient
    >>> x = np.linspace(-1.0, 1.0, 50)
    >>> found = orient({"x": x, "y": x**2 + 0.1 * np.sin(50.0 * x)}, [[0, 1], [1, 0]])
    >>> [state.outcome.value for state in graph_part(found).states["x", "y"]]
    ['judged', 'borderline']
    """
    own = float(_number(orientation, "min_confidence"))
    wanted, notes = _bars(orientation, own) if drawn else ([own], [])
    settled: dict[float, dict[Edge, EdgeState]] = {}
    for bar in wanted:
        try:
            found = orientation if bar == own else orientation.at(bar)
        except InvalidGraphError as error:
            notes.append(f"The graph is not shown at bars of {bar:.3g} or more: {error}")
            break
        settled[bar] = {record.edge: _state(record, bar) for record in found.edges}
    settled.setdefault(own, {record.edge: _state(record, own) for record in orientation.edges})
    bars = sorted(settled)
    states = {
        record.edge: tuple(_changes([settled[bar][record.edge] for bar in bars]))
        for record in orientation.edges
    }
    changes = {state.bar for several in states.values() for state in several}
    return GraphPart(
        kind=str(orientation.facts.get("kind", "skeleton")),
        drawing=_drawing(orientation, drawn=drawn),
        records=orientation.edges,
        states=states,
        bars=tuple(sorted({*changes, bars[0], own})),
        bar=own,
        notes=tuple(notes),
    )


def _drawing(orientation: Orientation, *, drawn: bool) -> GraphPlaces:
    nodes = orientation.graph.nodes
    if drawn and nodes:
        return graph_places(orientation.graph)
    return GraphPlaces(dict.fromkeys(nodes, (0.0, 0.0)))


def _number(orientation: Orientation, fact: str) -> float:
    value = orientation.facts.get(fact)
    return float(value) if isinstance(value, int | float) else 0.0


def _bars(orientation: Orientation, own: float) -> tuple[list[float], list[str]]:
    """Bars at which an edge may open, and what there is to say about them."""
    if orientation.case is None:
        told = (
            "The bar cannot be moved: edges were judged given the parents known by then, so that "
            "verdicts depend on it."
        )
        return [own], [told] if orientation.facts.get("given_known") else []
    sizes = {abs(one.confidence) for one in orientation.case.judgements.values()} - {0.0}
    # An edge opens where the bar exceeds its confidence, be it ever so little.
    bars = sorted({0.0, own, *(nextafter(size, inf) for size in sizes)})
    blocked = any(record.outcome is Outcome.BLOCKED for record in orientation.edges)
    most = _BARS_IF_BLOCKED if blocked else MOST_BARS
    most = max(2, most * _USUAL_EDGES // max(_USUAL_EDGES, len(orientation.edges)))
    if len(bars) <= most:
        return bars, []
    chosen = np.unique(np.linspace(0, len(bars) - 1, most - 1).round().astype(int))
    kept = sorted({own, *(bars[at] for at in chosen)})
    note = f"The bar moves in {len(kept)} steps; verdicts drop out at {len(sizes):,} bars."
    return kept, [note]


def _state(record: EdgeRecord, bar: float) -> EdgeState:
    if record.below is not None and record.below.of == "confidence":
        # Else the sentence would be another at every bar.
        record = replace(record, below=Bar("confidence", None))
    state = "open" if record.tail is None else "a->b" if record.tail == record.first else "b->a"
    return EdgeState(bar, state, record.outcome, record.sentence)


def _changes(states: Sequence[EdgeState]) -> Iterator[EdgeState]:
    """States that differ from the one before."""
    before = None
    for one in states:
        told = (one.state, one.outcome, one.reason)
        if told != before:
            yield one
        before = told


def pair_numbers(records: Sequence[EdgeRecord]) -> dict[Edge, int]:
    """Number of the row of each edge that was judged, in their order."""
    judged = [record.edge for record in records if record.judgement is not None]
    return {edge: at for at, edge in enumerate(judged)}


def pair_rows(records: Sequence[EdgeRecord]) -> Iterator[PairRow]:
    """Rows of the edges that were judged: what each pair says by itself."""
    numbers = pair_numbers(records)
    for record in records:
        judgement = record.judgement
        if judgement is not None:
            yield PairRow(
                number=numbers[record.edge],
                x=record.first,
                y=record.second,
                confidence=judgement.confidence,
                n_rows=judgement.n_rows,
                stability=judgement.share,
                answer=judgement.told,
                status="failed" if judgement.message else "done",
                message=judgement.message,
            )


def orientation_fragment(orientation: Orientation) -> str:
    """Sentence and table of the edges, for notebooks."""
    return report_orientation(orientation, drawn=False).fragment()


def report_orientation(
    orientation: Orientation,
    *,
    table: object = None,
    source: str = "table",
    command: str = "",
    drawn: bool = True,
) -> Report:
    """Report of an oriented graph: every edge with its reason, at every bar.

    Parameters
    ----------
    orientation : Orientation
        What was found.
    table : data frame, mapping or ndarray of shape (n, k), optional
        What it was found in, for the fingerprint.
    source : str, default="table"
        Words of Python that give the table.
    command : str, default=""
        Line for a shell that makes the report again.
    drawn : bool, default=True
        Whether the graph is to be drawn, at every bar.
    """
    part = graph_part(orientation, drawn=drawn)
    rows = tuple(pair_rows(orientation.edges))
    n_nodes, n_edges = len(orientation.graph.nodes), len(orientation.edges)
    return Report(
        kind="graph",
        title=f"Graph of {counted(n_nodes, 'node')} and {counted(n_edges, 'edge')}",
        question="Which way does each edge of the graph point?",
        answer=" ".join((orientation.summary, *_findings(orientation))),
        notes=(*(note.sentence for note in orientation.notes), *_notes(orientation), *part.notes),
        facts=tuple(_facts(orientation)),
        pairs=rows,
        pairs_total=len(rows),
        graph=part.as_dict(),
        colophon=_colophon(orientation, table, source, command),
    )


def _findings(orientation: Orientation) -> Iterator[str]:
    """Sentences on the surest verdict, and on those that do not stand."""
    judged = [record for record in orientation.edges if record.verdict is not None]
    if judged:
        first = min(judged, key=lambda record: record.rank or len(judged))
        size = abs(first.confidence or 0.0)
        cause, effect = first.verdict or first.edge
        yield f"The most confident verdict is {cause} -> {effect}, with confidence {size:.3g}."
    turned = sum(record.outcome is Outcome.TURNED for record in judged)
    if turned:
        words = "1 verdict is" if turned == 1 else f"{turned:,} verdicts are"
        yield f"{words} overruled, as the graph leaves no choice."
    fit = orientation.compatibility
    if fit.demands:
        yield fit.sentence


def _notes(orientation: Orientation) -> Iterator[str]:
    if orientation.edges:
        yield (
            "Which nodes are joined at all is taken from the graph; only directions were asked for."
        )
    if any(record.judgement for record in orientation.edges):
        yield (
            "Each verdict is on two columns alone: a hidden cause of both can turn it. The table "
            "says what each pair tells by itself, and what became of it in the graph."
        )
        yield "A confidence ranks the verdicts of one method; it is no probability."


def _facts(orientation: Orientation) -> Iterator[tuple[str, str]]:
    facts = orientation.facts
    colliders = {
        "cpdag": "CPDAG: no colliders but its own",
        "skeleton": "skeleton",
        "pag": "PAG: only circles are judged",
    }
    yield "graph", colliders.get(str(facts.get("kind")), "not told")
    yield "nodes", f"{len(orientation.graph.nodes):,}"
    yield "edges", f"{len(orientation.edges):,}"
    yield "method", str(facts.get("method", "not told"))
    for label, fact in (("least confidence", "min_confidence"), ("least share", "min_share")):
        if value := _number(orientation, fact):
            yield label, f"{value:g}"
    if halves := int(_number(orientation, "replicates")):
        yield "random halves", f"{halves:,}"
    if facts.get("given_known"):
        yield "judged", "given the parents known by then"
    if facts.get("complete"):
        yield "completed", "to a full DAG"


def _colophon(orientation: Orientation, table: object, source: str, command: str) -> Colophon:
    facts = orientation.facts
    method, settings, seed = (facts.get(name) for name in ("method", "settings", "seed"))
    return Colophon(
        str(method or "method"),
        setting_words(settings if isinstance(settings, Mapping) else {}),
        seed if isinstance(seed, int) else None,
        "" if table is None else _fingerprint(orientation, table),
        command,
        orientation_lines(orientation, source),
        bibtex_of(str(method)),
    )


def _fingerprint(orientation: Orientation, table: object) -> str:
    """Digest of the columns of the nodes, which may be positions in the table."""
    from bqcd.scans.sources import open_source

    source = open_source(table)
    places = {name: at for at, name in enumerate(source.names)}
    labels = orientation.labels
    at = {n: places[n] if n in places else int(str(labels[n])) for n in orientation.graph.nodes}
    return fingerprint_of(
        (name, source.ordered(place, nominal=True).values) for name, place in at.items()
    )
