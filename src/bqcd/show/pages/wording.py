"""Numbers and names as a page shows them; ``scripts/wording.js`` has the same rules."""

from __future__ import annotations

import re

from bqcd.show.chances import if_tiny, probability_percent, whole_percent

NOTHING = "\N{EN DASH}"


def number_text(value: float | None) -> str:
    """Number with three digits that count, whole from 1,000 on.

    Examples
    --------
    >>> [number_text(value) for value in (0.0123456, 0.5, 12345.6, 0.0000123, 0)]
    ['0.0123', '0.5', '12,346', '< 0.0001', '0']
    """
    if value is None:
        return NOTHING
    size = abs(value)
    if 0.0 < size < 1e-4:
        return "< 0.0001" if value > 0.0 else "> -0.0001"
    return f"{value:,.0f}" if size >= 999.5 else f"{float(f'{value:.3g}'):.10g}"


def percent_text(value: float | None) -> str:
    """Figure of a benchmark as a percentage.

    Examples
    --------
    >>> percent_text(0.876)
    '87.6 %'
    """
    return NOTHING if value is None else f"{number_text(100.0 * value)} %"


def probability_text(value: float | None) -> str:
    """Probability in whole percents, rounded as in a headline.

    Examples
    --------
    >>> probability_text(0.974), probability_text(0.649)
    ('97 %', '64 %')
    """
    return NOTHING if value is None else f"{probability_percent(value)} %"


def share_text(value: float | None) -> str:
    """Share in whole percents, rounded down: 100 % means all of them.

    Examples
    --------
    >>> share_text(0.999)
    '99 %'
    """
    return NOTHING if value is None else f"{whole_percent(value)} %"


def strength_text(value: float | None) -> str:
    """Strength of a link, from 0 to 1.

    Examples
    --------
    >>> strength_text(0.1), strength_text(0.832)
    ('0.10', '0.83')
    """
    return NOTHING if value is None else f"{value:.2f}"


def count_text(value: int | None) -> str:
    """Whole number with its thousands set apart.

    Examples
    --------
    >>> count_text(10000)
    '10,000'
    """
    return NOTHING if value is None else f"{value:,}"


def chance_text(value: float | None) -> str:
    """P-value or bound, small ones as such.

    Examples
    --------
    >>> chance_text(9.6e-153), chance_text(0.0312)
    ('< 0.001', '0.031')
    """
    return NOTHING if value is None else if_tiny(value) or f"{value:.2g}"


WORDS = {
    "number": number_text,
    "percent": percent_text,
    "probability": probability_text,
    "share": share_text,
    "strength": strength_text,
    "count": count_text,
    "chance": chance_text,
}


def name_parts(name: str) -> list[str]:
    """Parts of a name, between which a line may end.

    Examples
    --------
    >>> name_parts("flipper_length_mm")
    ['flipper_', 'length_', 'mm']
    """
    return re.split(r"(?<=[_.:/-])(?=.)", name)
