"""Pages as files; every visit ends with a look at what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bqcd.show.pages.rendering import page as rendered
from tests.browsing import Witness, chromium
from tests.show.pages import contents

__all__ = ["chromium"]


def computed(**asked: Any) -> dict[str, Any]:
    """Content as the library gives it, of columns with odd names."""
    import bqcd

    rng = np.random.default_rng(0)
    x = rng.gamma(3.0, size=150)
    y = np.log(x) + 0.2 * rng.normal(size=150)
    table = {contents.NASTY[0]: x, contents.NASTY[1]: y, "z": y + rng.normal(size=150)}
    return bqcd.report(table, replicates=10, **asked, method="bqcd").as_dict()


def dated() -> dict[str, Any]:
    """Content of a pair of dates and words."""
    import bqcd

    rng = np.random.default_rng(0)
    days = np.datetime64("2000-01-01") + 60 * np.arange(120)
    words = np.where(rng.random(120) < 0.5, "yes", "no").tolist()
    return bqcd.report({"day": days, "ok": words}, replicates=0).as_dict()


def measured() -> dict[str, Any]:
    """Content of pairs of columns with names of several parts."""
    content = contents.pairs_content()
    names = {"x": "bill_depth_mm", "y": "flipper_length_mm"}
    for pair in content["pairs"]:
        ends = {"cause": names["x"], "effect": names["y"]} if pair["cause"] else {}
        pair.update(names, **ends)
    return content


def reasoned() -> dict[str, Any]:
    """Content of a graph whose reasons have arrows."""
    content = contents.graph_content()
    for state in (state for edge in content["graph"]["edges"] for state in edge["states"]):
        state["reason"] = "a -> b: compelled, else there were a cycle with the path a -> c -> b."
    return content


def years() -> dict[str, Any]:
    """Content of a pair of years and large numbers."""
    import bqcd

    rng = np.random.default_rng(0)
    table = {"year": rng.integers(1990, 2011, 120), "cost": rng.uniform(1e4, 3e4, 120)}
    return bqcd.report(table, replicates=0, method="bqcd").as_dict()


CONTENTS = {
    "measured": measured,
    "years": years,
    "reasoned": reasoned,
    "dated": dated,
    "pairs": contents.pairs_content,
    "single": contents.single_content,
    "graph": contents.graph_content,
    "changed": contents.changed_content,
    "wide": lambda: {
        **contents.pairs_content(),
        "matrix": contents.matrix(tuple(f"column {at}" for at in range(200))),
    },
    "plain": contents.plain_content,
    "dense": contents.dense_content,
    "benchmark": contents.benchmark_content,
    "many": lambda: contents.pairs_content(5_000),
    "computed pairs": computed,
    "computed graph": lambda: computed(graph=1 - np.eye(3, dtype=int)),
    "nothing": lambda: {"title": "Nothing"},
}


@pytest.fixture(scope="session")
def report_files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("reports")

    def written(kind: str) -> Path:
        path = folder / f"{kind}.html"
        if not path.exists():
            path.write_text(rendered(CONTENTS[kind]()), encoding="utf-8")
        return path

    return written


@pytest.fixture
def visit(chromium: Any, report_files: Callable[[str], Path]) -> Iterator[Callable[..., Any]]:
    """Opens a page offline; in the end it must have been silent and have asked for nothing."""
    with ExitStack() as stack:
        visits: list[tuple[Witness, Any]] = []

        def opened(kind: str, *, at: str = "", **context: Any) -> Any:
            browsing = chromium.new_context(offline=True, **context)
            stack.callback(browsing.close)
            page = browsing.new_page()
            page.set_default_timeout(60_000)
            witness = Witness()
            witness.watch(page)
            page.goto(report_files(kind).as_uri() + at)
            visits.append((witness, page))
            return page

        yield opened
        for witness, page in visits:
            assert witness.messages == []
            assert {url.partition("#")[0] for url in witness.requests} == {
                page.url.partition("#")[0]
            }
