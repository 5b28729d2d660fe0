from __future__ import annotations

import numpy as np
import pytest

import bqcd
from bqcd.datasets import PAIRSETS, TABLES, load_pairs, load_table
from bqcd.errors import UnknownNameError
from bqcd.pair import Direction

SHAPES = {name: (100, 1000) for name in PAIRSETS if name != "tuebingen"}


@pytest.mark.data
@pytest.mark.parametrize("name", SHAPES)
def test_simulated_sets_have_their_published_shape_and_both_directions(name, data_home) -> None:
    pairs = load_pairs(name, data_home=data_home)
    assert len(pairs) == 100
    assert {len(item.pair) for item in pairs} == {1000}
    assert {item.weight for item in pairs} == {1.0}
    share = np.mean([item.truth is Direction.X_TO_Y for item in pairs])
    assert 0.3 < share < 0.7
    assert len({item.pair.key for item in pairs}) == 100


@pytest.mark.data
def test_tuebingen_has_the_99_scalar_pairs_of_the_paper_with_fractional_weights(data_home) -> None:
    pairs = load_pairs("tuebingen", data_home=data_home)
    assert len(pairs) == 99
    assert sum(item.weight for item in pairs) == pytest.approx(35.4979)
    by_key = {item.pair.key: item for item in pairs}
    assert by_key["tuebingen/0001"].weight == 0.166
    assert by_key["tuebingen/0001"].truth is Direction.X_TO_Y
    # Size of apartment in the first column; age and length of abalones; first of three columns.
    assert by_key["tuebingen/0086"].truth is Direction.X_TO_Y
    assert by_key["tuebingen/0084"].truth is Direction.Y_TO_X
    assert "tuebingen/0105" not in by_key


@pytest.mark.data
def test_a_pair_reads_as_it_stands_in_its_file(data_home) -> None:
    first = load_pairs("AN", data_home=data_home).items[0]
    assert first.pair.x[0] == -1.24334648944363
    assert first.pair.y[0] == 0.954846448381946
    assert first.truth is Direction.X_TO_Y


def test_no_pair_carries_its_label() -> None:
    assert {"truth", "weight", "label"}.isdisjoint(bqcd.Pair.__slots__)


def test_an_unknown_set_is_refused_with_the_nearest_names() -> None:
    with pytest.raises(UnknownNameError, match=r"No benchmark is called 'tubingen'.*'tuebingen'"):
        load_pairs("tubingen")
    with pytest.raises(UnknownNameError, match=r"No table is called 'engels'.*'engel'"):
        load_table("engels")


def test_files_that_are_not_there_are_asked_for(tmp_path, monkeypatch) -> None:
    with pytest.raises(FileNotFoundError, match=r"tuebingen.*looked for there"):
        load_pairs("tuebingen", data_home=tmp_path)
    monkeypatch.delenv("BQCD_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match="pass data_home or set BQCD_DATA"):
        load_pairs("AN")


@pytest.mark.parametrize(("name", "rows"), [("mcycle", 133), ("gagurine", 314), ("engel", 235)])
def test_shipped_tables_have_their_rows_columns_and_origin(name: str, rows: int) -> None:
    table, shipped = load_table(name), TABLES[name]
    assert table.num_rows == rows
    assert table.column_names == [shipped.cause, shipped.effect]
    assert shipped.source.citation
    assert shipped.source.licence


def test_the_motorcycle_is_a_clear_case_and_engel_is_not() -> None:
    verdicts = {
        name: bqcd.decide(t.cause, t.effect, table=load_table(name)) for name, t in TABLES.items()
    }
    clear = verdicts["mcycle"]
    assert clear.direction is Direction.X_TO_Y
    assert clear.confidence > 3 * clear.evidence.chance_bound
    # The authors' own code finds |confidence| near 0.001 in Engel's table.
    engel = verdicts["engel"]
    assert abs(engel.confidence) < 0.002 < engel.evidence.chance_bound
    assert "should not be relied on" in engel.explain()
    assert verdicts["gagurine"].direction is Direction.X_TO_Y
