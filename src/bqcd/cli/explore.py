"""The command that serves a page on which a table is asked."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from types import FrameType
from typing import Annotated, Any

import typer

from bqcd.cli.console import errors_in_one_line
from bqcd.cli.options import TableFile, with_switches


@with_switches
def explore(
    table: TableFile,
    port: Annotated[int, typer.Option(help="Port to listen at; 0 for a free one.")] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
    *,
    switches: Any = None,
) -> None:
    """Choose columns and settings in the browser, see the answer, save the report.

    The page is served to this machine only, until Ctrl-C. A file that nobody else can read
    lets you in; it is named here, opens in the browser, and may be opened again.

    **Examples**

    `bqcd explore sales.csv`
    """
    with errors_in_one_line():
        from bqcd.data.files.reading import UnreadTable
        from bqcd.show.explorer import Explorer

        unread = UnreadTable(table, switches)
        with _ended_by_signals(), Explorer(unread, port=port) as explorer:
            # The name of the file, and no address with a key: arguments of programs are public.
            entrance = explorer.door.file.as_uri()
            typer.echo(f"{entrance}\nOpen this file in the browser. Ctrl-C ends it.")
            if browser:
                import webbrowser

                # Some browsers return when they are closed.
                Thread(target=webbrowser.open, args=(entrance,), daemon=True).start()
            explorer.serve()


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """State in which a closed terminal and a kill end the command in order, as Ctrl-C does."""

    def leave(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    # Left alone where the one who started us said so, as nohup does.
    ours = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
