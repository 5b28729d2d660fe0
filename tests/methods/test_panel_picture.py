"""Pictures of pairs, and the network that reads them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import rankdata

from bqcd.methods.models import panel_model, panel_picture
from bqcd.methods.models.panel_picture import (
    LENGTH,
    QUANTILES,
    WAVES,
    Network,
    exchanged,
    mirrored,
    network_inputs,
    network_of,
    of_equal_margins,
    picture_of,
    shipped_network,
)

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks" / "panel"
CELLS = WAVES * WAVES


def columns(n: int, *, ties: bool = False, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.gamma(2.0, size=n)
    y = np.exp(-x) + 0.2 * rng.normal(size=n)
    return (np.round(x, 1), np.round(4.0 * y)) if ties else (x, y)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n", [10, 257, 2000, 70_000])
def test_a_picture_knows_neither_order_of_rows_nor_of_columns(n, ties):
    x, y = columns(n, ties=ties)
    picture, rows = picture_of(x, y), np.random.default_rng(1).permutation(n)
    assert np.array_equal(picture_of(x[rows], y[rows]), picture)
    assert np.array_equal(picture_of(y, x), exchanged(picture))
    assert picture.shape == (LENGTH,)


def test_the_relation_is_told_by_means_of_products_of_cosines():
    x, y = columns(300, ties=True)
    u, v = ((rankdata(column) - 0.5) / 300 for column in (x, y))
    waves = [np.sqrt(2.0) * np.cos(np.pi * np.outer(np.arange(1, WAVES + 1), w)) for w in (u, v)]
    expected = waves[0] @ waves[1].T / 300
    assert picture_of(x, y)[:CELLS] == pytest.approx(expected.ravel(), abs=1e-6)


def test_columns_are_told_by_quantiles_ties_and_rows():
    x, y = columns(200, ties=True)
    picture = picture_of(x, y)
    scaled = (x - x.mean()) / x.std(ddof=1)
    assert picture[CELLS : CELLS + 17] == pytest.approx(np.quantile(scaled, QUANTILES), abs=1e-9)
    counts = np.unique(y, return_counts=True)[1]
    assert picture[-3:-1].tolist() == [len(counts) / 200, counts.max() / 200]
    assert picture[-1] == np.log(200)


def test_mirror_images_are_those_of_columns_upside_down():
    x, y = columns(400)
    images = mirrored(picture_of(x, y))
    turned = [picture_of(a, b) for a in (x, -x) for b in (y, -y)]
    for image, expected in zip(images, turned, strict=True):
        assert image == pytest.approx(expected, abs=1e-6)


def test_equal_margins_leave_the_relation_and_tell_nothing_of_the_columns():
    x, y = columns(400)
    bent = of_equal_margins(picture_of(np.exp(x), np.arctan(y)))
    assert np.array_equal(bent, of_equal_margins(picture_of(x, y)))


@pytest.mark.parametrize("ties", [False, True])
def test_log_odds_flip_to_the_bit_and_do_not_mind_columns_upside_down(ties):
    x, y = columns(350, ties=ties)
    network = shipped_network()
    odds = network.log_odds(picture_of(x, y))
    assert network.log_odds(picture_of(y, x)) == -odds != 0.0
    assert network.log_odds(picture_of(-x, y)) == pytest.approx(odds, abs=1e-4)


def test_a_network_is_evaluated_as_scikit_learn_does():
    neural = pytest.importorskip("sklearn.neural_network")
    rng = np.random.default_rng(0)
    pictures = np.array([picture_of(*columns(120, seed=seed)) for seed in range(30)])
    inputs = network_inputs(pictures)
    model = neural.MLPRegressor(hidden_layer_sizes=(20, 7), random_state=0)
    model.partial_fit(inputs, rng.normal(size=30))
    network = Network([weight.T for weight in model.coefs_], model.intercepts_)
    for picture in pictures[:5]:
        images = np.array(mirrored(picture))
        expected = model.predict(network_inputs(images)) - model.predict(
            network_inputs(exchanged(images))
        )
        assert network.log_odds(picture) == pytest.approx(float(expected.mean()), abs=1e-9)


def test_networks_are_stored_in_small_steps(monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    sys.modules.pop("networks", None)
    networks = importlib.import_module("networks")
    rng = np.random.default_rng(0)
    sizes = [(40, network_inputs(np.zeros(LENGTH)).shape[0]), (12, 40), (1, 12)]
    weights = [rng.normal(size=size) / np.sqrt(size[1]) for size in sizes]
    network = Network(weights, [rng.normal(size=size[0]) for size in sizes])
    again = network_of(networks.stored_arrays(network, 0.7))
    assert again.unit == pytest.approx(0.7)
    for weight, stored in zip(network.weights, again.weights, strict=True):
        steps = np.abs(weight).max(axis=1, keepdims=True) / 127.0
        assert (np.abs(weight - stored) <= 0.51 * steps).all()


def test_a_network_learns_what_pictures_tell(monkeypatch):
    """Parabolas, told from one side only, are learned in a few hundred steps."""
    pytest.importorskip("sklearn")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    sys.modules.pop("networks", None)
    networks = importlib.import_module("networks")
    rng = np.random.default_rng(0)

    def drawn(count: int) -> np.ndarray:
        found = []
        for _ in range(count):
            x = rng.normal(size=100)
            found.append(picture_of(x, x**2 + rng.normal(size=100)))
        return np.array(found, dtype=np.float32)

    network = networks.learned(drawn(400), networks.Course(widths=(16, 8), steps=200, batch=64))
    unseen = drawn(200)
    odds = networks.many_odds(network, unseen)
    assert np.mean(odds > 0.0) > 0.9
    one = network.log_odds(unseen[0].astype(np.float64))
    assert one == pytest.approx(odds[0], abs=1e-5)


def test_both_files_of_weights_are_small():
    folder = Path(panel_model.__file__).parent
    sizes = [
        folder.joinpath(n).stat().st_size for n in (panel_model.WEIGHTS, panel_picture.NETWORK)
    ]
    assert sum(sizes) <= 300_000
