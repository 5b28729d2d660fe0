from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import ks_2samp, kstest, t

from bqcd import BQCD
from bqcd.benchmark.datasets.generators import pair_stream, simulate_pairs
from bqcd.benchmark.datasets.generators.mechanism import Interference
from bqcd.benchmark.datasets.generators.stress import (
    CARDS,
    MECHANISMS,
    Confounded,
    Discretised,
    HeavyTails,
    MissingValues,
    Outliers,
)
from bqcd.errors import InvalidSettingError


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def base_columns(name: str, n_rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    return MECHANISMS[name].build().draw(n_rows, rng(seed))


@pytest.mark.parametrize("base", MECHANISMS)
def test_every_difficulty_can_be_put_on_every_mechanism_from_fifty_rows_on(base: str) -> None:
    for name in (card.name for card in CARDS):
        for item in simulate_pairs(name, n_pairs=3, n_rows=50, base=base):
            assert len(item.pair) + item.pair.dropped_rows == 50, name
        item = next(pair_stream(name, n_rows=3000, base=base))
        assert len(item.pair) + item.pair.dropped_rows == 3000, name


@pytest.mark.parametrize(
    ("name", "nothing"),
    [
        ("outliers", {"share": 0.0}),
        ("missing", {"share": 0.0}),
        ("missing", {"share": 0.0, "depends_on": "other column"}),
        ("confounded", {"strength": 0.0}),
    ],
)
def test_without_the_difficulty_pairs_are_those_of_the_base(
    name: str, nothing: dict[str, object]
) -> None:
    for base in MECHANISMS:
        plain = simulate_pairs(base, n_pairs=4, n_rows=100)
        spared = simulate_pairs(name, n_pairs=4, n_rows=100, base=base, **nothing)
        for item, expected in zip(spared, plain, strict=True):
            assert item.truth is expected.truth, base
            np.testing.assert_array_equal(item.pair.x, expected.pair.x, base)
            np.testing.assert_array_equal(item.pair.y, expected.pair.y, base)


@pytest.mark.parametrize("base", ["AN-s", "MN-U", "SIM", "SIM-c"])
def test_many_degrees_of_freedom_leave_the_base_as_it_is(base: str) -> None:
    # Of smooth bases only the noise is compared: a function moves with its cause.
    heavy = HeavyTails(base=base, freedom=1e6, where="noise").draw(500, rng())
    for column, expected in zip(heavy, base_columns(base, 500), strict=True):
        assert np.abs(column - expected).max() < 0.01 * expected.std()


@pytest.mark.parametrize("freedom", [1.0, 3.0, 8.0])
def test_a_normal_cause_becomes_student_t(freedom: float) -> None:
    cause, _ = HeavyTails(base="AN-s", freedom=freedom, where="cause").draw(20_000, rng())
    scale = base_columns("AN-s", 20_000)[0].std()
    assert kstest(cause / scale, t(freedom).cdf).pvalue > 0.001
    assert kstest(cause / scale, "norm").pvalue < 0.001


def test_normal_noise_becomes_student_t_and_the_cause_stays() -> None:
    class Recorder(Interference):
        def on_effect(self, effect: np.ndarray, signal: Callable[[], np.ndarray]) -> np.ndarray:
            self.signal = signal()
            self.noise = effect - self.signal
            return effect

    parts = Recorder()
    plain, _ = MECHANISMS["AN-s"].build().draw(5000, rng(), parts)
    cause, effect = HeavyTails(base="AN-s", freedom=2.5, where="noise").draw(5000, rng())
    np.testing.assert_array_equal(cause, plain)
    noise = (effect - parts.signal) / parts.noise.std()
    assert kstest(noise, t(2.5).cdf).pvalue > 0.001
    assert abs(np.corrcoef(np.abs(cause), np.abs(noise))[0, 1]) < 0.05


def test_tails_of_both_are_those_of_each() -> None:
    settings = {"base": "SIM", "freedom": 2.0}
    both, cause, noise = (
        HeavyTails(where=where, **settings).draw(300, rng())  # type: ignore[arg-type]
        for where in ("both", "cause", "noise")
    )
    np.testing.assert_array_equal(both[0], cause[0])
    assert not np.array_equal(both[0], noise[0])
    assert not np.array_equal(both[1], cause[1])


@pytest.mark.parametrize("columns", ["cause", "effect", "both"])
@pytest.mark.parametrize("levels", [2, 7, 20])
def test_rounding_to_equal_widths_moves_no_value_by_more_than_half_a_bin(
    levels: int, columns: str
) -> None:
    rounded = Discretised(base="LS", levels=levels, columns=columns).draw(2000, rng())
    for name, column, exact in zip(
        ("cause", "effect"), rounded, base_columns("LS", 2000), strict=True
    ):
        if columns in (name, "both"):
            assert 2 <= len(np.unique(column)) <= levels
            assert np.abs(column - exact).max() <= 0.5 * np.ptp(exact) / levels * (1 + 1e-9)
        else:
            np.testing.assert_array_equal(column, exact)


def test_bins_of_equal_counts_hold_equally_many_rows_and_keep_the_order() -> None:
    rounded = Discretised(levels=8, bins="equal counts").draw(2000, rng())
    for column, exact in zip(rounded, base_columns("AN", 2000), strict=True):
        values, counts = np.unique(column, return_counts=True)
        assert counts.tolist() == [250] * 8
        assert np.all(np.diff(column[np.argsort(exact)]) >= 0.0)
        np.testing.assert_allclose(
            values, np.sort(exact).reshape(8, 250).mean(axis=1), rtol=0, atol=1e-12
        )


def test_asking_for_more_values_than_rows_keeps_all_rows_apart() -> None:
    for column in Discretised(levels=500, bins="equal counts").draw(50, rng()):
        assert len(np.unique(column)) == 50


@pytest.mark.parametrize("columns", ["cause", "effect", "both"])
def test_outliers_hit_the_share_of_rows_asked_for_and_no_other(columns: str) -> None:
    hit = Outliers(share=0.03, columns=columns, size=20.0).draw(1000, rng())
    exact = base_columns("AN", 1000)
    changed = [np.flatnonzero(a != b) for a, b in zip(hit, exact, strict=True)]
    assert len(changed[0]) == (0 if columns == "effect" else 30)
    assert len(changed[1]) == (0 if columns == "cause" else 30)
    if columns == "both":
        np.testing.assert_array_equal(*changed)


def test_errors_are_normal_with_the_size_asked_for() -> None:
    hit = Outliers(share=0.5, size=4.0).draw(4000, rng())
    for column, exact in zip(hit, base_columns("AN", 4000), strict=True):
        errors = (column - exact)[column != exact] / exact.std()
        assert kstest(errors / 4.0, "norm").pvalue > 0.001


def test_more_outliers_are_the_fewer_ones_and_others() -> None:
    exact = base_columns("AN", 1000)[1]
    few, many = (Outliers(share=share).draw(1000, rng())[1] for share in (0.02, 0.1))
    rows = few != exact
    np.testing.assert_array_equal(few[rows], many[rows])


@pytest.mark.parametrize("depends_on", ["nothing", "other column"])
@pytest.mark.parametrize("share", [0.05, 0.2, 0.5, 0.9])
def test_the_expected_share_of_rows_is_incomplete(share: float, depends_on: str) -> None:
    item = next(pair_stream("missing", n_rows=10_000, share=share, depends_on=depends_on))
    spread = np.sqrt(share * (1.0 - share) / 10_000)
    assert abs(item.pair.dropped_rows / 10_000 - share) < 4.0 * spread
    assert len(item.pair) == 10_000 - item.pair.dropped_rows


def test_an_incomplete_row_lacks_one_value_and_the_rest_is_the_base() -> None:
    exact = base_columns("SIM-c", 3000)
    for columns, lacking in (("cause", (1, 0)), ("effect", (0, 1)), ("both", (0.5, 0.5))):
        found = MissingValues(base="SIM-c", share=0.3, columns=columns).draw(3000, rng())
        gone = np.isnan(found)
        assert not np.any(gone[0] & gone[1])
        np.testing.assert_allclose(gone.sum(axis=1) / gone.sum(), lacking, atol=0.08)
        for column, hole, full in zip(found, gone, exact, strict=True):
            np.testing.assert_array_equal(column[~hole], full[~hole])


def test_values_missing_completely_at_random_do_not_depend_on_anything() -> None:
    exact = base_columns("AN", 4000)
    gone = np.isnan(MissingValues(share=0.4).draw(4000, rng())).any(axis=0)
    for column in exact:
        assert ks_2samp(column[gone], column[~gone]).pvalue > 0.001


@pytest.mark.parametrize("columns", ["cause", "effect", "both"])
def test_values_missing_at_random_follow_the_rank_of_the_value_that_stays(columns: str) -> None:
    exact = base_columns("AN", 40_000)
    found = MissingValues(share=0.2, depends_on="other column", columns=columns).draw(40_000, rng())
    for missing, stays in ((0, 1), (1, 0)):
        gone = np.isnan(found[missing])
        if not gone.any():
            continue
        top = exact[stays] > np.quantile(exact[stays], 0.75)
        # The chance is u^4: the top quarter holds 1 - 0.75^5 of all.
        assert gone[top].sum() / gone.sum() == pytest.approx(1.0 - 0.75**5, abs=0.02)


def test_strength_is_the_share_of_the_variance_that_comes_from_the_hidden_cause() -> None:
    hidden, _ = Confounded(strength=1.0).draw(50_000, rng())
    for strength in (0.1, 0.5, 0.9):
        cause, _ = Confounded(strength=strength).draw(50_000, rng())
        assert np.corrcoef(cause, hidden)[0, 1] ** 2 == pytest.approx(strength, abs=0.02)
        assert cause.std() == pytest.approx(hidden.std(), rel=0.02)


def test_at_full_strength_nothing_is_left_of_the_mechanism() -> None:
    columns = [
        np.array(Confounded(base=base, strength=1.0).draw(400, rng())) for base in ("AN", "MN-U")
    ]
    scaled = [(c - c.mean(axis=1)[:, None]) / c.std(axis=1)[:, None] for c in columns]
    np.testing.assert_allclose(scaled[0], scaled[1], atol=1e-12)


def test_a_common_cause_alone_cannot_be_told_apart_from_either_direction() -> None:
    def accuracy(strength: float, n_pairs: int) -> float:
        pairs = simulate_pairs("confounded", n_pairs=n_pairs, n_rows=400, strength=strength)
        signs = [BQCD().decide(item.pair, rng()).confidence * item.truth.sign for item in pairs]
        return float(np.mean(np.array(signs) > 0.0))

    assert accuracy(0.0, 60) > 0.95
    # Three and a half standard errors of a fair coin.
    assert abs(accuracy(1.0, 300) - 0.5) < 3.5 * 0.5 / np.sqrt(300)


@pytest.mark.parametrize(
    ("build", "setting", "value", "rule"),
    [
        (HeavyTails, "freedom", 0.5, "must be a number from 1 to 1e\\+06, got 0.5"),
        (HeavyTails, "where", "effect", "must be one of 'cause', 'noise', 'both'"),
        (HeavyTails, "base", "AM", "must be one of 'AN', .*, got 'AM'"),
        (Discretised, "levels", 1, "must be an integer from 2 to 1,000,000,000, got 1"),
        (Discretised, "columns", "noise", "must be one of 'cause', 'effect', 'both'"),
        (Discretised, "bins", "equal", "must be one of 'equal width', 'equal counts'"),
        (Outliers, "share", 1.5, "must be a number from 0 to 1, got 1.5"),
        (Outliers, "share", True, "must be a number from 0 to 1, got True"),
        (Outliers, "size", 0, "must be a number > 0, got 0"),
        (Outliers, "columns", "", "must be one of 'cause', 'effect', 'both'"),
        (MissingValues, "share", 0.95, "must be a number from 0 to 0.9, got 0.95"),
        (MissingValues, "depends_on", "itself", "must be one of 'nothing', 'other column'"),
        (MissingValues, "columns", "x", "must be one of 'cause', 'effect', 'both'"),
        (Confounded, "strength", float("nan"), "must be a number from 0 to 1, got nan"),
        (Confounded, "base", "confounded", "must be one of 'AN', .*, got 'confounded'"),
    ],
)
def test_settings_outside_their_range_are_refused(build, setting, value, rule) -> None:
    with pytest.raises(InvalidSettingError, match=f"{setting} of {build.__name__} {rule}"):
        build(**{setting: value})
