"""The command that tells whether a method keeps what methods promise."""

from __future__ import annotations

from typing import Annotated

import typer

from bqcd.cli.completion import method_names
from bqcd.cli.console import chosen_settings, errors_in_one_line, json_line, patience, tell
from bqcd.cli.options import MethodSettings
from bqcd.cli.own_methods import chosen_method

_BROKEN = 1


def check(
    method: Annotated[
        str,
        typer.Argument(
            metavar="METHOD",
            help="package.module:Class, or a name that `bqcd methods` lists.",
            autocompletion=method_names,
        ),
    ],
    setting: MethodSettings = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check that a method keeps what scans, benchmarks and graphs rely on.

    Every promise is tried on small pairs with and without ties; what fails is told with the
    numbers. The exit code is 0 if all are kept, 1 if not, 2 if there is no such method.

    **Examples**

    `bqcd check my.module:Mine`

    `bqcd check my.module:Mine --set depth=3 --json`
    """
    with errors_in_one_line(), patience():
        from bqcd.methods.check import PROMISES, broken_promises

        judge, settings = chosen_method(method, chosen_settings(setting))
        broken = broken_promises(judge, **settings)
    # What fails cannot be asked for the rest.
    fails = next(iter(PROMISES)) in broken
    states = {one: "broken" if one in broken else "open" if fails else "kept" for one in PROMISES}
    kept = sum(state == "kept" for state in states.values())
    if as_json:
        told = [
            {"promise": one.rstrip(","), "state": state, "found": broken.get(one)}
            for one, state in states.items()
        ]
        typer.echo(json_line({"method": method, "kept": kept, "promises": told}))
    else:
        for one, state in states.items():
            how = f" {broken[one]}" if one in broken else ""
            tell(f"{state:<7} {one if how else one.rstrip(',')}{how}.")
        tell(f"{method} keeps {kept} of {len(PROMISES)} promises.")
    if broken:
        raise typer.Exit(_BROKEN)
