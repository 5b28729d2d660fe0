"""Reports of groups of columns."""

from __future__ import annotations

import numpy as np
import pytest

import bqcd
from bqcd.errors import InvalidPairError, InvalidSettingError

RNG = np.random.default_rng(12)
A, B = RNG.normal(size=(2, 150))
TABLE = {
    "a": A,
    "b": B,
    "c": A**2 + 0.3 * RNG.normal(size=150),
    "d": np.sin(B) + 0.3 * RNG.normal(size=150),
    "flat": np.ones(150),
    "word": ["left", "right", "up"] * 50,
}
SIZE = {"size": ["a", "b"]}


def names(report) -> list[tuple[str, str]]:
    return sorted((row.x, row.y) for row in report.pairs)


def test_a_group_is_judged_with_every_column_that_can_be_and_is_in_none():
    found = bqcd.report(TABLE, groups=SIZE, replicates=10)
    assert names(found) == [("size", "c"), ("size", "d")]
    assert ("group size", "a, b") in found.facts
    assert set(found.details) == {0, 1}


def test_groups_are_judged_with_each_other_by_bqcd_or_the_method_named():
    groups = {**SIZE, "rest": ["c", "d"]}
    found = bqcd.report(TABLE, groups=groups, replicates=0)
    assert names(found) == [("size", "rest")]
    assert found.colophon.method == "bqcd"
    expected = bqcd.decide(["a", "b"], ["c", "d"], table=TABLE)
    assert found.pairs[0].confidence == expected.confidence
    assert bqcd.report(TABLE, groups=groups, method="vecci").colophon.method == "vecci"


def test_pairs_may_name_groups_and_columns():
    found = bqcd.report(TABLE, [("d", "size")], groups=SIZE, replicates=10)
    assert (found.title, names(found)) == ("d and size", [("d", "size")])


def test_the_lines_that_make_it_again_name_the_groups(tmp_path):
    path = tmp_path / "table.csv"
    rows = zip(A.tolist(), B.tolist(), TABLE["c"].tolist(), strict=True)
    path.write_text("\n".join(["a,b,c", *(",".join(map(str, row)) for row in rows)]))
    foot = bqcd.report(path, groups=SIZE, replicates=10).colophon
    assert f"{path} --group size=a,b --replicates 10" in foot.command
    assert "groups={'size': ('a', 'b')}" in foot.python


def test_a_page_of_groups_can_be_written(tmp_path):
    bqcd.report(TABLE, groups=SIZE, replicates=10).save(tmp_path / "groups.html")
    assert "size" in (tmp_path / "groups.html").read_text()


@pytest.mark.parametrize(
    ("asked", "piece"),
    [
        ({"groups": {}}, "must map names to lists"),
        ({"groups": {"size": "a"}}, "got 'size': 'a'"),
        ({"groups": ["a", "b"]}, "must map names to lists"),
        ({"groups": SIZE, "columns": ["a"]}, "got columns too"),
        ({"groups": SIZE, "pairs": "pairs.csv"}, "got pairs too"),
    ],
)
def test_groups_that_are_none_are_refused(asked, piece):
    with pytest.raises(InvalidSettingError, match=piece):
        bqcd.report(TABLE, **asked)


def test_a_group_of_all_columns_has_nothing_beside_it():
    with pytest.raises(InvalidPairError, match="nothing beside it"):
        bqcd.report({"a": A, "b": B}, groups=SIZE)
