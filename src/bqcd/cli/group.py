"""A group of commands of which only the one that is asked for is loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group


class Place(NamedTuple):
    """Where a command is defined, and what the list of commands says of it.

    Parameters
    ----------
    module : str
        Its module.
    name : str
        A function of the module, or a group of commands.
    summary : str
        The first sentence of its help.
    """

    module: str
    name: str
    summary: str


class LazyCommands(dict[str, Any]):
    """Commands by name, each made when it is asked for.

    Parameters
    ----------
    places : Mapping[str, Place]
        All that there are.
    """

    def __init__(self, places: Mapping[str, Place]) -> None:
        super().__init__(dict.fromkeys(places))
        self._places = places

    def __getitem__(self, name: str) -> Any:
        """Command of that name."""
        command = super().__getitem__(name)
        if command is None:
            command = self[name] = _made(name, self._places[name])
        return command

    def get(self, name: str, default: Any = None) -> Any:
        """Command of that name, or ``default`` where there is none."""
        return self[name] if name in self else default  # noqa: SIM401  (it is this get)

    def items(self) -> Any:
        """Names and commands: all of them are made."""
        return {name: self[name] for name in self}.items()

    def values(self) -> Any:
        """Commands: all of them are made."""
        return {name: self[name] for name in self}.values()

    def outlines(self) -> dict[str, TyperCommand]:
        """Commands that can be listed and nothing else."""
        return {name: TyperCommand(name, help=at.summary) for name, at in self._places.items()}


def _made(name: str, place: Place) -> Any:
    found = getattr(import_module(place.module), place.name)
    if isinstance(found, typer.Typer):
        command: Any = get_group(found)
    else:
        alone = typer.Typer(add_completion=False, rich_markup_mode="markdown")
        alone.command(name)(found)
        command = get_command(alone)
    command.name = name
    _hide_types_of_flags(command)
    return command


def _hide_types_of_flags(command: Any) -> None:
    # Else help writes "--json <bool>", and people type a word after it.
    for param in command.params:
        if getattr(param, "is_flag", False) and param.metavar is None:
            param.metavar = ""
    for below in getattr(command, "commands", {}).values():
        _hide_types_of_flags(below)


class LazyGroup(TyperGroup):
    """Group of commands that are not loaded to be listed."""

    places: Mapping[str, Place] = {}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings | {"commands": LazyCommands(self.places)})
        self._listed: Mapping[str, TyperCommand] | None = None

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of all commands, in the order in which help has them."""
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Command of that name; while commands are being listed, an outline of it."""
        return (self.commands if self._listed is None else self._listed).get(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of the group."""
        with self._listing():
            super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Names of commands that begin so."""
        with self._listing():
            return super().shell_complete(ctx, incomplete)

    @contextmanager
    def _listing(self) -> Iterator[None]:
        self._listed = cast("LazyCommands", self.commands).outlines()
        try:
            yield
        finally:
            self._listed = None
