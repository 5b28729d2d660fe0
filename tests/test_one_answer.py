"""One rule for every answer: whatever is printed, written or drawn of a pair says the same.

A pair that leans, one that is clear and one that cannot be told go through every output.
"""

from __future__ import annotations

import io
import json
import re
from html import unescape

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
from rich.console import Console
from typer.testing import CliRunner

import bqcd
from bqcd.assessments.assessment import Abstention
from bqcd.cli.commands import app
from bqcd.data.pair import Direction
from bqcd.errors import InvalidSettingError
from bqcd.methods.answers import BARS, Bars
from bqcd.show.reports.pairs import assessment_row, verdict_row
from bqcd.show.sheets import as_terminal

N_ROWS = 400
# Arrows in headlines, titles and tables.
ARROW = re.compile(r"(->|<-|→|←)")
CLAIMS = ("looks like the cause", "lean towards")


def table() -> dict[str, np.ndarray]:
    """Rain makes the harvest; width and height are jointly Gaussian, which has no direction."""
    rng = np.random.default_rng(4)
    rain = rng.normal(size=N_ROWS)
    width = rng.normal(size=N_ROWS)
    return {
        "rain": rain,
        "harvest": rain**2 + 0.4 * rng.normal(size=N_ROWS),
        "width": width,
        "height": width + rng.normal(size=N_ROWS),
    }


PAIRS = [("rain", "harvest"), ("width", "height")]


@pytest.fixture(scope="module")
def columns() -> dict[str, np.ndarray]:
    return table()


@pytest.fixture(scope="module")
def verdicts(columns) -> tuple[bqcd.Verdict, bqcd.Verdict]:
    decided, undecided = (bqcd.decide(x, y, table=columns) for x, y in PAIRS)
    return decided, undecided


@pytest.fixture(scope="module")
def assessments(columns) -> tuple[bqcd.Assessment, bqcd.Assessment]:
    decided, undecided = (
        bqcd.assess(x, y, table=columns, replicates=50, method="bqcd") for x, y in PAIRS
    )
    return decided, undecided


@pytest.fixture(scope="module")
def scan(columns) -> bqcd.Scan:
    return bqcd.scan(columns, pairs=PAIRS)


@pytest.fixture(scope="module")
def path(columns, tmp_path_factory):
    import pyarrow.csv

    written = tmp_path_factory.mktemp("answers") / "farm.csv"
    pyarrow.csv.write_csv(pa.table(columns), written)
    return written


def words_of(html: str) -> str:
    """Text of a page or fragment, without styles and scripts."""
    bare = re.sub(r"<(style|script)\b.*?</\1>", " ", html, flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]+>", "", bare)))


def printed(thing: object) -> str:
    console = Console(file=io.StringIO(), width=200, color_system=None)
    console.print(thing)
    return " ".join(re.sub("[│╭╮╰╯─]", " ", console.file.getvalue()).split())


def command(*arguments: object) -> str:
    result = CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return result.stdout


def claims(text: str) -> bool:
    return any(words in text for words in CLAIMS)


def test_the_pairs_are_what_the_other_tests_take_them_for(verdicts, assessments):
    assert [one.answer for one in verdicts] == ["leaning", "cannot tell"]
    assert [one.answer for one in assessments] == ["clear", "cannot tell"]
    assert all(one.confidence != 0.0 for one in verdicts)
    assert all(one.dependence.p_value < 1e-6 for one in assessments)


def test_cause_effect_direction_and_dictionary_follow_the_answer(verdicts, assessments):
    for decided, undecided in (verdicts, assessments):
        told = decided.as_dict()
        assert (decided.cause, decided.effect) == ("rain", "harvest")
        assert (told["answer"], told["direction"]) == (decided.answer, "->")
        assert (told["cause"], told["effect"]) == ("rain", "harvest")
        told = undecided.as_dict()
        assert undecided.cause is undecided.effect is None
        assert undecided.direction is Direction.UNDECIDED
        assert (told["answer"], told["direction"]) == ("cannot tell", "--")
        assert told["cause"] is told["effect"] is None
        assert told["confidence"] == undecided.confidence != 0.0


def test_headline_sentence_terminal_and_notebook_agree(verdicts, assessments):
    for decided, undecided in (verdicts, assessments):
        for shown in (decided.headline, repr(decided), printed(decided)):
            assert f"rain -> harvest ({decided.answer}, " in shown
        for text in (decided.explain(), printed(decided), words_of(decided._repr_html_())):
            assert claims(text)
            assert "cannot be told" not in text
        for shown in (undecided.headline, repr(undecided), printed(undecided)):
            assert "width -- height (cannot tell, " in shown
        for text in (undecided.explain(), printed(undecided), words_of(undecided._repr_html_())):
            assert "Which of 'width' and 'height' is the cause cannot be told" in text
            assert not claims(text)
        folded = undecided._repr_html_().partition("<details>")[0]
        assert not ARROW.search(words_of(folded).replace("Cause → effect", ""))


def test_titles_of_plots_have_an_arrow_only_where_it_can_be_told(verdicts, assessments):
    decided, undecided = verdicts
    assert decided.plot().get_suptitle().startswith("rain → harvest (leaning, ")
    assert undecided.plot().get_suptitle().startswith("width — height (cannot tell, ")
    decided, undecided = assessments
    assert decided.plot().axes[0].get_title(loc="left") == decided.headline
    assert undecided.plot().axes[0].get_title(loc="left") == undecided.headline


def test_rows_and_pages_of_a_report_follow_the_answer(verdicts, assessments):
    for (decided, undecided), row_of in ((verdicts, verdict_row), (assessments, assessment_row)):
        row = row_of(decided).as_dict()
        assert (row["answer"], row["cause"]) == (decided.answer, "rain")
        row = row_of(undecided).as_dict()
        assert (row["answer"], row["cause"], row["effect"]) == ("cannot tell", None, None)
        page = words_of(decided.to_html())
        assert claims(page)
        assert "rain → harvest" in page
        page = words_of(undecided.to_html())
        assert "is the cause cannot be told" in page
        assert not claims(page)
        assert "width → height" not in page
        assert "height → width" not in page


def test_table_views_sheet_graph_and_summary_of_a_scan_follow_the_answer(scan):
    rows = {row["x"]: row for row in scan.table.to_pylist()}
    assert (rows["rain"]["answer"], rows["rain"]["direction"]) == ("leaning", "->")
    assert (rows["width"]["answer"], rows["width"]["direction"]) == ("cannot tell", "--")
    assert rows["width"]["confidence"] != 0.0
    assert rows["width"]["q_value"] < 0.05
    assert scan.where(answer="leaning").table["x"].to_pylist() == ["rain"]
    assert scan.where(direction="--").table["x"].to_pylist() == ["width"]
    assert scan.top(9)["answer"].to_pylist() == ["leaning", "cannot tell"]
    assert [row[:4] for row in scan.sheet().rows] == [
        ("rain", "->", "harvest", "leaning"),
        ("width", "--", "height", "cannot tell"),
    ]
    assert list(scan.graph().edges) == [("rain", "harvest")]
    assert scan.summary().startswith(
        "1 of 2 pairs leans towards a direction, none is clear, 1 cannot be told."
    )
    told = scan.as_dict()
    assert told["answers"] == {"clear": 0, "leaning": 1, "cannot tell": 1}
    for words in (words_of(scan.to_html()), words_of(scan._repr_html_())):
        assert "rain → harvest" in words
        assert "width — height" in words
        assert not re.search("width → height|height → width", words)


@pytest.mark.parametrize("method", ["bqcd", "igci-g", "igci-u", "cdci"])
def test_a_scan_says_of_a_dependent_pair_what_decide_says(columns, method):
    rows = bqcd.scan(columns, pairs=PAIRS, method=method).table.to_pylist()
    for (x, y), row in zip(PAIRS, rows, strict=True):
        verdict = bqcd.decide(x, y, table=columns, method=method)
        assert (row["answer"], row["direction"]) == (verdict.answer, verdict.direction.value)


def test_the_report_of_a_table_follows_the_answer(columns):
    report = bqcd.report(columns, pairs=PAIRS, replicates=50, method="bqcd")
    assert [(row.answer, row.cause) for row in report.pairs] == [
        ("clear", "rain"),
        ("cannot tell", None),
    ]
    assert report.answer.startswith(
        "In the table, 1 of 2 pairs has a clear direction, best supported 'rain' as the cause of "
        "'harvest' (probability 0."
    )
    assert report.answer.endswith("For 1 the data cannot tell.")
    decided, undecided = (report.details[row.number].sentence for row in report.pairs)
    assert decided.startswith("'rain' looks like the cause of 'harvest'")
    assert undecided.startswith("Which of 'width' and 'height' is the cause cannot be told")
    page = words_of(report.to_html())
    assert "rain → harvest" in page
    assert not re.search("width → height|height → width", page)


def test_edges_of_a_graph_that_cannot_be_told_are_left_open_unless_asked(columns):
    skeleton = nx.Graph(PAIRS)
    found = bqcd.orient(columns, skeleton)
    assert list(found.directed.edges) == [("rain", "harvest")]
    assert [set(edge) for edge in found.undirected.edges] == [{"width", "height"}]
    assert "judged leaning with confidence" in found.explain("rain", "harvest")
    assert "left open: its direction cannot be told, " in found.explain("width", "height")
    told = {edge["x"]: edge for edge in found.as_dict()["edges"]}
    assert (told["harvest"]["answer"], told["harvest"]["verdict"]) == (
        "leaning",
        ["rain", "harvest"],
    )
    assert (told["height"]["answer"], told["height"]["verdict"]) == ("cannot tell", None)
    for words in (printed(as_terminal(found.sheet(), 200)), words_of(found._repr_html_())):
        assert "direction cannot be told" in words
    # Edges are assessed where pairs are: with a probability, an answer can be clear.
    for details, answer in ((0, "leaning"), (2, "clear")):
        report = bqcd.report(columns, graph=skeleton, details=details, method="bqcd")
        rows = {row["x"]: row for row in report.as_dict()["pairs"]}
        assert (rows["harvest"]["answer"], rows["harvest"]["cause"]) == (answer, "rain")
        assert (rows["height"]["answer"], rows["height"]["cause"]) == ("cannot tell", None)
    forced = bqcd.orient(columns, skeleton, force=True)
    assert len(forced.directed.edges) == 2
    assert "judged by the sign alone, as asked" in forced.explain("width", "height")


def test_an_estimator_follows_the_answer(columns):
    decided, undecided = (bqcd.DirectionEstimator().fit(columns[x], columns[y]) for x, y in PAIRS)
    assert (decided.answer_, decided.direction_) == ("leaning", Direction.X_TO_Y)
    assert (undecided.answer_, undecided.direction_) == ("cannot tell", Direction.UNDECIDED)
    assert undecided.confidence_ != 0.0


def test_the_command_line_follows_the_answer(path):
    for name, answer in (("decide", "leaning"), ("assess", "clear")):
        assert f"rain -> harvest ({answer}, " in command(name, path, *PAIRS[0])
        told = json.loads(command(name, path, *PAIRS[0], "--json"))
        assert (told["answer"], told["direction"], told["cause"]) == (answer, "->", "rain")
        said = command(name, path, *PAIRS[1])
        assert "width -- height (cannot tell, " in said
        assert not claims(said)
        assert not ARROW.search(said)
        told = json.loads(command(name, path, *PAIRS[1], "--json"))
        assert (told["answer"], told["direction"]) == ("cannot tell", "--")
        assert told["cause"] is told["effect"] is None
    for second, answer in (("panel", "clear"), ("none", "leaning")):
        told = json.loads(command("scan", path, "--json", "--max-q", 0.05, "--then", second))
        assert [(row["answer"], row["direction"]) for row in told["top"]] == [
            (answer, "->"),
            ("cannot tell", "--"),
        ]
        assert told["answers"] == {"clear": 0, "leaning": 0, "cannot tell": 5} | {answer: 1}


def test_what_abstain_asks_for_reaches_every_output_of_an_assessment(path):
    asked = ("assess", path, *PAIRS[0], "--abstain", 0.999)
    told = json.loads(command(*asked, "--json"))
    assert told["probability"] < 0.999
    assert (told["answer"], told["direction"]) == ("cannot tell", "--")
    assert told["cause"] is told["effect"] is None
    said = " ".join(command(*asked).replace("│", " ").split())
    assert "rain -- harvest (cannot tell, probability 0.9" in said
    assert "The rule that was set asks for probability at least 0.999" in said
    assert not claims(said)


def test_what_abstain_asks_for_reaches_every_row_of_a_report(columns):
    report = bqcd.report(columns, pairs=PAIRS, replicates=50, abstain=0.999, method="bqcd")
    assert {row.answer for row in report.pairs} == {"cannot tell"}
    assert report.answer == (
        "For none of the 2 pairs of columns in the table can the data tell which is the cause."
    )
    assert not any(claims(detail.sentence) for detail in report.details.values())
    one_detail = bqcd.report(
        columns, pairs=PAIRS, replicates=50, abstain=0.6, details=1, method="bqcd"
    )
    assert [row.answer for row in one_detail.pairs] == ["clear", "cannot tell"]
    with pytest.raises(InvalidSettingError, match="abstain of report needs pairs that are"):
        bqcd.report(columns, pairs=PAIRS, replicates=0, abstain=0.9, method="bqcd")


def test_default_output_is_short_and_says_nothing_twice(path):
    for name in ("decide", "assess"):
        asked = (name, path, *PAIRS[1], "--method", "bqcd")
        short, whole = command(*asked), command(*asked, "--verbose")
        assert "code length width" not in short
        assert "regressor=" not in short
        assert "code length width -> height" in whole
        assert "levels" in whole
        sentences = re.split(r"(?<=[.:])\s", " ".join(short.replace("│", " ").split()))
        assert len(sentences) == len(set(sentences))


def test_no_arrow_stands_at_a_probability_below_the_bars(assessments):
    _, undecided = assessments
    for probability in (0.5, 0.6, BARS.leaning - 1e-9):
        weak = with_probability(undecided, probability)
        assert weak.answer == "cannot tell"
        assert not ARROW.search(weak.headline)
    for probability, answer in ((BARS.leaning, "leaning"), (BARS.clear, "clear"), (1.0, "clear")):
        strong = with_probability(undecided, probability)
        assert strong.answer == answer
        assert ARROW.search(strong.headline)
    asked = Abstention("probability", 0.9, 0.85)
    assert with_probability(undecided, 0.85, abstention=asked).answer == "cannot tell"


def with_probability(found, probability, **more):
    from dataclasses import replace

    return replace(found, probability=probability, **more)


def test_bars_are_settings_of_one_place_and_are_never_lowered():
    assert (BARS.clear, BARS.leaning) == (0.8, 0.65)
    assert BARS.raised(None) == BARS.raised(0.6) == BARS
    assert BARS.raised(0.7) == Bars(clear=0.8, leaning=0.7)
    assert BARS.raised(0.95) == Bars(clear=0.95, leaning=0.95)
    with pytest.raises(InvalidSettingError, match="leaning of Bars must be at most clear"):
        Bars(clear=0.7, leaning=0.75)
    with pytest.raises(InvalidSettingError, match="leaning of Bars"):
        Bars(leaning=0.5)


def test_of_columns_with_gaussian_common_causes_few_pairs_have_a_direction():
    rng = np.random.default_rng(11)
    causes = rng.normal(size=(300, 6))
    loads = rng.normal(size=(6, 20)) * (rng.uniform(size=(6, 20)) < 0.45)
    observed = causes @ loads + 0.7 * rng.normal(size=(300, 20))
    found = bqcd.scan({f"c{at}": column for at, column in enumerate(observed.T)})
    dependent = found.where(max_q=0.05)
    assert len(dependent) > 40
    assert found.count("clear") == 0
    told = found.count("leaning")
    assert told <= 0.15 * len(dependent)
    assert f"{told} of 190 pairs lean" in found.summary()
    assert f"{190 - told} cannot be told" in found.summary()


def test_a_verdict_alone_is_leaning_at_most_whatever_its_method_claims():
    rng = np.random.default_rng(0)
    time, walk = np.arange(400.0), rng.normal(size=400).cumsum()
    found = bqcd.decide(time, walk, method="panel")
    assert abs(found.confidence) >= 0.6
    assert found.answer == "leaning"
    assert "which assess does" in found.explain()
    assert bqcd.assess(time, walk, replicates=10).answer == "cannot tell"
    skeleton = nx.Graph([("time", "walk")])
    graph = bqcd.orient({"time": time, "walk": walk}, skeleton, method="panel")
    assert graph.record("time", "walk").judgement.told == "leaning"
