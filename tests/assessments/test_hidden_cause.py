"""A hidden common cause that other columns of the table show leaves no direction."""

from __future__ import annotations

import numpy as np
import pytest

import bqcd


def table(n: int, seed: int = 0) -> dict[str, np.ndarray]:
    """The cause, and effects of it that are curved, so that a direction seems to show."""
    rng = np.random.default_rng(seed)
    cause = rng.uniform(-2.0, 2.0, n)
    signal = np.tanh(2.0 * cause)
    effects = {f"e{at}": signal + rng.uniform(0.4, 0.9) * rng.normal(size=n) for at in range(6)}
    return {"cause": cause} | effects


def test_effects_of_a_cause_that_is_not_in_the_table_have_no_direction():
    columns = table(800)
    del columns["cause"]
    found = bqcd.assess("e0", "e1", table=columns, method="bqcd", replicates=20)
    [limit] = [one for one in found.limits if one.code == "hidden cause"]
    assert (limit.most, found.answer) == (0.5, "cannot tell")
    assert set(limit.facts["columns"]) <= {"e2", "e3", "e4", "e5"}
    assert "look like effects of one hidden cause" in limit.sentence
    assert found.looked.as_dict()["alike"] == limit.facts["columns"]
    # Without the table nothing shows it.
    alone = bqcd.assess(columns["e0"], columns["e1"], method="bqcd", replicates=20)
    assert "hidden cause" not in [one.code for one in alone.limits]


@pytest.mark.parametrize("effect", ["e0", "e3"])
def test_a_cause_in_the_table_keeps_its_direction(effect):
    found = bqcd.assess("cause", effect, table=table(800), method="bqcd", replicates=20)
    assert found.looked.alike == ()
    assert found.cause == "cause"


def test_few_rows_show_no_hidden_cause():
    columns = table(450)
    del columns["cause"]
    found = bqcd.assess("e0", "e1", table=columns, method="bqcd", replicates=20)
    assert found.looked.alike == ()
