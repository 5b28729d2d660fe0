"""The directive ``method-table``: every method of bqcd, from the cards the library has."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bqcd.methods.table import ALL_METHODS
from bqcd.show.words.methods import MARK, chosen_words, drawn_rows, elsewhere


class MethodTable(SphinxDirective):
    """Definition list of all methods: name, what it assumes, time, origin, what to know."""

    def run(self) -> list[nodes.Node]:
        """Parse a list made of the cards."""
        lines = []
        for name, card in ALL_METHODS.items():
            facts = (
                f"{seconds_in_words(card.seconds)} a pair of 1,000 rows, "
                f"{seconds_in_words(card.seconds_beyond[-1])} one of 1,000,000, growing like "
                f"{card.cost}."
            )
            chosen = f"{MARK} chosen by looking at benchmark files: {chosen_words(card)}"
            said = (drawn_rows(card), elsewhere(card), chosen if card.chosen else "")
            more = " ".join(f"{one[0].upper()}{one[1:]}." for one in said if one)
            note = f" {card.note}" if card.note else ""
            lines += [f"`{name}`", f": Assumes: {card.assumes}.", f"  {facts} {more}{note}"]
            lines += [f"  *{card.reference.rstrip('.')}.*", ""]
        return self.parse_text_to_nodes("\n".join(lines))


def seconds_in_words(seconds: float) -> str:
    """Time with one digit, in a unit that suits it."""
    if seconds >= 1.0:
        return f"{seconds:.0f} s"
    return f"{1000.0 * seconds:.1g} ms" if seconds < 0.01 else f"{1000.0 * seconds:.0f} ms"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("method-table", MethodTable)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
