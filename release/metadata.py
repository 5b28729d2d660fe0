"""What catalogues read, made of pyproject.toml and the list of works below: `make metadata`.

CITATION.cff (GitHub, Zotero), codemeta.json (Software Heritage), .zenodo.json (Zenodo) and the
recipe of conda-forge all say the same; a test holds that they do.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TITLE = "bqcd: which of two columns is the cause, and how sure one may be"
ABSTRACT = (
    "bqcd says from observational data which of two columns is the cause and which the effect, "
    "and how far to trust the answer. It implements bivariate quantile causal discovery and "
    "some thirty other methods for cause-effect pairs behind one interface, with measured error "
    "rates, and applies them to pairs, wide tables and the open edges of causal graphs."
)
PAPER = {
    "title": "Distinguishing Cause from Effect Using Quantiles: "
    "Bivariate Quantile Causal Discovery",
    "authors": (("Tagasovska", "Natasa"), ("Chavez-Demoulin", "Valérie"), ("Vatter", "Thibault")),
    "collection": "Proceedings of the 37th International Conference on Machine Learning",
    "series": "Proceedings of Machine Learning Research",
    "year": 2020,
    "volume": 119,
    "pages": (9311, 9323),
}


def project() -> dict[str, Any]:
    """The table ``project`` of pyproject.toml."""
    found = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert isinstance(found, dict)
    return found


def citation() -> str:
    """CITATION.cff: how to cite the software, and the paper it starts from."""
    told = project()
    quoted = json.dumps
    return "\n".join(
        [
            "# Made by release/metadata.py: change pyproject.toml or that, not this file.",
            "cff-version: 1.2.0",
            "message: Please cite the software and the paper of the method that you used.",
            "type: software",
            f"title: {quoted(TITLE)}",
            f"version: {told['version']}",
            f"license: {told['license']}",
            f"abstract: {quoted(ABSTRACT)}",
            "authors:",
            *(f"  - name: {quoted(one['name'])}" for one in told["authors"]),
            "keywords:",
            *(f"  - {word}" for word in told["keywords"]),
            "references:",
            "  - type: conference-paper",
            f"    title: {quoted(PAPER['title'], ensure_ascii=False)}",
            f"    year: {PAPER['year']}",
            f"    volume: {PAPER['volume']}",
            f"    start: {PAPER['pages'][0]}",
            f"    end: {PAPER['pages'][1]}",
            f"    collection-title: {quoted(PAPER['collection'])}",
            "    conference:",
            "      name: International Conference on Machine Learning",
            "    authors:",
            *(
                line
                for family, given in PAPER["authors"]
                for line in (f"      - family-names: {family}", f"        given-names: {given}")
            ),
            "",
        ]
    )


def codemeta() -> str:
    """codemeta.json: the same for machines, after codemeta 3.0."""
    told = project()
    paper = {
        "@type": "ScholarlyArticle",
        "name": PAPER["title"],
        "author": [
            {"@type": "Person", "familyName": family, "givenName": given}
            for family, given in PAPER["authors"]
        ],
        "datePublished": str(PAPER["year"]),
    }
    return _json(
        {
            "@context": "https://w3id.org/codemeta/3.0",
            "@type": "SoftwareSourceCode",
            "name": told["name"],
            "description": ABSTRACT,
            "version": told["version"],
            "license": f"https://spdx.org/licenses/{told['license']}",
            "author": [{"@type": "Organization", "name": one["name"]} for one in told["authors"]],
            "programmingLanguage": "Python",
            "runtimePlatform": f"Python {told['requires-python']}",
            "softwareRequirements": told["dependencies"],
            "keywords": told["keywords"],
            "developmentStatus": "active",
            "referencePublication": paper,
        }
    )


def zenodo() -> str:
    """.zenodo.json: what an archived release is described by."""
    told = project()
    return _json(
        {
            "title": TITLE,
            "description": f"<p>{ABSTRACT}</p>",
            "upload_type": "software",
            "access_right": "open",
            "version": told["version"],
            "license": told["license"],
            "creators": [{"name": one["name"]} for one in told["authors"]],
            "keywords": told["keywords"],
            "language": "eng",
        }
    )


def recipe() -> str:
    """Recipe for conda-forge; address and checksum of the archive come with its publication."""
    told = project()
    least = told["requires-python"].removeprefix(">=")
    needs = [one.replace(">=", " >=") for one in told["dependencies"]]
    return "\n".join(
        [
            "# Made by release/metadata.py: change pyproject.toml or that, not this file.",
            f'{{% set version = "{told["version"]}" %}}',
            f'{{% set python_min = "{least}" %}}',
            "",
            "package:",
            f"  name: {told['name']}",
            "  version: {{ version }}",
            "",
            "source:",
            f"  # Beside this recipe, or the published archive: {told['name']}-<version>.tar.gz",
            f"  path: ../../dist/{told['name']}-{{{{ version }}}}.tar.gz",
            "",
            "build:",
            "  noarch: python",
            "  number: 0",
            "  script: {{ PYTHON }} -m pip install . -vv --no-deps --no-build-isolation",
            "  entry_points:",
            *(f"    - {name} = {place}" for name, place in told["scripts"].items()),
            "",
            "requirements:",
            "  host:",
            "    - python {{ python_min }}",
            "    - hatchling >=1.27",
            "    - pip",
            "  run:",
            "    - python >={{ python_min }}",
            *(f"    - {one}" for one in needs),
            "",
            "test:",
            "  requires:",
            "    - python {{ python_min }}",
            "    - pip",
            "  imports:",
            f"    - {told['name']}",
            "  commands:",
            "    - pip check",
            "    - bqcd --version",
            "    - bqcd check bqcd",
            "",
            "about:",
            "  # home: where the repository is published; conda-forge asks for it.",
            f"  summary: {json.dumps(told['description'])}",
            f"  license: {told['license']}",
            *(f"  license_file: {name}" for name in told["license-files"]),
            "",
            "extra:",
            "  # Whoever submits it.",
            "  recipe-maintainers: []",
            "",
        ]
    )


FILES: Mapping[str, Callable[[], str]] = {
    "CITATION.cff": citation,
    "codemeta.json": codemeta,
    ".zenodo.json": zenodo,
    "release/conda/meta.yaml": recipe,
}
"""What is made, by its place."""


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    """Write all of them, or tell which are not current."""
    if "--check" in sys.argv[1:]:
        old = [name for name, made in FILES.items() if (ROOT / name).read_text("utf-8") != made()]
        sys.exit(f"Not current, `make metadata` writes them: {', '.join(old)}" if old else 0)
    for name, made in FILES.items():
        path = ROOT / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(made(), encoding="utf-8")


if __name__ == "__main__":
    main()
