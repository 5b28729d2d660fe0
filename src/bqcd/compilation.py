"""Compiled kernels: one decorator, a cache on disk where there is one to write to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import ParamSpec, TypeVar, cast

import numba
from numba.core import event

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

# Sums may be regrouped so that they run on vector units; infinities and NaN stay honest.
REGROUPING = frozenset({"reassoc", "contract", "arcp", "nsz"})


def kernel(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Machine code for a numeric function of arrays and scalars, compiled on first call.

    The code is cached beside the source file, or in the user's cache folder where the
    installation is read-only. Where neither can be written, it is compiled in memory,
    once per process. The kernels release the GIL.
    """
    flags = set(REGROUPING)
    try:
        compiled = numba.njit(function, cache=True, nogil=True, fastmath=flags)
    except RuntimeError:
        # Numba's word for "no folder to cache in": an answer that comes late beats none.
        compiled = numba.njit(function, nogil=True, fastmath=flags)
    return cast("Callable[Arguments, Result]", compiled)


@contextmanager
def on_slow_compilation(tell: Callable[[], None], *, seconds: float = 2.0) -> Iterator[None]:
    """Call ``tell`` once if kernels are still being compiled after so many seconds.

    Loading kernels from the cache does not count: nothing is told on a warm machine.
    """
    watch = _CompilationWatch(tell, seconds)
    event.register("numba:compile", watch)  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        event.unregister("numba:compile", watch)  # type: ignore[no-untyped-call]
        watch.stop()


class _CompilationWatch(event.Listener):
    """Starts the clock at the first compilation."""

    def __init__(self, tell: Callable[[], None], seconds: float) -> None:
        self._timer = Timer(seconds, tell)
        self._timer.daemon = True
        self._started = False

    def on_start(self, event: object) -> None:
        if not self._started:
            self._started = True
            self._timer.start()

    def on_end(self, event: object) -> None:
        """Leave the clock running: one kernel calls the next."""

    def stop(self) -> None:
        self._timer.cancel()
