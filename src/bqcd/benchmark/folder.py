"""The folder a benchmark writes to: what was asked, what came of it, who holds the pen.

``plan.json``
    Version, seed, and for every benchmark its pairs, truths, weights and fingerprint.
``journal/``
    Outcomes of tasks, appended as they end; the only thing a resumed run reads.
``results.parquet`` (or ``.csv``, ``.jsonl``)
    The table, written when a run stops for whatever reason it can answer for.
``workers.log``
    What methods printed, and where they were when they crashed.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bqcd.benchmark.contenders import Contender
from bqcd.benchmark.journal import Outcome, read_outcomes
from bqcd.benchmark.results import Origin, Results, table_of
from bqcd.benchmark.tasks import TaskKey
from bqcd.datasets import PairSet
from bqcd.errors import InvalidResultsError
from bqcd.locks import exclusive

_LAYOUT = 1


class ResultsFolder:
    """Plan, journal and table of a benchmark in one folder."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.journal = self.path / "journal"
        self.log = self.path / "workers.log"
        self._plan = self.path / "plan.json"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Folder made if need be, and kept from other runs until the block is left.

        Raises
        ------
        InvalidResultsError
            If another run holds it, or it is full of other things.
        """
        self._check_ours()
        self.journal.mkdir(parents=True, exist_ok=True)
        with exclusive(self.path / "lock") as other:
            if other is not None:
                raise InvalidResultsError(f"Another benchmark is writing to {self.path} now.")
            yield

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """Folder for what workers need only while they run; removed afterwards."""
        path = self.path / "scratch"
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)

    def agree(
        self,
        contenders: Sequence[Contender],
        pairsets: Sequence[PairSet],
        *,
        repeats: int,
        seed: int,
        version: str,
    ) -> None:
        """Add what is asked for to the plan.

        Raises
        ------
        InvalidResultsError
            If results of another version or seed, or on other data of the same name, are
            there already: they would not belong into one table.
        """
        plan = self._read_plan() if self._plan.exists() else _empty_plan(seed, version)
        for name, ours in (("layout", _LAYOUT), ("version", version), ("seed", seed)):
            if plan[name] != ours:
                raise InvalidResultsError(
                    f"The results in {self.path} were made with {name} {plan[name]}, not {ours}: "
                    "take another folder."
                )
        for pairset in pairsets:
            described = _described(pairset)
            known = plan["pairsets"].setdefault(pairset.name, described)
            if known["fingerprint"] != described["fingerprint"]:
                raise InvalidResultsError(
                    f"The results in {self.path} are on other data called {pairset.name!r}: "
                    "take another folder."
                )
        asked = {(one["pairset"], one["method"], one["settings"]): one for one in plan["asked"]}
        for pairset in pairsets:
            for each in contenders:
                key = (pairset.name, each.name, each.settings)
                before = asked[key]["repeats"] if key in asked else 0
                asked[key] = {
                    "pairset": key[0],
                    "method": key[1],
                    "settings": key[2],
                    "repeats": max(repeats, before),
                }
        plan["asked"] = list(asked.values())
        self._write_plan(plan)

    def outcomes(self) -> dict[TaskKey, Outcome]:
        """Every outcome so far, by task."""
        return read_outcomes(self.journal)

    def results(self) -> Results:
        """Table of everything that was asked for and has ended, in the order of the plan."""
        plan = self._read_plan()
        fingerprints = {name: one["fingerprint"] for name, one in plan["pairsets"].items()}
        origin = Origin(plan["version"], plan["seed"], fingerprints, self.missing())
        return Results(table_of(self._rows()), origin)

    def missing(self) -> int:
        """Number of rows that were asked for and are not there yet."""
        plan, outcomes = self._read_plan(), self.outcomes()
        return sum(key not in outcomes for key in _asked_keys(plan))

    def sources(self) -> dict[str, str]:
        """Citation of every benchmark in the plan."""
        return {name: one["citation"] for name, one in self._read_plan()["pairsets"].items()}

    def _rows(self) -> Iterator[tuple[Outcome, int, float]]:
        plan, outcomes = self._read_plan(), self.outcomes()
        facts = {
            (name, pair): (truth, weight)
            for name, one in plan["pairsets"].items()
            for pair, truth, weight in zip(one["pairs"], one["truth"], one["weight"], strict=True)
        }
        for key in _asked_keys(plan):
            if key in outcomes:
                yield outcomes[key], *facts[key.pairset, key.pair]

    def _check_ours(self) -> None:
        if not self.path.exists():
            return
        if not self.path.is_dir():
            raise InvalidResultsError(f"Results go to a folder, but {self.path} is a file.")
        begun = {self.journal.name, "lock", self._plan.with_suffix(".part").name}
        if not self._plan.exists() and {one.name for one in self.path.iterdir()} - begun:
            raise InvalidResultsError(
                f"{self.path} holds other things than results of a benchmark: "
                "take a new or an empty folder."
            )

    def _read_plan(self) -> dict[str, Any]:
        try:
            plan: dict[str, Any] = json.loads(self._plan.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InvalidResultsError(
                f"There are no results of a benchmark in {self.path}."
            ) from None
        except ValueError as error:
            raise InvalidResultsError(f"{self._plan} cannot be read: {error}.") from error
        return plan

    def _write_plan(self, plan: dict[str, Any]) -> None:
        unfinished = self._plan.with_suffix(".part")
        with unfinished.open("w", encoding="utf-8") as file:
            json.dump(plan, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(self._plan)


def _empty_plan(seed: int, version: str) -> dict[str, Any]:
    return {"layout": _LAYOUT, "version": version, "seed": seed, "pairsets": {}, "asked": []}


def _described(pairset: PairSet) -> dict[str, Any]:
    return {
        "fingerprint": pairset.fingerprint,
        "citation": pairset.source.citation,
        "pairs": [item.pair.key for item in pairset],
        "truth": [item.truth.sign for item in pairset],
        "weight": [item.weight for item in pairset],
    }


def _asked_keys(plan: dict[str, Any]) -> Iterator[TaskKey]:
    """Keys of all tasks ever asked for: by benchmark, method, repetition and pair."""
    for name, one in plan["pairsets"].items():
        for asked in plan["asked"]:
            if asked["pairset"] == name:
                for repeat in range(asked["repeats"]):
                    for pair in one["pairs"]:
                        yield TaskKey(name, pair, asked["method"], asked["settings"], repeat)
