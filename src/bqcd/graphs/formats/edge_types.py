"""Words for what an edge is: directed, undirected, or of a kind that a CPDAG does not have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from bqcd.errors import InvalidGraphError

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
"""What is read as a type of edge. Only ``directed`` and ``undirected`` are written."""

_FOREIGN = re.compile("[<o@]--?[>o@]|[o@]--|--[o@]|bidirected")
_TRUE = frozenset(["true", "1", "yes"])
_FALSE = frozenset(["false", "0", "no"])


def direction(word: str, edge: str, source: str) -> Direction:
    """What a word says of an edge.

    Parameters
    ----------
    word : str
        Type of the edge as the source gives it.
    edge, source : str
        The edge and where it is, for messages.

    Raises
    ------
    InvalidGraphError
        If the word says that the edge is none of a CPDAG, or nothing known.
    """
    plain = word.strip().lower()
    refuse_foreign(plain, edge, source)
    if plain not in WORDS:
        raise InvalidGraphError(
            f"The type of the edge {edge} in {source} must be one of {', '.join(WORDS)}, "
            f"got {word!r}."
        )
    return WORDS[plain]


def refuse_foreign(word: str, edge: str, source: str) -> None:
    """Refuse edges with two heads or with circles.

    Raises
    ------
    InvalidGraphError
        If the word is the type of such an edge.
    """
    if _FOREIGN.fullmatch(word):
        raise InvalidGraphError(
            f"Edges of {source} must be directed or undirected, got {edge} of type {word!r}: "
            "edges with two heads or with circles belong to MAGs and PAGs, not to CPDAGs."
        )


def flagged(attributes: Mapping[str, object], edge: str, source: str) -> Direction | None:
    """What the attributes ``directed`` and ``type`` say of an edge; None if nothing.

    A ``type`` with a word that is none for a direction is taken for something else.

    Raises
    ------
    InvalidGraphError
        If they contradict each other, or say what no CPDAG has.
    """
    flag = _flag(attributes.get("directed"), edge, source)
    told: Direction | None = None if flag is None else "forward" if flag else "none"
    word = attributes.get("type")
    if isinstance(word, str):
        plain = word.strip().lower()
        refuse_foreign(plain, edge, source)
        said = WORDS.get(plain)
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
