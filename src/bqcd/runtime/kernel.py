"""Compiled kernels: one decorator, and what is told while they are compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from types import FunctionType
from typing import ParamSpec, TypeVar, cast

from numba.core import config, event

from bqcd.runtime.kernel_parts import Kernel

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def kernel(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Machine code for a numeric function of arrays and scalars, compiled on first call.

    The code is kept in the user's cache folder, or beside the package where that cannot be
    written (:mod:`bqcd.runtime.kernel_cache`). Where neither can be, it is compiled in memory,
    once per process. The kernels release the GIL.

    Arithmetic is as written: no sum is regrouped, no product fused into a sum. What would
    be gained in speed would be lost in the last digit, which then depends on what the
    compiler made of a loop; two processes must agree to the bit. Long sums are written in
    several lanes instead.
    """
    if config.DISABLE_JIT:
        return function
    return cast("Callable[Arguments, Result]", Kernel(cast("FunctionType", function)))


def at_hand(compiled: Callable[Arguments, Result], *arguments: object) -> bool:
    """Whether a kernel can be called with such arguments without compiling anything."""
    return not isinstance(compiled, Kernel) or compiled.is_at_hand(arguments)


@contextmanager
def counted_compilations() -> Iterator[list[str]]:
    """Names of the kernels that are compiled for Python to call, as they are."""
    counter = _Counter()
    event.register("numba:compile", counter)
    try:
        yield counter.names
    finally:
        event.unregister("numba:compile", counter)


@contextmanager
def on_slow_compilation(tell: Callable[[], None], *, seconds: float = 2.0) -> Iterator[None]:
    """Call ``tell`` once if kernels are still being compiled after so many seconds.

    Loading kernels from the cache does not count: nothing is told on a warm machine.
    """
    watch = _CompilationWatch(tell, seconds)
    event.register("numba:compile", watch)
    try:
        yield
    finally:
        event.unregister("numba:compile", watch)
        watch.stop()


class _Counter(event.Listener):  # type: ignore[misc]
    """Remembers kernels; parts of kernels and what Numba compiles of itself are not among them."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def on_start(self, event: event.Event) -> None:
        kernel = (event.data or {}).get("dispatcher")
        if isinstance(kernel, Kernel):
            self.names.append(f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}")

    def on_end(self, event: object) -> None:
        pass


class _CompilationWatch(event.Listener):  # type: ignore[misc]
    """Starts the clock at the first compilation; tells if one is under way when it rings."""

    def __init__(self, tell: Callable[[], None], seconds: float) -> None:
        self._tell = tell
        self._timer = Timer(seconds, self._ring)
        self._timer.daemon = True
        self._started = self._rung = self._told = False
        self._under_way = 0

    def on_start(self, event: object) -> None:
        self._under_way += 1
        if not self._started:
            self._started = True
            self._timer.start()
        elif self._rung:
            self._tell_once()

    def on_end(self, event: object) -> None:
        self._under_way -= 1

    def stop(self) -> None:
        self._timer.cancel()

    def _ring(self) -> None:
        self._rung = True
        if self._under_way:
            self._tell_once()

    def _tell_once(self) -> None:
        if not self._told:
            self._told = True
            self._tell()
