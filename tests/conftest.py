"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REFERENCE = Path(__file__).parent / "reference"


@pytest.fixture(scope="session")
def data_home() -> Path:
    """Folder of the benchmark files; required in CI, a reason to skip elsewhere."""
    home = os.environ.get("BQCD_DATA")
    if home and Path(home).is_dir():
        return Path(home)
    if os.environ.get("CI"):
        pytest.fail("CI must have the benchmark files: BQCD_DATA is not set to a folder")
    pytest.skip("the benchmark files are not here: set BQCD_DATA to their folder")
