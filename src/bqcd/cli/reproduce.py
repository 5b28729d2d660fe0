"""The command that computes the paper's tables and figures anew."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from bqcd.cli.bars import progress_bars
from bqcd.cli.completion import target_names
from bqcd.cli.console import errors_in_one_line, tell


class EqualMargins(StrEnum):
    """Kinds of margins that are equal."""

    normal = "normal"
    uniform = "uniform"


def reproduce(
    targets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Tables and figures; without any, they are listed.",
            autocompletion=target_names,
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All tables and figures.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Minutes instead of hours: fewer repetitions.")
    ] = False,
    out: Annotated[Path, typer.Option(help="Folder for what is made.")] = Path("reproduction"),
    workers: Annotated[int, typer.Option("--workers", "-j", help="Number of workers.")] = 1,
    pairs: Annotated[
        int | None,
        typer.Option(help="Costly methods on so many pairs of each simulated benchmark."),
    ] = None,
    equal: Annotated[
        EqualMargins,
        typer.Option("--margins", help="What methods see in the part with equal margins."),
    ] = EqualMargins.normal,
    resume: Annotated[
        bool, typer.Option("--resume", help="Use results of an interrupted run.")
    ] = False,
) -> None:
    """Compute tables and figures of the paper anew, beside its printed numbers.

    **Examples**

    `bqcd reproduce`

    `bqcd reproduce tuebingen --quick`

    `bqcd reproduce --all --quick --workers 2`

    `bqcd reproduce margins --quick`
    """
    with errors_in_one_line():
        from rich.console import Console

        from bqcd.show.reproduction import TARGETS
        from bqcd.show.reproduction import reproduce as make
        from bqcd.show.sheets import Sheet, as_terminal

        console = Console()
        if not targets and not every:
            rows = tuple((one.name, one.place, one.about) for one in TARGETS.values())
            console.print(as_terminal(Sheet("Targets", ("name", "in the paper", "shows"), rows)))
            return
        names = list(TARGETS) if every else list(targets or [])
        with _last_word(out), progress_bars() as progress:
            made = make(
                names,
                out,
                quick=quick,
                workers=workers,
                resume=resume,
                pairs=pairs,
                equal=equal.value,
                progress=progress,
            )
            for target, product in made:
                console.print(f"\n[bold]{target.name}[/bold] ({target.place})")
                for sheet in product.sheets:
                    console.print(as_terminal(sheet, console.width))
                for stem in product.pictures:
                    tell(f"Picture: {out / stem}.png")
        console.print()
        tell(f"Everything is in {out}; {out / 'index.md'} shows it in one page.")


@contextmanager
def _last_word(out: Path) -> Iterator[None]:
    """Say how to go on if the work is stopped."""
    try:
        yield
    except KeyboardInterrupt:
        again = "the same command with --resume goes on"
        tell(f"bqcd: stopped; what is finished is kept in {out}, and {again}.", err=True)
        raise
