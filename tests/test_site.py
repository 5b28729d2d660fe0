"""The site: its front page, its picture, the commands it lists, links that lead somewhere."""

from __future__ import annotations

import re
import sys
from xml.etree import ElementTree

import pytest

from tests.cli.test_help import COMMANDS
from tests.release_files import ROOT, script

DOCS = ROOT / "docs"


def test_the_front_page_shows_before_it_tells():
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    order = ["figures/answer.svg", "pip install", "```python", "What it cannot do", "{toctree}"]
    places = [text.index(one) for one in order]
    assert places == sorted(places)
    (code,) = re.findall(r"```python\n(.*?)```", text, flags=re.S)
    assert len(code.strip().splitlines()) <= 10


def test_the_picture_of_the_front_page_is_that_of_the_code():
    made = script("docs/pictures/make.py").drawn()
    kept = (DOCS / "figures" / "answer.svg").read_text(encoding="utf-8")
    numbers = re.compile(r"-?\d+\.?\d*")
    assert numbers.sub("#", made) == numbers.sub("#", kept), "make pictures"
    # Machines differ in the last digits.
    for one, other in zip(numbers.findall(made), numbers.findall(kept), strict=True):
        assert float(one) == pytest.approx(float(other), abs=0.2), "make pictures"


def test_the_picture_works_on_a_phone_and_in_the_dark():
    text = (DOCS / "figures" / "answer.svg").read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    wide = float(root.get("viewBox").split()[2])
    assert "width" not in root.attrib
    # At 390 px, letters are no smaller than 13.
    assert int(re.search(r"font: (\d+)px", text)[1]) * 390 / wide >= 13
    assert len(root.findall(".//{*}polyline")) == 2 * 3
    light, dark = re.findall(r"--ink: (#\w+); --soft: (#\w+).*?--causal: (#\w+)", text, flags=re.S)
    site = (DOCS / "_static" / "site.css").read_text(encoding="utf-8")
    for colours, page in ((light, "#ffffff"), (dark, "#131416")):
        assert min(contrast(colour, page) for colour in colours) >= 4.5
        # The button of the theme has the same colours.
        assert all(colour in site for colour in colours)


def luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        one / 12.92 if one <= 0.03928 else ((one + 0.055) / 1.055) ** 2.4 for one in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_reference_has_every_command_with_every_option(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    from command_text import reference

    text = reference()
    sys.modules.pop("command_text")
    for path, command in COMMANDS.items():
        if not path:
            continue
        section = text.partition(f"## {' '.join(path)}\n")[2].partition("\n## ")[0]
        assert "```sh\nbqcd " in section, path
        options = [one for param in command.params for one in param.opts if one.startswith("-")]
        for option in options:
            if option != "--help":
                assert f"`{option}`" in section, (path, option)


def test_the_reference_opens_with_six_functions():
    import bqcd

    text = (DOCS / "api" / "index.md").read_text(encoding="utf-8")
    names = re.findall(r"\{py:func\}`bqcd\.(\w+)`", text)
    assert len(names) == 6
    assert all(callable(getattr(bqcd, name)) for name in names)
    assert text.index("py:func") < text.index("autosummary")


def test_pages_of_pictures_and_reports_show_some():
    pictures = (DOCS / "pictures.md").read_text(encoding="utf-8")
    shown = re.findall(r"gallery/made/(\w+)/([\w-]+)\.png", pictures)
    assert len(shown) >= 5
    for name, picture in shown:
        source = (DOCS / "gallery" / f"{name}.py").read_text(encoding="utf-8")
        assert "Needs the benchmark files" not in " ".join(source.split())
        assert f"{picture}.png" in source or '{name}.png"' in source
    assert "<iframe" in (DOCS / "reports.md").read_text(encoding="utf-8")


def test_what_the_questions_say_of_errors_is_what_the_map_says():
    questions = (DOCS / "faq.md").read_text(encoding="utf-8")
    errors = (DOCS / "errors.md").read_text(encoding="utf-8")
    kinds, wrong = re.search(r"Of (\d+) kinds .*? wrong on most pairs of (\d+)", questions).groups()
    assert f"of the {kinds} cells" in errors
    assert f"In {wrong} it is right on two or fewer" in errors


def test_links_that_lead_nowhere_are_found(tmp_path):
    (tmp_path / "other.html").write_text('<h1 id="there">a</h1>')
    (tmp_path / "index.html").write_text(
        '<a href="other.html#there">a</a><a href="other.html#gone">b</a><a href="#top">c</a>'
        '<img src="gone.png"><a href="https://example.org/x">d</a><a href="/root.html">e</a>'
    )
    found = list(script("docs/links.py").broken_links(tmp_path))
    assert found == [
        "index.html: other.html#gone has no such anchor",
        "index.html: gone.png is not there",
        "index.html: /root.html is not there",
    ]
