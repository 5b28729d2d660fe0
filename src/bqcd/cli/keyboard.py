"""Ctrl-C and SIGTERM: work is broken off, libraries are left to load first, nothing is printed."""

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
    """What Ctrl-C and SIGTERM do to the command, from its first line to its last.

    An interruption is raised where work is under way. Where a library is being loaded, its
    end is waited for: it might make an error of its own of it, or none. What Python raises
    where nobody can catch it, comes again a little later. A kill that can be caught, as batch
    systems send it, does the same.
    """

    def __init__(self) -> None:
        self.heard = False
        self.code = STOPPED
        self._looks = 0

    def listen(self) -> None:
        """Take over from Python, unless who started us has signals ignored, as nohup does."""
        keyboard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        kill = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        if not (keyboard or kill):
            return
        sys.excepthook, sys.unraisablehook = self._uncaught, self._unraisable
        atexit.register(_deafen)
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, _press)
        if keyboard:
            signal.signal(signal.SIGINT, self._stop)
        if kill:
            signal.signal(signal.SIGTERM, self._end)

    def _end(self, number: int, frame: FrameType | None) -> None:
        self.code = 128 + number
        # Shells have Ctrl-C ignored by what they start in the background.
        if not callable(signal.getsignal(signal.SIGINT)):
            signal.signal(signal.SIGINT, self._stop)
        _press(number, frame)

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
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
