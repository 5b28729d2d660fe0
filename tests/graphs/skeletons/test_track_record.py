"""What is told of learners' directions is what was recorded."""

from __future__ import annotations

import pytest

from benchmarks.learners import RESULTS, directions, rows_of
from bqcd.graphs.skeletons.track_record import DIRECTIONS_RIGHT, DirectionsRight


@pytest.mark.parametrize("name", sorted(DIRECTIONS_RIGHT))
def test_counts_are_those_of_the_record(name):
    rows = rows_of(RESULTS / "learners.jsonl")
    proteins = [row for row in rows if row["task"][0] == "sachs"]
    simulated = [row for row in rows if row["task"][0] != "sachs"]
    counts = (*directions(simulated, name), *directions(proteins, name))
    assert DIRECTIONS_RIGHT[name] == DirectionsRight(*counts)


def test_links_that_are_turned_are_not_right():
    row = {"task": [10, "AN", "", 0, "qcam"], "edges": 9, "missing": 2, "extra": 1, "shd": 5}
    assert directions([row], "qcam") == (7, 5)
    assert directions([row], "cam") == (0, 0)
