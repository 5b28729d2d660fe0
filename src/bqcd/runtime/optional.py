"""The only gate to optional packages."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from bqcd.errors import MissingPackageError


def require(module: str, *, extra: str, needed_by: str) -> ModuleType:
    """Module of an optional package.

    Parameters
    ----------
    module : str
        Module to import, e.g. ``"matplotlib.pyplot"``.
    extra : str
        Optional-dependency group of bqcd that brings the package.
    needed_by : str
        What the user asked for, for the message.

    Raises
    ------
    MissingPackageError
        If the package is not installed. An installed package that fails to import
        raises its own error, so a broken install does not look like a missing one.

    Examples
    --------
    >>> require("json", extra="plots", needed_by="this example").__name__
    'json'
    """
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise MissingPackageError(
            f"{needed_by} needs the package {package!r}, which is not installed: "
            f"pip install 'bqcd[{extra}]'"
        ) from error
