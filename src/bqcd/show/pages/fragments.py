"""A few lines of HTML for notebooks, without any script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from bqcd.show.pages import tables
from bqcd.show.pages.sketches import best_sketches, matrix_sketch, pair_sketches
from bqcd.show.pages.wording import WORDS

MOST_ROWS = 20
_STYLE = (
    "<style>"
    ".bqcd-report{max-width:62em;font-family:system-ui,sans-serif;line-height:1.5}"
    ".bqcd-report table{border-collapse:collapse;margin:.6em 0;font-variant-numeric:tabular-nums}"
    ".bqcd-report th,.bqcd-report td{padding:.25em .8em;text-align:left;vertical-align:baseline;"
    "border-bottom:1px solid rgba(128,128,128,.3)}"
    ".bqcd-report thead th{opacity:.75;font-weight:500}"
    ".bqcd-report .figure{text-align:right}"
    ".bqcd-report .arrow,.bqcd-report td:nth-child(2){white-space:nowrap}"
    ".bqcd-report small{opacity:.75}"
    ".bqcd-report .sketch{display:inline-block;margin:0 1em .5em 0}"
    "</style>"
)


def fragment(content: Mapping[str, Any]) -> str:
    """HTML of a report in short: the answer, a small table, and how it was made.

    Every text is escaped; there is no script, and the style is kept to the fragment.

    Parameters
    ----------
    content : mapping of str to object
        What the report says, as for :func:`~bqcd.show.pages.rendering.page`.

    Examples
    --------
    >>> "<b>a &amp; b</b>" in fragment({"title": "a & b"})
    True
    """
    parts = [
        _STYLE,
        f"<p><b>{_text(content.get('title'))}</b><br>{_text(content.get('answer'))}</p>",
        *_pictures(content),
        *_tables(content),
        *(f"<p><small>{_text(note)}</small></p>" for note in content.get("notes") or ()),
        _colophon(content.get("colophon") or {}),
    ]
    # Half of a surrogate pair can be in a name, but not in a file.
    inside = "".join(parts).encode("utf-8", "replace").decode("utf-8")
    return f'<div class="bqcd-report">{inside}</div>'


def table_fragment(title: str, pairs: Sequence[Mapping[str, Any]]) -> str:
    """HTML of a table of pairs, all of them.

    Parameters
    ----------
    title : str
        What they are.
    pairs : sequence of mapping of str to object
        Rows of the table.

    Examples
    --------
    >>> "<b>1 pair</b>" in table_fragment("1 pair", [{"x": "a", "y": "b", "confidence": 0.1}])
    True
    """
    columns = tables.pair_columns(pairs)
    heads = [(column.label, column.kind in WORDS) for column in columns]
    rows = (tables.pair_cells(pair, columns) for pair in pairs)
    inside = f"{_STYLE}<p><b>{_text(title)}</b></p>{_table(heads, rows)}"
    return f'<div class="bqcd-report">{inside.encode("utf-8", "replace").decode("utf-8")}</div>'


def _pictures(content: Mapping[str, Any]) -> Iterator[str]:
    pairs, details = content.get("pairs") or [], content.get("details") or {}
    if len(pairs) == 1 and str(pairs[0]["id"]) in details:
        yield pair_sketches(pairs[0], details[str(pairs[0]["id"])])
    elif not content.get("graph"):
        yield best_sketches(pairs, details)
    if content.get("matrix"):
        yield matrix_sketch(content["matrix"])


def _tables(content: Mapping[str, Any]) -> Iterator[str]:
    if content.get("benchmark"):
        yield _matrix(content["benchmark"])
    if content.get("graph"):
        yield _edges(content["graph"])
    elif content.get("pairs"):
        yield _pairs(content["pairs"], content.get("pairs_total") or 0)


def _pairs(pairs: Sequence[Mapping[str, Any]], total: int) -> str:
    shown = pairs[:MOST_ROWS]
    columns = tables.pair_columns(shown)
    heads = [(column.label, column.kind in WORDS) for column in columns]
    rows = (tables.pair_cells(pair, columns) for pair in shown)
    return _table(heads, rows) + _cut("pairs", len(shown), max(total, len(pairs)))


def _edges(graph: Mapping[str, Any]) -> str:
    rows = [
        (arrow, outcome, size, why) for arrow, outcome, _, _, size, why in tables.edge_rows(graph)
    ]
    heads = [("Edge", False), ("Outcome", False), ("Confidence", True), ("Why", False)]
    return _table(heads, rows[:MOST_ROWS]) + _cut("edges", min(MOST_ROWS, len(rows)), len(rows))


def _matrix(benchmark: Mapping[str, Any]) -> str:
    metrics = tables.metrics_present(benchmark) or tables.METRICS
    rows = [(name, *cells) for name, cells in tables.matrix_rows(benchmark, metrics[0][0])]
    heads = [(metrics[0][1], False), *((data["name"], True) for data in benchmark["datasets"])]
    return _table(heads, rows[:MOST_ROWS]) + _cut("methods", min(MOST_ROWS, len(rows)), len(rows))


def _table(heads: Sequence[tuple[object, bool]], rows: Iterable[Iterable[object]]) -> str:
    looks = [' class="figure"' if right else "" for _, right in heads]
    head = "".join(
        f"<th{look}>{_text(label)}</th>" for (label, _), look in zip(heads, looks, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(f"<td{look}>{_text(cell)}</td>" for cell, look in zip(row, looks, strict=True))
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _text(cell: object) -> str:
    if isinstance(cell, tables.Arrow):
        # Names in other scripts keep their own direction.
        first, second = (f"<bdi>{escape(name)}</bdi>" for name in (cell.first, cell.second))
        return f'<span class="arrow">{first} {cell.mark} {second}</span>'
    return "" if cell is None else escape(str(cell))


def _cut(things: str, shown: int, total: int) -> str:
    return f"<p><small>{shown} of {total:,} {things}.</small></p>" if shown < total else ""


def _colophon(colophon: Mapping[str, Any]) -> str:
    seed = colophon.get("seed")
    said = (
        colophon.get("method"),
        f"bqcd {colophon['version']}" if colophon.get("version") else None,
        None if seed is None else f"seed {seed}",
        f"data {colophon['fingerprint']}" if colophon.get("fingerprint") else None,
    )
    line = " · ".join(_text(part) for part in said if part)
    return f"<p><small>{line}</small></p>" if line else ""
