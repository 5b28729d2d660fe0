"""Whether a tag names the version that would be published: ``python release/tag.py v0.2.0``."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def problems(tag: str) -> list[str]:
    """What keeps a release of this tag from being published."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = told["version"]
    source = (ROOT / "src/bqcd/runtime/version.py").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = []
    if tag != f"v{version}":
        found.append(f"the tag is {tag}, the version {version}")
    if f'__version__ = "{version}"' not in source:
        found.append(f"src/bqcd/runtime/version.py has another version than {version}")
    if not re.search(rf"^## {re.escape(version)}$", changes, flags=re.M):
        found.append(f"CHANGELOG.md has no section {version}")
    return found


if __name__ == "__main__":
    sys.exit("; ".join(problems(sys.argv[1])) or 0)
