"""The scripts of the gallery, and how their pages are made.

Every script is run when the documentation is built, which CI does; here that is a slow test.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the documentation is built with Sphinx")

DOCS = Path(__file__).parent.parent / "docs"
_SPEC = importlib.util.spec_from_file_location("gallery_pages", DOCS / "_ext" / "gallery_pages.py")
gallery = importlib.util.module_from_spec(_SPEC)
# Where dataclasses look for the module they are made in.
sys.modules[_SPEC.name] = gallery
_SPEC.loader.exec_module(gallery)

SCRIPTS = gallery.scripts_in(DOCS / "gallery")
PNG = b"\x89PNG\r\n\x1a\n"
SMALL = '''"""A title.

A first paragraph.

A second one.
"""

from pathlib import Path

print("hello")
Path("dot.png").write_bytes(b"picture")
'''


def named(scripts):
    return pytest.mark.parametrize("script", scripts, ids=[one.path.stem for one in scripts])


@pytest.fixture
def small(tmp_path) -> gallery.Script:
    path = tmp_path / "small.py"
    path.write_text(SMALL)
    return gallery.Script.read(path)


def test_there_are_six_to_eight_scripts_with_titles_of_their_own():
    assert 6 <= len(SCRIPTS) <= 8
    assert len({script.title for script in SCRIPTS}) == len(SCRIPTS)


@named(SCRIPTS)
def test_a_script_that_loads_benchmark_files_says_so(script):
    loads = "load_pairs(" in script.code or "load_proteins(" in script.code
    assert script.needs_data == loads


def test_a_script_is_taken_apart(small):
    assert small.title == "A title"
    assert small.text == "A first paragraph.\n\nA second one."
    assert small.code.startswith("from pathlib")
    assert not small.needs_data


def test_a_page_shows_what_the_script_printed_and_drew(small, tmp_path):
    made = tmp_path / "made"
    gallery.run_script(small, made / "small")
    page = gallery.page_of(small, made)
    assert "```text\nhello\n```" in page
    assert "{image} small/dot.png" in page
    assert small.code in page
    assert "made/small/dot.png" in gallery.index_of([small], made)


def test_the_page_of_a_script_that_was_not_run_shows_its_code_and_says_so(small, tmp_path):
    page = gallery.page_of(small, tmp_path / "made")
    assert "Not run here" in page
    assert small.code in page
    assert "dot.png" not in page.replace(small.code, "")


def test_a_script_that_fails_stops_the_build_by_name(small, tmp_path):
    small.path.write_text(f"{SMALL}raise SystemExit('no luck')\n")
    with pytest.raises(Exception, match=r"(?s)small\.py failed.*no luck"):
        gallery.run_script(small, tmp_path / "made")


@pytest.mark.slow
@named(SCRIPTS)
def test_a_script_runs_without_a_warning_prints_and_draws(script, tmp_path, request):
    if script.needs_data:
        request.getfixturevalue("data_home")
    made = tmp_path / "made"
    gallery.run_script(script, made)
    assert (made / gallery.PRINTED).read_text(encoding="utf-8").strip()
    pictures = gallery.pictures_in(made)
    assert pictures
    assert all((made / name).read_bytes().startswith(PNG) for name in pictures)
