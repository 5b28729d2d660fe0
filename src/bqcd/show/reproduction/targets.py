"""The table of targets, and the way from targets to a folder with all of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from types import MappingProxyType
from typing import get_args

from bqcd.benchmark import Progress
from bqcd.errors import InvalidResultsError, InvalidSettingError, UnknownNameError
from bqcd.runtime.atomic import write_whole
from bqcd.runtime.settings import (
    MOST_STEPS,
    MOST_WORKERS,
    check_choice,
    check_flag,
    check_integer,
    nearest_names,
)
from bqcd.runtime.version import __version__
from bqcd.show.reproduction import figures, illustrations, margins, proteins, tables
from bqcd.show.reproduction.products import Product, write_product
from bqcd.show.reproduction.workshop import EqualMargins, Workshop
from bqcd.show.sheets import Sheet, as_markdown, duration


@dataclass(frozen=True, slots=True)
class Target:
    """One table or figure of the paper, or one that it might have had.

    Parameters
    ----------
    name : str
        Name on the command line and of its files.
    place : str
        Where it is in the paper.
    about : str
        What it shows.
    make : callable
        Gives the product.
    """

    name: str
    place: str
    about: str
    make: Callable[[Workshop], Product]


TARGETS: Mapping[str, Target] = MappingProxyType(
    {
        target.name: target
        for target in (
            Target(
                "motivation",
                "Figure 1",
                "three mechanisms with their quantile curves",
                illustrations.motivating_figure,
            ),
            Target(
                "engel",
                "Figure 2",
                "food expenditure by income",
                illustrations.engel_figure,
            ),
            Target(
                "code-lengths",
                "Figure 3",
                "two-part code lengths of both directions and their ratio",
                illustrations.code_length_figure,
            ),
            Target(
                "regressors",
                "Figures 4 and 8",
                "accuracy with copula, forest and network for several m",
                figures.regressor_figure,
            ),
            Target(
                "sweep",
                "Figure 5",
                "accuracy against the number of levels and of rows",
                figures.sweep_figure,
            ),
            Target(
                "spider",
                "Figure 6",
                "accuracy of bQCD and competitors as radar charts",
                figures.spider_figure,
            ),
            Target(
                "tuebingen",
                "Table 1",
                "accuracy, weighted accuracy, ROC area and time on the Tübingen pairs",
                tables.tuebingen_table,
            ),
            Target(
                "decision-rates",
                "Figures 7 and 10c",
                "weighted accuracy on the Tübingen pairs against decision rate",
                figures.decision_rate_figure,
            ),
            Target(
                "scaling",
                "Figure 9",
                "run time against the number of rows",
                illustrations.scaling_figure,
            ),
            Target(
                "accuracy",
                "Table 2",
                "accuracy of all methods on all benchmarks",
                tables.accuracy_table,
            ),
            Target(
                "levels",
                "Table 3",
                "accuracy for outer and inner quantile levels",
                tables.level_choice_table,
            ),
            Target(
                "areas",
                "Table 4",
                "areas under the ROC and precision-recall curves",
                tables.area_table,
            ),
            Target(
                "roc",
                "Figure 10",
                "ROC curves of bQCD, and of all methods on the Tübingen pairs",
                figures.roc_figure,
            ),
            Target(
                "sachs",
                "Table 5 and Figure 11",
                "graph distances on protein signals, CAM's graph oriented by each method",
                proteins.protein_table,
            ),
            Target(
                "galleries",
                "Figures 12 and 13",
                "scatter plots of the simulated pairs",
                figures.gallery_figures,
            ),
            Target(
                "margins",
                "not there",
                "accuracy from the margins alone, and of all methods with equal margins",
                margins.margins_tables,
            ),
        )
    }
)
"""Every target by name, in the order of the paper's tables and figures."""


def reproduce(
    names: Sequence[str],
    out: str | Path,
    *,
    quick: bool = False,
    workers: int = 1,
    resume: bool = False,
    pairs: int | None = None,
    equal: EqualMargins = "normal",
    progress: Callable[[Sequence[Progress]], None] | None = None,
) -> Iterator[tuple[Target, Product]]:
    """Targets and their products, one by one, as they are written to a folder.

    Parameters
    ----------
    names : sequence of str
        Names in ``TARGETS``.
    out : path
        Folder for tables (Markdown, LaTeX, CSV), pictures (PNG, PDF), the results they
        are made of, and ``index.md`` with all of it.
    quick : bool, default=False
        Fewer repetitions where the paper has no number, and methods of small cost only.
    workers : int, default=1
        Number of worker processes.
    resume : bool, default=False
        Whether results of an interrupted run in the same folder are used again; by
        default everything is computed anew.
    pairs : int, optional
        How many pairs of each simulated benchmark costly methods are run on, spread evenly;
        by default all.
    equal : {"normal", "uniform"}, default="normal"
        What methods see where margins are to be equal: normal scores, or ranks.
    progress : callable, optional
        Told the progress of each method now and then.

    Raises
    ------
    UnknownNameError
        If there is no target of a name.
    InvalidResultsError
        If the folder holds something else.
    """
    chosen = _checked(names, quick=quick, workers=workers, resume=resume)
    if pairs is not None:
        check_integer("reproduce", "pairs", pairs, minimum=1, maximum=MOST_STEPS)
    check_choice("reproduce", "equal", equal, get_args(EqualMargins))
    folder = _prepared(Path(out), resume=resume)
    workshop = Workshop(
        folder / "results",
        quick=quick,
        workers=workers,
        pairs=pairs,
        margins=equal,
        progress=progress,
    )
    return _made(chosen, folder, workshop)


def _made(
    chosen: Sequence[Target], folder: Path, workshop: Workshop
) -> Iterator[tuple[Target, Product]]:
    kind = " (quick run)" if workshop.quick else ""
    head = f"# The paper's tables and figures, by bqcd {__version__}{kind}"
    pages, times = [], []
    for target in chosen:
        start, spent = monotonic(), workshop.spent
        product = target.make(workshop)
        body = write_product(product, folder, target.name)
        pages.append(f"## {target.name}: {target.about}\n\nIn the paper: {target.place}.\n\n{body}")
        times.append((target.name, workshop.spent - spent, monotonic() - start))
        write_whole(folder / "index.md", "\n\n".join([head, *pages, _told(times)]) + "\n")
        yield target, product


def _told(times: Sequence[tuple[str, float, float]]) -> str:
    """How long each part took, as a table in Markdown."""
    rows = tuple((name, duration(spent), duration(passed)) for name, spent, passed in times)
    notes = (
        "Time of one core in the methods, of answers that no part above had asked for, whenever "
        "they were computed; and time that passed in this run, in which answers may have been "
        "there from an interrupted one.",
    )
    columns = ("part", "methods", "passed")
    return f"## Times\n\n{as_markdown(Sheet('Time of each part', columns, rows, notes))}"


def _checked(names: Sequence[str], *, quick: bool, workers: int, resume: bool) -> list[Target]:
    check_flag("reproduce", "quick", quick)
    check_flag("reproduce", "resume", resume)
    check_integer("reproduce", "workers", workers, minimum=1, maximum=MOST_WORKERS)
    for name in names:
        if name not in TARGETS:
            raise UnknownNameError(
                f"The paper has no target called {name!r}. {nearest_names(name, TARGETS)}"
            )
    if not names:
        raise InvalidSettingError(f"reproduce needs a target: {', '.join(TARGETS)}.")
    return [TARGETS[name] for name in dict.fromkeys(names)]


def _prepared(folder: Path, *, resume: bool) -> Path:
    """The folder, its old results removed unless they are to be used again."""
    results = folder / "results"
    if folder.exists() and any(folder.iterdir()) and not results.is_dir():
        raise InvalidResultsError(
            f"{folder} holds other things than a reproduction: take a new or an empty folder."
        )
    if results.is_dir() and not resume:
        shutil.rmtree(results)
    results.mkdir(parents=True, exist_ok=True)
    return folder
