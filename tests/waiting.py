"""Waiting for what another process does, however busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable


def soon(condition: Callable[[], bool], *, seconds: float = 120.0) -> bool:
    """Whether the condition came true; the patience only matters where something hangs."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True
