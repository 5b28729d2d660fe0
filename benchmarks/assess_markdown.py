"""Tables and paragraphs of the page on trust, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

WIDTH = 120


def paragraph(*sentences: str) -> str:
    """Sentences as one paragraph; empty ones are left out."""
    words = " ".join(each for each in sentences if each)
    return fill(words, WIDTH, break_long_words=False, break_on_hyphens=False)


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> str:
    """Table whose first columns are text, aligned left, and the others numbers.

    Examples
    --------
    >>> print(markdown_table(("set", "right"), [("SIM", "0.6")]))
    | set | right |
    |:--|--:|
    | SIM | 0.6 |
    """
    marks = [":--"] * texts + ["--:"] * (len(head) - texts)
    lines = [f"| {' | '.join(head)} |", f"|{'|'.join(marks)}|"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])


def listed(items: Sequence[str]) -> str:
    """Items as in a sentence.

    Examples
    --------
    >>> listed(["AN", "LS", "SIM"])
    'AN, LS and SIM'
    """
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def percent(share: float) -> str:
    """Share in percent, with at most one digit, and that below ten only.

    Examples
    --------
    >>> percent(0.0123), percent(0.5), percent(0.05)
    ('1.2 %', '50 %', '5 %')
    """
    digits = 1 if share < 0.0995 and f"{100 * share:.1f}"[-1] != "0" else 0
    return f"{100 * share:.{digits}f} %"


def span(values: Sequence[float], digits: int = 2) -> str:
    """Smallest and largest of some numbers, or the one they all are."""
    low, high = (f"{each:.{digits}f}" for each in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"
