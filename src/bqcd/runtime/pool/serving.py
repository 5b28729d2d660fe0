"""What runs in a worker of a pool: one order after the other, an answer to each."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from math import inf
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from traceback import format_exc
from typing import Any, Literal

from bqcd.errors import InvalidSettingError, WorkerError
from bqcd.runtime.optional import require

Word = Literal["ready", "news", "answer", "refusal", "no start"]
"""What a message of a worker is about."""

# Fields of the marker that a worker shares with whoever started it.
PLACE, STAGE, SINCE, UNTIL = range(4)
NOWHERE = (-1.0, 0.0, 0.0, inf)


class AtWork:
    """What a worker can say while it works on an order.

    Parameters
    ----------
    answers : Connection
        Line to the pool.
    marker : array of 4 floats
        Memory shared with the pool: see :meth:`on`.
    """

    def __init__(self, answers: Connection[Any, Any], marker: Any) -> None:
        self._answers, self._marker = answers, marker
        self._process = os.getpid()

    def on(self, place: int, *, stage: int = 0, seconds: float = inf) -> None:
        """Mark what is begun now; the worker is killed if it takes longer.

        Parameters
        ----------
        place : int
            Number of it, at least 0.
        stage : int, default=0
            Which part of it.
        seconds : float, optional
            What it may take. Default: any time.
        """
        now = monotonic()
        # The place goes first and comes last: whoever looks meanwhile sees none.
        self._marker[PLACE] = -1.0
        self._marker[STAGE], self._marker[SINCE], self._marker[UNTIL] = stage, now, now + seconds
        self._marker[PLACE] = place

    def off(self) -> None:
        """Mark that what was begun has ended."""
        self._marker[PLACE] = -1.0

    def tell(self, news: object) -> None:
        """Have the pool know something, before any answer."""
        self.say("news", news)

    def say(self, word: Word, said: object) -> None:
        """Send one message."""
        self._answers.send_bytes(pickle.dumps((word, said), protocol=5))

    def end_copies(self) -> None:
        """End this process if it is a copy of the worker, which a task has made and lost."""
        if os.getpid() != self._process:
            os._exit(1)


Begin = Callable[[AtWork], Callable[[Any], Any]]
"""Called once in each worker; gives the function that answers its orders."""


def unwatched(function: Callable[[Any], Any]) -> Begin:
    """Beginning of workers that apply a function, which has nothing to say meanwhile."""
    return partial(_regardless, function)


def _regardless(function: Callable[[Any], Any], at_work: AtWork) -> Callable[[Any], Any]:
    return function


def sendable(thing: object) -> bytes:
    """Anything in bytes, ready to be sent; what a script defines goes by value.

    Raises
    ------
    InvalidSettingError
        If there is something in it that cannot be sent.
    """
    try:
        by_name = pickle.dumps(thing, protocol=5)
        if b"__main__" not in by_name:
            return by_name
    except (pickle.PicklingError, AttributeError, TypeError):
        pass  # defined inside a function, or holds something that is
    by_value = require("cloudpickle", extra="bench", needed_by="A method defined in a script")
    try:
        return bytes(by_value.dumps(thing, protocol=5))
    except Exception as error:
        raise InvalidSettingError(
            f"A method must be an object that can be pickled, to reach its worker: {error}."
        ) from error


def serve(
    orders: Connection[Any, Any], answers: Connection[Any, Any], marker: Any, begin: bytes
) -> None:
    """Answer the orders that come, for as long as this process is left alive."""
    waiting: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(orders, waiting), daemon=True).start()
    at_work = AtWork(answers, marker)
    try:
        function = pickle.loads(begin)(at_work)
    except BaseException as error:
        at_work.say("no start", f"{type(error).__name__}: {error}")
        return
    at_work.say("ready", None)
    while True:
        answer = answer_bytes(function, waiting.get())
        at_work.end_copies()
        answers.send_bytes(answer)


def _listen(orders: Connection[Any, Any], waiting: SimpleQueue[bytes]) -> None:
    """Take orders off the line at once, so that whoever sends them need not wait."""
    with suppress(EOFError, OSError):
        while True:
            waiting.put(orders.recv_bytes())


def answer_bytes(function: Callable[[Any], Any], order: bytes) -> bytes:
    """Message with what the function gives for an order, or with the error."""
    try:
        return pickle.dumps(("answer", function(pickle.loads(order))), protocol=5)
    except BaseException as error:  # a method may also call sys.exit
        return _refusal(error)


def _refusal(error: BaseException) -> bytes:
    """The error itself if it can be sent, or else its name and words."""
    trace = format_exc()
    try:
        error.add_note(f"In a worker process:\n{trace}")
        refusal = pickle.dumps(("refusal", error))
        pickle.loads(refusal)
    except Exception:
        told = WorkerError(f"{type(error).__name__} in a worker process:\n{trace}")
        return pickle.dumps(("refusal", told))
    return refusal
