"""Tables of a page as text: pairs, edges, and the matrix of a benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bqcd.methods.answers import BARS
from bqcd.show.pages.wording import (
    NOTHING,
    WORDS,
    number_text,
    percent_text,
    probability_text,
)

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """Column of the table of pairs.

    Parameters
    ----------
    key : str
        Entry of a pair that it shows.
    label : str
        Its head.
    kind : str
        How an entry is put into words: "pair", "text" or a key of ``WORDS``.
    says : str
        What it means, in one line.
    """

    key: str
    label: str
    kind: str
    says: str


@dataclass(frozen=True, slots=True)
class Arrow:
    """Two names with the arrow between them.

    Parameters
    ----------
    first, mark, second : str
        What is read from left to right.
    """

    first: str
    mark: str
    second: str

    def __str__(self) -> str:
        return f"{self.first} {self.mark} {self.second}"


PAIR_COLUMNS = (
    Column("pair", "Cause → effect", "pair", "The answer; a dash where there is none."),
    Column(
        "answer",
        "Answer",
        "text",
        f"Clear from a probability of {BARS.clear:g}, leaning from {BARS.leaning:g} or without "
        "one, or that it cannot be told.",
    ),
    Column(
        "probability",
        "Probability",
        "probability",
        "Calibrated chance that the direction is right. The bar goes from 50 to 100 %, with marks "
        f"where an answer leans ({BARS.leaning:.0%}) and is clear ({BARS.clear:.0%}).",
    ),
    Column(
        "confidence",
        "Confidence",
        "number",
        "Size of the difference of the two scores; it ranks pairs of one method and one report.",
    ),
    Column("stability", "Stability", "share", "Share of random halves with the same answer."),
    Column("p_bound", "Chance bound", "chance", "How often chance alone would say so, at most."),
    Column("dependence", "Dependence", "strength", "Strength of the link, from 0 to 1."),
    Column("dependence_p", "p (independence)", "chance", "Small where the columns do depend."),
    Column("n_rows", "Rows", "count", "Rows in use."),
    Column("message", "Note", "text", "Why there is no answer, or what to know of it."),
)
METRICS = (("accuracy", "Accuracy"), ("weighted", "Weighted accuracy"), ("auc", "Area under ROC"))


def pair_columns(pairs: Sequence[Row]) -> tuple[Column, ...]:
    """Columns with something to show, the pair and its confidence always."""
    kept = ("pair", "confidence")
    return tuple(
        column
        for column in PAIR_COLUMNS
        if column.key in kept or any(pair.get(column.key) not in (None, "") for pair in pairs)
    )


def pair_arrow(pair: Row) -> Arrow:
    """Names of a pair, the cause first if there is one.

    Examples
    --------
    >>> str(pair_arrow({"x": "rings", "y": "age", "cause": "age", "effect": "rings"}))
    'age → rings'
    """
    if pair.get("cause") is None:
        return Arrow(str(pair["x"]), "—", str(pair["y"]))
    return Arrow(str(pair["cause"]), "→", str(pair["effect"]))


def pair_cells(pair: Row, columns: Sequence[Column]) -> Iterator[str | Arrow]:
    """Entries of one row of the table of pairs."""
    for column in columns:
        value = pair.get(column.key)
        if column.kind == "pair":
            yield pair_arrow(pair)
        elif column.key == "confidence":
            yield number_text(None if pair.get("status", "done") != "done" else abs(value or 0.0))
        elif column.kind in WORDS:
            yield WORDS[column.kind](value)
        elif column.key == "answer":
            yield str(value or "") if pair.get("status", "done") == "done" else ""
        else:
            yield _note(pair)


def _note(pair: Row) -> str:
    status, message = pair.get("status", "done"), pair.get("message") or ""
    return message if status == "done" else ": ".join(filter(None, (status, message)))


LOOKS = {"clear": "is-clear", "leaning": "is-leaning", "cannot tell": "is-open"}
"""How an answer looks, by its word."""


@dataclass(frozen=True, slots=True)
class Line:
    """What is said of a pair in one line.

    Parameters
    ----------
    arrow : Arrow
        Its names, the cause first if there is one.
    answer, look, sure : str
        The answer, how it looks, and how sure one may be.
    """

    arrow: Arrow
    answer: str
    look: str
    sure: str

    @classmethod
    def of(cls, pair: Row) -> Line:
        """Line of a row of the table of pairs."""
        answer = str(pair.get("answer") or "cannot tell")
        known = pair.get("probability")
        sure = "" if known is None else f"probability {probability_text(known)}"
        return cls(pair_arrow(pair), answer, LOOKS[answer], sure)


def grouped(pairs: Sequence[Row]) -> Iterator[tuple[str, Row]]:
    """Pairs in their order, each with the head of its group if it is the first of it.

    Examples
    --------
    >>> rows = [{"answer": "clear"}, {"answer": "clear"}, {"answer": "cannot tell"}]
    >>> [head for head, _ in grouped(rows)]
    ['Clear: 2 pairs', '', 'Cannot tell: 1 pair']
    """
    kinds = [_group(pair) for pair in pairs]
    counts = Counter(kinds)
    for at, (kind, pair) in enumerate(zip(kinds, pairs, strict=True)):
        starts = at == 0 or kinds[at - 1] != kind
        words = f"{kind}: {counts[kind]:,} pair{'' if counts[kind] == 1 else 's'}"
        yield (words if starts else ""), pair


def _group(pair: Row) -> str:
    if pair.get("status", "done") != "done":
        return "Not judged"
    return str(pair.get("answer") or "cannot tell").capitalize()


def state_at(edge: Row, bar: float) -> Row:
    """State of an edge at a bar: the last that holds from it or before it."""
    states = [state for state in edge["states"] if state["from"] <= bar]
    found: Row = (states or edge["states"])[-1 if states else 0]
    return found


EDGE_HEADS = ("Edge", "Outcome", "Pair alone", "Probability", "Confidence", "Why")


def edge_rows(
    graph: Row, pairs: Sequence[Row] = ()
) -> Iterator[tuple[Arrow, str, str, str, str, str]]:
    """What stands under the heads for each edge there is, at the bar it starts with.

    Parameters
    ----------
    graph : mapping of str to object
        Nodes, edges and bars.
    pairs : sequence of mapping of str to object
        What the pairs of the edges say by themselves.
    """
    alone = {pair["id"]: pair for pair in pairs}
    names = {node["id"]: str(node["name"]) for node in graph["nodes"]}
    bar = first_bar(graph)
    marks = {"a->b": "→", "b->a": "→"}
    for edge in graph["edges"]:
        state = state_at(edge, bar)
        if state["state"] == "absent":
            continue
        ends = [names[edge["a"]], names[edge["b"]]]
        if state["state"] == "b->a":
            ends.reverse()
        size = None if edge.get("confidence") is None else abs(edge["confidence"])
        arrow = Arrow(ends[0], marks.get(state["state"], "—"), ends[1])
        pair = alone.get(edge.get("pair"), {})
        answer = str(pair.get("answer") or NOTHING)
        sure = probability_text(pair.get("probability"))
        yield arrow, state["outcome"], answer, sure, number_text(size), state["reason"]


def first_bar(graph: Row) -> float:
    """Bar that a graph is shown with before anyone moves it."""
    bars = graph.get("bars") or [0.0]
    return float(graph["bar"] if graph.get("bar") is not None else bars[0])


def matrix_rows(benchmark: Row, metric: str = "accuracy") -> Iterator[tuple[str, list[str]]]:
    """Name of each method, and its figure on each data set."""
    for method, cells in zip(benchmark["methods"], benchmark["cells"], strict=True):
        yield str(method), [percent_text((cell or {}).get(metric)) for cell in cells]


def calibration_rows(benchmark: Row) -> Iterator[tuple[str, ...]]:
    """Method, data set, and what is claimed against what is right."""
    for told in benchmark.get("calibration") or ():
        shares = ("claimed", "right", "error", "error_by_chance", "surer_half")
        figures = (str(told["pairs"]), *(percent_text(told[share]) for share in shares))
        yield str(told["method"]), str(told["dataset"]), *figures


def metrics_present(benchmark: Row) -> tuple[tuple[str, str], ...]:
    """Names and labels of the metrics that have a value somewhere."""
    cells = [cell for row in benchmark["cells"] for cell in row if cell]
    return tuple(
        (key, label) for key, label in METRICS if any(cell.get(key) is not None for cell in cells)
    )
