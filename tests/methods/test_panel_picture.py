"""Pictures of pairs, and the network that reads them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import rankdata

from bqcd.data.margins import mapped_to_normal
from bqcd.methods.models import panel_model, panel_picture
from bqcd.methods.models.panel_picture import (
    LENGTH,
    POWERS,
    QUANTILES,
    WAVES,
    Network,
    exchanged,
    mirror_image,
    mirrored,
    network_inputs,
    network_of,
    pictures_of,
    shipped_network,
)

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks" / "panel"
FUNCTIONS = WAVES + POWERS
CELLS = FUNCTIONS * FUNCTIONS


def columns(n: int, *, ties: bool = False, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.gamma(2.0, size=n)
    y = np.exp(-x) + 0.2 * rng.normal(size=n)
    return (np.round(x, 1), np.round(4.0 * y)) if ties else (x, y)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n", [10, 257, 2000, 70_000])
def test_pictures_know_neither_order_of_rows_nor_of_columns(n, ties):
    x, y = columns(n, ties=ties)
    pictures, rows = pictures_of(x, y), np.random.default_rng(1).permutation(n)
    assert np.array_equal(pictures_of(x[rows], y[rows]), pictures)
    assert np.array_equal(pictures_of(y, x), exchanged(pictures))
    assert pictures.shape == (2, LENGTH)


def told(column: np.ndarray) -> np.ndarray:
    """Cosines of ranks and standardised powers of values, in plain NumPy and SciPy."""
    ranks = (rankdata(column) - 0.5) / len(column)
    waves = np.sqrt(2.0) * np.cos(np.pi * np.outer(np.arange(1, WAVES + 1), ranks))
    values = np.clip((column - column.mean()) / column.std(ddof=1), -4.0, 4.0)
    powers = values ** np.arange(1, POWERS + 1)[:, None]
    powers = (powers - powers.mean(axis=1, keepdims=True)) / powers.std(axis=1, keepdims=True)
    return np.vstack((waves, np.clip(powers, -8.0, 8.0)))


def test_the_relation_is_told_by_means_of_products():
    x, y = columns(300, ties=True)
    as_they_come, as_scores = pictures_of(x, y)
    expected = told(x) @ told(y).T / 300
    assert as_they_come[:CELLS] == pytest.approx(expected.ravel(), abs=1e-6)
    expected = told(mapped_to_normal(x)) @ told(mapped_to_normal(y)).T / 300
    assert as_scores[:CELLS] == pytest.approx(expected.ravel(), abs=1e-6)


def test_columns_are_told_by_quantiles_ties_and_rows():
    x, y = columns(200, ties=True)
    picture = pictures_of(x, y)[0]
    scaled = (x - x.mean()) / x.std(ddof=1)
    assert picture[CELLS : CELLS + 17] == pytest.approx(np.quantile(scaled, QUANTILES), abs=1e-9)
    counts = np.unique(y, return_counts=True)[1]
    assert picture[-3:-1].tolist() == [len(counts) / 200, counts.max() / 200]
    assert picture[-1] == np.log(200)


def test_values_that_hardly_vary_leave_finite_pictures():
    one_off = np.zeros(50)
    one_off[7] = 1e300
    assert np.isfinite(pictures_of(one_off, np.arange(50.0))).all()


def test_mirror_images_are_those_of_columns_upside_down():
    x, y = columns(400)
    images = mirrored(pictures_of(x, y))
    turned = [pictures_of(a, b) for a in (x, -x) for b in (y, -y)]
    for which, (image, expected) in enumerate(zip(images, turned, strict=True)):
        assert image == pytest.approx(expected, abs=1e-6)
        assert np.array_equal(mirror_image(pictures_of(x, y), which), image)


def test_normal_scores_leave_the_relation_and_tell_nothing_of_the_columns():
    x, y = columns(400)
    bent = pictures_of(np.exp(x), np.arctan(y))[1]
    assert np.array_equal(bent, pictures_of(x, y)[1])
    assert np.array_equal(bent[CELLS : CELLS + 17], bent[CELLS + 17 : CELLS + 34])


@pytest.mark.parametrize("ties", [False, True])
def test_a_direction_flips_to_the_bit_and_a_link_does_not_move(ties):
    x, y = columns(350, ties=ties)
    network = shipped_network()
    for picture, turned, upside_down in zip(
        pictures_of(x, y), pictures_of(y, x), pictures_of(-x, y), strict=True
    ):
        odds, direct = network.said(picture)
        assert network.said(turned) == (-odds, direct)
        assert odds != 0.0
        assert network.said(upside_down) == pytest.approx((odds, direct), abs=1e-3)


def test_a_network_is_evaluated_as_scikit_learn_does():
    neural = pytest.importorskip("sklearn.neural_network")
    rng = np.random.default_rng(0)
    pictures = np.array([pictures_of(*columns(120, seed=seed))[0] for seed in range(30)])
    inputs = network_inputs(pictures)
    model = neural.MLPRegressor(hidden_layer_sizes=(20, 7), random_state=0)
    model.partial_fit(inputs, rng.normal(size=(30, 2)))
    network = Network([weight.T for weight in model.coefs_], model.intercepts_)
    for picture in pictures[:5]:
        images = np.array(mirrored(picture))
        ahead = model.predict(network_inputs(images))
        back = model.predict(network_inputs(exchanged(images)))
        odds, direct = network.said(picture)
        assert odds == pytest.approx(float((ahead - back)[:, 0].mean()), abs=1e-9)
        assert direct == pytest.approx(float((ahead + back)[:, 1].mean()), abs=1e-9)


def test_networks_are_stored_in_small_steps(monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    sys.modules.pop("networks", None)
    networks = importlib.import_module("networks")
    rng = np.random.default_rng(0)
    sizes = [(40, network_inputs(np.zeros(LENGTH)).shape[0]), (12, 40), (2, 12)]
    weights = [rng.normal(size=size) / np.sqrt(size[1]) for size in sizes]
    network = Network(weights, [rng.normal(size=size[0]) for size in sizes])
    again = network_of(networks.stored_arrays(network, 0.7))
    assert again.unit == pytest.approx(0.7)
    for weight, stored in zip(network.weights, again.weights, strict=True):
        steps = np.abs(weight).max(axis=1, keepdims=True) / 127.0
        assert (np.abs(weight - stored) <= 0.51 * steps).all()


def test_a_network_learns_what_pictures_tell(monkeypatch):
    """Parabolas, told from one side only, and from two children of a third column."""
    pytest.importorskip("sklearn")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    sys.modules.pop("networks", None)
    networks = importlib.import_module("networks")
    rng = np.random.default_rng(0)

    def drawn(count: int, *, common: bool) -> np.ndarray:
        found = []
        for _ in range(count):
            x, y, z = rng.normal(size=(3, 100))
            pair = (x + z, y + z) if common else (x, x**2 + y)
            found.append(pictures_of(*pair))
        return np.array(found, dtype=np.float32)

    course = networks.Course(widths=(16, 8), steps=200, batch=64, common=32)
    network = networks.learned(drawn(400, common=False), drawn(200, common=True), course)
    unseen, children = drawn(200, common=False)[:, 0], drawn(200, common=True)[:, 0]
    odds, direct = networks.many_said(network, unseen)
    assert np.mean(odds > 0.0) > 0.9
    assert np.mean(direct > 0.0) > 0.9
    assert np.mean(networks.many_said(network, children)[1] < 0.0) > 0.9
    one = network.said(unseen[0].astype(np.float64))
    assert one == pytest.approx((odds[0], direct[0]), abs=1e-5)


def test_every_family_is_left_out_by_one_network(monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    for name in ("networks", "prior"):
        sys.modules.pop(name, None)
    networks, prior = (importlib.import_module(name) for name in ("networks", "prior"))
    groups = np.array(networks.network_groups(np.array(list(prior.EVERY))))
    assert (groups.sum(axis=0) == 1).all()
    assert len(groups) == networks.GROUPS


def test_both_files_of_weights_are_small():
    folder = Path(panel_model.__file__).parent
    sizes = [
        folder.joinpath(n).stat().st_size for n in (panel_model.WEIGHTS, panel_picture.NETWORK)
    ]
    assert sum(sizes) <= 300_000
