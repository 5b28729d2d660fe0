"""The command that compiles ahead."""

from __future__ import annotations

from time import perf_counter
from typing import Annotated

import typer

from bqcd.cli.console import errors_in_one_line, tell
from bqcd.cli.log_lines import LogLines


def warm_up(
    everything: Annotated[
        bool, typer.Option("--all", help="Compile all methods and regressors, not bQCD alone.")
    ] = False,
) -> None:
    """Compile ahead what the first verdict would wait for.

    What is compiled is kept, and serves until it changes, wherever the package lies.

    **Examples**

    `bqcd warm-up`

    `bqcd warm-up --all`
    """
    with errors_in_one_line():
        from rich.console import Console
        from rich.progress import track

        from bqcd.runtime.kernel import counted_compilations
        from bqcd.runtime.kernel_cache import kept_in
        from bqcd.scans.warming import warm_up_steps

        start = perf_counter()
        console, lines = Console(stderr=True), LogLines()
        steps = warm_up_steps(everything=everything)
        with counted_compilations() as kernels:
            shown = track(steps, "compiling", console=console, disable=not console.is_terminal)
            for done, step in enumerate(shown):
                if not console.is_terminal:
                    lines.show("compiling", done, len(steps))
                step.run()
        seconds, folder = perf_counter() - start, kept_in()
        what = f"{len(kernels)} kernels compiled" if kernels else "Everything was compiled before"
        where = (
            f"they are kept in {folder}" if folder else "they cannot be kept: no folder is writable"
        )
        tell(f"{what}; {seconds:.0f} seconds. {where[0].upper()}{where[1:]}.")
