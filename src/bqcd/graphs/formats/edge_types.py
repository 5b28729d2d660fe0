"""Words for what an edge is: directed, undirected, or with two heads or circles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from bqcd.errors import InvalidGraphError
from bqcd.graphs.ends import Ends, ends_of, word_of
from bqcd.graphs.formats.assembly import GivenEdge, arrow_words, marked_edge
from bqcd.graphs.partial import Edge, PartialGraph

Direction = Literal["forward", "backward", "none"]

WORDS: Mapping[str, Direction] = {
    "->": "forward",
    "-->": "forward",
    "directed": "forward",
    "<-": "backward",
    "<--": "backward",
    "-": "none",
    "--": "none",
    "---": "none",
    "undirected": "none",
}
"""What is read as a type of edge, beside those with two heads or circles. Of these, only
``directed`` and ``undirected`` are written."""

_TRUE = frozenset(["true", "1", "yes"])
_FALSE = frozenset(["false", "0", "no"])


def typed_edge(word: str, tail: str, head: str, source: str) -> GivenEdge:
    """Edge between two nodes as a word has it.

    Parameters
    ----------
    word : str
        Type of the edge as the source gives it.
    tail, head : str
        Its nodes, in the order of the source.
    source : str
        Where it is, for messages.

    Raises
    ------
    InvalidGraphError
        If the word says nothing known.

    Examples
    --------
    >>> typed_edge("<-", "a", "b", "a file")[:3], typed_edge("o->", "a", "b", "a file").ends
    (('b', 'a', True), ('circle', 'arrow'))
    """
    plain = word.strip().lower()
    ends = ends_of(plain)
    if ends is not None:
        return marked_edge(tail, head, ends)
    if plain not in WORDS:
        raise InvalidGraphError(
            f"The type of the edge {arrow_words(tail, head)} in {source} must be one of "
            f"{', '.join(WORDS)}, or with two heads or circles such as <->, o-> and o-o, "
            f"got {word!r}."
        )
    way = WORDS[plain]
    return GivenEdge(head, tail) if way == "backward" else GivenEdge(tail, head, way == "forward")


def typed_ends(attributes: Mapping[str, object]) -> Ends | None:
    """Marks at both ends that the attribute ``type`` gives; None if it gives none."""
    word = attributes.get("type")
    return ends_of(word.strip().lower()) if isinstance(word, str) else None


def flagged(attributes: Mapping[str, object], edge: str, source: str) -> Direction | None:
    """What the attributes ``directed`` and ``type`` say of an edge; None if nothing.

    A ``type`` with a word that is none for a direction is taken for something else.

    Raises
    ------
    InvalidGraphError
        If they contradict each other.
    """
    flag = _flag(attributes.get("directed"), edge, source)
    told: Direction | None = None if flag is None else "forward" if flag else "none"
    word = attributes.get("type")
    if isinstance(word, str):
        said = WORDS.get(word.strip().lower())
        if said is not None and flag is not None and flag != (said != "none"):
            raise InvalidGraphError(
                f"Attributes of the edge {edge} in {source} must agree, got "
                f"directed={attributes['directed']!r} and type={word!r}."
            )
        told = said or told
    return told


def _flag(value: object, edge: str, source: str) -> bool | None:
    if value is None:
        return None
    plain = str(value).strip().lower().removesuffix(".0")
    if plain in _TRUE or plain in _FALSE:
        return plain in _TRUE
    raise InvalidGraphError(
        f"The attribute 'directed' of the edge {edge} in {source} must be true or false, "
        f"got {value!r}."
    )


def listed_edges(graph: PartialGraph) -> Iterator[tuple[Edge, str]]:
    """Every edge with the word for its type, as lists of edges have it.

    Examples
    --------
    >>> graph = PartialGraph(directed=["ab"], mixed={("b", "c"): ("circle", "arrow")})
    >>> list(listed_edges(graph))
    [(('a', 'b'), 'directed'), (('b', 'c'), 'o->')]
    """
    for edges, word in ((graph.directed, "directed"), (graph.undirected, "undirected")):
        yield from ((edge, word) for edge in edges)
    for edge, ends in graph.mixed.items():
        yield edge, word_of(ends)
