"""Engines by name, tasks by name, and paths that mean the same to two machines."""

from __future__ import annotations

import pytest

from bqcd.errors import InvalidSettingError, MissingPackageError
from bqcd.scans.engines import (
    ENGINES,
    DaskEngine,
    JoblibEngine,
    LocalEngine,
    RayEngine,
    make_engine,
)
from bqcd.scans.engines.engine import glimpse, task_name
from tests.scans.stand_ins import judged, make_tasks

MADE = {
    "local": LocalEngine(workers=3),
    "dask": DaskEngine(workers=3),
    "ray": RayEngine(workers=3),
    "spark": JoblibEngine(workers=3, backend="spark"),
    "joblib:dask": JoblibEngine(workers=3, backend="dask"),
    "joblib:my-own": JoblibEngine(workers=3, backend="my-own"),
}


@pytest.mark.parametrize("name", MADE)
def test_an_engine_is_made_by_its_name(name):
    engine = make_engine(name, workers=3)
    assert engine == MADE[name]
    assert engine.workers == 3


def test_every_name_makes_an_engine():
    assert set(ENGINES) <= set(MADE)


def test_an_address_is_passed_on_where_it_is_taken():
    assert make_engine("dask", address="tcp://a:1") == DaskEngine(address="tcp://a:1")
    assert make_engine("ray", address="auto") == RayEngine(address="auto")
    for name in ("local", "spark", "joblib:dask"):
        with pytest.raises(InvalidSettingError, match=rf"'{name}' takes none, got 'tcp://a:1'"):
            make_engine(name, address="tcp://a:1")


@pytest.mark.parametrize("name", ["dusk", "", "Local", "local:2"])
def test_an_unknown_name_is_refused_with_the_nearest(name):
    with pytest.raises(InvalidSettingError, match=f"There is no engine '{name}'"):
        make_engine(name)
    with pytest.raises(InvalidSettingError, match="Nearest: 'dask'"):
        make_engine("dusk")


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "sequential", "threading"])
@pytest.mark.parametrize("name", ["{}", "joblib:{}"])
def test_what_joblib_has_for_this_machine_gives_way_to_the_local_engine(name, backend):
    with pytest.raises(InvalidSettingError, match=f"backend '{backend}' runs on this .* 'local'"):
        make_engine(name.format(backend), workers=2)


@pytest.mark.parametrize("name", ["joblib", "joblib:"])
def test_joblib_needs_the_name_of_a_cluster(name):
    with pytest.raises(InvalidSettingError, match=f"'{name}' needs the name .* 'joblib:NAME'"):
        make_engine(name)


@pytest.mark.parametrize(
    ("name", "blocked", "extra"),
    [
        ("dask", "distributed", "dask"),
        ("ray", "ray", "ray"),
        ("joblib:dask", "joblib", "joblib"),
        ("spark", "joblibspark", "spark"),
    ],
)
def test_a_missing_package_is_named_with_the_line_to_install_it(monkeypatch, name, blocked, extra):
    monkeypatch.setitem(__import__("sys").modules, blocked, None)
    with pytest.raises(MissingPackageError, match=rf"'{blocked}'.*bqcd\[{extra}\]"):
        list(make_engine(name, workers=2).run(judged, make_tasks(1)))


def test_a_task_is_called_by_its_tile():
    (task,) = make_tasks(1, start=12)
    assert task_name(task) == "tile 12"
    assert task_name("x" * 500) == "the task '" + "x" * 59


def test_a_glimpse_tells_files_apart(tmp_path):
    base = bytes(range(256)) * 1000
    for name, data in {
        "file": base,
        "same": base,
        "head": b"1" + base[1:],
        "tail": base[:-1] + b"1",
        "longer": base + base,
        "empty": b"",
    }.items():
        (tmp_path / name).write_bytes(data)
    seen = {name: glimpse(tmp_path / name) for name in ("file", "head", "tail", "longer", "empty")}
    assert len(set(seen.values())) == 5
    assert glimpse(tmp_path / "same") == seen["file"]
    assert glimpse(tmp_path / "nowhere") == ""
    before = glimpse(tmp_path)
    (tmp_path / "another").touch()
    with_another = glimpse(tmp_path)
    (tmp_path / "another").write_text("changed")
    assert len({before, with_another, glimpse(tmp_path), ""}) == 4
