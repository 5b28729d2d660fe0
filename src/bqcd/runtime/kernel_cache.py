"""Compiled code on disk: one file for each kernel and kind of arguments, found by what it is.

The name of a file is a digest of all that the code depends on: the kernel and whatever it calls
(:mod:`bqcd.runtime.fingerprint`), the kinds of its arguments, Numba, LLVM, Python, the processor.
Where the package lies and which version it has is not among it. A file is written whole and never
changed, so that any number of processes may read and write at once.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import pickle
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite
import numba
from numba.core import config
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from bqcd.runtime.atomic import write_whole
from bqcd.runtime.caches import cache_home
from bqcd.runtime.fingerprint import fingerprint

KERNELS_VARIABLE = "BQCD_KERNELS"
"""Environment variable with the folder for compiled code; Numba's own is the next choice."""

_SEAL = hashlib.sha256().digest_size
# Another number makes all files of before unknown.
_FORMAT = 2


def kernel_folders() -> tuple[Path, ...]:
    """Folders for compiled code: read from all of them, written to the first that can be.

    Unless the environment names one, these are the user's cache folder and one inside the package.
    """
    version = f"{sys.implementation.cache_tag}-numba-{numba.__version__}"
    for variable in (KERNELS_VARIABLE, "NUMBA_CACHE_DIR"):
        if named := os.environ.get(variable, "").strip():
            return (Path(named).expanduser() / version,)
    beside = Path(__file__).parents[1] / "__pycache__" / "kernels" / version
    try:
        return cache_home() / "kernels" / version, beside
    except RuntimeError:  # a user without a home
        return (beside,)


def read_surroundings(compiled: CompileResult) -> Iterator[Any]:
    """Objects of Python that the code of a kernel or of its parts reads: hardly ever one."""
    return (read for read in compiled._find_referenced_environments() if read.consts)


def kept_in() -> Path | None:
    """Folder in which compiled code is kept; None if none can be written."""
    for folder in kernel_folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return None


def first_time(name: str) -> bool:
    """Whether this is asked for the first time where compiled code is kept.

    Where nothing can be kept, it is the first time in every process.
    """
    folder = kept_in()
    if folder is None:
        return True
    try:
        (folder / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    except OSError:
        pass
    return True


class KernelCache(_Cache):  # type: ignore[misc]
    """Compiled forms of one kernel on disk.

    Parameters
    ----------
    function : function
        The kernel as it is written.
    options : mapping
        How it is to be compiled.
    """

    def __init__(self, function: FunctionType, options: Mapping[str, Any]) -> None:
        self._function = function
        self._options = options
        # Code is loaded together with the module that it is from.
        self._enabled = function.__module__ in sys.modules
        self._written: str | None = None

    @property
    def cache_path(self) -> str:
        """Folder that is looked in first."""
        return str(kernel_folders()[0])

    def has_overload(self, sig: Any, target_context: Any) -> bool:
        """Whether there is a compiled form for some kinds of arguments."""
        return self._enabled and any(path.exists() for path in self._paths(sig, target_context))

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """Compiled form for some kinds of arguments, None if there is none or it is damaged."""
        if not self._enabled:
            return None
        for path in self._paths(sig, target_context):
            try:
                content = path.read_bytes()
            except OSError:
                continue
            seal, payload = content[:_SEAL], content[_SEAL:]
            if seal == hashlib.sha256(payload).digest():
                # All of the context that code needs which is there already.
                rtsys.initialize(target_context)
                return CompileResult._rebuild(target_context, *pickle.loads(payload))
        return None

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        """Keep a compiled form where it can be kept."""
        if not self._enabled or data.library.has_dynamic_globals:
            return
        paths = list(self._paths(sig, data.target_context))
        *reduced, _ = data._reduce()
        payload = dumps((*reduced, tuple(read_surroundings(data))))
        for path in paths:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, hashlib.sha256(payload).digest() + payload)
            except OSError:
                continue
            return

    def enable(self) -> None:
        """Use the files."""
        self._enabled = True

    def disable(self) -> None:
        """Leave the files alone."""
        self._enabled = False

    def flush(self) -> None:
        """Do nothing: code that changes gets another name."""

    def _paths(self, sig: Any, target_context: Any) -> Iterator[Path]:
        facts = (
            _FORMAT,
            numba.__version__,
            llvmlite.__version__,
            sys.implementation.cache_tag,
            target_context.codegen().magic_tuple(),
            (str(config.OPT), config.LOOP_VECTORIZE, config.SLP_VECTORIZE, config.BOUNDSCHECK),
            sorted(self._options.items()),
            self._function.__qualname__,
            self._what_is_written(),
            tuple(str(kind) for kind in sig),
        )
        key = hashlib.sha256(repr(facts).encode()).hexdigest()[:32]
        module = self._function.__module__.rpartition(".")[2]
        for folder in kernel_folders():
            yield folder / f"{module}.{self._function.__name__}-{key}.nbc"

    def _what_is_written(self) -> str:
        if self._written is None:
            try:
                self._written = fingerprint(self._function)
            except TypeError:  # of a global that has none
                source = Path(inspect.getfile(self._function)).read_bytes()
                self._written = hashlib.sha256(source).hexdigest()
        return self._written
