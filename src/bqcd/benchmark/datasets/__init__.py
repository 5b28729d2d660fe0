"""Data with known answers: benchmarks from disk, generated pairs, and tables that ship along.

Truth and weight live apart from the pair, so that a method has no way to see them.
"""

from bqcd.benchmark.datasets.benchmarks import load_pairs
from bqcd.benchmark.datasets.cards import PAIRSETS, PAPER_PAIRSETS, Download, PairSetCard
from bqcd.benchmark.datasets.formats import FORMATS, Layout, read_pair_folder
from bqcd.benchmark.datasets.generators import (
    ALL_GENERATORS,
    GENERATORS,
    simulate_pairs,
)
from bqcd.benchmark.datasets.pairmeta import write_pairmeta
from bqcd.benchmark.datasets.proteins import LabelledTable, load_proteins
from bqcd.benchmark.datasets.records import LabelledPair, PairSet, RefusedPair, Source
from bqcd.benchmark.datasets.shipped import TABLES, load_table

__all__ = [
    "ALL_GENERATORS",
    "FORMATS",
    "GENERATORS",
    "PAIRSETS",
    "PAPER_PAIRSETS",
    "TABLES",
    "Download",
    "LabelledPair",
    "LabelledTable",
    "Layout",
    "PairSet",
    "PairSetCard",
    "RefusedPair",
    "Source",
    "load_pairs",
    "load_proteins",
    "load_table",
    "read_pair_folder",
    "simulate_pairs",
    "write_pairmeta",
]
