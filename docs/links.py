"""Links of the built pages that lead nowhere: ``python docs/links.py docs/_build/html``.

Every file, page and anchor within the site is looked up, without a network; addresses elsewhere are
not asked.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_ADDRESSES = {
    "a": "href",
    "link": "href",
    "img": "src",
    "script": "src",
    "iframe": "src",
    "source": "srcset",
}
# Of Sphinx itself: they are written by other builders only.
_UNMADE = ("_sources/",)


class Page(HTMLParser):
    """Links and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take what a tag names and what it leads to."""
        told = dict(attrs)
        self.anchors |= {told[name] or "" for name in ("id", "name") if name in told}
        address = told.get(_ADDRESSES.get(tag, ""))
        if address:
            self.links.append(address)


@cache
def page(path: Path) -> Page:
    """Page in a file, read once."""
    return Page(path.read_text(encoding="utf-8"))


def broken_links(site: Path) -> Iterator[str]:
    """Every link of the pages below a folder that leads nowhere, with the page it is on."""
    for path in sorted(site.rglob("*.html")):
        for link in page(path).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or parts.path.startswith(_UNMADE):
                continue
            # The site may be anywhere, so that a path from a root leads nowhere.
            goal = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            goal = goal / "index.html" if goal.is_dir() else goal
            if parts.path.startswith("/") or not goal.is_file():
                yield f"{path.relative_to(site)}: {link} is not there"
            elif goal.suffix == ".html" and unquote(parts.fragment) not in page(goal).anchors:
                yield f"{path.relative_to(site)}: {link} has no such anchor"


def main() -> None:
    """Tell all broken links, and fail if there are any."""
    site = Path(sys.argv[1])
    if not (site / "index.html").is_file():
        sys.exit(f"There is no site in {site}.")
    found = list(broken_links(site.resolve()))
    sys.exit("\n".join(found) if found else 0)


if __name__ == "__main__":
    main()
