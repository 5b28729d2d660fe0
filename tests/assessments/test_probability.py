from __future__ import annotations

import json
from importlib.resources import files
from math import log

import numpy as np
import pytest

import bqcd
from bqcd.assessments.probability import (
    FEATURES,
    ProbabilityModel,
    features_of,
    probability_of,
    shipped_model,
)
from bqcd.assessments.stability import half_samples
from bqcd.benchmark.datasets.generators import pair_stream
from bqcd.benchmark.metrics.calibration import expected_calibration_error
from bqcd.data.pair import Pair
from bqcd.discovery.ranks import rank_pair
from bqcd.errors import InvalidSettingError
from bqcd.statistics.dependence.ranks import untied_dependence

USUAL = {
    "confidence": 0.01,
    "agreement": 0.9,
    "n_rows": 1000,
    "tie_share": 0.0,
    "dependence": 0.8,
    "one_level": False,
}


def probability(**changes: object) -> float:
    return probability_of(**(USUAL | changes))  # type: ignore[arg-type]


def assessed(pair: Pair) -> tuple[float, float]:
    """Confidence and probability of an untied pair."""
    method = bqcd.BQCD()
    confidence = bqcd.decide_pair(pair, method=method).confidence
    stability = half_samples(pair, method, replicates=40).stability(confidence)
    inverse = rank_pair(pair.x, pair.y).inverse
    assert inverse is not None
    claimed = probability_of(
        confidence=confidence,
        agreement=stability.agreeing,
        n_rows=len(pair),
        tie_share=0.0,
        dependence=float(untied_dependence(inverse[None]).strength[0]),
        one_level=len(pair) < method.small_n,
    )
    return confidence, claimed


def test_features_are_known_functions_of_what_is_told() -> None:
    features = dict(
        zip(
            FEATURES,
            features_of(
                confidence=-0.05,
                agreement=0.75,
                n_rows=10_000,
                tie_share=0.1,
                dependence=0.6,
                one_level=False,
            ),
            strict=True,
        )
    )
    assert features["size"] == pytest.approx(log(1.0 + 0.05 * 100.0 / 0.12))
    assert features["effect"] == pytest.approx(log(2.0))
    assert features["steadiness"] == pytest.approx(log(2.0))
    assert features["rows"] == pytest.approx(1.0)
    assert (features["ties"], features["dependence"]) == (0.1, 0.6)


def test_the_sign_of_the_confidence_does_not_matter() -> None:
    assert probability(confidence=-0.01) == probability(confidence=0.01)


def test_no_confidence_is_a_fair_coin() -> None:
    assert probability(confidence=0.0, agreement=1.0) == 0.5


@pytest.mark.parametrize("agreement", [0.0, 0.3, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("n_rows", [10, 50, 1000, 10**6])
def test_a_larger_or_steadier_confidence_is_never_less_probable(
    agreement: float, n_rows: int
) -> None:
    sizes = [0.0, 1e-300, 1e-4, 1e-3, 0.01, 0.1, 1.0, 1e6]
    for tie_share, dependence in ((0.0, 0.0), (0.5, 1.0), (1.0, 0.5)):
        told = {"n_rows": n_rows, "tie_share": tie_share, "dependence": dependence}
        found = [probability(confidence=size, agreement=agreement, **told) for size in sizes]
        steadier = [probability(confidence=size, agreement=1.0, **told) for size in sizes]
        assert found == sorted(found)
        assert all(one <= other for one, other in zip(found, steadier, strict=True))
        assert all(0.5 <= each <= 0.99 for each in found)


def test_strong_and_weak_evidence_are_far_apart() -> None:
    assert probability(confidence=0.1, agreement=1.0) > 0.9
    assert probability(confidence=2e-4, agreement=0.55, dependence=0.05) < 0.65


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("agreement", -0.1),
        ("agreement", float("nan")),
        ("tie_share", 1.2),
        ("dependence", 2.0),
        ("n_rows", 0),
        ("n_rows", 10.5),
        ("one_level", 1),
    ],
)
def test_what_cannot_be_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(InvalidSettingError, match=f"{name} of probability_of"):
        probability(**{name: value})


def test_models_for_other_features_are_refused() -> None:
    weights = shipped_model().coefficients
    with pytest.raises(InvalidSettingError, match="version of ProbabilityModel must be 1"):
        ProbabilityModel(0, 0.0, weights)
    with pytest.raises(InvalidSettingError, match="6 coefficients"):
        ProbabilityModel(1, 0.0, weights[1:])


def test_the_shipped_model_says_what_it_is() -> None:
    stored = json.loads(files("bqcd.assessments").joinpath("probability.json").read_text("utf-8"))
    assert tuple(stored["coefficients"]) == FEATURES
    assert stored["training_pairs"] >= 2000
    assert all(stored["coefficients"][name] >= 0.0 for name in FEATURES[:3])


def test_directions_that_nobody_can_know_are_seldom_called_likely() -> None:
    rng = np.random.default_rng(0)
    claimed = []
    for _ in range(30):
        x, noise = rng.normal(size=(2, 500))
        claimed.append(assessed(Pair(x, 0.7 * x + 0.7 * noise))[1])
    assert np.mean(claimed) < 0.72
    assert max(claimed) < 0.9


def test_probabilities_of_fresh_simulated_pairs_mean_what_they_say() -> None:
    """Pairs of the nine scenarios with seeds of their own, in equal parts."""
    claimed, truth = [], []
    for name in ("AN", "AN-s", "LS", "LS-s", "MN-U", "SIM", "SIM-c", "SIM-ln", "SIM-G"):
        stream = pair_stream(name, n_rows=400, seed=77)
        for _ in range(14):
            item = next(stream)
            confidence, found = assessed(item.pair)
            claimed.append(found)
            truth.append(1 if confidence * item.truth.sign > 0.0 else -1)
    right = np.mean(np.array(truth) > 0)
    assert np.mean(claimed) == pytest.approx(right, abs=0.1)
    # With 126 pairs a perfect model reaches about 0.07.
    assert expected_calibration_error(truth, claimed, n_bins=10) < 0.13
