"""Formulas as MathML, which browsers draw by themselves: no script, no font, no network."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    """Write a formula inside a line."""
    self.body.append(convert(node.astext()))
    raise nodes.SkipNode


def visit_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on a line of its own, with its number if it has one."""
    self.body.append(self.starttag(node, "div", CLASS="formula"))
    self.body.append(convert(node.astext(), display="block"))
    if node["number"]:
        self.body.append(f'<span class="number">({node["number"]})</span>')
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer under the name ``mathml``."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
