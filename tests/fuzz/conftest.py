"""Limits under which every fuzz test runs."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from bqcd.cli.keyboard import Keyboard

_ROOM = 6 << 30


@pytest.fixture(autouse=True)
def _bounded_memory() -> Iterator[None]:
    """Let no damaged file take all memory: a larger claim must be refused, not tried."""
    limits = resource.getrlimit(resource.RLIMIT_AS)
    in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (in_use + _ROOM, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, limits)


@pytest.fixture(autouse=True)
def _no_keyboard(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command is called in this process, which has its own way with Ctrl-C."""
    monkeypatch.setattr(Keyboard, "listen", lambda self: None)
