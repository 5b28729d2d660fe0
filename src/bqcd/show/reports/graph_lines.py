"""Lines of Python at the foot of a graph's page, which run as they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bqcd.graphs import NOTHING_KNOWN, Orientation, Outcome
from bqcd.graphs.partial import Edge
from bqcd.methods.table import METHODS
from bqcd.methods.verdict import settings_of

_GIVEN = (Outcome.GIVEN, Outcome.LEARNT, Outcome.V_STRUCTURE)
_FILE = "graph.html"


def orientation_lines(orientation: Orientation, table: str = "table") -> str:
    """Lines that orient the same graph again and write its page.

    Parameters
    ----------
    orientation : Orientation
        What was found.
    table : str, default="table"
        Words that give the table; a table in memory is one that they must find under this name.

    Examples
    --------
    >>> import bqcd
    >>> x = [0.3, 1.2, 2.4, 0.1, 5.0, 2.2, 3.1, 0.7, 1.9, 4.2]
    >>> found = bqcd.orient({"x": x, "y": x[::-1]}, [[0, 1], [1, 0]])
    >>> print(orientation_lines(found))
    import bqcd
    from bqcd.graphs import PartialGraph
    <BLANKLINE>
    graph = PartialGraph(["x", "y"], directed=[], undirected=[("x", "y")])
    found = bqcd.orient(table, graph, kind="skeleton")
    with open("graph.html", "w", encoding="utf-8") as page:
        page.write(found.to_html())
    """
    case = orientation.case
    known = case is not None and case.knowledge != NOTHING_KNOWN
    names = "Knowledge, PartialGraph" if known else "PartialGraph"
    words = [*_unusual(orientation), *(["knowledge=knowledge"] if known else [])]
    lines = ["import bqcd", f"from bqcd.graphs import {names}", "", graph_line(orientation)]
    if known:
        assert case is not None
        told = {name: getattr(case.knowledge, name) for name in ("tiers", "required", "forbidden")}
        said = ", ".join(f"{name}={_said(value)}" for name, value in told.items() if value)
        lines.append(f"knowledge = Knowledge({said})")
    lines.append(f"found = bqcd.orient({', '.join([table, 'graph', *words])})")
    lines.append(f'with open("{_FILE}", "w", encoding="utf-8") as page:')
    return "\n".join([*lines, "    page.write(found.to_html())"])


def graph_line(orientation: Orientation) -> str:
    """Line that makes the graph as it was before any edge was oriented.

    Parameters
    ----------
    orientation : Orientation
        What became of it.
    """
    records = orientation.edges
    directed = [(record.tail, record.head) for record in records if record.outcome in _GIVEN]
    open_ones = [record.edge for record in records if record.outcome not in _GIVEN]
    parts = (
        _listed(orientation.graph.nodes),
        f"directed={_edges(directed)}",  # type: ignore[arg-type]
        f"undirected={_edges(open_ones)}",
    )
    return f"graph = PartialGraph({', '.join(parts)})"


def _edges(edges: Sequence[Edge]) -> str:
    return f"[{', '.join(f'({_said(one)}, {_said(two)})' for one, two in edges)}]"


def _listed(names: Sequence[str]) -> str:
    return f"[{', '.join(map(_said, names))}]"


def _said(value: object) -> str:
    """A value as Python reads it, texts between double quotes where they can be."""
    if isinstance(value, tuple):
        inside = ", ".join(map(_said, value))
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    told = repr(value)
    plain = isinstance(value, str) and told == f"'{value}'" and '"' not in told
    return f'"{value}"' if plain else told


def _unusual(orientation: Orientation) -> Iterator[str]:
    """Arguments that are not the usual ones."""
    facts = orientation.facts
    usual: dict[str, object] = {"method": "bqcd", "min_confidence": 0.0, "min_share": 0.0}
    usual |= {"replicates": 0, "given_known": False, "complete": False, "seed": 0}
    told = {name: facts[name] for name in ("kind", *usual) if name in facts}
    settings, name = facts.get("settings"), str(facts.get("method"))
    if isinstance(settings, Mapping) and name in METHODS:
        usual |= settings_of(METHODS[name].build())
        told |= settings
    return (f"{name}={_said(value)}" for name, value in told.items() if value != usual.get(name))
