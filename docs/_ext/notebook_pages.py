"""Notebooks of the documentation, stored as they were run by `make notebooks`.

They are run anew when the documentation is built, and must print what is stored in them.
``-D notebooks_run=0`` shows what is stored.
"""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import rmtree
from typing import Any

MADE = "made"
SECONDS = 300
Cell = Mapping[str, Any]


def notebooks_in(folder: Path) -> list[Path]:
    """Notebooks of a folder, in the order of their names."""
    return sorted(folder.glob("*.ipynb"))


def run_notebook(path: Path, out: Path) -> None:
    """Run a notebook from top to bottom, and write it with what it made.

    Parameters
    ----------
    path, out : Path
        Where it is, and where it goes; what it writes itself goes beside that.
    """
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    out.parent.mkdir(parents=True, exist_ok=True)
    where = {"metadata": {"path": str(out.parent)}}
    NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", resources=where).execute()
    # Times and numbers of the machine are no news.
    notebook.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    for at, cell in enumerate(notebook.cells):
        cell.metadata, cell["id"] = {}, f"cell-{at}"
    out.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


def printed_in(path: Path) -> list[str]:
    """What each cell of a notebook printed."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(_streams(cell)) for cell in cells if cell["cell_type"] == "code"]


def pictures_in(path: Path) -> int:
    """How many pictures are among the outputs of a notebook."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    kinds = [
        kind for cell in cells for one in cell.get("outputs", ()) for kind in one.get("data", ())
    ]
    return kinds.count("image/png")


def _streams(cell: Cell) -> Iterator[str]:
    for one in cell.get("outputs", ()):
        if one["output_type"] == "stream":
            yield "".join(one["text"])


def page_of(path: Path, made: Path) -> str:
    """Markdown of a notebook; its pictures are written to a folder.

    Parameters
    ----------
    path : Path
        The notebook.
    made : Path
        Folder for its pictures.
    """
    parts: list[str] = []
    for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for at, output in enumerate(cell["outputs"]):
            parts.append(_shown(output, made, f"{path.stem}-{number}-{at}"))
    link = f"{{download}}`The notebook itself <../{path.name}>`"
    return "\n\n".join([*filter(None, parts), link]) + "\n"


def _shown(output: Cell, made: Path, stem: str) -> str:
    """Markdown of one output: a picture, a piece of HTML, or text."""
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text']).rstrip()}\n```"
    data = output.get("data", {})
    if "image/png" in data:
        name = f"{stem}.png"
        (made / name).write_bytes(b64decode("".join(data["image/png"])))
        width = output.get("metadata", {}).get("image/png", {}).get("width")
        size = f":width: {width}px\n" if width else ""
        return f"```{{image}} {name}\n:alt: What the cell above draws\n{size}```"
    if "text/html" in data:
        html = "".join(data["text/html"])
        return f"````{{raw}} html\n{html}\n````" if html.strip() else ""
    text = "".join(data.get("text/plain", "")).rstrip()
    return f"```text\n{text}\n```" if text else ""


def write_pages(folder: Path, *, run: bool) -> None:
    """Write a page for each notebook of a folder.

    Parameters
    ----------
    folder : Path
        Where they are.
    run : bool
        Whether they are run anew; they must then print what they are stored with.
    """
    made = folder / MADE
    rmtree(made, ignore_errors=True)
    made.mkdir()
    fresh = made / "run"
    if run:
        # In a process of its own: kernels speak through a loop of events.
        command = [sys.executable, __file__, str(folder), str(fresh)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"A notebook failed: {done.stderr[-2000:]}")
    for path in notebooks_in(folder):
        shown = fresh / path.name if run else path
        if printed_in(shown) != printed_in(path):
            raise RuntimeError(f"{path.name} prints something else now: `make notebooks`.")
        (made / f"{path.stem}.md").write_text(page_of(shown, made), encoding="utf-8")
    rmtree(fresh, ignore_errors=True)


def setup(app: Any) -> dict[str, bool]:
    """Make the pages before Sphinx looks for any."""
    app.add_config_value("notebooks_run", True, "env", (bool, int, str))

    def write(found: Any) -> None:
        run = str(found.config.notebooks_run) not in ("0", "False")
        write_pages(Path(found.srcdir) / "notebooks", run=run)

    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def main(folder: Path, out: Path) -> None:
    """Run all notebooks of a folder."""
    for path in notebooks_in(folder):
        run_notebook(path, out / path.name)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
