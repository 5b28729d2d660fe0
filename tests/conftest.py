"""Fixtures shared by all tests."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

import pytest

# Two workers share two cores: threads of scikit-learn would wait for each other, and loudly.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Hundreds of processes load the package, and each would compile it anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

REFERENCE = Path(__file__).parent / "reference"


def pytest_collection_finish() -> None:
    """Have garbage looked for among what tests make, not among all that is loaded."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def data_home() -> Path:
    """Folder of the benchmark files; required in CI, a reason to skip elsewhere."""
    home = os.environ.get("BQCD_DATA")
    if home and Path(home).is_dir():
        return Path(home)
    if os.environ.get("CI"):
        pytest.fail("CI must have the benchmark files: BQCD_DATA is not set to a folder")
    pytest.skip("the benchmark files are not here: set BQCD_DATA to their folder")
