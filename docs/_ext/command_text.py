"""Every command with its options as Markdown, from the parser itself; Sphinx is not needed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any


def reference() -> str:
    """Markdown of all commands, those of groups after their group."""
    import typer

    from bqcd.cli.commands import app

    lines: list[str] = []
    for path, command in _commands(typer.main.get_command(app), ()):
        if path:
            lines += [*_section(path, command), ""]
    return "\n".join(lines)


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from _commands(below, (*path, name))


def _section(path: tuple[str, ...], command: Any) -> list[str]:
    about, _, examples = (command.help or "").partition("**Examples**")
    lines = [f"## {' '.join(path)}", "", " ".join(about.split()), "", "```sh"]
    lines += re.findall(r"`(bqcd .*)`", examples)
    lines += ["```", ""]
    for param in command.params:
        if param.name != "help":
            lines += [_names(param), f": {_told(param)}", ""]
    return lines


def _names(param: Any) -> str:
    shown = [*param.opts, *param.secondary_opts] if param.param_type_name == "option" else []
    if not shown:
        return f"`{param.metavar or param.name.upper()}`"
    return ", ".join(f"`{one}`" for one in shown)


def _told(param: Any) -> str:
    told = " ".join((param.help or "").split())
    usual = param.default
    shown = getattr(usual, "value", usual)
    if param.param_type_name != "option" or shown in (None, "", False, ()) or callable(shown):
        return told
    return f"{told} Default: `{shown}`."
