from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid
from scipy.stats import gamma, ks_2samp, kstest, kurtosis, norm, skew, spearmanr

from bqcd.benchmark.datasets.generators.mechanism import Interference
from bqcd.benchmark.datasets.generators.sim import CARDS, SmoothNetwork
from bqcd.errors import InvalidSettingError

BUILD = {card.name: card.build for card in CARDS}


class DenseRecipe:
    """The recipe of Mooij et al. once more, with full covariance matrices."""

    def __init__(self, rng: np.random.Generator, n_rows: int) -> None:
        self.rng, self.n_rows = rng, n_rows

    def process(self, columns: list[np.ndarray], lengths: list[float], jitter: float) -> np.ndarray:
        scaled = np.column_stack(columns) / np.array(lengths)
        squares = np.sum((scaled[:, None, :] - scaled[None, :, :]) ** 2, axis=2)
        covariance = np.exp(-0.5 * squares) + jitter**2 * np.eye(self.n_rows)
        return np.linalg.cholesky(covariance) @ self.rng.normal(size=self.n_rows)

    def hidden(self, shape: float, scale: float, jitter: float = 1e-4) -> np.ndarray:
        z = self.rng.normal(size=self.n_rows)
        slope = np.exp(self.process([z], [self.rng.gamma(shape, scale)], jitter))
        order = np.argsort(z)
        values = np.empty(self.n_rows)
        values[order] = cumulative_trapezoid(slope[order], z[order], initial=0.0)
        return self.scaled(values)

    def scaled(self, values: np.ndarray) -> np.ndarray:
        return (values - values.mean()) / values.std(ddof=1)

    def pair(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        gamma, normal = self.rng.gamma, self.rng.normal
        near = (1e6, 1e-3) if name == "SIM-G" else None
        e_x, e_y = self.hidden(*(near or (5, 0.1))), self.hidden(5, 0.1)
        e_z = [self.hidden(5, 0.1, 1e-3)] if name == "SIM-c" else []
        of_z = [[gamma(2, 15)] for _ in range(2)] if e_z else [[], []]
        x = self.process([e_x, *e_z], [gamma(*(near or (2, 1.5))), *of_z[0]], 1e-4)
        x = self.scaled(x)
        little = name == "SIM-ln"
        lengths = [gamma(2, 3), gamma(2, 300 if little else 15), *of_z[1]]
        y = self.scaled(self.process([x, e_y, *e_z], lengths, 1e-4))
        noise = 0.01 if little else 0.1
        return tuple(v + gamma(2, noise) * normal(size=self.n_rows) for v in (x, y))


def summaries(cause: np.ndarray, effect: np.ndarray) -> list[float]:
    by_cause = effect[np.argsort(cause)]
    by_effect = cause[np.argsort(effect)]
    return [
        cause.std(),
        effect.std(),
        abs(skew(cause)),
        kurtosis(cause),
        kurtosis(effect),
        float(np.mean(np.diff(by_cause) ** 2)),
        float(np.mean(np.diff(by_effect) ** 2)),
        abs(spearmanr(cause, effect).statistic),
    ]


@pytest.mark.parametrize(
    "name",
    ["SIM", "SIM-c", *(pytest.param(name, marks=pytest.mark.slow) for name in ("SIM-ln", "SIM-G"))],
)
def test_pairs_have_the_law_of_the_recipe_with_full_matrices(name: str) -> None:
    rng = np.random.default_rng(11)
    dense = [summaries(*DenseRecipe(rng, 80).pair(name)) for _ in range(120)]
    ours = [summaries(*BUILD[name]().draw(80, rng)) for _ in range(240)]
    for theirs, mine in zip(np.transpose(dense), np.transpose(ours), strict=True):
        assert ks_2samp(theirs, mine).pvalue > 0.001


@pytest.mark.parametrize("name", BUILD)
def test_columns_are_standardised_before_they_are_measured_and_not_after(name: str) -> None:
    deviations, slopes = [], []
    for seed in range(100):
        exact = BUILD[name](measurement_noise=(2.0, 1e-9)).draw(200, np.random.default_rng(seed))
        measured = BUILD[name]().draw(200, np.random.default_rng(seed))
        for column, noisy in zip(exact, measured, strict=True):
            assert column.mean() == pytest.approx(0.0, abs=1e-7)
            assert column.std(ddof=1) == pytest.approx(1.0, abs=1e-7)
            noise = noisy - column
            deviations.append(noise.std(ddof=1))
            slopes.append(np.dot(column, noise) / noise.std(ddof=1) / np.sqrt(199))
    scale = 0.01 if name == "SIM-ln" else 0.1
    assert kstest(deviations, gamma(2.0, scale=scale).cdf).pvalue > 0.001
    # Divided by its deviation again, a column would lose what the noise has added to it.
    assert kstest(slopes, norm.cdf).pvalue > 0.001


def test_the_cause_of_sim_g_is_nearly_normal_and_that_of_sim_is_not() -> None:
    def rejected(name: str) -> float:
        causes = [BUILD[name]().draw(1000, np.random.default_rng(seed))[0] for seed in range(60)]
        return float(np.mean([ks_2samp(c / c.std(), NORMAL).pvalue < 0.01 for c in causes]))

    assert rejected("SIM-G") < 0.05
    assert rejected("SIM") > 0.6


NORMAL = norm.ppf((np.arange(20_000) + 0.5) / 20_000)


def test_the_hidden_cause_of_sim_c_acts_on_both_columns() -> None:
    class Fixed(Interference):
        """Puts the same cause into every effect, so that only hidden causes link the columns."""

        def on_cause(self, cause: np.ndarray) -> np.ndarray:
            self.cause = cause
            return np.tile([-1.0, 1.0], len(cause) // 2)

    def dependence(name: str) -> float:
        found = []
        for seed in range(40):
            drawn = Fixed()
            settings = {"hidden_length": (2.0, 1.0)}
            _, effect = BUILD[name](**settings).draw(400, np.random.default_rng(seed), drawn)
            found.append(abs(spearmanr(drawn.cause[::2], effect[::2]).statistic))
        return float(np.mean(found))

    # The mean of |r| of 200 independent rows is sqrt(2 / (200 pi)) = 0.056.
    assert dependence("SIM") < 0.08
    assert dependence("SIM-c") > 0.12


def test_signal_and_noise_part_the_effect_by_what_the_noise_says() -> None:
    class Recorder(Interference):
        def on_effect(self, effect: np.ndarray, signal: Callable[[], np.ndarray]) -> np.ndarray:
            self.noise = effect - signal()
            return effect

    little, much = [], []
    for seed in range(20):
        for name, kept in (("SIM-ln", little), ("SIM", much)):
            parts = Recorder()
            BUILD[name]().draw(500, np.random.default_rng(seed), parts)
            kept.append(parts.noise.std())
            # The noise vanishes where E_Y is at its median, up to the jitter.
            assert np.abs(parts.noise).min() < 0.01
    # Length scales are twenty times as long.
    assert np.median(much) > 10 * np.median(little)


@pytest.mark.parametrize(
    ("setting", "value", "rule"),
    [
        ("cause_length", 3.0, r"must be a pair \(shape, scale\) of numbers > 0, got 3.0"),
        ("cause_length", (1.0, 2.0, 3.0), r"must be a pair \(shape, scale\)"),
        ("noise_length", (2.0, 0.0), "must be a number > 0, got 0.0"),
        ("measurement_noise", (2.0, "a"), "must be a number > 0, got 'a'"),
        ("hidden_causes", -1, "must be an integer from 0 to 3, got -1"),
        ("jitter", 0.0, "must be a number > 0 and <= 1, got 0.0"),
    ],
)
def test_settings_outside_their_range_are_refused(setting: str, value: object, rule: str) -> None:
    with pytest.raises(InvalidSettingError, match=f"{setting} of SmoothNetwork {rule}"):
        SmoothNetwork(**{setting: value})  # type: ignore[arg-type]


def test_a_list_is_as_good_as_a_tuple() -> None:
    assert SmoothNetwork(cause_length=[2, 3]) == SmoothNetwork()  # type: ignore[arg-type]
