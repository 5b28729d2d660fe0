"""Docstrings as they are read in a terminal, made fit for reStructuredText.

A size is written as ``|confidence|``, which reStructuredText would take for a substitution, and
each docstring counts its references from 1, which it would take for one footnote told twice.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import Any

from sphinx.application import Sphinx

# Either a literal, which is left alone, or a bar before a word.
_BARS = re.compile(r"(``.*?``|`[^`]*`)|(?<![\w|\\])\|(?=\w)")
_MARK = re.compile(r"\s?\[(\d+)\]_")
_REFERENCE = re.compile(r"^\.\. \[(\d+)\] ")


def public_names(unit: str) -> list[str]:
    """Names a unit offers, functions first; those at the front door are told there alone."""
    module, front_door = import_module(unit), import_module("bqcd")
    offered = getattr(module, "__all__", None) or [
        name
        for name, thing in vars(module).items()
        if getattr(thing, "__module__", None) == unit and not name.startswith("_")
    ]
    if module is not front_door:
        known = [getattr(front_door, name) for name in front_door.__all__]
        offered = [name for name in offered if not any(getattr(module, name) is k for k in known)]
    listed = [
        name
        for name in offered
        if not name.startswith("_") and not inspect.ismodule(getattr(module, name))
    ]
    return sorted(listed, key=lambda name: (_kind(getattr(module, name)), name.lower()))


def _kind(thing: object) -> int:
    return 0 if inspect.isroutine(thing) else 1 if inspect.isclass(thing) else 2


def mend(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Escape bars outside of literals and examples, and count references as text."""
    for at, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            line = _BARS.sub(lambda found: found[1] or r"\|", line)
            line = _MARK.sub(r" [\1]", line)
        lines[at] = _REFERENCE.sub(r"\1. ", line)


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen to every docstring that is read."""
    app.connect("autodoc-process-docstring", mend)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
