"""The folder a benchmark writes to: what was asked, what came of it, who holds the pen.

``plan.json``
    Version, seed, margins, and for every benchmark its pairs, truths, weights and fingerprint;
    and a digest of these.
``journal/``
    Outcomes of tasks, appended as they end; with the plan, all that a resumed run reads.
    A segment that was damaged is kept beside the mended one.
``results.parquet`` (or ``.csv``, ``.jsonl``)
    The table, written when a run stops for whatever reason it can answer for.
``workers.log``
    What methods printed, and where they were when they crashed.
"""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from bqcd.benchmark.datasets import PairSet
from bqcd.benchmark.results import FORMATS, Origin, Results, table_of
from bqcd.benchmark.running.contenders import Contender
from bqcd.benchmark.running.journal import Found, Outcome, Segment, latest, read_journal
from bqcd.benchmark.running.tasks import TaskKey
from bqcd.data.margins import Margins
from bqcd.errors import DamagedResultsWarning, InvalidResultsError
from bqcd.runtime.atomic import PART, write_whole
from bqcd.runtime.folder import HeldFolder, is_part_of

_LAYOUT = 4
# Before there was a choice of margins, columns came as they were.
_LAYOUT_AS_IS = 3


class RunSettings(NamedTuple):
    """What all results of one folder share.

    Parameters
    ----------
    version : str
        Of bqcd.
    seed : int
        Seed from which all others follow.
    margins : {"as-is", "normal", "uniform"}
        What methods see of the columns.
    """

    version: str
    seed: int
    margins: Margins = "as-is"


class ResultsFolder(HeldFolder):
    """Plan, journal and table of a benchmark in one folder."""

    contents = "results of a benchmark"
    writer = "benchmark"
    absent = "There are no results of a benchmark"
    record_name = "plan.json"
    parts = frozenset({"journal"})

    def __init__(self, path: str | Path) -> None:
        super().__init__(Path(path))
        self.journal = self.path / "journal"
        self.log = self.path / "workers.log"
        self._scratch = self.path / "scratch"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Folder made if need be, and kept from other runs until the block is left.

        Raises
        ------
        InvalidResultsError
            If another run holds it, its plan is damaged or of another layout, or it is full
            of other things.
        """
        with super().held():
            self.journal.mkdir(exist_ok=True)
            yield

    def check_record(self) -> None:
        """Refuse a plan that is damaged, of another layout, or none of a benchmark."""
        self._read_plan()

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """Folder for what workers need only while they run; removed afterwards."""
        self._clear_scratch()
        # Pairs may be confidential, and nobody else should put anything there.
        self._scratch.mkdir(mode=0o700)
        try:
            yield self._scratch
        finally:
            self._clear_scratch()

    def agree(
        self,
        contenders: Sequence[Contender],
        pairsets: Sequence[PairSet],
        *,
        repeats: int,
        settings: RunSettings,
    ) -> None:
        """Add what is asked for to the plan.

        Raises
        ------
        InvalidResultsError
            If results of another version, seed or margins, or on other data of the same name,
            are there already: they would not belong into one table.
        """
        plan = self._read_plan() if self.record.exists() else _empty_plan(settings)
        for name, ours in settings._asdict().items():
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
        self.write_record(plan)

    def resume(self) -> dict[TaskKey, Outcome]:
        """Every outcome so far, by task; only while the folder is held.

        What a run that was killed has left is cleared away. Damaged lines of the journal are
        taken out of it, with a :class:`~bqcd.errors.DamagedResultsWarning`: their tasks have
        no outcome then.
        """
        self._clear_scratch()
        for path in (*self._unfinished(), *self.journal.glob(f".*{PART}")):
            path.unlink()
        journal = read_journal(self.journal)
        for found in journal:
            if found.damaged:
                kept = found.path.with_suffix(".damaged")
                write_whole(kept, found.path.read_bytes())
                write_whole(found.path, found.lines())
                _warn(found, f"Such lines are run again; the file as it was is {kept.name}.")
        return latest(journal)

    def withdraw(self, keys: Iterable[TaskKey]) -> None:
        """Have tasks count as not run, whatever came of them before."""
        segment = Segment(self.journal)
        for key in keys:
            segment.append(Outcome(key, None, 0.0, "withdrawn"))
        segment.close()

    def results(self) -> Results:
        """Table of everything that was asked for and has ended, in the order of the plan.

        Rows whose outcome is damaged are missing, with a
        :class:`~bqcd.errors.DamagedResultsWarning`.
        """
        plan, journal = self._read_plan(), read_journal(self.journal)
        for found in journal:
            if found.damaged:
                _warn(found, "Such lines count as missing.")
        asked, outcomes = list(_asked_keys(plan)), latest(journal)
        ended = [outcomes[key] for key in asked if key in outcomes]
        fingerprints = {name: one["fingerprint"] for name, one in plan["pairsets"].items()}
        missing = len(asked) - len(ended)
        origin = Origin(plan["version"], plan["seed"], fingerprints, missing, plan["margins"])
        return Results(table_of(_rows(plan, ended), plan["margins"]), origin)

    def missing(self) -> int:
        """Number of rows that were asked for and are not there yet."""
        plan, outcomes = self._read_plan(), latest(read_journal(self.journal))
        return sum(key not in outcomes for key in _asked_keys(plan))

    def sources(self) -> dict[str, str]:
        """Citation of every benchmark in the plan."""
        return {name: one["citation"] for name, one in self._read_plan()["pairsets"].items()}

    def _unfinished(self) -> Iterator[Path]:
        """Files that a killed run was about to write."""
        written = (self.record_name, *(f"results.{suffix}" for suffix in FORMATS))
        for path in self.path.glob(f".*{PART}"):
            if any(is_part_of(name, path.name) for name in written):
                yield path

    def _clear_scratch(self) -> None:
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _read_plan(self) -> dict[str, Any]:
        try:
            plan = self.read_record()
        except (ValueError, RecursionError) as error:
            raise InvalidResultsError(
                f"{self.record} is damaged or no plan of a benchmark ({error}): "
                "take another folder."
            ) from error
        if plan.get("layout") == _LAYOUT_AS_IS:
            plan |= {"layout": _LAYOUT, "margins": "as-is"}
        if plan.get("layout") != _LAYOUT:
            raise InvalidResultsError(
                f"The results in {self.path} have layout {plan.get('layout')}, but this version "
                f"of bqcd reads layouts {_LAYOUT_AS_IS} and {_LAYOUT} only: take another folder."
            )
        return plan


def _warn(found: Found, consequence: str) -> None:
    text = f"{found.complaint()} {consequence}"
    warnings.warn(text, DamagedResultsWarning, stacklevel=4)


def _rows(
    plan: Mapping[str, Any], outcomes: Iterable[Outcome]
) -> Iterator[tuple[Outcome, int, float]]:
    """Outcomes with the truth and the weight of their pairs."""
    facts = {
        (name, pair): (truth, weight)
        for name, one in plan["pairsets"].items()
        for pair, truth, weight in zip(one["pairs"], one["truth"], one["weight"], strict=True)
    }
    for outcome in outcomes:
        yield outcome, *facts[outcome.key.pairset, outcome.key.pair]


def _empty_plan(settings: RunSettings) -> dict[str, Any]:
    return {"layout": _LAYOUT, **settings._asdict(), "pairsets": {}, "asked": []}


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
