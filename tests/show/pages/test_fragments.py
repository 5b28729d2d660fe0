"""The fragment for notebooks: short, escaped, without a script."""

from __future__ import annotations

import pytest

from bqcd.show.pages.fragments import MOST_ROWS, fragment
from tests.show.pages import contents
from tests.show.pages.test_rendering import WHOLES, Reader


@pytest.mark.parametrize("kind", sorted(WHOLES))
def test_a_fragment_has_the_answer_a_table_and_the_colophon_and_no_script(kind):
    content = WHOLES[kind]()
    text = fragment(content)
    reader = Reader(text)
    tags = [tag for tag, _ in reader.elements]
    assert content["answer"] in "".join(reader.words)
    assert "script" not in tags
    assert "img" not in tags
    assert tags.count("table") == 1
    assert text.startswith('<div class="bqcd-report">')
    assert "bqcd 0.1.0 · seed 0 · data sha256:6f1ed002ab55" in text


def test_a_long_table_is_cut_and_says_so():
    text = fragment(contents.pairs_content())
    assert text.count("<tr>") == MOST_ROWS + 1
    assert "20 of 60 pairs." in text


def test_names_are_shown_as_they_are():
    words = Reader(fragment(contents.pairs_content())).words
    for name in contents.NASTY[:5]:
        assert name in words


def test_the_style_reaches_nothing_outside_the_fragment():
    [style] = [data for tag, _, data in Reader(fragment({"title": "t"})).raw if tag == "style"]
    rules = [rule for rule in style.split("}") if rule]
    assert rules
    for rule in rules:
        for selector in rule.partition("{")[0].split(","):
            assert selector.startswith(".bqcd-report")


def test_a_fragment_needs_no_part_at_all():
    assert "<table>" not in fragment({})
