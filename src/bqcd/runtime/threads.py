"""Linear algebra on one thread, for as long as something asks for it.

Small matrices take longer on several threads, many times as long where NumPy's and SciPy's own
threads wait for each other; and sums that are split over threads depend on their number.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import RLock
from typing import Any

# The number is that of the process, and who has changed it changes it back. What is done inside
# holds Python's own lock most of the time, so that little is lost by taking turns.
_ONE_AT_A_TIME = RLock()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """State in which linear algebra stays on one thread; a decorator too.

    Threads that ask for it take turns.

    Examples
    --------
    >>> import numpy as np
    >>> with one_blas_thread():
    ...     np.eye(2) @ np.eye(2)
    array([[1., 0.],
           [0., 1.]])
    """
    with _ONE_AT_A_TIME, _blas().limit(limits=1):
        yield


@lru_cache(maxsize=1)
def _blas() -> Any:
    """The libraries of linear algebra that NumPy and SciPy bring."""
    import scipy.linalg  # noqa: F401, so that its library is there to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")
