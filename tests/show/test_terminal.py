"""A verdict as people see it: a panel in the terminal, a table in a notebook."""

from __future__ import annotations

import io
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import bqcd
from bqcd.assessments import assess_pair
from bqcd.data.pair import Pair
from bqcd.methods.verdict import Verdict
from bqcd.show.terminal import assessment_rows, verdict_html, verdict_panel, verdict_rows


def pair(x_name: str = "dose", y_name: str = "response") -> Pair:
    rng = np.random.default_rng(3)
    x = rng.normal(size=40).round(1)
    x[5] = np.nan
    y = x**2 + 0.1 * rng.normal(size=40)
    return Pair.from_arrays(x, y, x_name=x_name, y_name=y_name, missing="drop")


def printed(verdict: object, width: int = 600) -> str:
    """Text of the panel, without its frame."""
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(verdict)
    lines = re.sub("[│╭╮╰╯─]", " ", console.file.getvalue())
    return re.sub(r"\s+", " ", lines)


def text_of(html: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]+>", " ", html)))


@pytest.fixture(scope="module")
def verdict() -> Verdict:
    return bqcd.decide_pair(pair())


@pytest.fixture(params=["panel", "html"])
def shown(request, verdict) -> str:
    return printed(verdict) if request.param == "panel" else text_of(verdict._repr_html_())


def test_the_answer_and_its_explanation_are_shown(shown, verdict):
    assert verdict.headline in shown
    assert verdict.explain() in shown
    # One number, told alike in headline, table and sentence.
    assert set(re.findall(r"confidence ([+-][\d.e-]+\d)", shown)) == {f"{verdict.confidence:+.4g}"}


@pytest.fixture(params=["panel", "html"])
def in_full(request, verdict) -> str:
    """What is shown if all of it is asked for, or unfolded."""
    if request.param == "panel":
        return printed(verdict_panel(verdict, verbose=True))
    return text_of(verdict._repr_html_())


def test_both_code_lengths_are_shown_with_their_directions(in_full, verdict):
    lengths = verdict.evidence.code_lengths
    assert f"code length dose -> response {lengths.x_to_y:.6f}" in in_full
    assert f"code length response -> dose {lengths.y_to_x:.6f}" in in_full


def test_what_a_probability_of_the_panel_was_made_of_is_shown_if_asked_for():
    found = assess_pair(pair(), method="panel", replicates=10)
    short, whole = (dict(assessment_rows(found, verbose=verbose)) for verbose in (False, True))
    evidence = found.verdict.evidence
    agreeing, against = evidence.split()
    assert whole["voices that agree"] == f"{len(agreeing)} of {len(agreeing) + len(against)}"
    likelier = max(evidence.probabilities["relation"], 1.0 - evidence.probabilities["relation"])
    assert whole["relation alone"] in (f"{likelier:.2f}", f"{1.0 - likelier:.2f}")
    assert whole["common cause alone"] == f"{evidence.answers['common_cause']:.2f}"
    assert not {"relation alone", "voices that agree", "no link"} & short.keys()


@pytest.mark.parametrize("method", ["bqcd", "panel"])
def test_every_label_has_its_line_in_the_glossary(method):
    text = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text(encoding="utf-8")
    terms = [term for line in re.findall(r"^(.+)\n: ", text, re.M) for term in line.split(", ")]
    found = assess_pair(pair(), method=method, replicates=10)
    for label, _ in assessment_rows(found, verbose=True):
        assert any(term in label for term in terms), label


def test_ties_are_shown(in_full, verdict):
    evidence = verdict.evidence
    assert evidence.x_ties > 0
    orders = f"{evidence.tie_orders} orders, standard error {evidence.tie_error:.1g}"
    assert f"ties {evidence.x_ties} in dose, {evidence.y_ties} in response; {orders}" in in_full


def test_method_and_settings_are_shown(in_full):
    assert "method bqcd (regressor=copula, n_levels=3" in in_full


def test_dropped_rows_and_settings_that_are_not_the_usual_ones_are_shown(shown):
    assert "rows 39 (1 dropped)" in shown
    assert "method bqcd" in shown
    told = printed(bqcd.decide_pair(pair(), n_levels=5))
    assert "method bqcd (n_levels=5)" in told


def test_internals_are_told_only_when_asked_for(verdict):
    short = printed(verdict)
    folded = verdict._repr_html_().partition("<details>")[0]
    for word in ("code length", "levels", "orders", "regressor=", "ties"):
        assert word not in short
        assert word not in folded


def test_rows_without_ties_or_gaps_say_nothing_of_them():
    x = np.linspace(-1.0, 1.0, 30)
    facts = dict(verdict_rows(bqcd.decide(x, x**3 + np.sin(9.0 * x))))
    assert "ties" not in facts
    assert facts["rows"] == "30"


def test_an_undecided_verdict_names_no_cause():
    x = np.arange(20.0)
    facts = dict(verdict_rows(bqcd.decide(x, x)))
    assert facts["answer"] == "cannot tell"
    assert not {"cause", "effect"} & set(facts)


def test_a_verdict_without_evidence_is_shown_too():
    bare = Verdict(-0.25, pair())
    facts = dict(verdict_rows(bare))
    assert facts["cause"] == "response"
    assert facts["method"] == "method"
    assert not any(label.startswith("code length") for label in facts)
    assert bare.headline in printed(bare)
    assert bare.headline in text_of(verdict_html(bare))


HOSTILE = ["<script>alert(1)</script>", "<b>&amp;\"'", "[red]x[/red]", "[/]", "a=b", ":smile:"]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_panel_prints_names_as_they_are(name):
    verdict = Verdict(0.5, pair(name, "y"))
    assert f"{name} -> y (leaning, confidence +0.5)" in printed(verdict)
    assert f"cause {name} " in printed(verdict)


@pytest.mark.parametrize("name", HOSTILE)
def test_html_escapes_names(name):
    html = bqcd.decide_pair(pair(name, "y"))._repr_html_()
    assert f"{name} " in text_of(html) or f"'{name}'" in text_of(html)
    tags = set(re.findall(r"<\s*/?\s*([a-zA-Z]+)", html))
    assert tags == {
        "table", "caption", "b", "tbody", "tr", "th", "td", "p", "details", "summary", "div",
        "svg", "path", "text",
    }  # fmt: skip
    if "<" in name:
        assert name not in html


def test_html_tags_are_closed_in_order():
    html = bqcd.decide_pair(pair("<p>", "</table>"))._repr_html_()
    open_tags = []
    for closing, tag, closed in re.findall(r"<(/?)([a-z]+)[^>]*?(/?)>", html):
        if closed:
            continue
        if closing:
            assert open_tags.pop() == tag
        else:
            open_tags.append(tag)
    assert open_tags == []


def test_a_narrow_terminal_still_shows_every_word(verdict):
    narrow = printed(verdict, width=60)
    for word in verdict.explain().split():
        assert word in narrow


def test_the_panel_of_a_verdict_is_what_rich_prints(verdict):
    console = Console(file=io.StringIO(), width=100, color_system=None)
    console.print(verdict_panel(verdict))
    assert re.sub(r"\s+", " ", re.sub("[│╭╮╰╯─]", " ", console.file.getvalue())) == printed(
        verdict, width=100
    )
