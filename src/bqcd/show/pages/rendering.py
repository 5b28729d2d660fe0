"""One self-contained HTML file from the content of a report."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from itertools import islice
from typing import Any

from bqcd.errors import InvalidSettingError
from bqcd.runtime.optional import require
from bqcd.show.pages import tables
from bqcd.show.pages.wording import name_parts

SCRIPTS = (
    "wording",
    "elements",
    "theme",
    "tips",
    "charts",
    "scatters",
    "voices",
    "details",
    "dialog",
    "best",
    "answers",
    "pairs",
    "viewport",
    "drawing",
    "graph",
    "benchmark",
    "start",
)
"""Scripts in the order in which they are put together."""
ROWS_WITHOUT_SCRIPT = 500
BEST = 3
"""Pairs that are pictured on the front page."""
_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def page(content: Mapping[str, Any]) -> str:
    """HTML of a report: one file that needs no network and no other file.

    The same content gives the same text. Every name and message is shown as it is, never
    run: the page allows its own script and style only, by their hashes.

    Parameters
    ----------
    content : mapping of str to object
        What the page says, as :meth:`bqcd.show.reports.Report.as_dict` gives it. Parts that are
        missing or None are left out.

    Raises
    ------
    InvalidSettingError
        If the content cannot be written as JSON, such as for a number that is not finite.
    MissingPackageError
        If jinja2 is not installed.

    Examples
    --------
    >>> text = page({"title": "Age & rings", "answer": "age -> rings"})
    >>> "<h1>Age &amp; rings</h1>" in text
    True
    """
    style, script = part("page.css"), program()
    text: str = _template().render(
        report=content,
        shown=_Shown(content),
        policy=policy(script, style),
        payload=payload(content),
        style=style,
        script=script,
    )
    # Half of a surrogate pair can be in a name, but not in a file.
    return text.encode("utf-8", "replace").decode("utf-8")


def payload(content: Mapping[str, Any]) -> str:
    r"""Content as JSON that cannot end the element it stands in.

    Parameters
    ----------
    content : mapping of str to object
        What the page says.

    Raises
    ------
    InvalidSettingError
        If the content cannot be written as JSON, such as for a number that is not finite.

    Examples
    --------
    >>> payload({"title": "</script>"})
    '{"title":"\\u003c/script\\u003e"}'
    """
    try:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise InvalidSettingError(
            f"content of a page must be ready for JSON, with finite numbers: {error}."
        ) from error
    return text.translate(_ESCAPES)


def policy(script: str, style: str) -> str:
    """Content security policy: nothing is loaded, and only this script and style are used."""
    return (
        f"default-src 'none'; script-src '{digest(script)}'; style-src '{digest(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


@cache
def program() -> str:
    """All scripts as one, in a scope of its own."""
    parts = "\n".join(part("scripts", f"{name}.js") for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


@cache
def part(*place: str) -> str:
    """Text of a file that comes with this package."""
    return files("bqcd.show.pages").joinpath(*place).read_text(encoding="utf-8")


def digest(text: str) -> str:
    """Hash of a script or style as a policy names it."""
    return "sha256-" + b64encode(sha256(text.encode("utf-8")).digest()).decode("ascii")


@cache
def _template() -> Any:
    jinja2 = require("jinja2", extra="report", needed_by="An HTML report")
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters["name_parts"] = name_parts
    return environment.from_string(part("macros.html.jinja") + part("template.html.jinja"))


class _Shown:
    """What the template shows of the content, in words."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        pairs = content.get("pairs") or []
        self.graph, self.benchmark = content.get("graph"), content.get("benchmark")
        self.columns = tables.pair_columns(pairs)
        self.rows = [
            (group, pair, list(tables.pair_cells(pair, self.columns)))
            for group, pair in self._grouped(pairs)
        ]
        self.n_pairs = len(pairs)
        self.n_total = content.get("pairs_total") or len(pairs)
        details = content.get("details") or {}
        self.only = details.get(str(pairs[0]["id"])) if len(pairs) == 1 else None
        alone = len(pairs) == 1 and not self.graph
        self.single = tables.Line.of(pairs[0]) if alone else None
        self.best = self._best(pairs, details) if not alone and not self.graph else []
        self.best_told = any(pair.get("cause") is not None for pair, _ in self.best)
        self.changes = [
            (row, tables.Line.of({**row, **row["now"]}), tables.Line.of({**row, **row["before"]}))
            for row in (content.get("changes") or {}).get("rows", ())
        ]
        self.edges = list(tables.edge_rows(self.graph, pairs)) if self.graph else []
        self.edge_heads = tables.EDGE_HEADS
        self.metrics = tables.metrics_present(self.benchmark) if self.benchmark else ()
        first = self.metrics[0][0] if self.metrics else "accuracy"
        self.matrix = list(tables.matrix_rows(self.benchmark, first)) if self.benchmark else []
        self.calibration = list(tables.calibration_rows(self.benchmark or {}))
        self.sections = [
            (name, label)
            for name, label, there in (
                ("best", "Best", self.best),
                ("changes", "Changes", content.get("changes")),
                ("benchmark", "Benchmark", self.benchmark),
                ("graph", "Graph", self.graph),
                ("answers", "Matrix", content.get("matrix")),
                ("columns", "Columns", content.get("columns")),
                ("pairs", "Pairs" if len(pairs) != 1 else "Pair", pairs and not self.graph),
                ("colophon", "How it was made", content.get("colophon")),
            )
            if there
        ]

    @staticmethod
    def _grouped(pairs: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The first rows with the heads of their groups; a single pair has none."""
        rows = islice(tables.grouped(pairs), ROWS_WITHOUT_SCRIPT)
        return (("" if len(pairs) == 1 else group, pair) for group, pair in rows)

    @staticmethod
    def _best(
        pairs: Sequence[Mapping[str, Any]], details: Mapping[str, Any]
    ) -> list[tuple[Mapping[str, Any], tables.Arrow]]:
        """The first pairs with pictures: those with a direction, or any if none has one."""
        drawn = [pair for pair in pairs if str(pair["id"]) in details]
        told = [pair for pair in drawn if pair.get("cause") is not None]
        return [(pair, tables.pair_arrow(pair)) for pair in (told or drawn)[:BEST]]

    @staticmethod
    def look_of(pair: Mapping[str, Any]) -> str:
        """How the answer of a pair looks."""
        return tables.Line.of(pair).look
