"""What is seen of a table before anything is asked: its first rows, its columns, where to begin."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from bqcd.errors import InvalidPairError, shortened
from bqcd.runtime.arrays import Vector
from bqcd.scans.problems import SAME_ORDER
from bqcd.scans.selection import NUMBERS
from bqcd.scans.sources import Source
from bqcd.show.reports.overview import columns_part

ROWS, MOST_SHOWN = 6, 30
"""Rows and columns of the preview."""

SUGGESTED = 6
"""Pairs that are suggested."""

# Rows and columns that are looked at for suggestions.
_LOOKED_ROWS, _LOOKED_COLUMNS = 2_000, 60
_CHANCE = 4.0


def preview(source: Source) -> dict[str, object]:
    """First rows, columns at a glance and suggestions, ready for JSON.

    Parameters
    ----------
    source : Source
        The table.

    Examples
    --------
    >>> from bqcd.scans.sources import open_source
    >>> preview(open_source({"age": [31, 45], "name": ["Ann", "Bo"]}))["rows"]
    [['31', 'Ann'], ['45', 'Bo']]
    """
    places, ranks = _ranks(source)
    links = link_strengths(ranks) if places else np.empty((0, 0))
    return {
        "names": list(source.names[:MOST_SHOWN]),
        "rows": first_rows(source),
        "numeric": [kind in NUMBERS for kind in source.kinds[:MOST_SHOWN]],
        "overview": columns_part(source, _same_order(source, places, links)),
        "suggestions": suggestions(places, links, n_rows=ranks.shape[-1]),
    }


def first_rows(source: Source, n_rows: int = ROWS) -> list[list[str]]:
    """The first entries of the first columns as text, row by row."""
    columns = []
    for at in range(min(MOST_SHOWN, len(source.names))):
        part = next(iter(source.parts(at)))[:n_rows]
        values = part.to_pylist() if hasattr(part, "to_pylist") else list(part)
        columns.append([_text(value) for value in values])
    return [list(row) for row in zip(*columns, strict=False)]


def _text(value: object) -> str:
    if value is None or value != value:
        return ""
    if not isinstance(value, float):
        return shortened(str(value), 40)
    # As a table writes them: powers of ten only where nobody could count the digits.
    if 1e4 <= abs(value) < 1e9:
        return f"{float(f'{value:.6g}'):,}".removesuffix(".0")
    return f"{value:.6g}"


def _same_order(
    source: Source, places: Sequence[int], links: NDArray[np.float64]
) -> dict[str, list[str]]:
    """Names of columns that have the order of another, or the opposite one."""
    names = [source.names[at] for at in places]
    found = {}
    for at, name in enumerate(names):
        others = [other for other, link in zip(names, links[at], strict=True) if link >= SAME_ORDER]
        if len(others) > 1:
            found[name] = [other for other in others if other != name]
    return found


def suggestions(
    places: Sequence[int], links: NDArray[np.float64], *, n_rows: int, most: int = SUGGESTED
) -> list[dict[str, object]]:
    """Pairs of numbers that hang together most, to begin with; no direction is looked at.

    Parameters
    ----------
    places : sequence of int
        Positions of the columns that were looked at.
    links : ndarray of shape (k, k)
        How strong their links are.
    n_rows : int
        Rows that were looked at.
    most : int, default=6
        How many pairs.
    """
    above = np.argwhere(np.triu(np.ones_like(links, dtype=bool), 1))
    known = [(float(links[i, j]), int(i), int(j)) for i, j in above]
    least = _CHANCE / np.sqrt(max(n_rows, 1))
    found = sorted((one for one in known if least < one[0] < SAME_ORDER), reverse=True)
    return [
        {"x": places[i], "y": places[j], "strength": round(strength, 2)}
        for strength, i, j in islice(found, most)
    ]


def _ranks(source: Source) -> tuple[list[int], NDArray[np.float64]]:
    """Positions of columns of numbers that vary, and their ranks in the first rows."""
    places: list[int] = []
    ranks: list[Vector] = []
    for at, kind in enumerate(source.kinds):
        if kind not in NUMBERS or len(places) == _LOOKED_COLUMNS:
            continue
        try:
            values = source.column(at)[:_LOOKED_ROWS]
        except InvalidPairError:
            continue
        filled = np.where(np.isfinite(values), values, np.nan)
        if np.isnan(filled).all() or np.nanmin(filled) == np.nanmax(filled):
            continue
        places.append(at)
        ranks.append(_ranked(np.where(np.isnan(filled), np.nanmedian(filled), filled)))
    return places, np.array(ranks)


def _ranked(values: Vector) -> Vector:
    """Places of the values in their order, from -1 to 1."""
    found = np.unique(values, return_inverse=True)[1].astype(np.float64)
    ranked: Vector = 2.0 * found / max(found.max(), 1.0) - 1.0
    return ranked


def link_strengths(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far columns rise, or bend, with each other, from 0 to 1.

    Parameters
    ----------
    ranks : ndarray of shape (k, n)
        Ranks of the columns, from -1 to 1.

    Examples
    --------
    >>> line = np.linspace(-1.0, 1.0, 201)
    >>> bool(link_strengths(np.array([line, line**2]))[0, 1] > 0.9)
    True
    """
    both = np.vstack((ranks, np.abs(ranks)))
    spread = both.std(axis=1, keepdims=True)
    scaled = (both - both.mean(axis=1, keepdims=True)) / np.where(spread > 0.0, spread, 1.0)
    links: NDArray[np.float64] = np.abs(scaled @ scaled.T) / ranks.shape[1]
    k = len(ranks)
    bent = np.maximum(links[:k, k:], links[:k, k:].T)
    strengths: NDArray[np.float64] = np.maximum(links[:k, :k], bent)
    return strengths


def chosen_numbers(overview: Sequence[dict[str, object]]) -> list[bool]:
    """Whether each column is one of numbers that is worth asking about.

    Parameters
    ----------
    overview : sequence of dict
        Cards of the columns, as :func:`bqcd.show.reports.overview.columns_part` has them.
    """
    useless = {"constant", "identifier", "not judged"}
    return [
        card["kind"] in NUMBERS and not useless & {alert["code"] for alert in card["alerts"]}  # type: ignore[attr-defined]
        for card in overview
    ]
