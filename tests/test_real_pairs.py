"""The list of real pairs is well formed, its tables are read as told, and its figures are right."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution

import numpy as np
import pytest

from benchmarks.real_pairs import evaluate, figures, load
from bqcd import assess
from bqcd.benchmark.datasets import simulate_pairs
from bqcd.data.pair import Direction
from bqcd.errors import InvalidTableError, MissingPackageError
from bqcd.methods.answers import answer_by_probability
from bqcd.methods.panel import REAL_PAIRS

LINES = load.read_list()
KINDS = {
    "age", "altitude", "area", "composition", "distance", "dose", "exposure", "heredity",
    "latitude", "season", "set point", "source", "time since", "weather", "year",
}  # fmt: skip
# Tables behind the Tübingen pairs, and those that ship with bqcd, as packages call them.
KNOWN = {
    "abalone", "adult", "airquality", "auto", "auto-mpg", "boston", "cars93", "concrete", "cpus",
    "engel", "faithful", "gagurine", "geyser", "mcycle", "milk", "mpg", "nlschools", "ozone",
    "pima", "sunspot", "sunspots",
}  # fmt: skip


# -- the list --------------------------------------------------------------------------------


def test_the_list_holds_seventy_pairs_of_many_tables_and_says_when_it_was_written():
    assert len(LINES) == 70
    assert len({line.table for line in LINES}) >= 45
    remarks = [
        text for text in load.LIST.read_text(encoding="utf-8").splitlines() if text[0] == "#"
    ]
    assert "2026-11-17, before any method saw the data" in " ".join(remarks)


def test_every_pair_has_a_name_columns_and_a_digest_of_its_own():
    assert len({line.id for line in LINES}) == len(LINES)
    assert len({line.digest for line in LINES}) == len(LINES)
    assert len({(line.table, line.cause, line.effect) for line in LINES}) == len(LINES)
    for line in LINES:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+){2,3}", line.id), line.id
        assert re.fullmatch(r"[0-9a-f]{16}", line.digest), line.id
        assert line.cause != line.effect


def test_every_direction_has_its_reason_in_one_sentence():
    assert len({line.why for line in LINES}) == len(LINES)
    for line in LINES:
        assert re.fullmatch(r"[A-Z][^.]{40,160}\.", line.why), line.id
        assert len(line.why.split()) >= 9, line.id


def test_weights_are_one_by_the_number_of_pairs_of_the_table():
    counts = Counter(line.table for line in LINES)
    assert max(counts.values()) <= 3
    for line in LINES:
        assert line.weight == pytest.approx(1.0 / counts[line.table])


def test_pairs_are_of_known_kinds_not_too_short_and_seldom_series():
    assert {line.kind for line in LINES} == KINDS
    assert {line.rows for line in LINES} == {"units", "repeated", "series", "groups"}
    assert min(line.n for line in LINES) >= 30
    assert sum(line.n < 50 for line in LINES) <= 7
    assert sum(line.rows == "series" for line in LINES) <= 10


def test_no_table_of_other_benchmarks_is_in_the_list():
    for line in LINES:
        assert line.file.rpartition("/")[2].split(".")[0].lower() not in KNOWN, line.id


def test_every_package_is_pinned_at_the_version_of_the_list():
    text = (load.HERE / "requirements.txt").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^([\w-]+)==([\w.]+)$", text, re.MULTILINE))
    assert pinned == {line.package: line.version for line in LINES}


def test_a_list_with_other_columns_or_a_bad_number_is_refused(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("id,package\na,b\n", encoding="utf-8")
    with pytest.raises(InvalidTableError, match="must have the columns id, package, version"):
        load.read_list(path)
    text = load.LIST.read_text(encoding="utf-8").replace(",7874,", ",many,")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidTableError, match=r"flchain-age-kappa.*many"):
        load.read_list(path)


# -- the tables ------------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with a table with names and one without."""
    (tmp_path / "shelf").mkdir()
    info = tmp_path / "shelf-1.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shelf\nVersion: 1.5\n")
    days = [f"2020/02/{day:02d} {day}:30,{day * day if day != 4 else ''}" for day in range(1, 21)]
    (tmp_path / "shelf" / "days.csv").write_text("\n".join(["when,height", *days]))
    rows = "\n".join(f"{k} 7 {0.1 * k}" for k in range(12))
    (tmp_path / "shelf" / "plain.csv.gz").write_bytes(gzip.compress(rows.encode()))
    monkeypatch.syspath_prepend(str(tmp_path))
    load._table.cache_clear()
    yield load.Line(
        "a-b-c", "shelf", "1.0", "shelf/days.csv", "when:hour", "height", 0.5, "age", "units",
        19, "", "Why.",
    )  # fmt: skip
    load._table.cache_clear()


def listed(line):
    """The line with the digest of its columns."""
    cause, effect, _ = load.columns_of(line)
    return replace(line, digest=load.digest(cause, effect), n=len(cause))


def test_rows_that_miss_a_value_are_dropped_and_parts_of_dates_are_read(package):
    item = load.labelled(listed(package))
    hours = [hour for hour in range(1, 21) if hour != 4]
    assert item.pair.x.tolist() == hours
    assert item.pair.y.tolist() == [hour * hour for hour in hours]
    assert (item.pair.dropped_rows, item.pair.key) == (1, "real/a-b-c")
    assert (item.truth, item.weight) == (Direction.X_TO_Y, 0.5)
    cause, *_ = load.columns_of(replace(package, cause="when:day_of_year"))
    assert cause.tolist() == [31 + day for day in hours]


def test_columns_without_names_are_counted_from_one(package):
    line = replace(package, file="shelf/plain.csv.gz", cause="#1", effect="#3")
    cause, effect, dropped = load.columns_of(line)
    assert cause.tolist() == list(range(12))
    assert effect.tolist() == [float(f"{0.1 * k}") for k in range(12)]
    assert dropped == 0


def test_data_that_have_changed_are_noticed(package):
    line = listed(package)
    for changed in (replace(line, digest="0" * 16), replace(line, n=18)):
        with pytest.raises(InvalidTableError, match=r"of shelf 1\.5 .* of version 1\.0"):
            load.labelled(changed)
    with pytest.raises(InvalidTableError, match="no column 'width'"):
        load.labelled(replace(line, effect="width"))
    with pytest.raises(InvalidTableError, match=r"shelf 1\.5 has no file shelf/gone\.csv"):
        load.labelled(replace(line, file="shelf/gone.csv"))


def test_a_missing_package_is_named_with_what_to_install(package):
    with pytest.raises(MissingPackageError, match=r"'no-such-shelf'.*real_pairs/requirements\.txt"):
        load.labelled(replace(package, package="no-such-shelf"))


def test_the_digest_depends_on_every_value_and_on_which_column_is_the_cause():
    x, y = np.arange(5.0), np.arange(5.0) ** 2
    moved = y.copy()
    moved[3] = np.nextafter(moved[3], 99.0)
    assert len({load.digest(x, y), load.digest(y, x), load.digest(x, moved)}) == 3


def installed() -> bool:
    try:
        return all(distribution(line.package) for line in LINES)
    except PackageNotFoundError:
        return False


@pytest.mark.skipif(not installed(), reason="needs benchmarks/real_pairs/requirements.txt")
def test_the_packages_hold_the_data_of_the_list():
    pairs, other = load.load_real_pairs(), load.load_real_pairs(1)
    assert [item.pair.key for item in pairs] == [f"real/{line.id}" for line in LINES]
    for item, line in zip(pairs, LINES, strict=True):
        cause = item.pair.x_name if item.truth is Direction.X_TO_Y else item.pair.y_name
        assert (cause, item.weight) == (line.cause, line.weight)
    truths = [[item.truth for item in one] for one in (pairs, other)]
    assert truths[0] != truths[1]
    assert 20 <= truths[0].count(Direction.X_TO_Y) <= 50


# -- the figures -----------------------------------------------------------------------------


def answered(tables, answers):
    lines = [replace(LINES[0], id=f"p-{k}", file=table) for k, table in enumerate(tables)]
    return figures.Answered(lines, np.array(answers, dtype=float))


def test_shares_count_pairs_or_tables_and_silence_as_wrong():
    one = answered("aaabcd", [1.0, 2.0, 0.5, -1.0, 0.0, np.nan])
    assert one.share(by_source=False).value == pytest.approx(3 / 6)
    assert one.share(by_source=True).value == pytest.approx(1 / 4)
    assert [line.file for line in one.surer_half().lines] == ["a", "a", "b"]


def test_intervals_come_from_whole_tables():
    # Ten pairs of one table tell no more than one pair.
    whole, apart = (
        answered("a" * 10 + "b" * 10, [1] * 10 + [-1] * 10),
        answered([f"t{k}" for k in range(20)], [1] * 10 + [-1] * 10),
    )
    wide, narrow = (one.share(by_source=False) for one in (whole, apart))
    assert (wide.low, wide.high) == (0.0, 1.0)
    assert 0.2 < narrow.low < 0.35 < 0.65 < narrow.high < 0.8
    assert wide.value == narrow.value == 0.5


def test_bars_hold_claimed_against_right():
    claims = [0.5, 0.55, 0.6, 0.79, 0.95, 1.0]
    signs = [1, -1, 1, 1, 1, -1]
    one = answered("abcdef", [s * (2 * p - 1) for s, p in zip(signs, claims, strict=True)])
    bars = {round(bar.low, 1): bar for bar in one.bars()}
    assert {low: bar.pairs for low, bar in bars.items()} == {0.5: 2, 0.6: 1, 0.7: 1, 0.9: 2}
    assert bars[0.9].claimed == pytest.approx(0.975)
    assert bars[0.9].right.value == 0.5
    assert bars[0.5].right.value == 0.0  # A probability of one half names no direction.
    assert bars[0.9].right.low < 0.02 < 0.98 < bars[0.9].right.high


# -- the command -----------------------------------------------------------------------------


@pytest.fixture
def few(monkeypatch):
    """Twelve simulated pairs under names of the list."""
    drawn = simulate_pairs("AN", n_pairs=12, n_rows=60)
    items = tuple(
        replace(item, pair=replace(item.pair, key=f"real/{line.id}"))
        for item, line in zip(drawn, LINES, strict=False)
    )
    pairs = replace(drawn, name="real", items=items)
    monkeypatch.setattr(evaluate, "load_real_pairs", lambda seed: pairs)
    monkeypatch.setattr(evaluate, "read_list", lambda: LINES[:12])
    return pairs


def test_the_command_records_answers_and_makes_the_page_of_the_record(few, tmp_path, capsys):
    out = tmp_path / "real_pairs.json"
    evaluate.main(["coin", "--out", str(out)])
    record, made = json.loads(out.read_text()), out.with_suffix(".md").read_text()
    assert set(record["methods"]) == {"coin"}
    assert set(record["methods"]["coin"]["answers"].values()) <= {1.0, -1.0}
    right = sum(value > 0 for value in record["methods"]["coin"]["answers"].values())
    assert f"| coin | {right / 12:.2f} [" in made
    assert capsys.readouterr().out.strip() == made.strip()
    out.with_suffix(".md").unlink()
    evaluate.main(["--render", "--out", str(out)])
    assert out.with_suffix(".md").read_text() == made


def test_other_methods_stay_in_the_record_unless_the_data_are_others(few, tmp_path):
    out = tmp_path / "real_pairs.json"
    evaluate.main(["coin", "--out", str(out)])
    evaluate.main(["igci-u", "--out", str(out)])
    record = json.loads(out.read_text())
    assert list(record["methods"]) == ["coin", "igci-u"]
    assert list(evaluate.merged(record, {"x": {}}, few.fingerprint)["methods"]) == [
        "coin", "igci-u", "x",
    ]  # fmt: skip
    again = evaluate.merged(record, {"coin": {}}, "other")["methods"]
    assert list(again) == ["coin"]
    assert (record["methods"]["coin"]["looks"], again["coin"]["looks"]) == (1, 2)


def test_claims_of_bqcd_are_the_probabilities_of_assess(few, tmp_path):
    pair = few.items[0].pair
    verdict = evaluate.Assessed().decide(pair, np.random.default_rng(5))
    seed = int(np.random.default_rng(5).integers(2**31))
    expected = assess(pair.x, pair.y, method="bqcd", seed=seed)
    assert (1.0 + abs(verdict.confidence)) / 2.0 == pytest.approx(expected.probability)
    assert np.sign(verdict.confidence) == np.sign(expected.verdict.confidence)
    told = evaluate.measured(["assessed"], few.head(2))["assessed"]
    assert told["probability"]
    assert all(abs(value) < 1.0 for value in told["answers"].values())
    lines = list(figures.page(evaluate.merged({}, {"assessed": told}, ""), LINES[:2]).splitlines())
    assert "## assessed: claimed against right" in lines


@pytest.mark.parametrize(("depth", "name"), [("deep", "panel"), ("quick", "panel:depth=quick")])
def test_what_is_said_of_the_panel_on_real_pairs_is_what_was_recorded(depth, name):
    answers = evaluate.read_record()["methods"][name]["answers"].values()
    found: dict[str, list[bool]] = {}
    for signed in answers:
        word = answer_by_probability(0.5 * (1.0 + abs(signed)))
        found.setdefault(word, []).append(signed > 0.0)
    assert {word: (len(right), sum(right)) for word, right in found.items()} == (REAL_PAIRS[depth])
