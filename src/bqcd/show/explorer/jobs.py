"""One question at a time, answered in a process of its own that can be stopped."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import partial
from itertools import count
from threading import Lock, Thread
from typing import Any, Literal, NoReturn

from bqcd.data.files.reading import UnreadTable
from bqcd.errors import BqcdError, WorkerError
from bqcd.runtime.pool import AtWork, Loss, Order, Pool, check_may_start, ctrl_c_kept_from_new_ones
from bqcd.show.explorer.questions import Question
from bqcd.show.reports.pairs import PairRow

KEPT = 20
"""Answers that are kept; older ones are forgotten."""

Answer = tuple[Literal["done", "failed"], str]
"""How a question ended, and the page or what went wrong."""

_PRELOADED = ["bqcd.show.pages.rendering", "bqcd.show.reports.reporting"]


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
        self._state, self._message, self._page = "running", "", ""
        self._stage, self._done, self._total = "", 0, 0
        self._rows: list[dict[str, object]] = []

    def start(self, table: UnreadTable) -> None:
        """Begin with the work, on a table."""
        self._pool = Pool(
            partial(answering, table),
            [Order("the question", self.question)],
            workers=1,
            preloaded=_PRELOADED,
            lost=_told,
            heard=self._hear,
        )
        self._thread = Thread(target=self._listen, daemon=True)
        with ctrl_c_kept_from_new_ones():
            self._thread.start()

    def stop(self) -> None:
        """End the work, if it is not at its end."""
        self._end("stopped", "Stopped.")
        self._pool.stop()
        self._thread.join()

    def state(self, since: int = 0) -> dict[str, object]:
        """How far it is, ready for JSON.

        Parameters
        ----------
        since : int, default=0
            How many pairs whoever asks knows already; those that came since are told.
        """
        with self._lock:
            return {
                "id": self.number,
                "state": self._state,
                "stage": self._stage,
                "done": self._done,
                "total": self._total,
                "message": self._message,
                "pairs": self._rows[since:],
            }

    @property
    def page(self) -> str | None:
        """HTML of the report, once it is there."""
        with self._lock:
            return self._page if self._state == "done" else None

    def _listen(self) -> None:
        try:
            with closing(self._pool.results()) as results:
                for _, (state, told) in results:
                    self._end(state, told)
        except WorkerError as error:
            self._end("failed", str(error))

    def _hear(self, told: tuple[str, int, int] | dict[str, object]) -> None:
        with self._lock:
            if isinstance(told, dict):
                self._rows.append(told)
            else:
                self._stage, self._done, self._total = told

    def _end(self, state: str, told: str) -> None:
        with self._lock:
            if self._state == "running":
                self._state = state
                if state == "done":
                    self._page = told
                else:
                    self._message = told


def _told(loss: Loss) -> NoReturn:
    raise WorkerError(f"The work ended before its answer ({loss.ending}).")


class Jobs:
    """Questions about one table, the last of which may be at work.

    Parameters
    ----------
    table : UnreadTable
        Where it is, and how it is read.
    """

    def __init__(self, table: UnreadTable) -> None:
        check_may_start("Answers", instead="Explore in a process with daemon=False.")
        self._table = table
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
            job.start(self._table)
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


def answering(table: UnreadTable, at_work: AtWork) -> Callable[[Question], Answer]:
    """What the other process does with a question; it tells how far it is."""
    return lambda question: answer(table, question, at_work.tell)


def answer(table: UnreadTable, question: Question, tell: Callable[[Any], object]) -> Answer:
    """The page that answers a question, or what went wrong.

    Parameters
    ----------
    table : UnreadTable
        Where it is, and how it is read.
    question : Question
        What is asked.
    tell : callable
        Told how far the work is, and every pair as soon as it is assessed.
    """
    try:
        return "done", _page(table, question, tell)
    except BqcdError as error:
        return "failed", str(error)
    except MemoryError:
        return "failed", "There is too little memory for this."
    except Exception as error:
        return "failed", f"A fault of bqcd: {type(error).__name__}: {error}"


def _page(table: UnreadTable, question: Question, tell: Callable[[Any], object]) -> str:
    from bqcd.show.reports.reporting import report

    def told(stage: str, done: int, total: int) -> None:
        tell((stage, done, total))

    def found_pair(row: PairRow) -> None:
        tell(row.as_dict())

    found = report(
        table,
        columns=list(question.columns),
        method=question.method,
        missing=question.missing,
        seed=question.seed,
        by=question.by,
        given=list(question.given) or None,
        progress=told,
        on_pair=found_pair,
        **question.settings,
    )
    return found.to_html()
