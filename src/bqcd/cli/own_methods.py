"""Methods of one's own on the command line: ``--method package.module:Class``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from bqcd.methods.verdict import Method


@overload
def chosen_method(
    text: str, settings: Mapping[str, object]
) -> tuple[str | Method, dict[str, Any]]: ...


@overload
def chosen_method(
    text: str | None, settings: Mapping[str, object]
) -> tuple[str | Method | None, dict[str, Any]]: ...


def chosen_method(
    text: str | None, settings: Mapping[str, object]
) -> tuple[str | Method | None, dict[str, Any]]:
    """Method for a function of the library, and the settings that are left for it.

    Parameters
    ----------
    text : str or None
        A name that ``bqcd methods`` lists, or ``package.module:Class``; None stays None.
    settings : mapping of str to object
        What ``--set`` says of the method.

    Raises
    ------
    UnknownNameError, InvalidSettingError
        If a method of one's own cannot be imported, or cannot be built so.
    """
    from bqcd.methods.foreign import foreign_method, is_foreign

    if text is None or not is_foreign(text):
        return text, dict(settings)
    look_here()
    return foreign_method(text, settings), {}


def look_here() -> None:
    """Have modules of the current folder found; installed packages go first."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
