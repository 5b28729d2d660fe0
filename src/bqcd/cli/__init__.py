"""The command line: parses, calls, prints. Nothing is computed here."""

from __future__ import annotations

import signal
import sys
from types import FrameType

STOPPED = 130


def main() -> None:
    """Entry point of the command ``bqcd``."""
    heard: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        raise KeyboardInterrupt

    # Left alone where the one who started us said so, as nohup and shells in background do.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, stop)
    try:
        from bqcd.cli.commands import run

        run()
    except KeyboardInterrupt:
        sys.exit(STOPPED)
    except Exception:
        # Libraries that are stopped while they load tell of an ImportError of their own.
        if heard:
            sys.exit(STOPPED)
        raise
