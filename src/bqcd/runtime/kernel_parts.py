"""Kernels that call each other, each compiled to machine code only where Python calls it.

Numba makes machine code of every function, with ways to call it from Python and from C, and then
again of every function that calls it, with the code of what it calls inside. Here, what is called
by a kernel is translated only; all of it is optimised and turned into machine code once, as a part
of the kernel that Python calls. The numbers are the same, in half of the time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

from numba import typeof
from numba.core import event, typing
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NopythonTypeInference
from numba.core.types import Type
from numba.core.types.misc import unliteral

from bqcd.runtime.kernel_cache import KernelCache, read_surroundings

Kinds = tuple[Type, ...]

_call = CPUDispatcher.__call__
_OPTIONS = {"nopython": True, "nogil": True, "no_cfunc_wrapper": True}


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A kernel: machine code for Python, a part for other kernels."""

    def __init__(
        self,
        py_func: FunctionType,
        locals: dict[str, Any] | None = None,
        targetoptions: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(py_func, locals or {}, targetoptions or dict(_OPTIONS))
        self._cache = KernelCache(py_func, self.targetoptions)
        self._part: _Part | None = None
        self._is_kept: bool | None = None

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """What the function returns for these arguments.

        Numba asks Python for the kind of each array of a tuple that it returns, and an interruption
        may be raised there. Numba goes on, and Python makes an error of its own of it, which is no
        interruption any more: whoever expects pairs to fail would go on as well.
        """
        try:
            return _call(self, *arguments, **named)
        except SystemError as error:
            origin = _origin(error)
        raise origin

    @property
    def part(self) -> _Part:
        """What other kernels call."""
        if self._part is None:
            self._part = _Part(self.py_func, self.targetoptions)
        return self._part

    def compile(self, sig: Any) -> Any:
        """Entry point for some kinds of arguments, from the cache or compiled."""
        with _no_collection():
            entry = super().compile(sig)
        for compiled in self.overloads.values():
            # What parts read can be put in its place only now that there is one.
            for surroundings in read_surroundings(compiled):
                compiled.codegen.set_env(surroundings.env_name, surroundings)
        return entry

    def is_at_hand(self, arguments: tuple[object, ...]) -> bool:
        """Whether a call compiles nothing: it has been compiled here, or is in the cache.

        What was not in the cache once is not looked for again.
        """
        if self.overloads:
            return True
        if self._is_kept is None:
            kinds = tuple(typeof(argument) for argument in arguments)
            self._is_kept = self._cache.has_overload(kinds, self.targetctx)
        return self._is_kept

    def get_call_template(self, args: Kinds, kws: dict[str, Type]) -> Any:
        """What another kernel needs to know to call this one."""
        return self.part.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """What stands for the part in the code of the kernel that calls it."""
        return self.part.get_overload(sig)

    @property
    def is_compiling(self) -> Any:
        """Whether a call to this kernel comes from inside of it."""
        return self._compiling_counter or (self._part and self._part._compiling_counter)


def _origin(error: BaseException) -> BaseException:
    """What was raised before Python complained that a result came with an exception."""
    while isinstance(error, SystemError) and error.__cause__ is not None:
        error = error.__cause__
    return error


@contextmanager
def _no_collection() -> Iterator[None]:
    """Leave garbage for later: compiling makes many objects, and looking through them is slow."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class _Part(CPUDispatcher):  # type: ignore[misc]
    """A kernel as other kernels call it: translated, not yet machine code."""

    def __init__(self, function: FunctionType, options: dict[str, Any]) -> None:
        bare = options | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        super().__init__(function, {}, bare, pipeline_class=_PartCompiler)

    def compile(self, sig: Kinds) -> None:
        """Translate for some kinds of arguments."""
        with global_compiler_lock, self._compiling_counter:
            if sig in self.overloads:
                return
            details = {"dispatcher": self, "args": sig, "return_type": None}
            with event.trigger_event("numba:compile", data=details):
                translated = self._compiler.compile(sig, None)
            self.targetctx.insert_user_function(
                self.get_overload(sig), translated.fndesc, [translated.library]
            )
            self.overloads[sig] = translated

    def get_overload(self, sig: Any) -> Any:
        """What stands for the part: nothing that can be called."""
        return (self, tuple(sig))

    def get_call_template(self, args: Kinds, kws: dict[str, Type]) -> Any:
        """What another kernel needs to know to call this one.

        A constant counts as any other number: one form of the part serves all of them.
        """
        signature, folded = self._compiler.fold_argument_types(args, kws)
        kinds = tuple(unliteral(kind) for kind in folded)
        self.compile(kinds)
        name = self.py_func.__name__
        forms = typing.make_concrete_template(name, key=name, signatures=self.nopython_signatures)
        return forms, signature, kinds, {}


class _PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code that is linked into other code and never run by itself."""

    def finalize(self) -> None:
        """Take in what is called; leave the rest to whoever takes this in."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            # What is to be done where the code is loaded again; older Numba has no such thing.
            getattr(self, "_reload_init", set()).update(getattr(library, "_reload_init", ()))
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


@register_pass(mutates_CFG=False, analysis_only=False)
class _TakePartLibrary(FunctionPass):  # type: ignore[misc]
    """Put the code of a part into a library that makes no machine code."""

    _name = "take_part_library"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        state.library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return False


class _PartCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's steps from Python to LLVM, and no further."""

    def define_pipelines(self) -> list[PassManager]:
        self.state.flags.no_compile = True
        steps = DefaultPassBuilder.define_nopython_pipeline(self.state)
        steps.add_pass_after(_TakePartLibrary, NopythonTypeInference)
        steps.finalize()
        return [steps]
