"""A scan in other forms: a matrix, a graph, facts for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from bqcd.errors import InvalidSettingError
from bqcd.methods.answers import ANSWERS
from bqcd.runtime.arrays import Vector
from bqcd.scans.pair_tables import places_of

if TYPE_CHECKING:
    import networkx as nx

    from bqcd.scans.results import Scan

MOST_COLUMNS = 20_000
"""Columns of the largest matrix: 3.2 GB."""


def matrix_of(scan: Scan) -> Vector:
    """Confidence that one judged column causes the other; see :meth:`bqcd.Scan.matrix`."""
    names = scan.names
    if len(names) > MOST_COLUMNS:
        raise InvalidSettingError(
            f"The matrix of a scan must have at most {MOST_COLUMNS:,} columns, got "
            f"{len(names):,}: take the table, or scan fewer columns."
        )
    confidence = scan.numbers("confidence")
    judged = ~np.isnan(confidence)
    x, y = (places_of(scan.table[side], names)[judged] for side in ("x", "y"))
    values = np.full((len(names), len(names)), np.nan)
    values[x, y] = confidence[judged]
    values[y, x] = 0.0 - confidence[judged]
    return values


def graph_of(scan: Scan) -> nx.DiGraph[str]:
    """Every judged column as a node, an edge for every direction; see :meth:`bqcd.Scan.graph`."""
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(scan.names)
    told = ("answer", "probability", "dependence", "spearman", "p_value", "q_value")
    for row in scan.table.to_pylist():
        if row["direction"] != "--":
            facts = {name: row[name] for name in told if row[name] is not None}
            graph.add_edge(*cause_and_effect(row), confidence=abs(row["confidence"]), **facts)
    return graph


def facts_of(scan: Scan) -> dict[str, object]:
    """What is known of a scan as a whole, ready for JSON."""
    skipped = [
        {"name": one.name, "position": one.position, "problem": one.problem} for one in scan.skipped
    ]
    return {
        "summary": scan.summary(),
        "table": scan.label,
        "method": scan.method,
        "settings": dict(scan.settings),
        "n_rows": scan.n_rows,
        "n_columns": len(scan.names),
        "n_pairs": len(scan),
        "n_judged": scan.n_judged,
        "answers": {answer: scan.count(answer) for answer in ANSWERS},
        "then": None if scan.then is None else scan.then.method,
        "abstain": scan.abstain,
        "complete": scan.complete,
        "folder": None if scan.folder is None else str(scan.folder),
        "skipped": skipped,
        "problems": asdict(scan.problems()),
    }


def cause_and_effect(row: Mapping[str, Any]) -> tuple[str, str]:
    """Names of a judged pair, the cause first; x first if that cannot be told."""
    return (row["y"], row["x"]) if row["direction"] == "<-" else (row["x"], row["y"])
