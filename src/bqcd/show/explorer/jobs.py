"""One question at a time, answered in a process of its own that can be stopped."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from bqcd.errors import BqcdError
from bqcd.runtime.pool import (
    check_may_start,
    ctrl_c_kept_from_new_ones,
    ending,
    no_main_module,
    one_thread_each,
    starting_context,
)
from bqcd.show.explorer.questions import Question

KEPT = 20
"""Answers that are kept; older ones are forgotten."""


class Job:
    """A question that is being answered, or was.

    Parameters
    ----------
    number : int
        Its place among all questions.
    question : Question
        What was asked.
    """

    def __init__(self, number: int, question: Question) -> None:
        self.number, self.question = number, question
        self._lock = Lock()
        self._process: Any = None
        self._state, self._message, self._page = "running", "", ""
        self._stage, self._done, self._total = "", 0, 0

    def start(self, path: Path) -> None:
        """Begin with the work, on the table in a file."""
        context = starting_context(["bqcd.show.pages.rendering", "bqcd.show.reports.reporting"])
        ours, theirs = context.Pipe(duplex=False)
        with one_thread_each(), no_main_module(), ctrl_c_kept_from_new_ones():
            self._process = context.Process(
                target=answer, args=(theirs, path, self.question), daemon=True
            )
            self._process.start()
            Thread(target=self._listen, args=(ours,), daemon=True).start()
        theirs.close()

    def stop(self) -> None:
        """End the work, if it is not at its end."""
        with self._lock:
            if self._state == "running":
                self._state, self._message = "stopped", "Stopped."
        if self._process is not None:
            self._process.kill()
            self._process.join()

    def state(self) -> dict[str, object]:
        """How far it is, ready for JSON."""
        with self._lock:
            return {
                "id": self.number,
                "state": self._state,
                "stage": self._stage,
                "done": self._done,
                "total": self._total,
                "message": self._message,
            }

    @property
    def page(self) -> str | None:
        """HTML of the report, once it is there."""
        with self._lock:
            return self._page if self._state == "done" else None

    def _listen(self, line: Connection[Any, Any]) -> None:
        while True:
            try:
                word, *rest = line.recv()
            except (EOFError, OSError):
                break
            self._hear(word, rest)
        line.close()
        self._process.join()
        with self._lock:
            if self._state == "running":
                told = f"The work ended before its answer ({ending(self._process)})."
                self._state, self._message = "failed", told

    def _hear(self, word: str, rest: list[Any]) -> None:
        with self._lock:
            if self._state != "running":
                return
            if word == "progress":
                self._stage, self._done, self._total = rest
            elif word == "done":
                self._state, self._page = "done", rest[0]
            else:
                self._state, self._message = "failed", rest[0]


class Jobs:
    """Questions about one table, the last of which may be at work.

    Parameters
    ----------
    path : Path
        File of the table.
    """

    def __init__(self, path: Path) -> None:
        check_may_start("Answers", instead="Explore in a process with daemon=False.")
        self._path = path
        self._lock = Lock()
        self._jobs: dict[int, Job] = {}
        self._numbers = count(1)

    def start(self, question: Question) -> Job:
        """Job that answers a question; whatever was at work is stopped."""
        with self._lock:
            for other in self._jobs.values():
                other.stop()
            job = Job(next(self._numbers), question)
            self._jobs[job.number] = job
            for number in sorted(self._jobs)[:-KEPT]:
                del self._jobs[number]
            job.start(self._path)
        return job

    def get(self, number: int) -> Job | None:
        """Job of that number, unless it is forgotten."""
        with self._lock:
            return self._jobs.get(number)

    def stop(self) -> None:
        """End all work."""
        with self._lock:
            for job in self._jobs.values():
                job.stop()


def answer(line: Connection[Any, Any], path: Path, question: Question) -> None:
    """Work of the other process: tell of progress, then the page or what went wrong."""

    def told(stage: str, done: int, total: int) -> None:
        line.send(("progress", stage, done, total))

    try:
        line.send(("done", _page(path, question, told)))
    except BqcdError as error:
        line.send(("failed", str(error)))
    except BrokenPipeError:
        return
    except MemoryError:
        line.send(("failed", "There is too little memory for this."))
    except Exception as error:
        line.send(("failed", f"A fault of bqcd: {type(error).__name__}: {error}"))


def _page(path: Path, question: Question, told: Callable[[str, int, int], None]) -> str:
    from bqcd.show.reports.reporting import report

    found = report(
        path,
        columns=list(question.columns),
        method=question.method,
        missing=question.missing,
        seed=question.seed,
        progress=told,
        **question.settings,
    )
    return found.to_html()
