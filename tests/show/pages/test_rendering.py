"""The page as text: what it allows, what it holds, and what no name can make of it."""

from __future__ import annotations

import copy
import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from importlib.resources import files

import pytest

from bqcd.errors import InvalidSettingError
from bqcd.show.pages.rendering import SCRIPTS, page, payload, program
from tests.show.pages import contents

WHOLES = {
    "pairs": contents.pairs_content,
    "single": contents.single_content,
    "graph": contents.graph_content,
    "benchmark": contents.benchmark_content,
}


class Reader(HTMLParser):
    """Elements with their attributes, and the text of scripts, styles and everything else."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[tuple[str, dict[str, str | None], str]] = []
        self.words: list[str] = []
        self._inside: tuple[str, dict[str, str | None]] | None = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self._inside = (tag, dict(attributes)) if tag in ("script", "style") else None

    def handle_endtag(self, tag):
        self._inside = None

    def handle_data(self, data):
        if self._inside:
            self.raw.append((*self._inside, data))
        else:
            self.words.append(data)

    def attributes(self, name: str) -> list[str | None]:
        return [found[name] for _, found in self.elements if name in found]


@pytest.fixture(scope="module", params=sorted(WHOLES))
def whole(request):
    content = WHOLES[request.param]()
    return content, page(content)


def policy_of(reader: Reader) -> dict[str, list[str]]:
    [text] = [
        found["content"]
        for tag, found in reader.elements
        if tag == "meta" and found.get("http-equiv") == "Content-Security-Policy"
    ]
    parts = [part.split() for part in (text or "").split(";")]
    return {name: sources for name, *sources in parts}


def digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def test_the_policy_allows_the_one_script_and_the_one_style_by_their_hashes(whole):
    reader = Reader(whole[1])
    policy = policy_of(reader)
    scripts = [text for tag, found, text in reader.raw if tag == "script" and not found.get("type")]
    styles = [text for tag, _, text in reader.raw if tag == "style"]
    assert [digest(text) for text in scripts] == policy["script-src"]
    assert [digest(text) for text in styles] == policy["style-src"]
    assert policy["default-src"] == ["'none'"]
    assert policy["img-src"] == ["data:"]


def test_nothing_is_loaded_from_anywhere(whole):
    reader = Reader(whole[1])
    sources = [
        *reader.attributes("src"),
        *reader.attributes("srcset"),
        *reader.attributes("action"),
    ]
    assert sources == []
    assert all(link.startswith(("#", "data:image/svg+xml,")) for link in reader.attributes("href"))
    style = next(text for tag, _, text in reader.raw if tag == "style")
    assert not re.search(r"url\(|@import|https?:", style)
    assert re.findall(r"https?://[^\"']*", program()) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|import|eval|innerHTML)\b", program())


def test_no_element_carries_a_style_or_a_handler_which_the_policy_would_refuse(whole):
    names = {name for _, found in Reader(whole[1]).elements for name in found}
    assert "style" not in names
    assert [name for name in names if name.startswith("on")] == []


def test_the_content_comes_back_as_it_was(whole):
    content, text = whole
    [data] = [data for _, found, data in Reader(text).raw if found.get("id") == "report"]
    assert json.loads(data) == content
    assert not re.search("[<>&\u2028\u2029]", data)


def test_the_only_scripts_and_pictures_are_those_of_the_page(whole):
    tags = [tag for tag, _ in Reader(whole[1]).elements]
    assert tags.count("script") == 2
    assert "img" not in tags


def test_the_same_content_gives_the_same_bytes(whole):
    content, text = whole
    assert page(copy.deepcopy(content)) == text


def test_names_are_in_the_table_before_any_script_runs():
    content = contents.pairs_content()
    words = Reader(page(content)).words
    for name in contents.NAMES:
        assert name in words


def test_at_most_500_rows_are_written_out_and_all_are_in_the_data():
    content = contents.pairs_content(700)
    text = page(content)
    assert text.count('<th scope="row">') == 500
    assert "The first 500 of 700 pairs." in text
    [data] = [data for _, found, data in Reader(text).raw if found.get("id") == "report"]
    assert len(json.loads(data)["pairs"]) == 700


@pytest.mark.parametrize("part", ["pairs", "details", "graph", "benchmark", "colophon", "notes"])
@pytest.mark.parametrize("kind", sorted(WHOLES))
def test_a_part_may_be_none_or_missing(kind, part):
    content = WHOLES[kind]()
    assert "</html>" in page({**content, part: None})
    content.pop(part)
    assert "</html>" in page(content)


def test_an_empty_page_says_so():
    assert "There is nothing to show" in page({"title": "Nothing"})


def test_columns_without_a_value_are_left_out():
    content = contents.pairs_content(3)
    for row in content["pairs"]:
        row["probability"] = None
    heads = Reader(page(content)).attributes("data-key")
    assert "probability" not in heads
    assert heads[:4] == ["pair", "answer", "confidence", "stability"]


def test_a_number_that_is_not_finite_is_refused():
    content = contents.pairs_content(1)
    content["pairs"][0]["confidence"] = float("nan")
    with pytest.raises(InvalidSettingError, match="finite numbers"):
        page(content)


def test_half_of_a_surrogate_pair_does_not_stop_the_file_from_being_written():
    text = page({**contents.single_content(), "title": "odd \ud83d name"})
    assert "<h1>odd ? name</h1>" in text
    text.encode("utf-8")


def test_the_graph_is_told_at_the_bar_it_was_made_with():
    content = contents.graph_content()
    bars = content["graph"]["bars"]
    content["graph"]["bar"] = bars[-1]
    table = page(content).partition('id="edge-table"')[2].partition("</table>")[0]
    assert table.count("abstained") == sum(
        len(edge["states"]) == 2 for edge in content["graph"]["edges"]
    )


def test_every_script_of_the_page_comes_with_the_package():
    folder = files("bqcd.show.pages")
    there = {entry.name for entry in folder.joinpath("scripts").iterdir()}
    assert {f"{name}.js" for name in SCRIPTS} <= there
    assert "</script" not in program().lower()


def test_style_and_script_are_small():
    style = files("bqcd.show.pages").joinpath("page.css").read_text(encoding="utf-8")
    assert len(program().encode()) + len(style.encode()) < 110_000


def test_the_payload_of_a_name_is_the_name():
    for name in contents.NASTY:
        assert json.loads(payload({"name": name})) == {"name": name}
