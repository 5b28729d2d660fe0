"""What screen readers and keyboards need, and the theme leaves out."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


def mend(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None
) -> None:
    """Give captions of the navigation a level, and let code be scrolled by keyboard."""
    for name in ("furo_navigation_tree", "toctree_html"):
        if isinstance(context.get(name), str):
            context[name] = context[name].replace('role="heading"', 'role="heading" aria-level="2"')
    if "body" in context:
        context["body"] = context["body"].replace(
            '<div class="highlight"><pre>', '<div class="highlight"><pre tabindex="0">'
        )


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen after the theme has built its navigation."""
    app.connect("html-page-context", mend, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
