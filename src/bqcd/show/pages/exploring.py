"""The page on which a table is asked: columns, method and settings to choose, a report to see."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from bqcd.runtime.optional import require
from bqcd.show.pages.rendering import digest, part, payload


def exploring_page(choices: Mapping[str, Any]) -> str:
    """HTML of the page, with what can be chosen.

    Parameters
    ----------
    choices : mapping of str to object
        Table, columns, methods and settings, ready for JSON.

    Raises
    ------
    MissingPackageError
        If jinja2 is not installed.

    Examples
    --------
    >>> "<title>Explore a &amp; b</title>" in exploring_page({"table": "a & b", "rows": 3})
    True
    """
    jinja2 = require("jinja2", extra="report", needed_by="bqcd explore")
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    template = environment.from_string(part("macros.html.jinja") + part("exploring.html.jinja"))
    text: str = template.render(
        choices=choices, payload=payload(choices), style=_style(), script=_script()
    )
    return text.encode("utf-8", "replace").decode("utf-8")


def exploring_policy() -> str:
    """Content security policy of the page: its script and style, and its own server."""
    return (
        f"default-src 'none'; script-src '{digest(_script())}'; style-src '{digest(_style())}'; "
        "connect-src 'self'; frame-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def notice_page(text: str, *, onward: str | None = None) -> str:
    """HTML of a page that says one thing, and leads on if there is a place to go.

    Parameters
    ----------
    text : str
        What to say.
    onward : str or None, default=None
        Address that the browser goes to at once.

    Raises
    ------
    MissingPackageError
        If jinja2 is not installed.

    Examples
    --------
    >>> "<p>Not &lt;here&gt;.</p>" in notice_page("Not <here>.")
    True
    """
    jinja2 = require("jinja2", extra="report", needed_by="bqcd explore")
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, keep_trailing_newline=True)
    style = part("notice.css")
    shown: str = environment.from_string(part("notice.html.jinja")).render(
        text=text, onward=onward, style=style, hash=digest(style)
    )
    return shown


@cache
def _style() -> str:
    return part("page.css") + part("exploring.css")


@cache
def _script() -> str:
    parts = "\n".join(part("scripts", f"{name}.js") for name in ("wording", "tips", "exploring"))
    return f'"use strict";\n(() => {{\n{parts}}})();\n'
