"""Data with known answers: benchmark pairs read from disk, and small tables that ship along.

Truth and weight live apart from the pair, so that a method has no way to see them.
"""

from bqcd.datasets.benchmarks import PAIRSETS, load_pairs
from bqcd.datasets.records import LabelledPair, PairSet, Source
from bqcd.datasets.shipped import TABLES, load_table

__all__ = [
    "PAIRSETS",
    "TABLES",
    "LabelledPair",
    "PairSet",
    "Source",
    "load_pairs",
    "load_table",
]
