from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bqcd.benchmark.datasets.homes import cache_home, data_homes


def test_a_folder_that_is_given_is_the_only_one(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("BQCD_DATA", "/elsewhere")
    assert data_homes(tmp_path) == (tmp_path,)
    assert data_homes("~/data") == (Path.home() / "data",)


def test_the_variable_comes_before_the_cache(monkeypatch) -> None:
    monkeypatch.setenv("BQCD_DATA", "/elsewhere")
    assert data_homes() == (Path("/elsewhere"), cache_home())


@pytest.mark.parametrize("unset", [None, ""])
def test_without_the_variable_there_is_the_cache(monkeypatch, unset) -> None:
    if unset is None:
        monkeypatch.delenv("BQCD_DATA", raising=False)
    else:
        monkeypatch.setenv("BQCD_DATA", unset)
    assert data_homes() == (cache_home(),)


@pytest.mark.parametrize("variable", [None, "", "/tmp/caches"])
def test_the_cache_is_where_pooch_has_it(monkeypatch, variable) -> None:
    pooch = pytest.importorskip("pooch")
    if variable is None:
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", variable)
    assert cache_home() == pooch.os_cache("bqcd")


def test_the_cache_on_other_systems(monkeypatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_home() == Path.home() / "Library" / "Caches" / "bqcd"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    assert cache_home() == Path("/local/bqcd/bqcd/Cache")
