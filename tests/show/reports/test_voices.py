"""What a report draws of a panel: its sources, and what each of them would say by itself."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.data.pair import Pair
from bqcd.methods.panel import Panel, probability
from bqcd.show.reports.voices import voices_of


def heard(depth):
    rng = np.random.default_rng(1)
    x = rng.uniform(-2.0, 2.0, 150)
    return Panel(depth=depth).evidence(Pair(x, x**2 + rng.normal(size=150)), rng)


def sources_of(evidence):
    return {source["name"]: source for source in voices_of(evidence)["sources"]}


def test_evidence_is_a_source_of_its_own():
    found = heard("deep")
    sources = sources_of(found)
    assert list(sources) == ["relation", "scales", "evidence", "margins"]
    share = found.log_odds["panel"] - found.log_odds["quick"]
    assert sources["evidence"]["probability"] == round(probability(share), 3)
    assert sources["evidence"]["used"]


def test_gplvm_is_no_dot_of_the_relation():
    """What it says of ranks is taken off, so that a dot would stand on the wrong side."""
    sources = sources_of(heard("deep"))
    for name in ("relation", "scales"):
        assert "gplvm" not in {method for method, _ in sources[name]["methods"]}


@pytest.mark.parametrize("name", ["relation", "scales", "margins"])
def test_a_quick_panel_has_the_other_sources_of_the_deep_one(name):
    quick, deep = (sources_of(heard(depth)) for depth in ("quick", "deep"))
    assert "evidence" not in quick
    assert quick[name] == deep[name]
