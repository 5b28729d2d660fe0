"""Methods of one's own, by where they can be imported from: ``package.module:Class``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module

from bqcd.errors import BqcdError, InvalidSettingError, UnknownNameError
from bqcd.methods.table import METHODS
from bqcd.methods.verdict import Method

_PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


def is_foreign(text: str) -> bool:
    """Whether a text names something to import rather than a method of the table.

    Examples
    --------
    >>> is_foreign("my.methods:Mine"), is_foreign("bqcd"), is_foreign("bqcd:n_levels=7")
    (True, False, False)
    """
    return text.partition(":")[0] not in METHODS and _PATH.fullmatch(text) is not None


def foreign_method(path: str, settings: Mapping[str, object]) -> Method:
    """Method that a class or function elsewhere builds.

    Parameters
    ----------
    path : str
        Module and attribute, as in ``package.module:Class``.
    settings : mapping of str to object
        What it is called with.

    Raises
    ------
    UnknownNameError
        If it cannot be imported.
    InvalidSettingError
        If it cannot be built so, or is no method.

    Examples
    --------
    >>> foreign_method("bqcd.methods.bqcd:BQCD", {"n_levels": 7}).n_levels
    7
    """
    module, _, attribute = path.partition(":")
    # Whatever someone else's code raises here, the name or the settings are to be mended.
    try:
        build = getattr(import_module(module), attribute)
    except Exception as error:
        raise UnknownNameError(
            f"No method can be imported from {path!r}: {type(error).__name__}: {error}."
        ) from error
    if not callable(build):
        raise InvalidSettingError(f"{path} must be a class or function that builds a method.")
    try:
        method = build(**settings)
    except BqcdError:
        raise
    except Exception as error:
        raise InvalidSettingError(
            f"{path} cannot be built: {type(error).__name__}: {error}."
        ) from error
    return checked_method(method, path)


def checked_method(method: object, name: str) -> Method:
    """The method, if it is one.

    Raises
    ------
    InvalidSettingError
        If it has no method ``decide``, or is a class.
    """
    if isinstance(method, type) or not isinstance(method, Method):
        raise InvalidSettingError(
            f"The method {name!r} must have a method decide(pair, rng), got {method!r}."
        )
    return method
