"""Why a number found here is not the printed one, cell by cell, and how far apart they may be.

Every cell that is more than 0.02 off is here, with a bound that the recorded run keeps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bqcd.show.reproduction.paper import WEIGHTED

Key = tuple[str, str]
"""Row and column of a number."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A printed number that is not reached.

    Parameters
    ----------
    reason : str
        What is known of why, with where that comes from; or that it is not known.
    bound : float
        How far apart the numbers are at most, in two digits.
    """

    reason: str
    bound: float


_LIBRARY = (
    "pairs near zero flip with the version of the copula library: signs are those of today's "
    "vinecopulib on every one of them"
)
_ORDER = "the order of ties, see below"
_SCRIPT = (
    "a script of the paper's first author from 2018 (qccd_code, R/spider_plots.R) lists {}, and "
    "a run of the published code gives {}"
)
_ANM = "here columns are standardised, the fit is the best of eight starts, and all rows count"
_BLOCKS = (
    "the published code prunes by blocks of rows in the order of the file, which leaves 25 of the "
    "99 pairs undecided (.24, weighted .34, area .32); here rows are dealt to blocks at random"
)
_ICA = "the published search starts at random and is ended before it settles; one pair is .01"
_EMD = "uniform inputs are drawn at random, one draw in print; here the mean over five draws"
_EMD_TUNED = "printed as {} in one table and {} in the other, parameters chosen by the best result"
_PREPROCESSING = "not reached: the preprocessing and its threshold are not published; 0.35 here"
_RECI = (
    "not reached: the logistic fit as described, on [0, 1] without preprocessing, gives {} in an "
    "independent run too, and {} on standardised columns"
)
_RECI_REAL = "not reached: the paper's two tables have .67 and .70 weighted; settings are not told"
_GRAN = "printed of 15 subsamples, with the parameters of the best result"
_GPI = (
    "not explained: the search for the noise ends elsewhere; how many searches failed in print, "
    "and count as wrong, is not told"
)
_PNL = "not reached: other start values move it by up to .1, and those in print are not known"
_CURE = (
    "printed from another author's file, as there is no public code; the method's own paper has "
    ".75 weighted, on 81 pairs"
)
_ROCHE = "published of one training of a network; here another one, from other start values"
_LOCI = "published of a network; here splines, which are the method's other estimator"
_ROC = "not reached: what the paper ranks by is not told"


def _cells(row: str, reason: str, bounds: Mapping[str, float]) -> Iterator[tuple[Key, Difference]]:
    for column, bound in bounds.items():
        yield (row, column), Difference(reason, bound)


def _all() -> Iterator[tuple[Key, Difference]]:
    for ties in ("", ", ties as published"):
        yield from _cells(f"bQCD m = 1{ties}", _LIBRARY, {"SIM-c": 0.03})
        yield from _cells(f"bQCD m = 3{ties}", _LIBRARY, {"SIM-ln": 0.05})
        yield from _cells(f"bQCD m = 7{ties}", _LIBRARY, {"SIM-ln": 0.05})
        yield from _cells(f"0.1, 0.5, 0.9{ties}", _LIBRARY, {"SIM-ln": 0.05})
    yield from _cells("PR", _LIBRARY, {"SIM-ln": 0.03})
    yield from _cells("bQCD m = 1", _ORDER, {"tuebingen": 0.03})
    yield from _cells("bQCD m = 3", _ORDER, {WEIGHTED: 0.03, "weighted": 0.04})
    yield from _cells("0.1, 0.5, 0.9", _ORDER, {WEIGHTED: 0.06})
    yield from _cells("IGCI - u", _SCRIPT.format(".35", ".36"), {"AN-s": 0.09})
    yield from _cells(
        "IGCI - u",
        "not reached: no confidence tried gives it (as it is .50, weighted .71; times the rows "
        ".56; by entropies .52; signs alone .60)",
        {"ROC": 0.17},
    )
    yield from _cells(
        "IGCI - g", "a run of the estimator that gives the rest of the row has .98", {"LS-s": 0.04}
    )
    yield from _cells("IGCI - g", "printed as .64 in the other table", {"weighted": 0.03})
    yield from _cells("biCAM", _ROC, {"ROC": 0.03})
    yield from _cells("Slope", _SCRIPT.format(".28", ".28"), {"AN-s": 0.10})
    yield from _cells(
        "ANM", _ANM, {"tuebingen": 0.05, WEIGHTED: 0.08, "accuracy": 0.04, "weighted": 0.07}
    )
    yield from _cells("LINGAM", _ICA, {"AN-s": 0.03, "LS-s": 0.03})
    yield from _cells(
        "LINGAM", _BLOCKS, {"tuebingen": 0.05, WEIGHTED: 0.03, "weighted": 0.09, "ROC": 0.05}
    )
    yield from _cells("EMD", _EMD, {"SIM": 0.04, "SIM-G": 0.05, "MN-U": 0.03, "ROC": 0.04})
    yield from _cells("EMD", _SCRIPT.format(".47", ".46"), {"AN-s": 0.14})
    yield from _cells("EMD", _EMD_TUNED.format(".60", ".55"), {"accuracy": 0.03})
    yield from _cells("EMD", _EMD_TUNED.format(".68", ".60"), {WEIGHTED: 0.07})
    yield from _cells("Sloppy", "printed as .70 in the other table", {WEIGHTED: 0.03})
    yield from _cells(
        "RECI with pp",
        _PREPROCESSING,
        {
            "SIM": 0.12,
            "SIM-ln": 0.04,
            "SIM-G": 0.06,
            "AN": 0.22,
            "AN-s": 0.84,
            "LS": 0.11,
            "LS-s": 0.42,
            "MN-U": 0.10,
            "tuebingen": 0.06,
        },
    )
    for column, bound, ranged, standardised in (
        ("SIM", 0.03, ".58", ".66"),
        ("SIM-ln", 0.12, ".85", ".85"),
        ("SIM-G", 0.11, ".56", ".90"),
        ("AN", 0.16, ".54", ".96"),
        ("AN-s", 0.45, ".62", "1"),
        ("LS", 0.24, ".43", ".94"),
        ("LS-s", 0.41, ".11", ".71"),
        ("MN-U", 0.77, ".11", "1"),
    ):
        yield from _cells("RECI without pp", _RECI.format(ranged, standardised), {column: bound})
    real = {"tuebingen": 0.03, "accuracy": 0.03, "weighted": 0.04}
    yield from _cells("RECI without pp", _RECI_REAL, real)
    yield from _cells("GRAN", "three pairs of a hundred, not explained", {"SIM-ln": 0.03})
    yield from _cells(
        "GRAN",
        "not reached: it stands alone in a row whose other simulated cells are within .03",
        {"MN-U": 0.50},
    )
    yield from _cells("GRAN", _GRAN, {"ROC": 0.13})
    simulated = {"SIM-G": 0.03, "AN": 0.04, "LS": 0.08, "LS-s": 0.04, "MN-U": 0.09}
    yield from _cells("GPI", _GPI, {**simulated, "tuebingen": 0.10, WEIGHTED: 0.08})
    yield from _cells("GPI", _GPI, {"accuracy": 0.10, "weighted": 0.08, "ROC": 0.07})
    simulated = {"SIM": 0.03, "SIM-ln": 0.09, "SIM-G": 0.03, "AN-s": 0.04, "LS-s": 0.06}
    yield from _cells("PNL", _PNL, {**simulated, "MN-U": 0.09, "tuebingen": 0.08, WEIGHTED: 0.08})
    yield from _cells("PNL", _PNL, {"accuracy": 0.08, "weighted": 0.08, "ROC": 0.08})
    yield from _cells("cure", _CURE, {"weighted": 0.17, "ROC": 0.04})
    yield from _cells("LOCI", _LOCI, {"LS": 0.03, "LS-s": 0.08})
    yield from _cells("ROCHE", _ROCHE, {"SIM-ln": 0.03})


DIFFERENCES: Mapping[Key, Difference] = MappingProxyType(dict(_all()))
"""By row and column, of the tables of accuracies, of quantile levels, of areas and of Table 1.

Runs of the published code, and of programs written from the publications, are those of
``paper.RERUNS``.
"""
