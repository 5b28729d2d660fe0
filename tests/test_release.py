"""A release: what catalogues read is current, workflows hang together, a tag names its version."""

from __future__ import annotations

import json
import re
import tomllib

import pytest
import yaml
from jinja2 import Environment

from tests.release_files import ROOT, script

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", script("release/metadata.py").FILES)
def test_what_catalogues_read_is_made_of_the_project(name):
    made = script("release/metadata.py").FILES[name]()
    assert (ROOT / name).read_text(encoding="utf-8") == made, "make metadata"


def test_all_catalogues_tell_one_version_and_one_licence():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    meta = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    zenodo = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    version = PROJECT["project"]["version"]
    assert {str(citation["version"]), meta["version"], zenodo["version"]} == {version}
    assert {citation["license"], meta["license"].rpartition("/")[2], zenodo["license"]} == {"MIT"}
    assert citation["authors"] == PROJECT["project"]["authors"] == zenodo["creators"]


def test_the_recipe_of_conda_can_be_read_and_has_the_same_needs():
    text = (ROOT / "release" / "conda" / "meta.yaml").read_text(encoding="utf-8")
    recipe = yaml.safe_load(Environment().from_string(text).render(PYTHON="python"))
    assert list(recipe) == [
        *("package", "source", "build", "requirements", "test", "about", "extra")
    ]
    assert recipe["package"] == {"name": "bqcd", "version": PROJECT["project"]["version"]}
    needs = {one.replace(" ", "") for one in recipe["requirements"]["run"]}
    assert needs == {*PROJECT["project"]["dependencies"], "python>=3.11"}
    assert recipe["build"]["noarch"] == "python"


def test_a_tag_that_is_not_the_version_is_refused():
    problems = script("release/tag.py").problems
    assert problems(f"v{PROJECT['project']['version']}") == []
    assert problems("v9.9.9") == [f"the tag is v9.9.9, the version {PROJECT['project']['version']}"]


def test_every_target_that_a_workflow_makes_is_one_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):(?!=)", makefile, flags=re.M))
    made = {
        target
        for path in WORKFLOWS
        for target in re.findall(r"\bmake ([a-z-]+)", path.read_text(encoding="utf-8"))
    }
    assert made >= {"lint", "lint-release", "lint-workflows", "test", "docs", "package"}
    assert made <= targets


def test_every_python_that_is_promised_is_tried():
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))
    tests = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    assert tests["jobs"]["test"]["strategy"]["matrix"]["python"] == promised
    wheels = yaml.safe_load((ROOT / ".github/workflows/wheels.yml").read_text(encoding="utf-8"))
    matrix = wheels["jobs"]["smoke"]["strategy"]["matrix"]
    tried = {*matrix["python"], *(one["python"] for one in matrix["include"])}
    assert tried == set(promised)


def test_publishing_needs_no_secret_and_waits_for_the_smoke_test():
    text = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    assert "secrets." not in text
    jobs = yaml.safe_load(text)["jobs"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert jobs["publish"]["needs"] == "wheels"
    assert jobs["wheels"]["needs"] == "version"


def test_the_way_from_nothing_to_a_report_is_three_commands(tmp_path):
    install, *asked = script("release/smoke.py").commands(tmp_path / "bqcd-1-py3-none-any.whl")
    assert install[:2] == ["pip", "install"]
    assert [command[:2] for command in asked] == [["bqcd", "assess"], ["bqcd", "report"]]


def test_the_paper_has_the_numbers_of_the_record():
    paper = script("release/paper.py")
    text = paper.paper()
    assert paper.PAPER.read_text(encoding="utf-8") == text, "make paper"
    assert "[[" not in text
    for source, goal in paper.PICTURES.items():
        assert (ROOT / goal).read_bytes() == (ROOT / source).read_bytes(), "make paper"
    cited = set(re.findall(r"@(\w+)", text.partition("\n---\n")[2]))
    known = re.findall(r"^@\w+\{(\w+),", (ROOT / "paper/paper.bib").read_text("utf-8"), flags=re.M)
    assert cited == set(known)


def test_files_that_security_and_models_are_pointed_to_are_there():
    security = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    for place in re.findall(r"`(tests/[^`]+)`", security):
        assert (ROOT / place).exists(), place
    for place in re.findall(r"\]\(([^)]+)\)", (ROOT / "llms.txt").read_text(encoding="utf-8")):
        assert (ROOT / place).is_file(), place


@pytest.mark.parametrize("name", ["llms.txt", "docs/tools.md"])
def test_the_first_advice_to_programs_is_when_not_to_ask(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert 0 < text.lower().index("when not to ask") < text.lower().index("how to ask")
