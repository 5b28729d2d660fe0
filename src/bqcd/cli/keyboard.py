"""Ctrl-C: work is broken off, libraries are left to load first, and nothing is printed."""

from __future__ import annotations

import atexit
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import Any

STOPPED = 130
# Short: what follows when a library has loaded should not get far.
_AGAIN_SECONDS = 0.002
# Whatever still loads after so many looks is broken off all the same.
_MOST_LOOKS = 2500


class Keyboard:
    """What Ctrl-C does to the command, from its first line to its last.

    An interruption is raised where work is under way. Where a library is being loaded, its
    end is waited for: it might make an error of its own of it, or none. What Python raises
    where nobody can catch it, comes again a little later.
    """

    def __init__(self) -> None:
        self.heard = False
        self._looks = 0

    def listen(self) -> None:
        """Take over from Python, unless who started us has Ctrl-C ignored, as nohup does."""
        if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            return
        sys.excepthook, sys.unraisablehook = self._uncaught, self._unraisable
        atexit.register(_deafen)
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, _press)
        signal.signal(signal.SIGINT, self._stop)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.heard = True
        self._looks += 1
        if not (_is_loading(frame) and self._looks < _MOST_LOOKS and _tell_again()):
            raise KeyboardInterrupt

    def _uncaught(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if not issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)

    def _unraisable(self, what: Any) -> None:
        if not issubclass(what.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(what)
        else:
            _tell_again()


def _tell_again() -> bool:
    """Whether Ctrl-C will be told of again soon."""
    if not hasattr(signal, "setitimer"):
        return False
    signal.setitimer(signal.ITIMER_REAL, _AGAIN_SECONDS)
    return True


def _press(number: int, frame: FrameType | None) -> None:
    """Ctrl-C itself: whoever keeps it off for a moment must not be surprised by another signal."""
    signal.raise_signal(signal.SIGINT)


def _is_loading(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _deafen() -> None:
    """At its very end, Python would leave it to the system to end us in its own way."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
