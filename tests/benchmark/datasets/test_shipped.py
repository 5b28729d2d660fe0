from __future__ import annotations

import pytest

import bqcd
from bqcd.benchmark.datasets import TABLES, load_table
from bqcd.data.pair import Direction
from bqcd.errors import UnknownNameError


def test_an_unknown_table_is_refused_with_the_nearest_names() -> None:
    with pytest.raises(UnknownNameError, match=r"No table is called 'engels'.*'engel'"):
        load_table("engels")


@pytest.mark.parametrize(("name", "rows"), [("mcycle", 133), ("gagurine", 314), ("engel", 235)])
def test_shipped_tables_have_their_rows_columns_and_origin(name: str, rows: int) -> None:
    table, shipped = load_table(name), TABLES[name]
    assert table.num_rows == rows
    assert table.column_names == [shipped.cause, shipped.effect]
    assert shipped.source.citation
    assert shipped.source.licence


def test_the_motorcycle_leans_and_engel_cannot_be_told() -> None:
    verdicts = {
        name: bqcd.decide(t.cause, t.effect, table=load_table(name)) for name, t in TABLES.items()
    }
    clear = verdicts["mcycle"]
    assert (clear.answer, clear.direction) == ("leaning", Direction.X_TO_Y)
    assert clear.confidence > 3 * clear.evidence.chance_bound
    # The authors' own code finds |confidence| near 0.001 in Engel's table.
    engel = verdicts["engel"]
    assert abs(engel.confidence) < 0.002 < engel.evidence.chance_bound
    assert "should not be relied on" in engel.explain()
    assert engel.answer == verdicts["gagurine"].answer == "cannot tell"
    assert verdicts["gagurine"].confidence > 0.0
