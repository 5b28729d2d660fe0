"""A small table, and a server for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from bqcd.show.explorer import Explorer


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> Path:
    """Five columns: two that go together, one of text, one with gaps, one with a nasty name."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    y = x**2 + 0.3 * rng.normal(size=300)
    lines = ["x,y,word,gaps,<script>alert(1)</script>"]
    for at, (one, two) in enumerate(zip(x, y, strict=True)):
        gap = "" if at % 50 == 0 else f"{two - one:.6f}"
        lines.append(f"{one:.6f},{two:.6f},w{at},{gap},{one + two:.6f}")
    path = tmp_path_factory.mktemp("explored") / "table.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def explorer(table) -> Iterator[Explorer]:
    with Explorer(table) as served:
        thread = Thread(target=served.serve)
        thread.start()
        try:
            yield served
        finally:
            served.shut_down()
            thread.join()
