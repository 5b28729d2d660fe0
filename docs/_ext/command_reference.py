"""The directive ``command-reference``: every command with its options, from the parser itself."""

from __future__ import annotations

from typing import Any

from command_text import reference
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class CommandReference(SphinxDirective):
    """A section for every command: what it does, examples, arguments and options."""

    def run(self) -> list[nodes.Node]:
        """Parse text made of the commands."""
        return self.parse_text_to_nodes(reference(), allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("command-reference", CommandReference)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
