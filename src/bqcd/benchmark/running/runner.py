"""Many methods on many pairs: every task run once, in processes of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from bqcd.benchmark.datasets import PairSet
from bqcd.benchmark.results import FORMATS, Results
from bqcd.benchmark.running.batches import Batches
from bqcd.benchmark.running.contenders import Contender, contenders
from bqcd.benchmark.running.folder import ResultsFolder, RunSettings
from bqcd.benchmark.running.journal import Outcome
from bqcd.benchmark.running.pack import write_pack
from bqcd.benchmark.running.tasks import Task, TaskKey, plan
from bqcd.benchmark.running.worker import Desk, Ended
from bqcd.data.margins import MARGINS, Margins, with_margins
from bqcd.errors import InvalidSettingError
from bqcd.methods.cards import MethodCard
from bqcd.methods.verdict import Method
from bqcd.runtime.pool import sendable
from bqcd.runtime.settings import (
    MOST_DRAWS,
    MOST_WORKERS,
    check_choice,
    check_flag,
    check_integer,
    check_number,
)
from bqcd.runtime.version import __version__


@dataclass(slots=True)
class Progress:
    """How far one contender is: counts of tasks.

    Parameters
    ----------
    name : str
        Name of the method.
    settings : str
        Its settings, as JSON.
    total : int
        Tasks asked for, those of earlier runs included.
    ended : int
        Tasks that have ended, in this run or before.
    failed : int
        Of these, tasks of this run that gave no answer.
    """

    name: str
    settings: str
    total: int = 0
    ended: int = 0
    failed: int = 0


def run_benchmark(
    methods: Sequence[str | MethodCard | tuple[str, Method]],
    pairsets: Sequence[PairSet],
    *,
    repeats: int = 1,
    workers: int = 1,
    time_limit: float | None = None,
    seed: int = 0,
    margins: Margins = "as-is",
    out: str | Path | None = None,
    file_format: str = "parquet",
    retry: bool = False,
    progress: Callable[[Sequence[Progress]], None] | None = None,
) -> Results:
    """Results of every method on every pair of every benchmark.

    Parameters
    ----------
    methods : sequence of str, MethodCard or (name, method)
        Names of the method table, with settings after colons if need be, as in
        ``"bqcd:n_levels=7"``; ``"package.module:attribute"`` for what builds a method
        elsewhere; or any object with ``decide(pair, rng)`` under a name.
    pairsets : sequence of PairSet
        Benchmarks with different names.
    repeats : int, default=1
        How often each method judges each pair, each time with another seed.
    workers : int, default=1
        Number of worker processes. The table does not depend on it.
    time_limit : float, optional
        Seconds one task may take. What takes longer is stopped and gets the status
        ``timeout``.
    seed : int, default=0
        The seed of each task follows from this and from the task's key.
    margins : {"as-is", "normal", "uniform"}, default="as-is"
        What methods see: the columns as they come, or both mapped to equal margins, as normal
        scores or as ranks between 0 and 1. Values that repeat share the mean of their ranks.
        Truth, weights and seeds stay.
    out : path, optional
        Folder for the results. Outcomes are appended as they come; tasks that have one
        there already are not run again. By default nothing is kept on disk.
    file_format : {"parquet", "csv", "jsonl"}, default="parquet"
        Format of the table in the folder.
    retry : bool, default=False
        Whether tasks that failed or ran out of time in an earlier run are run again.
    progress : callable, optional
        Called now and then with the progress of each method.

    Returns
    -------
    Results
        Rows in the order of the arguments: by benchmark, method, repetition and pair. Of a
        folder that was used before, all that was ever asked of it.

    Raises
    ------
    InvalidResultsError
        If the folder holds results of another version, seed, margins or data of the same name,
        or its plan is damaged.

    Warns
    -----
    DamagedResultsWarning
        If outcomes in the folder are damaged; their tasks are run again.

    Examples
    --------
    >>> from bqcd.benchmark.datasets import simulate_pairs
    >>> results = run_benchmark(["bqcd"], [simulate_pairs("AN", n_pairs=3, n_rows=200)])
    >>> results.table["status"].to_pylist()
    ['done', 'done', 'done']
    """
    _check(pairsets, repeats=repeats, workers=workers, time_limit=time_limit, seed=seed)
    repeats, workers, seed = int(repeats), int(workers), int(seed)
    check_flag("run_benchmark", "retry", retry)
    check_choice("run_benchmark", "file_format", file_format, FORMATS)
    check_choice("run_benchmark", "margins", margins, MARGINS)
    field = contenders(methods)
    tasks = list(plan(field, pairsets, repeats=repeats, seed=seed))
    with _folder(out) as folder, folder.held():
        shared = RunSettings(__version__, seed, margins)
        folder.agree(field, pairsets, repeats=repeats, settings=shared)
        before = folder.resume()
        if retry:
            before = _without_failures(folder, before, tasks)
        left = [(place, task) for place, task in enumerate(tasks) if task.key not in before]
        tally = _Tally(field, tasks, left, progress)
        try:
            if left:
                with folder.scratch() as scratch:
                    pack = _packed(scratch, pairsets, margins)
                    desk = Desk(sendable(field), pack, folder.journal, folder.log, time_limit)
                    Batches(desk, left, workers, tally.add).work_off()
        finally:
            results = folder.results()
            results.save(folder.path / f"results.{file_format}")
    return results


@contextmanager
def _folder(out: str | Path | None) -> Iterator[ResultsFolder]:
    """The folder asked for, or one that is gone when all is done."""
    if out is not None:
        yield ResultsFolder(out)
        return
    with TemporaryDirectory(prefix="bqcd-") as path:
        yield ResultsFolder(path)


def _check(
    pairsets: Sequence[PairSet], *, repeats: int, workers: int, time_limit: float | None, seed: int
) -> None:
    check_integer("run_benchmark", "repeats", repeats, minimum=1, maximum=MOST_DRAWS)
    check_integer("run_benchmark", "workers", workers, minimum=1, maximum=MOST_WORKERS)
    check_integer("run_benchmark", "seed", seed, minimum=0)
    if time_limit is not None:
        check_number("run_benchmark", "time_limit", time_limit, above=0.0, at_most=1e9)
    names = [pairset.name for pairset in pairsets]
    if not names or len(set(names)) < len(names):
        raise InvalidSettingError(
            f"pairsets of run_benchmark must be benchmarks of different names, got {names}."
        )
    for pairset in pairsets:
        keys = [item.pair.key for item in pairset]
        if not keys or len(set(keys)) < len(keys):
            raise InvalidSettingError(
                f"The pairs of the benchmark {pairset.name!r} must have different keys, and be "
                f"at least one; got {len(keys)} pairs with {len(set(keys))} keys."
            )


def _without_failures(
    folder: ResultsFolder, outcomes: Mapping[TaskKey, Outcome], tasks: Sequence[Task]
) -> dict[TaskKey, Outcome]:
    """Outcomes without those of tasks that failed and are tried again."""
    keys = [task.key for task in tasks if task.key in outcomes]
    failed = [key for key in keys if outcomes[key].status != "done"]
    if failed:
        folder.withdraw(failed)
    return {key: one for key, one in outcomes.items() if key not in set(failed)}


def _packed(scratch: Path, pairsets: Sequence[PairSet], margins: Margins) -> Path:
    """File with what methods see of the pairs."""
    pack = scratch / "pairs.bin"
    items = chain.from_iterable(pairsets)
    write_pack(pack, (with_margins(item.pair, margins) for item in items))
    return pack


class _Tally:
    """Counts per contender, told to whoever wants to know."""

    def __init__(
        self,
        field: Sequence[Contender],
        tasks: Sequence[Task],
        left: Sequence[tuple[int, Task]],
        progress: Callable[[Sequence[Progress]], None] | None,
    ) -> None:
        self._tasks = tasks
        self._progress = progress
        self._counts = [Progress(one.name, one.settings) for one in field]
        for task in tasks:
            self._counts[task.contender].total += 1
            self._counts[task.contender].ended += 1
        for _, task in left:
            self._counts[task.contender].ended -= 1
        self.add([])

    def add(self, ended: Sequence[Ended]) -> None:
        """Count tasks that ended."""
        for place, status in ended:
            count = self._counts[self._tasks[place].contender]
            count.ended += 1
            count.failed += status != "done"
        if self._progress is not None:
            self._progress(self._counts)
