"""Every record is shown by functions that exist, and by nothing else."""

from __future__ import annotations

import inspect

import pytest

import bqcd
from bqcd.assessments.compatibility import Compatibility
from bqcd.assessments.limits import Limit
from bqcd.assessments.notes import Note
from bqcd.graphs.bootstrapping import Bootstrap
from bqcd.graphs.comparison import Comparison
from bqcd.graphs.invariance import InvariantCauses
from bqcd.graphs.notes import GraphNote
from bqcd.graphs.orienting.records import EdgeRecord
from bqcd.runtime.shown import Pictured, Shown, Tabled, Told
from bqcd.scans.rows import PairRows
from bqcd.show.builders import BUILDERS, builder

RECORDS = {
    kind.__name__: kind
    for kind in (bqcd.Verdict, bqcd.Assessment, bqcd.Scan, bqcd.Orientation, bqcd.Results)
}
PARTS = {
    kind.__name__: kind
    for kind in (
        *(Bootstrap, Comparison, Compatibility, EdgeRecord, GraphNote, InvariantCauses, Limit),
        *(Note, PairRows),
    )
}
NEEDED = {
    Shown: {"report", "fragment"},
    Pictured: {"plot"},
    Tabled: {"sheet"},
    Told: {"headline", "explain", "panel"},
}


def test_the_table_names_the_records_and_no_other() -> None:
    assert set(BUILDERS) == {*RECORDS, *PARTS}


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_has_builders_for_all_that_it_offers(name) -> None:
    kind = RECORDS[name]
    assert issubclass(kind, Shown)
    for mixin, needed in NEEDED.items():
        if issubclass(kind, mixin):
            assert needed <= set(BUILDERS[name])


@pytest.mark.parametrize(
    ("name", "what"), [(name, what) for name, held in BUILDERS.items() for what in held]
)
def test_a_builder_is_a_function_that_takes_the_record(name, what) -> None:
    kind = (RECORDS | PARTS)[name]
    function = builder(kind, what)
    first = next(iter(inspect.signature(function).parameters.values()))
    assert name in str(first.annotation)


def test_what_nothing_shows_is_an_error() -> None:
    with pytest.raises(LookupError, match="Nothing shows the plot of a Results"):
        builder(bqcd.Results, "plot")
