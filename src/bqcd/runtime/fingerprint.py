"""What the machine code of a function depends on, as one short text.

Two functions of the same fingerprint compile to the same code: the same instructions and
constants, the same values of the globals they read, and the same for all functions they call,
wherever those are defined. Names of files, dates, line numbers, comments and docstrings do not
count, so that moving or upgrading a package changes nothing about what has not changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType

import numpy as np

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))


def fingerprint(function: FunctionType) -> str:
    """Hexadecimal digest of a function and of all it reads and calls.

    Raises
    ------
    TypeError
        If the function reads a global that is neither a number, a text, a tuple, an array, a
        module, a class nor a function.

    Examples
    --------
    >>> def twice(x): return 2 * x
    >>> def double(x):
    ...     '''The same with a docstring.'''
    ...     return 2 * x
    >>> def thrice(x): return 3 * x
    >>> fingerprint(twice) == fingerprint(double), fingerprint(twice) == fingerprint(thrice)
    (True, False)
    """
    digest = hashlib.sha256()
    for fact in _facts(function, set()):
        digest.update(fact.encode() + b"\0")
    return digest.hexdigest()


def _facts(function: FunctionType, told: set[FunctionType]) -> Iterator[str]:
    """Everything about a function; one that was told already only by its name."""
    if function in told:
        yield f"again {function.__module__}.{function.__qualname__}"
        return
    told.add(function)
    code = function.__code__
    yield from _code_facts(code, function.__doc__)
    for default in (
        *(function.__defaults__ or ()),
        *sorted((function.__kwdefaults__ or {}).items()),
    ):
        yield from _value_facts(default, told)
    for cell in function.__closure__ or ():
        yield from _value_facts(cell.cell_contents, told)
    for name in sorted(_names(code)):
        if name in function.__globals__:
            yield f"global {name}"
            yield from _value_facts(function.__globals__[name], told)


def _code_facts(code: CodeType, doc: str | None = None) -> Iterator[str]:
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
    yield repr((code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags))
    for place, value in enumerate(code.co_consts):
        if isinstance(value, CodeType):
            yield from _code_facts(value)
        elif isinstance(value, frozenset):
            yield f"set {sorted(map(repr, value))}"
        elif not (place == 0 and value == doc):
            yield f"{type(value).__name__} {value!r}"


def _names(code: CodeType) -> set[str]:
    """Names that may be globals, also of functions inside."""
    inner = (value for value in code.co_consts if isinstance(value, CodeType))
    return set(code.co_names).union(*(_names(value) for value in inner))


def _value_facts(value: object, told: set[FunctionType]) -> Iterator[str]:
    python = getattr(value, "py_func", value)
    if isinstance(python, FunctionType):
        yield from _facts(python, told)
    elif isinstance(value, _PLAIN):
        yield f"{type(value).__name__} {value!r}"
    elif isinstance(value, tuple):
        yield f"tuple {len(value)}"
        for one in value:
            yield from _value_facts(one, told)
    elif isinstance(value, np.ndarray | np.generic):
        yield f"{value.dtype.str} {value.shape} {value.tobytes().hex()}"
    elif isinstance(value, ModuleType):
        yield f"module {value.__name__}"
    elif isinstance(value, type | BuiltinFunctionType | np.ufunc):
        yield f"named {getattr(value, '__module__', '')}.{value.__name__}"
    else:
        raise TypeError(f"a {type(value).__name__} has no fingerprint")
