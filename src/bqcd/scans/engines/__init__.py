"""Where tiles are judged: this process, processes of this machine, or a cluster."""

from __future__ import annotations

from bqcd.errors import InvalidSettingError
from bqcd.runtime.settings import nearest_names
from bqcd.scans.engines.dask_cluster import DaskEngine
from bqcd.scans.engines.engine import Engine
from bqcd.scans.engines.joblib_backend import ON_THIS_MACHINE, JoblibEngine
from bqcd.scans.engines.local import LocalEngine
from bqcd.scans.engines.ray_cluster import RayEngine

__all__ = [
    "ENGINES",
    "DaskEngine",
    "Engine",
    "JoblibEngine",
    "LocalEngine",
    "RayEngine",
    "make_engine",
]

ENGINES = ("local", "dask", "ray", "spark")
"""Names of engines; ``"joblib:NAME"`` stands for any other cluster registered with joblib."""


def make_engine(name: str, *, workers: int = 1, address: str | None = None) -> Engine:
    """Engine of a name; its workers are not started before they are needed.

    Parameters
    ----------
    name : str
        One of ``ENGINES``, or ``"joblib:NAME"`` for a cluster registered with joblib.
    workers : int, default=1
        Number of workers; an existing cluster has its own.
    address : str or None, default=None
        Scheduler of an existing Dask cluster, or head of an existing Ray cluster.

    Raises
    ------
    InvalidSettingError
        If there is no such engine, or it takes no address.

    Examples
    --------
    >>> make_engine("local", workers=2)
    LocalEngine(workers=2)
    >>> make_engine("joblib:ray", workers=2)
    JoblibEngine(workers=2, backend='ray')
    """
    if name == "dask":
        return DaskEngine(workers=workers, address=address)
    if name == "ray":
        return RayEngine(workers=workers, address=address)
    if address is not None:
        raise InvalidSettingError(
            f"address is for the engines 'dask' and 'ray'; {name!r} takes none, got {address!r}."
        )
    if name == "local":
        return LocalEngine(workers=workers)
    family, _, backend = name.partition(":")
    if name == "spark" or name in ON_THIS_MACHINE:
        return JoblibEngine(workers=workers, backend=name)
    if family == "joblib" and backend:
        return JoblibEngine(workers=workers, backend=backend)
    if family == "joblib":
        raise InvalidSettingError(
            f"The engine {name!r} needs the name of a cluster registered with joblib, as in "
            "'joblib:NAME'; on this machine use 'local'."
        )
    raise InvalidSettingError(
        f"There is no engine {name!r}. {nearest_names(name, (*ENGINES, 'joblib:NAME'))}"
    )
