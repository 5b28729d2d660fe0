"""The rows of the paper's tables of accuracies: who answers, and in what order of ties."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from bqcd.benchmark import contender
from bqcd.methods.table import COMPARED
from bqcd.show.reproduction import paper
from bqcd.show.reproduction.later import LATER
from bqcd.show.reproduction.workshop import Workshop
from bqcd.show.words.methods import marked

BQCD_ROW = "bQCD m = 3"
"""The row of bQCD that stands for it in figures: the paper's choice, ties in the default orders."""

_TIE_DRAWS = {True: 5, False: 30}


@dataclass(frozen=True, slots=True)
class Row:
    """A method with its settings, and what is printed of it.

    Parameters
    ----------
    name : str
        Name of the row.
    method : str
        Name in the table of methods.
    simulated, real : str
        Method and settings on simulated and on real pairs, as ``bqcd bench`` would be given them.
    printed : mapping of str to float
        Published accuracies by benchmark.
    origin : str, default="paper"
        Whose numbers these are.
    repeats : int, default=1
        Repetitions whose accuracies are averaged.
    other_ties : bool, default=False
        Whether this is bQCD with ties in another order than its own.
    """

    name: str
    method: str
    simulated: str
    real: str
    printed: Mapping[str, float]
    origin: str = "paper"
    repeats: int = 1
    other_ties: bool = False

    @property
    def label(self) -> str:
        """Name, marked if a default of the method was chosen on benchmark files."""
        one = contender(self.simulated)
        return marked(self.name, one.name, one.settings)


def accuracy_rows(workshop: Workshop) -> list[Row]:
    """The rows of the paper, those of later methods, then every other method of the table.

    Each row of bQCD is followed by two with other orders of ties: that of the published
    results, and random ones.
    """
    rows = [_row(row) for row in paper.ACCURACY] + [_row(row, "published") for row in LATER]
    named = {row.method for row in rows}
    rows += [Row(name, name, name, name, {}) for name in COMPARED if name not in named]
    wanted = [row for row in rows if workshop.affordable(row.method)]
    return [one for row in wanted for one in with_other_ties(row, workshop)]


def contestants(workshop: Workshop) -> list[Row]:
    """Rows with one of bQCD, the paper's choice, and the same in the published order of ties."""
    return [
        row
        for row in accuracy_rows(workshop)
        if row.method != "bqcd" or (row.name.startswith(BQCD_ROW) and row.repeats == 1)
    ]


def with_other_ties(row: Row, workshop: Workshop) -> Iterator[Row]:
    """A row and, if it is bQCD's, the same with ties in the published and in random orders."""
    yield row
    if row.method != "bqcd":
        return
    draws = tie_draws(workshop)
    yield replace(
        _with_setting(row, "published_ties=true"),
        name=f"{row.name}, ties as published",
        other_ties=True,
    )
    yield replace(
        _with_setting(row, "jitters=1"),
        name=f"{row.name}, mean of {draws} random orders of ties",
        printed=_printed_draws() if row.name == BQCD_ROW else {},
        repeats=draws,
        other_ties=True,
    )


def tie_draws(workshop: Workshop) -> int:
    """Over how many random orders of ties accuracies are averaged."""
    return _TIE_DRAWS[workshop.quick]


def level_rows(workshop: Workshop) -> list[Row]:
    """The rows of the table of quantile levels, each with other orders of ties."""
    rows = [_row(row) for row in paper.LEVEL_CHOICES]
    spec = "bqcd:levels=[0.1,0.5,0.9]"
    rows.append(Row("0.1, 0.5, 0.9, equal weights", "bqcd", spec, spec, {}))
    return [one for row in rows for one in with_other_ties(row, workshop) if one.repeats == 1]


def spec_of(row: paper.AccuracyRow, *, real: bool = False) -> str:
    """Method of a printed row as `bqcd bench` would be given it, for simulated or real pairs."""
    settings: Mapping[str, object] = (row.real_settings if real else None) or row.settings or {}
    return ":".join(
        [row.method, *(f"{name}={json.dumps(value)}" for name, value in settings.items())]
    )


def specs_by_repeats(rows: Iterable[Row], *, real: bool) -> dict[int, list[str]]:
    """What has to be run how often."""
    found: dict[int, list[str]] = {}
    for row in rows:
        found.setdefault(row.repeats, []).append(row.real if real else row.simulated)
    return found


def _row(row: paper.AccuracyRow, origin: str = "paper") -> Row:
    printed = {name: row.on(name) for name in (*paper.BENCHMARKS, paper.WEIGHTED)}
    return Row(row.label, row.method, spec_of(row), spec_of(row, real=True), printed, origin)


def _with_setting(row: Row, setting: str) -> Row:
    return replace(row, simulated=f"{row.simulated}:{setting}", real=f"{row.real}:{setting}")


def _printed_draws() -> dict[str, float]:
    """The paper's accuracies on real pairs as means over random orders of the ties."""
    row = paper.TUEBINGEN[0]
    return {"tuebingen": row.accuracy or 0.0, paper.WEIGHTED: row.weighted or 0.0}
