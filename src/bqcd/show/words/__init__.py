"""Sentences: everything that is said in words is said here.

Records hold numbers and codes. Nothing outside this package builds a sentence of them, and nothing
anywhere takes a sentence apart.
"""

from __future__ import annotations

from bqcd.errors import counted, printable, shortened

__all__ = ["ASSUMPTIONS", "counted", "joined", "shown_name"]

ASSUMPTIONS = (
    "This assumes that one column causes the other, without a common cause (confounding), "
    "selection of rows (selection bias) or feedback; where that is in doubt, so is the answer."
)


def shown_name(name: str) -> str:
    """Name of a column as people see it: printable, in one line, not too long."""
    return printable(shortened(name))


def joined(*sentences: str) -> str:
    """Sentences one after the other, those that say something."""
    return " ".join(sentence for sentence in sentences if sentence)
