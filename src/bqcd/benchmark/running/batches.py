"""Tasks in batches for a pool of workers, and what becomes of those that end a worker.

A method that raises, hangs or takes its process down costs its own row only: the worker
is replaced and the tasks it had not begun go back to the queue.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from bqcd.benchmark.running.journal import Outcome, Segment, read_segment, sync_segment
from bqcd.benchmark.running.tasks import Task
from bqcd.benchmark.running.worker import JUDGING, Batch, BatchEnded, Desk, Ended, overdue
from bqcd.runtime.pool import Loss, Order, Pool, check_may_start, tried_again

_PRELOADED = ["bqcd.benchmark.running.worker", "numba", "scipy.special"]

# A batch should keep a worker busy this long: short enough for a lively progress bar,
# long enough that handing it over costs nothing beside it.
_BATCH_SECONDS = 0.2
_LARGEST_BATCH = 1000
_NO_DAEMON = "Run it in a process with daemon=False."


class Batches:
    """Tasks that a number of workers share.

    Parameters
    ----------
    desk : Desk
        What every worker is told.
    tasks : sequence of (int, Task)
        Tasks with their places in the plan.
    workers : int
        Number of processes.
    progress : callable
        Called with the tasks that ended, as pairs of place in the plan and status.
    """

    def __init__(
        self,
        desk: Desk,
        tasks: Sequence[tuple[int, Task]],
        workers: int,
        progress: Callable[[Sequence[Ended]], None],
    ) -> None:
        self._desk = desk
        self._queue = deque(tasks)
        self._workers = min(workers, len(tasks))
        self._progress = progress
        self._pace: dict[int, float] = {}
        self._segments: set[Path] = set()
        self._own: Segment | None = None

    def work_off(self) -> None:
        """Run every task; when this returns or raises, no worker is left."""
        check_may_start("Workers of a benchmark", instead=_NO_DAEMON)
        pool = Pool(
            self._desk,
            self._orders(),
            workers=self._workers,
            preloaded=_PRELOADED,
            lost=self.after,
            heard=self._segments.add,
        )
        with ExitStack() as stack:
            stack.callback(self._close)
            for _, ended in stack.enter_context(closing(pool.results())):
                self._take(ended)
        for segment in self._segments:
            sync_segment(segment)

    def after(self, loss: Loss) -> list[Order]:
        """What is left of a batch whose worker was lost; one task of it may be to blame."""
        batch: Batch = loss.order.task
        written = read_segment(loss.news).outcomes
        ended: list[Ended] = []
        unbegun: Batch = []
        for place, task in batch:
            if task.key in written:
                ended.append((place, written[task.key].status))
            elif place == loss.place and loss.stage == JUDGING:
                outcome = self._cut_short(loss, task)
                self._journal().append(outcome)
                ended.append((place, outcome.status))
            else:
                unbegun.append((place, task))
        self._progress(ended)
        if loss.place is not None and loss.stage != JUDGING:
            # Not a task has ended the worker, but preparing for it.
            self._desk.cold.add(batch[0][1].contender)
        elif not ended:
            return tried_again(loss)
        return [_order(unbegun)] if unbegun else []

    def _orders(self) -> Iterator[Order]:
        while self._queue:
            yield _order(self._next_batch())

    def _next_batch(self) -> Batch:
        """Tasks of one method, as many as fit the time; the last ones are shared out."""
        one = self._queue[0][1].contender
        size = 1
        if one in self._pace:
            size = int(_BATCH_SECONDS / max(self._pace[one], 1e-9))
            share = len(self._queue) // (2 * self._workers)
            size = max(1, min(size, share, _LARGEST_BATCH))
        batch = [self._queue.popleft()]
        while len(batch) < size and self._queue and self._queue[0][1].contender == one:
            batch.append(self._queue.popleft())
        return batch

    def _take(self, batch: BatchEnded) -> None:
        self._pace[batch.contender] = batch.seconds / len(batch.ended)
        self._progress(batch.ended)

    def _cut_short(self, loss: Loss, task: Task) -> Outcome:
        limit = self._desk.time_limit
        if loss.late and limit is not None:
            return Outcome(task.key, None, loss.seconds, "timeout", overdue(limit))
        message = f"the method ended its process with {loss.ending}"
        return Outcome(task.key, None, loss.seconds, "failed", message)

    def _journal(self) -> Segment:
        if self._own is None:
            self._own = Segment(self._desk.journal)
        return self._own

    def _close(self) -> None:
        if self._own is not None:
            self._own.close()


def _order(batch: Batch) -> Order:
    key = batch[0][1].key
    return Order(f"{key.method} on {key.pair} of {key.pairset}", batch)
