from __future__ import annotations

import io
import json
import re

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv
from rich.console import Console

from bqcd.discovery.evidence import CHANCE_WITH_ONE_LEVEL
from bqcd.errors import InvalidResultsError, InvalidSettingError
from bqcd.scans.forms import MOST_COLUMNS
from bqcd.scans.records import ColumnFacts, TileRows
from bqcd.scans.results import Scan
from bqcd.scans.tile_files import tile_table
from bqcd.show.sheets import as_terminal
from bqcd.statistics.dependence.multiple_testing import benjamini_hochberg

NAN = float("nan")
# x, y, confidence, dependence, p-value
ROWS = (
    ("a", "b", 0.4, 0.9, 1e-9),
    ("a", "c", -0.2, 0.5, 0.001),
    ("b", "c", 0.0, 0.8, 1e-6),
    ("a", "d", 0.9, 0.1, 0.8),
    ("b", "d", NAN, NAN, NAN),
    ("c", "d", -0.4, 0.3, 0.03),
)
# Not in the order of the table.
FACTS = (
    ColumnFacts("d", 3, 90, 90),
    ColumnFacts("a", 0, 100, 100),
    ColumnFacts("b", 1, 100, 100),
    ColumnFacts("c", 4, 100, 100),
    ColumnFacts("words", 5, 0, 0, "Column 'words' must hold numbers."),
    ColumnFacts("flat", 2, 100, 1, "Column 'flat' must vary."),
)


def pairs_of(rows, facts=FACTS, *, n_rows=100) -> pa.Table:
    names = [one.name for one in facts]
    x, y, confidence, dependence, p_value = zip(*rows, strict=True) if rows else ((),) * 5
    judged = [value == value for value in confidence]
    tile = TileRows(
        number=0,
        first=np.array([names.index(name) for name in x], dtype=np.int32),
        second=np.array([names.index(name) for name in y], dtype=np.int32),
        confidence=np.array(confidence, dtype=np.float64),
        n_rows=np.full(len(rows), n_rows),
        spearman=np.array(dependence, dtype=np.float64) / 2.0,
        dependence=np.array(dependence, dtype=np.float64),
        p_value=np.array(p_value, dtype=np.float64),
        bound=np.full(len(rows), CHANCE_WITH_ONE_LEVEL / np.sqrt(n_rows)),
        messages={at: "too few rows" for at, is_judged in enumerate(judged) if not is_judged},
    )
    return tile_table(tile, names)


def scan_of(rows=ROWS, facts=FACTS, **changes) -> Scan:
    told = {"method": "bqcd", "n_rows": 100, "label": "cells.csv"} | changes
    return Scan(pairs_of(rows, facts), facts, **told)


def named(table: pa.Table) -> list[str]:
    return [f"{row['x']}{row['y']}" for row in table.select(["x", "y"]).to_pylist()]


def shown(sheet, width: int = 80) -> str:
    screen = io.StringIO()
    Console(width=width, file=screen).print(as_terminal(sheet, width))
    return screen.getvalue()


def test_the_table_has_the_answer_after_the_names_and_keeps_what_was_judged():
    table = scan_of().table
    assert table.column_names == [
        "x", "y", "answer", "direction", "probability", "limit", "confidence", "then_confidence",
        "n_rows", "spearman", "dependence", "p_value", "q_value", "status", "message",
    ]  # fmt: skip
    kept = pairs_of(ROWS)
    # What limits leave is in the probability.
    for name in {*kept.column_names} - {"bound", "most"}:
        assert table[name].to_pylist() == kept[name].to_pylist()
        assert table[name].type == kept[name].type


def test_a_direction_is_told_beyond_chance_and_of_dependent_pairs_only():
    # The limit of chance is 0.023 with 100 rows.
    rows = [*ROWS, ("b", "words", 0.022, 0.9, 1e-9), ("c", "words", -0.024, 0.9, 1e-9)]
    told = scan_of(rows).table.select(["x", "y", "answer", "direction"]).to_pylist()
    assert [tuple(row.values()) for row in told] == [
        ("a", "b", "leaning", "->"),
        ("a", "c", "leaning", "<-"),
        ("b", "c", "cannot tell", "--"),
        ("a", "d", "cannot tell", "--"),
        ("b", "d", None, None),
        ("c", "d", "leaning", "<-"),
        ("b", "words", "cannot tell", "--"),
        ("c", "words", "leaning", "<-"),
    ]


def test_q_values_come_after_p_values_and_count_the_pairs_that_were_judged():
    table = scan_of().table
    place = table.column_names.index("p_value")
    assert table.column_names[place + 1] == "q_value"
    expected = benjamini_hochberg([1e-9, 0.001, 1e-6, 0.8, 0.03])
    assert [q for q in table["q_value"].to_pylist() if q is not None] == expected.tolist()
    assert table["q_value"].to_pylist()[4] is None


def test_a_view_keeps_the_q_values_of_the_whole():
    scan = scan_of()
    whole = dict(zip(named(scan.table), scan.table["q_value"].to_pylist(), strict=True))
    view = scan.where(min_confidence=0.3).where(max_q=0.05)
    assert named(view.table) == ["ab", "cd"]
    assert view.table["q_value"].to_pylist() == [whole["ab"], whole["cd"]]
    assert (view.method, view.columns, len(view)) == (scan.method, scan.columns, 2)


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({}, ["ab", "ac", "bc", "ad", "cd"]),
        ({"min_dependence": 0.5}, ["ab", "ac", "bc"]),
        ({"max_q": 0.002}, ["ab", "ac", "bc"]),
        ({"max_q": 1.0}, ["ab", "ac", "bc", "ad", "cd"]),
        ({"min_confidence": 0.4}, ["ab", "ad", "cd"]),
        ({"direction": "->"}, ["ab"]),
        ({"direction": "<-"}, ["ac", "cd"]),
        ({"direction": "--"}, ["bc", "ad"]),
        ({"direction": "--", "max_q": 0.05}, ["bc"]),
        ({"answer": "clear"}, []),
        ({"answer": "leaning"}, ["ab", "ac", "cd"]),
        ({"answer": "cannot tell"}, ["bc", "ad"]),
        ({"answer": "leaning", "min_confidence": 0.3}, ["ab", "cd"]),
        ({"min_dependence": 1.0}, []),
    ],
)
def test_views_hold_the_judged_pairs_that_meet_every_condition(conditions, expected):
    assert named(scan_of().where(**conditions).table) == expected


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ({"min_dependence": 1.1}, "min_dependence of a view of a scan must be a number .* got 1.1"),
        ({"min_dependence": -0.1}, "got -0.1"),
        ({"max_q": 2.0}, "max_q"),
        ({"max_q": NAN}, "max_q"),
        ({"min_confidence": -1.0}, "min_confidence"),
        ({"direction": "x->y"}, "direction"),
        ({"answer": "undecided"}, "answer of a view of a scan must be .*'clear'"),
    ],
)
def test_conditions_out_of_range_are_refused(conditions, words):
    with pytest.raises(InvalidSettingError, match=words):
        scan_of().where(**conditions)


def test_the_foremost_pairs_come_first_and_equals_go_by_confidence_and_name():
    scan = scan_of()
    assert named(scan.top()) == ["ad", "ab", "cd", "ac", "bc"]
    assert named(scan.top(2)) == ["ad", "ab"]
    assert named(scan.top(3, max_q=0.05)) == ["ab", "cd", "ac"]
    assert named(scan.top(2, by="dependence")) == ["ab", "bc"]
    assert named(scan.top(3, by="p_value")) == ["ab", "bc", "ac"]
    assert named(scan.top(9, min_dependence=0.8)) == ["ab", "bc"]
    assert scan.top(0).num_rows == 0
    assert scan.top(0).column_names == scan.table.column_names


def test_the_order_in_which_pairs_were_finished_does_not_matter():
    rng = np.random.default_rng(5)
    names = [f"c{number}" for number in range(25)]
    facts = tuple(ColumnFacts(name, at, 9, 9) for at, name in enumerate(names))
    rows = [
        (x, y, rng.choice([-0.3, -0.1, 0.0, 0.1, 0.3]), 0.5, rng.choice([0.01, 0.2]))
        for at, x in enumerate(names)
        for y in names[at + 1 :]
    ]
    for by, key in (("confidence", lambda row: -abs(row[2])), ("p_value", lambda row: row[4])):
        expected = sorted(rows, key=lambda row, key=key: (key(row), -abs(row[2]), row[0], row[1]))[
            :80
        ]
        for order in (range(len(rows)), rng.permutation(len(rows))):
            top = scan_of([rows[at] for at in order], facts).top(80, by=by)
            assert named(top) == [f"{row[0]}{row[1]}" for row in expected]


@pytest.mark.parametrize("wrong", [{"k": -1}, {"k": 2.5}, {"by": "spearman"}])
def test_an_order_that_is_none_is_refused(wrong):
    with pytest.raises(InvalidSettingError, match=next(iter(wrong))):
        scan_of().top(**wrong)


def test_the_matrix_is_antisymmetric_and_has_gaps_where_nothing_is_known():
    names, matrix = scan_of().matrix()
    assert names == ("a", "b", "d", "c")
    expected = np.array(
        [
            [NAN, 0.4, 0.9, -0.2],
            [-0.4, NAN, NAN, 0.0],
            [-0.9, NAN, NAN, 0.4],
            [0.2, 0.0, -0.4, NAN],
        ]
    )
    assert np.array_equal(matrix, expected, equal_nan=True)
    assert not np.signbit(matrix[matrix == 0.0]).any()


def test_pairs_of_columns_that_cannot_be_judged_have_no_place_in_the_matrix():
    names, matrix = scan_of([("a", "b", 0.4, 0.9, 1e-9), ("a", "flat", NAN, NAN, NAN)]).matrix()
    assert "flat" not in names
    assert np.count_nonzero(~np.isnan(matrix)) == 2


def test_a_matrix_of_too_many_columns_is_refused():
    facts = tuple(ColumnFacts(f"c{at}", at, 9, 9) for at in range(MOST_COLUMNS + 1))
    with pytest.raises(InvalidSettingError, match="at most 20,000 columns, got 20,001"):
        scan_of((), facts).matrix()


def test_edges_of_the_graph_go_from_cause_to_effect_and_tell_how_sure_they_are():
    graph = scan_of().graph()
    assert isinstance(graph, nx.DiGraph)
    assert list(graph.nodes) == ["a", "b", "d", "c"]
    assert set(graph.edges) == {("a", "b"), ("c", "a"), ("d", "c")}
    assert graph.edges["c", "a"] == {
        "answer": "leaning",
        "confidence": 0.2,
        "dependence": 0.5,
        "spearman": 0.25,
        "p_value": 0.001,
        "q_value": pytest.approx(0.005 / 3),
    }
    assert set(scan_of().graph(min_confidence=0.3).edges) == {("a", "b"), ("d", "c")}
    assert set(scan_of().graph(max_q=1.0, min_dependence=0.0).edges) == set(graph.edges)
    assert set(scan_of().graph(min_dependence=0.6).edges) == {("a", "b")}


def test_the_graph_may_have_a_cycle():
    rows = [("a", "b", 0.1, 0.9, 0.0), ("b", "c", 0.1, 0.9, 0.0), ("a", "c", -0.1, 0.9, 0.0)]
    assert nx.find_cycle(scan_of(rows).graph())


def test_the_summary_can_be_quoted():
    assert scan_of().summary() == (
        "3 of 5 pairs lean towards a direction, none is clear, 2 cannot be told. Judged by bqcd: "
        "5 of 6 pairs of 4 columns of cells.csv (100 rows), 4 dependent at q <= 0.05; 2 columns "
        "could not be judged."
    )
    few = scan_of([("a", "b", 0.1, 0.9, 0.0)], FACTS[1:3], complete=False, n_rows=1200)
    assert few.summary() == (
        "1 of 1 pair leans towards a direction, none is clear, 0 cannot be told. Judged by bqcd: 1 "
        "of 1 pair of 2 columns of cells.csv (1,200 rows, of which a pair has 100), 1 dependent at "
        "q <= 0.05. The scan is not finished."
    )


def test_a_scan_shows_itself_in_one_line():
    assert repr(scan_of()) == "<Scan of 'cells.csv' by bqcd: 6 pairs of 4 columns, 100 rows>"
    assert repr(scan_of(complete=False)).endswith("100 rows, unfinished>")


def test_columns_and_pairs_that_were_not_judged_are_listed_with_the_reason():
    scan = scan_of()
    assert scan.skipped_sheet().rows == (
        ("flat", "Column 'flat' must vary."),
        ("words", "Column 'words' must hold numbers."),
    )
    assert scan.skipped_sheet(1).notes == ("And 1 more.",)
    assert scan.failed_sheet().rows == (("b", "d", "too few rows"),)
    assert scan.failed_sheet(0).notes == ("And 1 more.",)
    assert scan_of(ROWS[:1], FACTS[:4]).skipped_sheet().rows == ()


def test_the_sheet_has_the_cause_at_the_left():
    sheet = scan_of().sheet(9)
    assert sheet.title == "5 pairs of 6 by confidence"
    assert [row[:5] for row in sheet.rows] == [
        ("a", "--", "d", "cannot tell", 0.9),
        ("a", "->", "b", "leaning", 0.4),
        ("d", "->", "c", "leaning", 0.4),
        ("c", "->", "a", "leaning", 0.2),
        ("b", "--", "c", "cannot tell", 0.0),
    ]


def test_odd_and_long_names_do_no_harm_in_a_terminal():
    odd = ("[bold]a[/bold]", "\x1b[31mred\n\r\x07", "n" * 300)
    facts = tuple(ColumnFacts(name, at, 9, 9) for at, name in enumerate(odd))
    rows = [(odd[0], odd[1], 0.5, 0.9, 0.0), (odd[0], odd[2], 0.4, 0.9, 0.0)]
    text = shown(scan_of(rows, facts).sheet())
    assert "[bold]a[/bold]" in text.replace("\n", "")
    assert "\\x1b[31mred" in text
    assert not set(text) & set("\x1b\r\x07")
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(("suffix", "delimiter"), [(".csv", ","), (".tsv", "\t")])
def test_text_files_hold_every_number_to_the_last_bit(tmp_path, suffix, delimiter):
    rng = np.random.default_rng(6)
    facts = (*FACTS, ColumnFacts('odd "n,a\tm\ne', 6, 9, 9))
    rows = [(*row[:2], *rng.uniform(size=3) ** 20) for row in ROWS] + [ROWS[4]]
    rows += [("a", facts[-1].name, 0.1, 1 / 3, 5e-324)]
    scan = scan_of(rows, facts)
    path = tmp_path / f"pairs{suffix}"
    scan.save(path)
    read = csv.read_csv(
        path,
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=scan.table.schema,
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    assert read.to_pylist() == scan.table.to_pylist()
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_a_parquet_file_holds_the_table(tmp_path):
    scan_of().save(tmp_path / "pairs.parquet")
    assert pq.read_table(tmp_path / "pairs.parquet").to_pylist() == scan_of().table.to_pylist()


def test_a_json_file_holds_the_facts_and_the_pairs(tmp_path):
    scan_of().save(str(tmp_path / "pairs.JSON"))
    told = json.loads((tmp_path / "pairs.JSON").read_text(encoding="utf-8"))
    assert told["pairs"] == scan_of().table.to_pylist()
    assert told["summary"] == scan_of().summary()
    assert [one["name"] for one in told["skipped"]] == ["flat", "words"]
    assert (told["n_pairs"], told["n_judged"], told["complete"]) == (6, 5, True)
    scan_of(()).save(tmp_path / "empty.json")
    assert json.loads((tmp_path / "empty.json").read_text(encoding="utf-8"))["pairs"] == []


def test_the_matrix_is_saved_with_names_or_as_it_is(tmp_path):
    scan = scan_of()
    scan.save_matrix(tmp_path / "matrix.csv")
    lines = (tmp_path / "matrix.csv").read_text(encoding="utf-8").splitlines()
    assert lines[:2] == [",a,b,d,c", "a,,0.4,0.9,-0.2"]
    scan.save_matrix(tmp_path / "matrix.npy")
    assert np.array_equal(np.load(tmp_path / "matrix.npy"), scan.matrix()[1], equal_nan=True)


def test_a_file_that_cannot_be_finished_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "pairs.parquet"
    path.write_bytes(b"old")

    def full(table, where, **settings):
        where.write(b"half")
        raise OSError("No space left on device")

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(OSError, match="No space"):
        scan_of().save(path)
    assert path.read_bytes() == b"old"
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("name", ["pairs", "pairs.xlsx"])
def test_a_file_of_no_known_format_is_refused(tmp_path, name):
    with pytest.raises(InvalidSettingError, match=r"'\.csv', '\.tsv', '\.parquet', '\.json'"):
        scan_of().save(tmp_path / name)
    with pytest.raises(InvalidSettingError, match=r"'\.csv', '\.npy'"):
        scan_of().save_matrix(tmp_path / name)


def test_pandas_gets_words_as_categories():
    pytest.importorskip("pandas")
    frame = scan_of().to_pandas()
    assert list(frame.columns) == scan_of().table.column_names
    assert frame["confidence"].isna().tolist() == [False, False, False, False, True, False]
    assert str(frame["x"].dtype) == "category"


def test_a_scan_without_pairs_has_empty_views():
    scan = scan_of(())
    assert (len(scan), scan.n_judged, scan.top().num_rows) == (0, 0, 0)
    assert np.isnan(scan.matrix()[1]).all()
    assert scan.graph().number_of_edges() == 0
    assert scan.summary().startswith("No pair was judged. Judged by bqcd: 0 of 0 pairs")
    assert scan.sheet().rows == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda table: table.drop_columns(["message"]), "has the columns x, y, .*; got x, y"),
        (lambda table: table.set_column(2, "confidence", [["no"] * 6]), "other types"),
        (lambda table: table.set_column(0, "x", [["z"] * 6]), "'z' is none of them"),
        (lambda table: table.set_column(0, "x", [[None] * 6]), "x is missing"),
    ],
)
def test_a_table_of_something_else_is_refused(change, words):
    with pytest.raises(InvalidResultsError, match=words):
        Scan(change(pairs_of(ROWS)), FACTS, method="bqcd", n_rows=100, label="cells.csv")


def test_foremost_pairs_are_never_printed_with_a_number_rounded_to_zero():
    rows = [("a", "b", 3e-6, 0.9, 1e-90), ("a", "c", 0.3, 0.8, 0.04)]
    printed = repr(scan_of(rows).top())
    assert "< 0.001" in printed
    assert "< 0.0001" in printed
    assert not re.search(r"(?<!\d)0\.0+(?!\d)", printed)
