"""The paper's printed numbers, table by table, and which of them do not hold.

Tagasovska, Chavez-Demoulin, Vatter: Distinguishing cause from effect using quantiles:
bivariate quantile causal discovery. ICML 2020. Methods and benchmarks have the names they
have in ``METHODS`` and ``PAIRSETS``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

SIMULATED = ("SIM", "SIM-c", "SIM-ln", "SIM-G", "AN", "AN-s", "LS", "LS-s", "MN-U")
BENCHMARKS = (*SIMULATED, "tuebingen")
WEIGHTED = "tuebingen-weighted"


@dataclass(frozen=True, slots=True)
class AccuracyRow:
    """One method's accuracies.

    Parameters
    ----------
    label : str
        The row's name in print.
    method : str
        Name in the table of methods.
    accuracies : tuple of float
        Share of right decisions on each of ``BENCHMARKS``; an undecided pair is wrong.
    weighted : float
        Weighted share on the Tübingen pairs.
    settings : mapping, default=None
        Settings the row was computed with, where they are not the method's own.
    real_settings : mapping, default=None
        Settings of the Tübingen columns, where they are others.
    """

    label: str
    method: str
    accuracies: tuple[float, ...]
    weighted: float
    settings: Mapping[str, object] | None = field(default=None, hash=False)
    real_settings: Mapping[str, object] | None = field(default=None, hash=False)

    def on(self, benchmark: str) -> float:
        """Accuracy on one of ``BENCHMARKS``, or on ``WEIGHTED``."""
        if benchmark == WEIGHTED:
            return self.weighted
        return self.accuracies[BENCHMARKS.index(benchmark)]


def _levels(m: int) -> Mapping[str, object]:
    return MappingProxyType({"n_levels": m})


# fmt: off
ACCURACY = (
    AccuracyRow("bQCD m = 1", "bqcd",
        (0.57, 0.69, 0.69, 0.59, 0.99, 0.47, 1.00, 0.93, 0.23, 0.64), 0.74, _levels(1)),
    AccuracyRow("bQCD m = 3", "bqcd",
        (0.61, 0.72, 0.76, 0.65, 1.00, 0.81, 1.00, 0.98, 0.99, 0.69), 0.77, _levels(3)),
    AccuracyRow("bQCD m = 7", "bqcd",
        (0.65, 0.76, 0.74, 0.66, 1.00, 0.82, 1.00, 0.98, 0.99, 0.67), 0.75, _levels(7)),
    AccuracyRow("IGCI - u", "igci-u",
        (0.42, 0.49, 0.52, 0.54, 0.41, 0.27, 0.63, 0.37, 0.07, 0.67), 0.72),
    AccuracyRow("IGCI - g", "igci-g",
        (0.36, 0.46, 0.62, 0.85, 0.98, 0.98, 0.99, 0.94, 0.74, 0.61), 0.64),
    AccuracyRow("biCAM", "bicam",
        (0.57, 0.60, 0.87, 0.81, 1.00, 1.00, 1.00, 0.53, 0.86, 0.57), 0.58),
    AccuracyRow("Slope", "slope",
        (0.45, 0.54, 0.47, 0.48, 0.18, 0.18, 0.21, 0.17, 0.07, 0.75), 0.83),
    AccuracyRow("RESIT", "resit",
        (0.78, 0.82, 0.87, 0.77, 1.00, 1.00, 0.60, 0.03, 0.05, 0.53), 0.63),
    AccuracyRow("ANM", "anm",
        (0.76, 0.81, 0.80, 0.77, 1.00, 1.00, 0.62, 0.09, 0.03, 0.59), 0.59),
    AccuracyRow("LINGAM", "lingam",
        (0.42, 0.53, 0.31, 0.25, 0.00, 0.04, 0.07, 0.03, 0.00, 0.27), 0.42),
    AccuracyRow("EMD", "emd",
        (0.45, 0.40, 0.52, 0.58, 0.36, 0.33, 0.60, 0.42, 0.83, 0.60), 0.68),
    AccuracyRow("GRAN", "gran",
        (0.48, 0.44, 0.43, 0.37, 0.05, 0.06, 0.11, 0.20, 0.50, 0.40), 0.50),
    AccuracyRow("GPI", "gpi",
        (0.82, 0.86, 0.88, 0.94, 0.95, 0.11, 0.91, 0.54, 0.90, 0.60), 0.63),
    AccuracyRow("PNL", "pnl",
        (0.70, 0.65, 0.61, 0.64, 0.96, 0.63, 0.91, 0.44, 0.66, 0.75), 0.73),
    AccuracyRow("Sloppy", "sloppy",
        (0.64, 0.62, 0.77, 0.81, 1.00, 1.00, 1.00, 0.56, 0.96, 0.59), 0.74,
        real_settings=MappingProxyType({"scaling": "range", "criterion": "aic"})),
    AccuracyRow("RECI with pp", "reci",
        (0.70, 0.71, 0.80, 0.66, 0.72, 0.15, 0.82, 0.71, 0.88, 0.61), 0.70,
        MappingProxyType({"min_density": 0.35})),
    AccuracyRow("RECI without pp", "reci",
        (0.60, 0.65, 0.71, 0.67, 0.72, 0.17, 0.67, 0.52, 0.88, 0.63), 0.67),
)
"""Table "Accuracy on simulated and real data" (appendix, the numbers of the spider plots).

The printed row "RECI w/wo pp", with and without preprocessing, is two rows here.
"""

LEVEL_CHOICES = (
    AccuracyRow("0.1, 0.5, 0.9", "bqcd",
        (0.61, 0.72, 0.76, 0.65, 1.00, 0.81, 1.00, 0.98, 0.99, 0.69), 0.77, _levels(3)),
    AccuracyRow("0.4, 0.5, 0.6", "bqcd",
        (0.56, 0.71, 0.72, 0.58, 1.00, 0.45, 1.00, 0.95, 0.25, 0.63), 0.73,
        MappingProxyType({"levels": (0.4, 0.5, 0.6)})),
)
"""Table "Accuracy ... for different selection of tau values" (appendix).

The first row is that of m = 3 to the digit: its levels are those of the Gauss-Legendre
rule, 0.113, 0.5 and 0.887 with weights 5, 8 and 5, printed in round numbers. Three equal
weights at 0.1, 0.5 and 0.9 give something else: .64 .69 .84 .64 1 .87 1 .95 1 and .68, .73
on the Tübingen pairs.
"""

RERUNS = (
    AccuracyRow("slope estimator, uniform", "igci-u",
        (0.42, 0.49, 0.52, 0.54, 0.41, 0.36, 0.63, 0.37, 0.07, 0.68), 0.72),
    AccuracyRow("slope estimator, Gaussian", "igci-g",
        (0.37, 0.46, 0.62, 0.85, 0.98, 0.96, 0.99, 0.98, 0.74, 0.62), 0.65),
    AccuracyRow("penalised splines", "bicam",
        (0.57, 0.60, 0.87, 0.80, 1.00, 1.00, 1.00, 0.53, 0.86, 0.586), 0.583),
    AccuracyRow("local regression from 5 points", "slope",
        (0.45, 0.54, 0.47, 0.46, 0.18, 0.28, 0.21, 0.17, 0.07, 0.76), 0.829),
    AccuracyRow("standardised and BIC; Tübingen min-max and AIC", "sloppy",
        (0.64, 0.62, 0.78, 0.81, 1.00, 1.00, 1.00, 0.56, 0.96, 0.596), 0.71),
    AccuracyRow("no abstention; Tübingen from another's table", "resit",
        (0.78, 0.83, 0.87, 0.77, 1.00, 1.00, 0.60, 0.03, 0.05, 0.525), 0.620),
    AccuracyRow("ICA with pruning", "lingam",
        (0.43, 0.50, 0.30, 0.32, 0.02, 0.03, 0.07, 0.03, 0.01, 0.24), 0.34),
    AccuracyRow("one draw; Tübingen at most 1,500 rows", "emd",
        (0.48, 0.44, 0.53, 0.61, 0.40, 0.46, 0.60, 0.42, 0.83, 0.55), 0.58),
    AccuracyRow("logistic, scaled to [0, 1], no preprocessing", "reci",
        (0.58, 0.63, 0.85, 0.56, 0.54, 0.62, 0.43, 0.11, 0.11, 0.60), 0.66),
)
"""Independent runs of the baselines as their publications and public code describe them.

Made for this project by programs of their own before its code was written, on the same files.
Where results pair by pair are public, they agree with these: RESIT with the repository of LOCI
(Immer et al., 2023), biCAM, Slope and Sloppy with bicausal (2025).
"""
# fmt: on


@dataclass(frozen=True, slots=True)
class TuebingenRow:
    """One method on the 99 Tübingen pairs.

    Parameters
    ----------
    label : str
        The column's name in print.
    method : str
        Name in the table of methods.
    accuracy, weighted : float or None
        Plain and weighted share of right decisions; None where none is printed.
    roc_area : float or None
        Area under the ROC curve; None where none is printed.
    time : str
        Time for the whole set as printed, ``"NA"`` included.
    seconds : float or None
        The same in seconds.
    """

    label: str
    method: str
    accuracy: float | None
    weighted: float | None
    roc_area: float | None
    time: str
    seconds: float | None


_MINUTE, _HOUR, _DAY = 60.0, 3_600.0, 86_400.0

TUEBINGEN = (
    TuebingenRow("bQCD", "bqcd", 0.68, 0.75, 0.71, "7 min.", 7 * _MINUTE),
    TuebingenRow("IGCI-u", "igci-u", 0.67, 0.72, 0.67, "2 sec.", 2.0),
    TuebingenRow("IGCI-g", "igci-g", 0.61, 0.62, None, "2 sec.", 2.0),
    TuebingenRow("biCAM", "bicam", 0.57, 0.58, 0.61, "10 sec.", 10.0),
    TuebingenRow("Slope", "slope", 0.75, 0.83, 0.84, "25 min.", 25 * _MINUTE),
    TuebingenRow("LINGAM", "lingam", 0.30, 0.36, 0.30, "3.5 sec.", 3.5),
    TuebingenRow("RESIT", "resit", 0.53, 0.63, 0.56, "12 h", 12 * _HOUR),
    TuebingenRow("Sloppy", "sloppy", 0.59, 0.70, 0.67, "1.3 min", 1.3 * _MINUTE),
    TuebingenRow("EMD", "emd", 0.55, 0.60, 0.53, "4.6 days", 4.6 * _DAY),
    TuebingenRow("GRAN", "gran", 0.40, 0.50, 0.47, "NA", None),
    TuebingenRow("GPI", "gpi", 0.60, 0.63, 0.61, "30 days", 30 * _DAY),
    TuebingenRow("PNL-MLP", "pnl", 0.75, 0.73, 0.70, "8.3 h", 8.3 * _HOUR),
    TuebingenRow("ANM", "anm", 0.60, 0.60, 0.45, "3.2 days", 3.2 * _DAY),
    TuebingenRow("CURE", "cure", 0.60, 0.54, 0.61, "NA", None),
    TuebingenRow("RECI", "reci", 0.63, 0.70, 0.68, "1.2h", 1.2 * _HOUR),
)
"""Table "Results for the Tübingen Benchmark" (main text).

bQCD is an average over 30 random orders of the ties, with m = 1 below 200 rows and m = 3
above. The printed column "IGCI-u/g" is two rows here; its one area stands with the first.
"""

ROC_AREA: Mapping[str, float] = MappingProxyType(
    dict(zip(SIMULATED, (0.67, 0.79, 0.87, 0.69, 1.0, 0.9, 1.0, 1.0, 1.0), strict=True))
)
"""Table "Area under the ROC and PR curves for bQCD" (appendix), first row."""

PR_AREA: Mapping[str, float] = MappingProxyType(
    dict(zip(SIMULATED, (0.67, 0.82, 0.86, 0.7, 1.0, 0.89, 1.0, 1.0, 1.0), strict=True))
)
"""The same table, second row."""


@dataclass(frozen=True, slots=True)
class GraphDistances:
    """Distances to the true protein graph, means and standard deviations of ten subsamples.

    Parameters
    ----------
    intervention, intervention_spread : float
        Structural intervention distance (SID).
    hamming, hamming_spread : float
        Structural Hamming distance (SHD).
    """

    intervention: float
    intervention_spread: float
    hamming: float
    hamming_spread: float


SACHS: Mapping[str, GraphDistances] = MappingProxyType(
    {
        "bqcd": GraphDistances(46.5, 2.5, 15.1, 1.6),
        "igci-u": GraphDistances(50.3, 1.9, 15.8, 1.7),
        "slope": GraphDistances(54.5, 3.3, 17.6, 1.2),
        "resit": GraphDistances(51.0, 0.0, 14.0, 0.3),
        "cam": GraphDistances(53.4, 1.4, 15.4, 1.6),
        "emd": GraphDistances(51.5, 2.7, 16.0, 1.7),
        "lingam": GraphDistances(48.9, 0.87, 14.3, 0.82),
        "gran": GraphDistances(49.5, 4.0, 16.4, 1.34),
        "random": GraphDistances(52.5, 3.6, 17.2, 1.4),
    }
)
"""Table "SID and SHD for the Sachs dataset" (appendix): CAM's graph, edges oriented by each.

The text gives 46 for the first number, and 53 and 17 for CAM's own graph.
"""
