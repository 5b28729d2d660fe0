"""The work of a scan: how pairs are judged, the plan of their tiles, and what is left to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bqcd.assessments.separation import Neighbours
from bqcd.data.pair import Missing
from bqcd.errors import WorkerError
from bqcd.methods.table import METHODS
from bqcd.methods.verdict import Method, settings_of
from bqcd.scans.engines import Engine
from bqcd.scans.folder import ScanFolder
from bqcd.scans.judging import attempt_tile
from bqcd.scans.progress import ScanProgress
from bqcd.scans.records import Block, SentBlock, Setback, TileRows, TileTask
from bqcd.scans.sources import Source
from bqcd.scans.stores import ColumnStore
from bqcd.scans.tiles import Plan, plan_tiles

Pairs = list[tuple[int, int]]
Places = NDArray[np.int32]
Progress = Callable[[ScanProgress], None]

# What a pair costs by ranks: without ties and gaps, and with them.
_PLAIN_SECONDS, _TIED_SECONDS = 0.0001, 0.0007
# So many tiles in a row without an answer, and the others would fare no better.
_MOST_SETBACKS = 3


@dataclass(frozen=True, slots=True)
class Job:
    """How pairs are judged."""

    name: str
    method: Method
    missing: Missing
    seed: int
    skip_identifiers: bool = False

    def seconds(self, store: ColumnStore) -> float:
        """About what a pair of 1,000 rows costs, on average."""
        if store.kind == "values":
            return METHODS[self.name].seconds if self.name in METHODS else 0.1
        usable = [store.facts[place] for place in store.usable]
        plain = sum(facts.n_distinct == store.n_rows for facts in usable) / max(len(usable), 1)
        return _PLAIN_SECONDS * plain**2 + _TIED_SECONDS * (1.0 - plain**2)

    @property
    def looks_beside(self) -> bool:
        """Whether other columns of the table are looked at: where probabilities are claimed."""
        return self.name in METHODS and METHODS[self.name].probabilistic

    def manifest(
        self, source: Source, positions: Sequence[int], asked: Pairs | None
    ) -> dict[str, Any]:
        """Whatever the numbers depend on."""
        return {
            "input": {"fingerprint": source.fingerprint(), "rows": source.n_rows},
            "method": self.name,
            "settings": settings_of(self.method),
            "seed": self.seed,
            "missing": self.missing,
            "columns": [source.names[at] for at in positions],
            "pairs": "all" if asked is None else {"number": len(asked), "digest": _digest(asked)},
            "identifiers": "left out" if self.skip_identifiers else "taken",
            **({"other columns": "looked at"} if self.looks_beside else {}),
        }


def _digest(pairs: Pairs) -> str:
    return blake2b(np.array(pairs, dtype="<i8").tobytes(), digest_size=16).hexdigest()


def finished_tiles(folder: ScanFolder, plan: Plan, again: set[int]) -> set[int]:
    """Finished tiles without those to be judged again."""
    # Columns that cannot be judged are no better the next time.
    return folder.done_tiles() - (again - {len(plan)})


class Work:
    """What is left to do of a scan."""

    def __init__(
        self,
        folder: ScanFolder,
        store: ColumnStore,
        job: Job,
        engine: Engine,
        asked: Pairs | None,
        again: set[int],
        progress: Progress | None,
        beside: Neighbours | None = None,
    ) -> None:
        self._beside = beside
        self._folder = folder
        self._store = store
        self._job = job
        self._engine = engine
        self._progress = progress
        self._plan, self._impossible = planned(store, job, asked)
        self._finished = finished_tiles(folder, self._plan, again)
        self._setbacks: list[Setback] = []

    def run(self, *, kept: bool) -> None:
        """Judge all tiles that are not finished.

        Parameters
        ----------
        kept : bool
            Whether what is finished is there for the next run.
        """
        before = sum(map(self._plan.pairs_of, self._finished - {len(self._plan)}))
        total, done = self._plan.n_pairs, before
        self._tell(done, total, before)
        if len(self._impossible) and len(self._plan) not in self._finished:
            rows = _impossible_rows(len(self._plan), self._impossible, self._store)
            self._folder.write_tile(rows, self._store.names)
        if done == total:
            return
        with closing(self._engine.run(attempt_tile, self._tasks())) as results:
            for rows in self._answered(results):
                self._folder.write_tile(rows, self._store.names)
                done += len(rows.first)
                self._tell(done, total, before)
        if self._setbacks:
            raise self._set_back(kept=kept)

    def _answered(self, results: Iterable[TileRows | Setback]) -> Iterator[TileRows]:
        """Rows of the tiles that have some; ends when too many in a row have none."""
        in_a_row = 0
        for result in results:
            if not isinstance(result, Setback):
                in_a_row = 0
                yield result
                continue
            self._setbacks.append(result)
            in_a_row += 1
            if in_a_row == _MOST_SETBACKS:
                return

    def _set_back(self, *, kept: bool) -> WorkerError:
        first, *more = self._setbacks
        others = f", as {len(more)} more did" if more else ""
        go_on = (
            f"What is finished is kept in {self._folder.path}: run the same scan again to go on."
            if kept
            else "Nothing is kept without a folder (out, or --out on the command line)."
        )
        return WorkerError(
            f"Tile {first.number} of the scan ended without an answer{others}, for a reason that "
            f"is not in the data ({first.reason}). {go_on}"
        )

    def _tell(self, done: int, total: int, before: int) -> None:
        if self._progress is not None:
            self._progress(ScanProgress(stage="pairs", done=done, total=total, before=before))

    def _tasks(self) -> Iterator[TileTask]:
        mapped = self._engine.sees(self._folder.work)
        names, job = self._store.names, self._job
        for number in range(len(self._plan)):
            if number in self._finished:
                continue
            tile = self._plan.tile(number)
            block: Block = self._store.block(tile.columns)
            if not mapped:
                block = SentBlock(block.kind, block.places, np.array(block.columns()))
            facts = [self._store.facts[place] for place in tile.columns]
            yield TileTask(
                tile,
                block,
                tuple(names[place] for place in tile.columns),
                job.method,
                job.missing,
                job.seed,
                tuple(one.nominal for one in facts),
                self._beside,
                tuple(one.position for one in facts),
            )


def planned(store: ColumnStore, job: Job, asked: Pairs | None) -> tuple[Plan, Places]:
    """Plan of the pairs that can be judged, and the places of the others that were asked for."""
    n_usable, seconds = len(store.usable), job.seconds(store)
    if asked is None:
        return plan_tiles(n_usable, store.n_rows, seconds=seconds), np.empty((0, 2), np.int32)
    place_of = {facts.position: place for place, facts in enumerate(store.facts)}
    places = np.array([[place_of[x], place_of[y]] for x, y in asked], dtype=np.int32)
    possible = (places < n_usable).all(axis=1)
    plan = plan_tiles(n_usable, store.n_rows, seconds=seconds, pairs=places[possible])
    return plan, places[~possible]


def _impossible_rows(number: int, places: Places, store: ColumnStore) -> TileRows:
    """Rows of pairs of which a column cannot be judged, with its problem."""
    nothing = np.full(len(places), np.nan)
    problems = {
        at: store.facts[x].problem or store.facts[y].problem for at, (x, y) in enumerate(places)
    }
    zeros = np.zeros(len(places), dtype=np.int64)
    first, second = np.ascontiguousarray(places.T)
    return TileRows(number, first, second, nothing, zeros, *(4 * (nothing,)), problems)
