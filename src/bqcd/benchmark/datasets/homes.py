"""Where benchmark files lie on this machine."""

from __future__ import annotations

import os
from pathlib import Path

from bqcd.runtime.caches import cache_home

DATA_VARIABLE = "BQCD_DATA"
"""Environment variable with the folder of the benchmark folders."""


def data_homes(data_home: str | Path | None = None) -> tuple[Path, ...]:
    """Folders in which benchmark folders are looked for, in this order.

    Parameters
    ----------
    data_home : path, optional
        The only folder to look in. By default the folder in the environment variable
        ``BQCD_DATA``, if it is set, and then :func:`~bqcd.runtime.caches.cache_home`. The
        first of them is where downloads go.
    """
    if data_home is not None:
        return (Path(data_home).expanduser(),)
    named = os.environ.get(DATA_VARIABLE)
    return (*((Path(named).expanduser(),) if named else ()), cache_home())
