"""What is told about edges, such as confidence or reason, checked before it is written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite, isnan
from numbers import Integral, Real

from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats.assembly import UNPRINTABLE
from bqcd.graphs.partial import Edge, PartialGraph

Value = str | int | float | bool
EdgeAttributes = Mapping[Edge, Mapping[str, Value]]

RESERVED = (
    "arrowhead",
    "arrowtail",
    "dir",
    "directed",
    "from",
    "id",
    "key",
    "label",
    "source",
    "target",
    "to",
    "type",
)
"""Names that the formats use themselves."""


def checked_attributes(
    graph: PartialGraph, attributes: Mapping[Edge, Mapping[str, object]] | None
) -> dict[Edge, dict[str, Value]]:
    """Attributes of every edge of a graph, by the edge as the graph lists it.

    Parameters
    ----------
    graph : PartialGraph
        Graph with the edges.
    attributes : mapping of (str, str) to mapping of str to object, or None
        Text and numbers by edge, whose nodes may come in either order. None and NaN are
        left out.

    Raises
    ------
    InvalidGraphError
        If an edge is none of the graph, or a name or a value cannot be written.
    """
    edges = (*graph.directed, *graph.undirected, *graph.mixed)
    told: dict[Edge, dict[str, Value]] = {edge: {} for edge in edges}
    for edge, pairs in (attributes or {}).items():
        tail, head = edge
        known = next((one for one in ((tail, head), (head, tail)) if one in told), None)
        if known is None:
            raise InvalidGraphError(
                f"Attributes must belong to edges of the graph, got some of {tail!r}, {head!r}."
            )
        for name, value in pairs.items():
            _check_attribute_name(name)
            plain = _plain(name, value)
            if plain is not None:
                told[known][name] = plain
    return told


def attribute_names(attributes: EdgeAttributes) -> list[str]:
    """Names of all attributes, in the order in which they first come."""
    return list(dict.fromkeys(name for pairs in attributes.values() for name in pairs))


def _check_attribute_name(name: str) -> None:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or name in RESERVED:
        raise InvalidGraphError(
            "Names of attributes must be letters, digits and underscores, and none of "
            f"{', '.join(RESERVED)}; got {name!r}."
        )


def _plain(name: str, value: object) -> Value | None:
    if value is None:
        return None
    if isinstance(value, str):
        if UNPRINTABLE.search(value):
            raise InvalidGraphError(
                f"The attribute {name!r} must be printable and on one line, got {value!r}."
            )
        return value
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        number = float(value)
        if isnan(number):
            return None
        if isfinite(number):
            return number
    raise InvalidGraphError(
        f"The attribute {name!r} must be text or a finite number, got {value!r}."
    )
