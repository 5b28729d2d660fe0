"""The lines of the page for R users, run by R where that and reticulate are installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import bqcd

PAGE = Path(__file__).parents[3] / "docs" / "r.md"


def lines_of(page: str) -> str:
    return "\n".join(re.findall(r"```r\n(.*?)```", page, flags=re.DOTALL))


def test_the_page_has_lines_to_run():
    assert "reticulate" in lines_of(PAGE.read_text(encoding="utf-8"))


def test_the_lines_of_the_page_run_in_r(tmp_path):
    command = shutil.which("Rscript")
    if command is None:
        pytest.skip("R is not installed")
    has = [command, "-e", 'quit(status = !requireNamespace("reticulate", quietly = TRUE))']
    if subprocess.run(has, capture_output=True, check=False).returncode:
        pytest.skip("reticulate is not installed")
    script = tmp_path / "page.R"
    script.write_text(lines_of(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    around = os.environ | {
        "RETICULATE_PYTHON": sys.executable,
        "PYTHONPATH": str(Path(bqcd.__file__).parents[1]),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(
        [command, script], cwd=tmp_path, env=around, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "dose -> response" in done.stdout
    assert '"leaning"' in done.stdout or '"clear"' in done.stdout
