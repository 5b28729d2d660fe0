"""What commands share: errors in one line, patience, settings as text, a rule for gaps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

import typer

from bqcd.errors import BqcdError, InvalidSettingError


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


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Turn what the user can mend into one line on standard error and exit code 2."""
    try:
        yield
    except (BqcdError, OSError) as error:
        typer.echo(f"bqcd: {one_line(str(error))}", err=True)
        raise typer.Exit(2) from None
    except UnicodeEncodeError as error:
        # Only names of files and folders from outside are no text.
        typer.echo(f"bqcd: names must be UTF-8 text, got {error.object!r:.200}.", err=True)
        raise typer.Exit(2) from None
    except MemoryError as error:
        told = one_line(str(error)).rstrip(".")
        typer.echo(f"bqcd: there is too little memory for this ({told or 'no more'}).", err=True)
        raise typer.Exit(2) from None


def one_line(message: str) -> str:
    """Message without line breaks."""
    return " ".join(message.split())


@contextmanager
def patience() -> Iterator[None]:
    """Say why it takes so long, if it does."""
    from bqcd.compilation import on_slow_compilation

    def tell() -> None:
        typer.echo(
            "bqcd: compiling its numerical kernels, once after installation; "
            "this takes half a minute or so ...",
            err=True,
        )

    with on_slow_compilation(tell):
        yield
