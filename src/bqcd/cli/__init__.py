"""The command line: parses, calls, prints. Nothing is computed here."""

from __future__ import annotations

import sys

from bqcd.cli.keyboard import STOPPED, Keyboard


def main() -> None:
    """Entry point of the command ``bqcd``."""
    keyboard = Keyboard()
    try:
        keyboard.listen()
        from bqcd.cli.commands import run

        run()
    except KeyboardInterrupt:
        sys.exit(keyboard.code)
    except SystemExit as end:
        sys.exit(keyboard.code if end.code == STOPPED else end.code)
    except Exception:
        # A library that is broken off may tell of an error of its own.
        if keyboard.heard:
            sys.exit(keyboard.code)
        raise
