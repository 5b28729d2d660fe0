"""Names that the shell offers, told without loading what they name: a test compares them."""

from __future__ import annotations

METHOD_NAMES = (
    "bqcd",
    "igci-u",
    "igci-g",
    "igci-entropy-u",
    "igci-entropy-g",
    "anm",
    "resit",
    "emd",
    "lingam",
    "reci",
    "bicam",
    "slope",
    "sloppy",
    "grci",
    "heci",
    "cdci",
    "pnl",
    "gran",
    "loci",
    "roche",
    "gpi",
    "cure",
    "margins",
    "panel",
    "coin",
    "trace",
    "vecci",
)
"""Methods."""

PAIRSET_NAMES = (
    "SIM",
    "SIM-c",
    "SIM-ln",
    "SIM-G",
    "AN",
    "AN-s",
    "LS",
    "LS-s",
    "MN-U",
    "tuebingen",
    "tuebingen-all",
    "tuebingen-nine",
    "CE-Cha",
    "CE-Multi",
    "CE-Net",
)
"""Published benchmarks."""

GENERATOR_NAMES = (
    "AN",
    "AN-s",
    "LS",
    "LS-s",
    "MN-U",
    "SIM",
    "SIM-c",
    "SIM-ln",
    "SIM-G",
    "heavy-tails",
    "discretised",
    "outliers",
    "missing",
    "confounded",
    "vector-linear",
    "vector-gaussian",
    "vector-additive",
    "vector-index",
    "vector-scale",
    "vector-latent",
)
"""Generators."""

TARGET_NAMES = (
    "motivation",
    "engel",
    "code-lengths",
    "regressors",
    "sweep",
    "spider",
    "tuebingen",
    "decision-rates",
    "scaling",
    "accuracy",
    "levels",
    "areas",
    "roc",
    "sachs",
    "galleries",
    "margins",
)
"""Tables and figures of the paper."""
