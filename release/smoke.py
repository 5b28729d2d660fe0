"""Smoke test of a built package: from `pip install` to a report in three commands.

Each archive is installed into an environment of its own, without anything of this folder, and asked
what a newcomer would ask. ``python release/smoke.py dist/*.whl --python python3.13``
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

TABLE = (
    "from bqcd.benchmark.datasets import TABLES; import shutil;"
    "shutil.copy(TABLES['mcycle'].path, 'crash.csv')"
)
VERSIONS = (
    "import bqcd, numba, numpy, sys;"
    "print(bqcd.__version__, numba.__version__, numpy.__version__, sys.version.split()[0])"
)


def commands(archive: Path) -> list[list[str]]:
    """The three commands between nothing and a report, as a newcomer types them."""
    return [
        ["pip", "install", "--quiet", f"{archive}[plots,report]"],
        ["bqcd", "assess", "crash.csv", "milliseconds", "acceleration", "--json"],
        ["bqcd", "report", "crash.csv", "-o", "crash.html"],
    ]


class Environment:
    """A clean environment in a folder, in which commands are run."""

    def __init__(self, folder: Path, python: str) -> None:
        self.folder = folder
        place = folder / "environment"
        if python:
            subprocess.run([python, "-m", "venv", str(place)], check=True)
        else:
            venv.create(place, with_pip=True)
        self._programs = place / ("Scripts" if os.name == "nt" else "bin")

    def run(self, *command: str) -> str:
        """What a command prints; ends the test if it fails."""
        hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "BQCD_DATA")
        kept = {name: value for name, value in os.environ.items() if name not in hidden}
        path = f"{self._programs}{os.pathsep}{kept.get('PATH', '')}"
        kernels = str(self.folder / "kernels")
        done = subprocess.run(
            [str(self._programs / command[0]), *command[1:]],
            cwd=self.folder,
            env=kept | {"PATH": path, "BQCD_KERNELS": kernels, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        if done.returncode:
            sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
        return done.stdout


def smoke(archive: Path, python: str, *, version: str) -> str:
    """Versions in use, once an archive has passed."""
    with tempfile.TemporaryDirectory() as name:
        # Resolved: on some systems the folder for temporary files is a link.
        environment = Environment(Path(name).resolve(), python)
        install, assess, report = commands(archive.resolve())
        environment.run(*install)
        environment.run("python", "-c", TABLE)
        found = json.loads(environment.run(*assess))
        expect(found["cause"] == "milliseconds", f"the cause is {found['cause']!r}")
        environment.run(*report)
        page = (environment.folder / "crash.html").read_text(encoding="utf-8")
        expect("acceleration" in page and len(page) > 50_000, "the page is nearly empty")
        checked = environment.run("bqcd", "check", "bqcd")
        expect("keeps 8 of 8 promises" in checked, checked)
        told = environment.run("python", "-c", VERSIONS).strip()
        expect(told.startswith(f"{version} "), f"{told} is installed, {version} was built")
        return told


def expect(kept: bool, otherwise: str) -> None:
    """End the test, unless something is as it should be."""
    if not kept:
        sys.exit(f"Smoke test: {otherwise}")


def main() -> None:
    """Try every archive with every interpreter."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archives", nargs="+", type=Path)
    parser.add_argument("--python", action="append", help="Interpreter; may be repeated.")
    asked = parser.parse_args()
    for archive in asked.archives:
        version = archive.name.removesuffix(".tar.gz").split("-")[1]
        for python in asked.python or [""]:
            print(f"{archive.name}: {smoke(archive, python, version=version)}", flush=True)


if __name__ == "__main__":
    main()
