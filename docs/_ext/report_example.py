"""A small report that ``reports.md`` shows: made by the code as it is, whenever the site is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

PAGE = "report-example.html"


def write_example(app: Sphinx, error: Exception | None) -> None:
    """Write the report beside the other files of a finished site."""
    if error is not None or app.builder.name != "html":
        return
    import bqcd

    table = bqcd.load_table("mcycle")
    folder = Path(app.outdir) / "_static"
    folder.mkdir(parents=True, exist_ok=True)
    bqcd.report(table).save(folder / PAGE)


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen for the end of the build."""
    app.connect("build-finished", write_example)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
