from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import bqcd
from bqcd.assessments import Assessment, assess
from bqcd.data.pair import Direction
from bqcd.discovery import ranks
from bqcd.discovery.ranks import rank_pair
from bqcd.errors import InvalidPairError, InvalidSettingError
from bqcd.runtime.arrays import Vector
from tests.pictures import ink


def columns(n: int = 600, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, x**2 + 0.3 * rng.normal(size=n)


@pytest.fixture(scope="module")
def clear() -> Assessment:
    return assess(*columns(), method="bqcd")


def test_a_clear_pair_is_told_with_all_its_numbers(clear) -> None:
    verdict = bqcd.decide(*columns())
    assert clear.direction is Direction.X_TO_Y
    assert clear.confidence == verdict.confidence
    assert clear.stability.agreeing > 0.95
    assert clear.interval.low > 0.0
    assert clear.interval.low < clear.confidence < clear.interval.high
    assert clear.p_bound < 0.05
    assert 0.8 < clear.probability <= 1.0
    assert clear.dependence.p_value < 1e-9


def test_exchanging_the_columns_flips_signs_and_nothing_else(clear) -> None:
    x, y = columns()
    other = assess(y, x, method="bqcd")
    assert other.confidence == -clear.confidence
    assert (other.interval.low, other.interval.high) == (-clear.interval.high, -clear.interval.low)
    assert other.stability == clear.stability
    assert other.p_bound == clear.p_bound
    assert other.probability == clear.probability
    assert other.dependence == clear.dependence


def test_the_order_of_the_rows_changes_nothing(clear) -> None:
    x, y = columns()
    order = np.random.default_rng(3).permutation(len(x))
    other = assess(x[order], y[order], method="bqcd")
    assert other.stability == clear.stability
    assert other.interval == clear.interval
    assert other.p_bound == clear.p_bound


def test_the_paragraph_holds_finding_numbers_and_assumptions(clear) -> None:
    said = clear.explain()
    for words in (
        "'x' looks like the cause of 'y'",
        "95% interval",
        "600 rows",
        "random halves of the rows",
        "probability",
        "depend on each other",
        "p-value of at most",
        "common cause",
    ):
        assert words in said


def test_independent_columns_are_said_to_be_so() -> None:
    x, y = np.random.default_rng(5).normal(size=(2, 500))
    found = assess(x, y, method="bqcd")
    assert found.dependence.p_value > 0.05
    assert "no evidence that the columns depend on each other" in found.explain()


@pytest.mark.parametrize(
    ("by", "strict", "lax"),
    [("stability", 1.0, 0.5), ("probability", 1.0, 0.5), ("significance", 1e-12, 1.0)],
)
def test_a_verdict_that_does_not_reach_what_is_asked_is_undecided(by, strict, lax) -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    y = 0.3 * x**2 + 0.5 * x + 0.7 * rng.normal(size=300)
    held_back = assess(x, y, abstain=strict, abstain_by=by, method="bqcd")
    assert (held_back.answer, held_back.direction) == ("cannot tell", Direction.UNDECIDED)
    assert held_back.confidence == bqcd.decide(x, y).confidence > 0.0
    assert f"The rule that was set asks for {by}" in held_back.explain()
    let_pass = assess(x, y, abstain=lax, abstain_by=by, method="bqcd")
    assert (let_pass.answer, let_pass.direction) == ("leaning", Direction.X_TO_Y)
    assert "The rule that was set" not in let_pass.explain()


def test_other_methods_have_stability_and_no_bound_or_probability() -> None:
    found = assess(*columns(), method="igci-g", replicates=50)
    assert found.p_bound is None
    assert found.probability is None
    assert found.stability.replicates == 50
    with pytest.raises(InvalidSettingError, match="abstain_by of assess must be 'stability'"):
        assess(*columns(), method="igci-g", abstain=0.8)


def test_a_time_series_is_warned_of() -> None:
    rng = np.random.default_rng(1)
    x = np.cumsum(rng.normal(size=800))
    y = np.cumsum(rng.normal(size=800)) + x
    assert "time series" in assess(x, y, method="bqcd").explain()
    assert "worth about" in assess(x, y, method="bqcd").explain()
    x, y = columns()
    assert "time series" not in assess(x, y, method="bqcd").explain()
    order = np.argsort(x)
    assert "sorted by a column" in assess(x[order], y[order], method="bqcd").explain()


def test_ties_and_few_rows_are_told() -> None:
    x, y = columns(150)
    said = assess(x.round(), y, method="bqcd").explain()
    assert "of the values of 'x' repeat others" in said
    assert "150 rows are too few" in said


def test_all_of_it_is_ready_for_json(clear) -> None:
    told = json.loads(json.dumps(clear.as_dict()))
    assert told["direction"] == "->"
    assert told["probability"] == clear.probability
    assert told["stability"]["replicates"] == 200


def test_columns_of_a_table_by_name_and_missing_values() -> None:
    x, y = columns()
    frame = pd.DataFrame({"dose": x, "response": y})
    assert assess("dose", "response", table=frame, replicates=20, method="bqcd").confidence > 0.0
    frame.loc[3, "dose"] = np.nan
    with pytest.raises(InvalidPairError, match="'dose' has 1 missing value"):
        assess("dose", "response", table=frame, method="bqcd")
    found = assess("dose", "response", table=frame, missing="drop", replicates=20, method="bqcd")
    assert "1 more left out for missing values" in found.explain()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"abstain": 0.0}, "abstain of assess"),
        ({"abstain": 1.5}, "abstain of assess"),
        ({"abstain": 0.9, "abstain_by": "luck"}, "abstain_by of assess"),
        ({"replicates": 3}, "replicates of assess"),
        ({"level": 1.0}, "level of assess"),
    ],
)
def test_settings_out_of_range_are_refused(settings, message) -> None:
    with pytest.raises(InvalidSettingError, match=message):
        assess(*columns(), **settings, method="bqcd")


def test_the_picture_has_a_line_for_every_setting(tmp_path) -> None:
    figure = assess(*columns(60), replicates=20, method="bqcd").plot(tmp_path / "settings.png")
    assert 0.01 < ink(tmp_path / "settings.png") < 0.5
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels[0] == "copula, 1 level"
    assert len(labels) == 9


@pytest.mark.parametrize("decimals", [None, 1], ids=["no ties", "ties"])
def test_the_same_two_columns_are_ranked_once(
    decimals: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=300)
    y = x**2 + rng.normal(size=300)
    if decimals is not None:
        x, y = x.round(decimals), y.round(decimals)
    ranked: list[bytes] = []

    def counting(x: Vector, y: Vector) -> ranks.RankedPair:
        ranked.append(x.tobytes() + y.tobytes())
        return rank_pair(x, y)

    monkeypatch.setattr(ranks, "rank_pair", counting)
    assess(x, y, replicates=20, method="bqcd")
    assert ranked[0] == x.tobytes() + y.tobytes()
    assert len(set(ranked)) == len(ranked)


def test_the_panel_judges_if_nothing_is_said():
    x, y = columns()
    found = assess(x, y, replicates=10)
    assert (found.verdict.name, found.interval) == ("panel", None)
    assert found.probability == pytest.approx(0.5 * (1.0 + abs(found.confidence)))
    assert found.as_dict() == assess(x, y, replicates=10, method="panel").as_dict()
    assert bqcd.decide(x, y).name == "bqcd"
