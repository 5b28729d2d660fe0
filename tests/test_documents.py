"""Every block of code in the README and the documentation runs, and prints what it says.

A page is run from top to bottom in one namespace and one empty folder:

- ``python`` blocks are executed, and a comment behind the printing of a headline must be that
  headline; ``pycon`` blocks are compared with what they print;
- ``console`` blocks are commands after ``$``, run; the lines shown below one must be among
  those it prints, in that order;
- of ``sh`` blocks, which may speak of files and clusters that are not here, each ``bqcd`` command
  must be one that exists, with options that exist.

``needs-data`` after the language means that the benchmark files are needed, ``no-run`` that the
block is a fragment, which must be Python all the same.
"""

from __future__ import annotations

import doctest
import re
import shlex
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from bqcd.benchmark.datasets import TABLES
from bqcd.cli.commands import app

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
RUN = {"python", "pycon", "console"}
MARKERS = {"needs-data", "no-run"}
COMMAND = typer.main.get_command(app)

_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[a-z]+)(?P<marker>[^\n`]*)$")
_HEADLINE = re.compile(r"print\([^\n]*headline\)  # ([^\n]+)")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page, and the line of the page it begins in."""

    language: str
    marker: str
    code: str
    line: int


def blocks_of(text: str) -> list[Block]:
    """Fenced blocks with a language; directives of Sphinx are none."""
    found, lines = [], text.splitlines()
    at = 0
    while at < len(lines):
        opening = _FENCE.match(lines[at])
        at += 1
        if opening is None:
            continue
        start, end = at, opening["indent"] + "```"
        while lines[at].rstrip() != end:
            at += 1
        code = "\n".join(line.removeprefix(opening["indent"]) for line in lines[start:at])
        found.append(Block(opening["language"], opening["marker"].strip(), code + "\n", start + 1))
        at += 1
    return found


def commands_of(code: str) -> list[tuple[str, list[str]]]:
    """Commands of a console block, each with the lines shown below it."""
    found: list[tuple[str, list[str]]] = []
    for line in code.splitlines():
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), []))
        elif found[-1][0].endswith("\\"):
            found[-1] = (found[-1][0].removesuffix("\\") + line.removeprefix("> "), [])
        elif line.strip() not in ("", "..."):
            found[-1][1].append(line.rstrip())
    return found


def run_python(block: Block, page: Path, names: dict[str, object]) -> None:
    source = "\n" * (block.line - 1) + block.code
    with redirect_stdout(StringIO()) as printed:
        exec(compile(source, str(page), "exec", dont_inherit=True), names)
    for headline in _HEADLINE.findall(block.code):
        assert headline in printed.getvalue().splitlines(), f"{page.name} does not print {headline}"


def run_session(block: Block, page: Path, names: dict[str, object]) -> None:
    test = doctest.DocTestParser().get_doctest(block.code, {}, page.name, str(page), block.line)
    test.globs = names
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    told: list[str] = []
    failed = doctest.DocTestRunner(optionflags=flags, verbose=False).run(
        test, out=told.append, clear_globs=False
    )
    assert not failed.failed, "".join(told)


def run_commands(block: Block) -> None:
    for command, shown in commands_of(block.code):
        words = shlex.split(command, comments=True)
        if words[0] != "bqcd":
            continue
        done = CliRunner().invoke(app, words[1:], catch_exceptions=False)
        assert done.exit_code == 0, f"{command}\n{done.output}"
        printed = iter(line.rstrip() for line in done.output.splitlines())
        for line in shown:
            assert line in printed, f"{command} does not print, or not there:\n{line}"


def check_command(words: list[str], command=COMMAND) -> None:
    """Parse a command without running it."""
    context = command.make_context(words[0], words[1:])
    rest = [*getattr(context, "_protected_args", []), *context.args]
    if hasattr(command, "resolve_command") and rest:
        _, below, others = command.resolve_command(context, rest)
        check_command([rest[0], *others], below)


def shell_commands(code: str) -> list[list[str]]:
    lines = code.replace("\\\n", " ").splitlines()
    words = (shlex.split(line, comments=True) for line in lines)
    return [each for each in words if each and each[0] == "bqcd"]


def named(pages: list[Path]):
    return pytest.mark.parametrize("page", pages, ids=[page.name for page in pages])


@pytest.fixture
def stage(tmp_path, monkeypatch) -> dict[str, object]:
    """The names of a page, in a folder that holds nothing but the table the README speaks of."""
    monkeypatch.chdir(tmp_path)
    for name, value in {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "crash.csv").write_bytes(TABLES["mcycle"].path.read_bytes())
    return {"__name__": "page"}


@named([page for page in PAGES if RUN & {block.language for block in blocks_of(page.read_text())}])
def test_every_block_of_a_page_runs_and_prints_what_it_says(page, stage, request):
    left = {block.line for block in blocks_of(page.read_text()) if block.language in RUN}
    for block in blocks_of(page.read_text(encoding="utf-8")):
        if block.marker == "needs-data":
            request.getfixturevalue("data_home")
        if block.marker == "no-run":
            compile(block.code, str(page), "exec", dont_inherit=True)
        elif block.language == "python":
            run_python(block, page, stage)
        elif block.language == "pycon":
            run_session(block, page, stage)
        elif block.language == "console":
            run_commands(block)
        left.discard(block.line)
    assert not left, f"blocks that were not run begin at the lines {sorted(left)}"


@named(PAGES)
def test_every_command_of_a_page_exists_with_its_options(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in blocks_of(page.read_text(encoding="utf-8")):
        if block.language in ("sh", "bash"):
            for words in shell_commands(block.code):
                check_command(words)


@named(PAGES)
def test_markers_of_blocks_are_known_ones(page):
    for block in blocks_of(page.read_text(encoding="utf-8")):
        assert not block.marker or block.marker in MARKERS, f"line {block.line}: {block.marker}"


def test_links_of_the_readme_lead_somewhere():
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    files = [link for link in links if "://" not in link]
    assert files
    assert [link for link in files if not (ROOT / link).exists()] == []


def test_a_wrong_option_would_be_noticed():
    with pytest.raises(Exception, match="no-such-option"):
        check_command(["bqcd", "scan", "genes.parquet", "--no-such-option"])


def test_a_wrong_answer_would_be_noticed(tmp_path):
    block = Block("pycon", "", ">>> 1 + 1\n3\n", 1)
    with pytest.raises(AssertionError, match="Expected"):
        run_session(block, tmp_path / "page.md", {})


def test_blocks_are_found_with_language_marker_and_place():
    text = "a\n```python needs-data\nx = 1\n```\n1. b\n   ```sh\n   bqcd demo\n   ```\n"
    assert blocks_of(f"{text}```{{note}}\nc\n```\n") == [
        Block("python", "needs-data", "x = 1\n", 3),
        Block("sh", "", "bqcd demo\n", 7),
    ]
