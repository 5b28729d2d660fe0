"""Data with known answers: benchmarks from disk, generated pairs, and tables that ship along.

Truth and weight live apart from the pair, so that a method has no way to see them.
"""

from bqcd.datasets.benchmarks import load_pairs
from bqcd.datasets.cards import PAIRSETS, PAPER_PAIRSETS, Download, PairSetCard
from bqcd.datasets.formats import FORMATS, Layout, read_pair_folder
from bqcd.datasets.generators import GENERATORS, simulate_pairs
from bqcd.datasets.pairmeta import write_pairmeta
from bqcd.datasets.proteins import LabelledTable, load_proteins
from bqcd.datasets.records import LabelledPair, PairSet, RefusedPair, Source
from bqcd.datasets.shipped import TABLES, load_table

__all__ = [
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
