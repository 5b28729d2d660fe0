"""The page on margins is that of the record, and what it says follows from its numbers."""

from __future__ import annotations

import json

import pytest

from benchmarks import margins
from bqcd import load_pairs, run_benchmark
from bqcd.benchmark.summary import answers
from bqcd.show.reproduction import paper
from bqcd.show.reproduction.margins import COLUMNS, FLOORS, MEAN, NEARER, WITHIN


def test_the_page_is_that_of_the_record():
    assert margins.PAGE.read_text(encoding="utf-8") == margins.page()


def test_every_cell_is_there_and_agrees_with_the_others():
    record = margins.read_record()
    assert {*FLOORS, NEARER, WITHIN} == set(record["floors"])
    for name, cells in record["floors"].items():
        assert tuple(cells) == (paper.SIMULATED if name == WITHIN else COLUMNS)
    for cells in record["methods"].values():
        assert tuple(cells["equal"]) == tuple(cells["as_is"]) == COLUMNS
        for column in COLUMNS:
            value, low, high = cells["difference"][column]
            assert low <= value <= high
            gap = cells["equal"][column] - cells["as_is"][column]
            assert value == pytest.approx(gap, abs=2e-4)


def test_the_look_is_in_the_log_with_its_numbers():
    log = (margins.ROOT / "benchmarks" / "panel" / "LOOKS-margins.md").read_text(encoding="utf-8")
    record = margins.read_record()["floors"]["margins"]
    told = " | ".join(f"{record[column]:.2f}" for column in COLUMNS)
    assert told in log


@pytest.mark.data
def test_what_is_recorded_comes_out_again(data_home):
    record = margins.read_record()
    sets = [load_pairs(name) for name in ("SIM", "LS-s", "tuebingen")]
    for kind, name in (("as_is", "as-is"), ("equal", record["margins"])):
        for one in answers(run_benchmark(["bqcd", "reci", "igci-g"], sets, margins=name)):
            column = paper.WEIGHTED if one.pairset == "tuebingen" else one.pairset
            found = round(one.mean("accuracy"), 4)
            assert found == record["methods"][one.label][kind][column], (one.label, column, kind)


def test_a_record_survives_its_file():
    record = margins.read_record()
    assert json.loads(json.dumps(record)) == record
    assert record["floors"]["coin"][MEAN] == pytest.approx(0.5, abs=0.1)


@pytest.mark.data
def test_a_method_is_added_and_the_others_stay(data_home, tmp_path):
    """Asked again by itself, a method has what was recorded of it among all."""
    record = margins.read_record()
    cells = dict(record["methods"])
    kept = cells.pop("igci-g")
    (tmp_path / "origin.json").write_text('{"commit": "abc1234", "date": "2020-01-01"}')
    found = margins.with_methods({**record, "methods": cells}, tmp_path, ["igci-g"], 1)
    assert found["methods"] == {**cells, "igci-g": kept}
    assert found["commit"] == f"{record['commit']}, igci-g abc1234"
    assert (found["floors"], found["date"]) == (record["floors"], record["date"])


def test_methods_that_fall_behind_bqcd_with_equal_margins_are_named():
    def of(as_is, equal):
        return {"as_is": {MEAN: as_is}, "equal": {MEAN: equal}}

    methods = {"loci": of(0.9, 0.7), "bqcd": of(0.8, 0.8), "grci": of(0.9, 0.85)}
    methods |= {"reci": of(0.5, 0.7), "bqcd:n_levels=7": of(0.85, 0.75)}
    told = margins._overtaken(list(methods), methods)
    assert told.startswith("2 methods are ahead of `bqcd`")
    assert told.endswith("1 of these are behind it: `loci`")
