"""What commands share: errors in one line, patience, settings as text, a rule for gaps."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from errno import EDQUOT, EFBIG, EIO, ENOSPC
from shutil import get_terminal_size
from textwrap import fill
from typing import Any

import typer

from bqcd.errors import BqcdError, InvalidPairError, InvalidSettingError, brief, printable


class MissingRule(StrEnum):
    """What to do with rows in which a value is missing."""

    stop = "raise"
    drop = "drop"


def chosen_settings(given: list[str] | None, **named: object) -> dict[str, object]:
    """Settings of the method: the options that were used, then the NAME=VALUE ones."""
    settings = {name: value for name, value in named.items() if value is not None}
    for item in given or []:
        name, equals, text = item.partition("=")
        if not equals or not name:
            raise InvalidSettingError(f"--set takes NAME=VALUE, got {item!r}.")
        if name in settings or name in ("method", "seed", "missing"):
            raise InvalidSettingError(f"--set {name} comes twice or has an option of its own.")
        try:
            settings[name] = json.loads(text)
        except (ValueError, RecursionError):  # no JSON, or too long or too deep for it
            settings[name] = text
    return settings


def settings_beside(command: Callable[..., object], given: list[str] | None) -> dict[str, Any]:
    """Settings of the method for a function that has parameters of its own, which they are not."""
    from inspect import signature

    settings = chosen_settings(given)
    for name in settings:
        if name in signature(command).parameters:
            raise InvalidSettingError(f"--set takes settings of the method, which {name!r} is not.")
    return settings


@contextmanager
def suggesting(option: str) -> Iterator[None]:
    """Say beside what is wrong with a column by which option others are taken."""
    try:
        yield
    except InvalidPairError as error:
        raise InvalidPairError(f"{error} To take other columns: {option}.") from error


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Turn what the user can mend into one line on standard error and exit code 2."""
    try:
        yield
    except (BqcdError, OSError) as error:
        tell(f"bqcd: {one_line(told_of(error))}", err=True)
        raise typer.Exit(2) from None
    except UnicodeEncodeError as error:
        # Only names of files and folders from outside are no text.
        tell(f"bqcd: names must be UTF-8 text, got {error.object!r:.200}.", err=True)
        raise typer.Exit(2) from None
    except MemoryError as error:
        told = one_line(str(error)).rstrip(".")
        tell(f"bqcd: there is too little memory for this ({told or 'no more'}).", err=True)
        raise typer.Exit(2) from None


def told_of(error: BqcdError | OSError) -> str:
    """What an error says; of the system's errors the reason and the file.

    Examples
    --------
    >>> told_of(OSError(28, "No space left on device", "a.csv"))
    "No space left on device: 'a.csv'"
    >>> told_of(OSError(28, "No space left on device"))
    'No space left on device where standard output or a temporary file goes'
    """
    if not isinstance(error, OSError) or error.errno is None:
        return str(error)
    if error.filename is None and error.errno in (ENOSPC, EDQUOT, EFBIG, EIO):
        # Files of ours are named.
        return f"{error.strerror} where standard output or a temporary file goes"
    return str(error).removeprefix(f"[Errno {error.errno}] ")


def one_line(message: str) -> str:
    """Message without line breaks and letters that a terminal would obey, and not too long."""
    return printable(brief(" ".join(message.split())))


def tell(line: str, *, err: bool = False) -> None:
    """Print a line, with letters that a terminal would obey made visible.

    On a terminal, it is broken between words; elsewhere it stays one.
    """
    text = printable(line)
    if (sys.stderr if err else sys.stdout).isatty():
        width = get_terminal_size().columns
        text = fill(text, width, break_long_words=False, break_on_hyphens=False)
    typer.echo(text, err=err)


def json_line(value: object) -> str:
    r"""Value as JSON in one line, exact, with letters that a terminal would obey escaped.

    Examples
    --------
    >>> print(json_line({"size": "\x9b\u202e"}))
    {"size": "\u009b\u202e"}
    """
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return json.dumps(value)
    return "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in text)


@contextmanager
def patience(seconds: int = 10) -> Iterator[None]:
    """Say once per installation why it takes so long, if it does.

    Parameters
    ----------
    seconds : int, default=10
        How long what the command needs takes to compile.
    """
    from bqcd.runtime.kernel import on_slow_compilation
    from bqcd.runtime.kernel_cache import first_time, kept_in
    from bqcd.runtime.version import __version__

    def explain() -> None:
        if first_time(f"told-{__version__}"):
            once = "once after installation" if kept_in() else "each time, as it cannot be kept"
            tell(
                f"bqcd: compiling its numerical kernels, {once}; about {seconds} seconds ...",
                err=True,
            )

    with on_slow_compilation(explain):
        yield
