"""Columns chosen by name, pattern, position and kind; pairs from lists and files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from bqcd.errors import InvalidSettingError, InvalidTableError
from bqcd.scans.result_files import write_pairs
from bqcd.scans.selection import (
    chosen_columns,
    kind_of_column,
    pairs_against,
    read_pairs,
    told_apart,
)
from tests.counting import CountedName, counted_names

NAMES = ("id", "gene_1", "gene_2", "Gene_3", "x[1]", "!odd", "7", "when")
KINDS = ("text", "float", "integer", "float", "decimal", "boolean", "integer", "date")


def chosen(*args, **kwargs) -> list[str]:
    return [NAMES[at] for at in chosen_columns(NAMES, KINDS, *args, **kwargs)]


def test_all_columns_are_chosen_if_none_is_asked_for():
    assert chosen() == list(NAMES)


def test_columns_come_in_the_order_of_the_table_each_once():
    assert chosen(["gene_2", "id", "gene_*", "gene_1"]) == ["id", "gene_1", "gene_2"]


def test_patterns_tell_upper_from_lower_case():
    assert chosen("gene_?") == ["gene_1", "gene_2"]
    assert chosen("[gG]ene_[23]") == ["gene_2", "Gene_3"]


def test_a_name_that_looks_like_a_pattern_or_an_exclusion_stands_for_its_column():
    assert chosen("x[1]") == ["x[1]"]
    assert chosen("!odd") == ["!odd"]
    assert chosen("!!odd") == [name for name in NAMES if name != "!odd"]


def test_digits_are_a_name_first_and_a_position_otherwise():
    assert chosen("7") == ["7"]
    assert chosen(["6", 1]) == ["gene_1", "7"]


def test_columns_are_left_out_after_an_exclamation_mark_or_by_exclude():
    assert chosen(["gene_*", "!gene_1"]) == ["gene_2"]
    assert chosen("!*e*") == ["id", "x[1]", "!odd", "7"]
    assert chosen("*ene_*", exclude=["gene_2", 3]) == ["gene_1"]
    assert chosen("*", exclude="*_*") == ["id", "x[1]", "!odd", "7", "when"]


def test_kinds_narrow_the_choice():
    assert chosen(dtypes="number") == ["gene_1", "gene_2", "Gene_3", "x[1]", "7"]
    assert chosen("gene_*", dtypes=["float", "boolean"]) == ["gene_1"]
    assert chosen(dtypes="integer") == ["gene_2", "7"]


@pytest.mark.parametrize("asked", ["genes_*", "!genes_*", ["id", "genes_*"]])
def test_a_pattern_that_matches_nothing_is_refused_with_the_nearest_names(asked):
    with pytest.raises(InvalidTableError, match=r"'genes_\*'.*Nearest: .*'gene_1'"):
        chosen(asked)


def test_a_name_of_no_column_is_refused_with_the_nearest_names():
    for asked in ({"columns": "gene_4"}, {"exclude": "gene_4"}):
        with pytest.raises(InvalidTableError, match=r"no column 'gene_4'.*Nearest: .*'gene_"):
            chosen(**asked)
    with pytest.raises(InvalidTableError, match="position 8 is out of range"):
        chosen(8)


def test_an_empty_choice_is_refused():
    with pytest.raises(InvalidTableError, match="No column is left of 8"):
        chosen("gene_1", exclude="gene_*")
    with pytest.raises(InvalidTableError, match="none of the kind category"):
        chosen(dtypes="category")


def test_an_unknown_kind_is_refused():
    with pytest.raises(InvalidSettingError, match="dtypes of a scan must be one of 'number'"):
        chosen(dtypes="numeric")


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ([1, 2, None], "integer"),
        ((True, False), "boolean"),
        ([1.5, "a"], "text"),
        ([None, None], "empty"),
        ([2**70, 1], "other"),
        ([[1], [2, 3]], "other"),
        (np.array([1, 2], np.uint16), "integer"),
        (np.array(["2020-01-01"], "datetime64[D]"), "date"),
        (np.array([1j]), "other"),
        (np.array([None, 1], object), "other"),
        (5, "other"),
    ],
)
def test_the_kind_of_a_column_without_a_type_is_told_from_its_values(column, kind):
    assert kind_of_column(column) == kind


# -- pairs --

COLUMNS = ("a", "b", "c d", "e,f", "3")


def test_pairs_are_given_by_name_or_position_and_keep_their_order():
    pairs = [("b", "a"), (0, "c d"), ["3", "e,f"], np.array([1, 2])]
    assert read_pairs(pairs, COLUMNS) == [(1, 0), (0, 2), (4, 3), (1, 2)]


def test_a_pair_that_comes_again_is_kept_once_as_it_came_first():
    assert read_pairs([("b", "a"), ("a", "b"), ("b", "a"), (1, 0)], COLUMNS) == [(1, 0)]


@pytest.mark.parametrize(
    "text",
    [
        'x,y\nb,a\na,"e,f"\n',
        "b,a\n\na,'e,f'\n".replace("'", '"'),
        "X\tY\r\nb\ta\r\na\te,f\r\n",
        "b;a\na;e,f",
        '\ufeffx , y\n b , a \na,"e,f"\n',
    ],
)
def test_pairs_are_read_from_files_with_and_without_a_header(tmp_path, text):
    (tmp_path / "pairs.csv").write_bytes(text.encode())
    for path in (tmp_path / "pairs.csv", str(tmp_path / "pairs.csv")):
        assert read_pairs(path, COLUMNS) == [(1, 0), (0, 3)]


def test_a_first_line_x_y_is_a_pair_where_both_are_columns(tmp_path):
    (tmp_path / "pairs.csv").write_text("x,y\nx,z\n")
    assert read_pairs(tmp_path / "pairs.csv", ("x", "y", "z")) == [(0, 1), (0, 2)]
    assert read_pairs(tmp_path / "pairs.csv", ("x", "z")) == [(0, 1)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y\na,b\n\na,q\n", r"^Line 4 of 'pairs.csv': The table has no column 'q'"),
        ("a,b\na,b,3\n", r"^Line 2 of 'pairs.csv': A pair must be two columns, got \['a', 'b', "),
        ("a,b\nb\n", r"^Line 2 of 'pairs.csv': A pair must be two columns"),
        ("a\nb\n", r"^Line 1 of 'pairs.csv': A pair must be two columns"),
        ("x,y\nb,b\n", r"^Line 2 of 'pairs.csv': A pair needs two different .* 'b'\.$"),
        ("x,y\na,9\n", r"^Line 2 of 'pairs.csv': Column position 9 is out of range"),
        ("x,y\n", r"^'pairs.csv' holds no pairs\.$"),
        ("", r"^'pairs.csv' holds no pairs\.$"),
    ],
)
def test_a_wrong_line_is_refused_by_its_number(tmp_path, text, message):
    (tmp_path / "pairs.csv").write_text(text)
    with pytest.raises(InvalidTableError, match=message):
        read_pairs(tmp_path / "pairs.csv", COLUMNS)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("a", "b"), ("a", "q")], r"^Pair 2: The table has no column 'q'"),
        ([("a", "b", "3")], r"^Pair 1: A pair must be two columns"),
        (["ab"], r"^Pair 1: A pair must be two columns, got 'ab'"),
        ([5], r"^Pair 1: A pair must be two columns, got 5"),
        ([("a", 0)], r"^Pair 1: A pair needs two different columns, but both are 'a'"),
        ([("a", 1.5)], r"^Pair 1: A column must be given by its name or its position, got 1.5"),
        ([], r"^The list of pairs holds no pairs"),
    ],
)
def test_a_wrong_pair_is_refused_by_its_place(pairs, message):
    with pytest.raises(InvalidTableError, match=message):
        read_pairs(pairs, COLUMNS)


def test_an_unreadable_file_of_pairs_is_refused_by_name(tmp_path):
    with pytest.raises(InvalidTableError, match=r"'none.csv' cannot be read: No such file"):
        read_pairs(tmp_path / "none.csv", COLUMNS)
    (tmp_path / "t.bin").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(InvalidTableError, match=r"'t.bin' cannot be read"):
        read_pairs(tmp_path / "t.bin", COLUMNS)


def test_one_column_is_paired_with_every_other():
    assert pairs_against(2, [0, 1, 2, 3, 1]) == [(2, 0), (2, 1), (2, 3)]


def test_digits_beyond_any_position_are_a_name():
    with pytest.raises(InvalidTableError, match="no column"):
        chosen("9" * 5000)


def test_what_is_neither_name_nor_list_is_refused():
    with pytest.raises(InvalidTableError, match=r"names, patterns or positions, got 1\.5"):
        chosen(1.5)


@pytest.mark.parametrize("text", ["x" * 200_000 + ",b\n", "id,when\nid," + "x" * 200_000])
def test_a_field_too_long_in_a_file_of_pairs_is_refused_by_name(tmp_path, text):
    path = tmp_path / "pairs.csv"
    path.write_text(text)
    with pytest.raises(InvalidTableError, match=r"pairs\.csv' cannot be read: field larger"):
        read_pairs(path, NAMES)


def test_a_file_of_pairs_with_an_impossible_name_is_refused():
    with pytest.raises(InvalidTableError, match="null byte"):
        read_pairs("a\0b", NAMES)


def test_names_that_no_file_holds_get_question_marks():
    assert told_apart(["\ud800", "?", "é"]) == ("? (column 0)", "? (column 1)", "é")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device of POSIX systems")
def test_a_file_of_pairs_without_end_is_refused(monkeypatch):
    monkeypatch.setattr("bqcd.scans.selection.MOST_BYTES", 2**20)
    with pytest.raises(InvalidTableError, match="'zero' cannot be read: it must have at most 1 MB"):
        read_pairs("/dev/zero", ["a", "b"])


@given(
    st.lists(st.text(st.characters(codec="utf-8"), min_size=1), min_size=2, max_size=2, unique=True)
)
@example(names=["\u200b=1", "\u00ad-x"])
@example(names=[" =a ", "\r\n@b"])
@example(names=["'a", "a"])
@settings(deadline=None)
def test_names_of_a_file_we_write_are_found_again(tmp_path_factory, names):
    assume(all(name.strip() for name in names))
    path = tmp_path_factory.mktemp("pairs") / "pairs.csv"
    pairs = pa.table({"x": [names[1]], "y": [names[0]]})
    write_pairs(pairs, {}, path)
    assert read_pairs(path, names) == [(1, 0)]


@pytest.mark.parametrize("asked", [list, lambda names: list(range(len(names)))])
def test_choosing_all_columns_grows_like_their_number(asked):
    names = counted_names(2000)
    assert len(chosen_columns(names, ["float"] * 2000, asked(names))) == 2000
    assert CountedName.compared <= 10 * 2000


def test_pairs_given_by_position_are_looked_up_without_walking_through_the_names():
    names = counted_names(2000)
    assert len(read_pairs([(at, at + 1) for at in range(1999)], names)) == 1999
    assert CountedName.compared <= 10 * 2000
