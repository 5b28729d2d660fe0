"""Pages of the gallery: each script is run as anyone would run it, and shown with what it made.

A script is a plain file: a docstring (title, empty line, text), then code that prints and saves
pictures into the working folder. The text of one that needs the benchmark files says so; without
them its page shows the code alone. ``-D gallery_run=0`` takes what an earlier build made.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from time import perf_counter
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging

MADE = "made"
PRINTED = "printed.txt"
NEEDS_DATA = "Needs the benchmark files"

_log = logging.getLogger(__name__)
_NOT_RUN = ":::{note}\nNot run here, as the benchmark files are not at hand (`BQCD_DATA`).\n:::\n"


@dataclass(frozen=True, slots=True)
class Script:
    """A script of the gallery, taken apart.

    Parameters
    ----------
    path : Path
        The file.
    title, text, code : str
        First line of its docstring, the rest of it, and what follows.
    """

    path: Path
    title: str
    text: str
    code: str

    @classmethod
    def read(cls, path: Path) -> Script:
        """Script in a file."""
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        docstring = ast.get_docstring(tree)
        if docstring is None:
            raise ExtensionError(f"{path.name} has no docstring.")
        title, _, text = docstring.partition("\n")
        code = source.split("\n", tree.body[0].end_lineno or 0)[-1]
        return cls(path, title.rstrip("."), text.strip(), code.strip())

    @property
    def needs_data(self) -> bool:
        """Whether it is of no use without the benchmark files."""
        return NEEDS_DATA in " ".join(self.text.split())


def scripts_in(folder: Path) -> list[Script]:
    """Scripts of a gallery by file name."""
    return [Script.read(path) for path in sorted(folder.glob("*.py"))]


def run_script(script: Script, folder: Path) -> None:
    """Run a script in a folder of its own, where its pictures stay beside what it printed.

    Raises
    ------
    ExtensionError
        If it fails.
    """
    folder.mkdir(parents=True)
    # One thread each, as two scripts run at once.
    settings = {"MPLBACKEND": "Agg", "PYTHONWARNINGS": "error", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, str(script.path.resolve())],
        cwd=folder,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise ExtensionError(f"{script.path.name} failed:\n{done.stderr}")
    (folder / PRINTED).write_text(done.stdout, encoding="utf-8")


def pictures_in(folder: Path) -> list[str]:
    """Names of the pictures a script saved, in the order in which it did."""
    pictures = sorted(folder.glob("*.png"), key=lambda path: path.stat().st_mtime_ns)
    return [path.name for path in pictures]


def page_of(script: Script, made: Path) -> str:
    """Page of a script: text, what it made if it was run, and code."""
    stem = script.path.stem
    parts = [f"# {script.title}\n", script.text + "\n"]
    if (made / stem / PRINTED).is_file():
        printed = (made / stem / PRINTED).read_text(encoding="utf-8").rstrip()
        parts.append(f"What it prints:\n\n```text\n{printed}\n```\n")
        parts += [_picture(f"{stem}/{name}", script.title) for name in pictures_in(made / stem)]
    else:
        parts.append(_NOT_RUN)
    parts.append(f"The whole script, {{download}}`{stem}.py <../{stem}.py>`:\n")
    parts.append(f"```python\n{script.code}\n```\n")
    return "\n".join(parts)


def _picture(path: str, title: str) -> str:
    alt = f"{title}: {Path(path).stem.replace('-', ' ')}"
    return f"```{{image}} {path}\n:alt: {alt}\n:class: picture\n```\n"


def index_of(scripts: list[Script], made: Path) -> str:
    """Page with a picture, a title and a paragraph for each script."""
    parts = [
        "# Gallery\n",
        "Each example is a plain script that was run when these pages were built: what it printed "
        "and drew is shown as it came out.\n",
        "```{toctree}\n:hidden:\n",
        *(f"{MADE}/{script.path.stem}" for script in scripts),
        "```\n",
        "::::{container} cards",
    ]
    for script in scripts:
        stem = script.path.stem
        parts.append(":::{container} card")
        parts += [
            f"[![{script.title}]({MADE}/{stem}/{name})]({MADE}/{stem}.md)\n"
            for name in pictures_in(made / stem)[:1]
        ]
        parts.append(f"**[{script.title}]({MADE}/{stem}.md)**\n")
        parts.append(script.text.split("\n\n")[0])
        parts.append(":::")
    return "\n".join([*parts, "::::\n"])


def make_gallery(app: Sphinx) -> None:
    """Write the pages of the gallery before anything is read."""
    home = Path(app.srcdir) / "gallery"
    made = home / MADE
    made.mkdir(exist_ok=True)
    scripts = scripts_in(home)
    data = bool(os.environ.get("BQCD_DATA"))

    def run(script: Script) -> None:
        started = perf_counter()
        run_script(script, made / script.path.stem)
        _log.info("gallery: %s, %.1f s", script.path.name, perf_counter() - started)

    if app.config.gallery_run:
        rmtree(made)
        made.mkdir()
        with ThreadPoolExecutor(max_workers=2) as pool:
            list(pool.map(run, [script for script in scripts if data or not script.needs_data]))
    for script in scripts:
        _write(made / f"{script.path.stem}.md", page_of(script, made))
    _write(home / "index.md", index_of(scripts, made))


def _write(path: Path, text: str) -> None:
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Make the gallery when a builder is ready."""
    app.add_config_value("gallery_run", default=True, rebuild="", types=[bool])
    app.connect("builder-inited", make_gallery)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
