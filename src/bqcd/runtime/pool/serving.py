"""What runs in a worker of a pool: one order after the other, an answer to each."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from traceback import format_exc
from typing import Any

from bqcd.errors import InvalidSettingError, WorkerError
from bqcd.runtime.optional import require

READY = b"ready"


def order_bytes(function: Callable[[Any], object], task: object) -> bytes:
    """A function and its argument, ready to be sent; what a script defines goes by value.

    Raises
    ------
    InvalidSettingError
        If there is something in the task that cannot be sent.
    """
    try:
        by_name = pickle.dumps((function, task), protocol=5)
        if b"__main__" not in by_name:
            return by_name
    except (pickle.PicklingError, AttributeError, TypeError):
        pass  # defined inside a function, or holds something that is
    by_value = require("cloudpickle", extra="bench", needed_by="A method defined in a script")
    try:
        return bytes(by_value.dumps((function, task), protocol=5))
    except Exception as error:
        raise InvalidSettingError(
            f"A method must be an object that can be pickled, to reach its worker: {error}."
        ) from error


def serve(orders: Connection[Any, Any], answers: Connection[Any, Any]) -> None:
    """Answer the orders that come, for as long as this process is left alive."""
    waiting: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(orders, waiting), daemon=True).start()
    answers.send_bytes(READY)
    while True:
        answers.send_bytes(answer_bytes(waiting.get()))


def _listen(orders: Connection[Any, Any], waiting: SimpleQueue[bytes]) -> None:
    """Take orders off the line at once, so that whoever sends them need not wait."""
    with suppress(EOFError, OSError):
        while True:
            waiting.put(orders.recv_bytes())


def answer_bytes(order: bytes) -> bytes:
    """Whether an order could be carried out, and its result or the error."""
    try:
        function, task = pickle.loads(order)
        return pickle.dumps((True, function(task)), protocol=5)
    except BaseException as error:  # a method may also call sys.exit
        return _refusal(error)


def _refusal(error: BaseException) -> bytes:
    """The error itself if it can be sent, or else its name and words."""
    trace = format_exc()
    try:
        error.add_note(f"In a worker process:\n{trace}")
        refusal = pickle.dumps((False, error))
        pickle.loads(refusal)
    except Exception:
        told = WorkerError(f"{type(error).__name__} in a worker process:\n{trace}")
        return pickle.dumps((False, told))
    return refusal
