"""Equal margins next to columns as they come: the runner's answers, and intervals over pairs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bqcd
from bqcd import Direction, Pair, run_benchmark, simulate_pairs
from bqcd.benchmark.datasets import LabelledPair, PairSet
from bqcd.benchmark.metrics import paired_bootstrap
from bqcd.benchmark.summary import answers
from bqcd.errors import InvalidSettingError
from bqcd.methods.table import COMPARED
from bqcd.show.reproduction import TARGETS, paper, reproduce
from bqcd.show.reproduction.margins import (
    COLUMNS,
    FLOORS,
    MEAN,
    NEARER,
    WITHIN,
    _learned,
    compared_specs,
    comparisons,
    floors,
    learned_within,
    margins_tables,
    nearer_normal,
)
from bqcd.show.reproduction.workshop import Workshop
from tests.benchmark.running.small_sets import SOURCE

pytestmark = pytest.mark.xdist_group("reproduction")

AFFORDED = ("reci", "igci-g")


def small_pairs(name: str) -> PairSet:
    """A few short pairs under the name of a benchmark, of unequal weight if it is the real one."""
    seed = paper.BENCHMARKS.index(name)
    pairset = simulate_pairs("AN", n_pairs=8, n_rows=80, seed=seed)
    weights = np.linspace(0.2, 1.0, 8) if name == "tuebingen" else np.ones(8)
    items = [
        replace(item, weight=float(weight)) for item, weight in zip(pairset, weights, strict=True)
    ]
    return replace(pairset, name=name, items=tuple(items))


def small_workshop(folder: Path, **settings) -> Workshop:
    workshop = Workshop(folder, quick=True, workers=1, **settings)
    workshop.pairset = small_pairs
    workshop.affordable = lambda name: name in AFFORDED
    return workshop


@pytest.fixture(scope="module")
def workshop(tmp_path_factory) -> Workshop:
    return small_workshop(tmp_path_factory.mktemp("margins"))


@pytest.fixture(scope="module")
def compared(workshop):
    return {one.spec: one for one in comparisons(workshop)}


def test_every_method_but_the_floors_is_compared(tmp_path):
    specs = compared_specs(Workshop(tmp_path, quick=False, workers=1))
    assert specs[:2] == ["bqcd", "bqcd:n_levels=7"]
    assert set(specs) - {"bqcd:n_levels=7"} == set(COMPARED) - set(FLOORS)


def test_accuracies_are_those_of_the_runner_with_and_without_equal_margins(compared):
    for kind, margins in (("equal", "normal"), ("as_is", "as-is")):
        sets = [small_pairs(name) for name in ("AN", "tuebingen")]
        for one in answers(run_benchmark(["reci"], sets, margins=margins)):
            column = paper.WEIGHTED if one.pairset == "tuebingen" else one.pairset
            assert getattr(compared["reci"], kind)[column] == one.mean("accuracy")


def test_the_mean_is_over_the_ten_benchmarks(compared):
    for one in compared.values():
        values = [one.equal[column] for column in COLUMNS if column != MEAN]
        assert len(values) == 10
        assert one.equal[MEAN] == pytest.approx(np.mean(values))
        gap = one.equal[MEAN] - one.as_is[MEAN]
        assert one.difference[MEAN].difference == pytest.approx(gap, abs=1e-12)


def test_differences_are_paired_and_weighted(compared):
    pairset = small_pairs("tuebingen")
    both = [
        next(iter(answers(run_benchmark(["reci"], [pairset], margins=margins))))
        for margins in ("normal", "as-is")
    ]
    expected = paired_bootstrap(
        both[0].truth,
        both[0].confidence[0],
        both[1].confidence[0],
        weight=both[0].weight,
        rng=np.random.default_rng(2020),
    )
    found = compared["reci"].difference[paper.WEIGHTED]
    assert found.difference == pytest.approx(expected.difference, abs=1e-12)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_a_method_of_ranks_is_the_same_with_equal_margins(compared):
    one = compared["bqcd"]
    # Without ties it sees the same ranks either way.
    assert one.equal == one.as_is
    assert all((found.low, found.high) == (0.0, 0.0) for found in one.difference.values())
    assert compared["reci"].equal != compared["reci"].as_is


def test_the_floors_see_the_columns_as_they_come(workshop):
    found = floors(workshop)
    assert list(found) == ["margins", WITHIN, NEARER, "igci-entropy-g", "igci-entropy-u", "coin"]
    (one,) = answers(run_benchmark(["margins"], [small_pairs("LS")]))
    assert found["margins"]["LS"] == one.mean("accuracy")


def told_by_margins(shown: float, n_pairs: int = 60) -> PairSet:
    """Pairs whose cause is Gaussian in a share of them, and whose effect is in the others."""
    items = []
    for number in range(n_pairs):
        rng = np.random.default_rng([number, 1])
        plain, skewed = rng.normal(size=100), rng.exponential(size=100)
        truth = Direction.X_TO_Y if rng.random() < shown else Direction.Y_TO_X
        pair = Pair(plain, skewed, key=f"{number}")
        labelled = LabelledPair(pair, truth, 1.0)
        turned = LabelledPair(pair.swapped(), truth.flipped(), 1.0)
        items.append(labelled if rng.random() < 0.5 else turned)
    return PairSet("made", tuple(items), SOURCE)


def test_what_margins_tell_within_a_set_is_learned_whichever_way_it_points():
    assert learned_within(told_by_margins(1.0)) > 0.95
    assert learned_within(told_by_margins(0.0)) > 0.95
    assert 0.25 < learned_within(told_by_margins(0.5)) < 0.75


def test_the_nearer_to_normal_is_counted_by_weight():
    assert nearer_normal(told_by_margins(1.0)) == 1.0
    assert nearer_normal(told_by_margins(0.0)) == 0.0
    pairset = told_by_margins(0.5)
    heavy = [
        replace(item, weight=9.0 if (item.pair.x.min() < -0.5) == (item.truth.sign > 0) else 1.0)
        for item in pairset
    ]
    share = nearer_normal(pairset)
    by_weight = nearer_normal(replace(pairset, items=tuple(heavy)))
    assert by_weight == pytest.approx(9.0 * share / (9.0 * share + 1.0 - share))


def test_weights_learned_within_a_set_are_those_of_scikit_learn():
    linear_model = pytest.importorskip("sklearn.linear_model")
    rows = np.random.default_rng(0).normal(0.3, 1.0, size=(80, 5))
    both, target = np.vstack((rows, -rows)), np.repeat([1, 0], 80)
    # Each pair comes twice there, so that its penalty counts half.
    model = linear_model.LogisticRegression(C=0.5, fit_intercept=False, tol=1e-10, max_iter=500)
    np.testing.assert_allclose(_learned(rows), model.fit(both, target).coef_[0], atol=1e-5)


@pytest.mark.parametrize("name", FLOORS[:-1])
def test_floors_see_nothing_of_the_relation(name):
    rng = np.random.default_rng(2)
    x = rng.normal(size=120)
    y = np.exp(x) + 0.1 * rng.normal(size=120)
    told = bqcd.decide(x, y, method=name).confidence
    assert told != 0.0
    assert bqcd.decide(x, rng.permutation(y), method=name).confidence == told


def test_the_sheets_say_what_they_show(workshop):
    floor, table = margins_tables(workshop).sheets
    assert [row[0] for row in floor.rows] == list(floors(workshop))
    assert floor.rows[1][-2:] == (None, None)
    assert table.title.endswith(", equal margins (normal scores)")
    kinds = [row[1] for row in table.rows]
    assert kinds == ["equal", "as is", "+/-"] * 4
    means = [row[-1] for row in table.rows if row[1] == "equal"]
    assert means == sorted(means, reverse=True)
    assert any("margins=normal" in note for note in table.notes)
    assert any("fixed orders of the ties" in note for note in table.notes)


def test_uniform_margins_are_kept_apart_from_normal_ones(workshop, compared, tmp_path):
    other = small_workshop(tmp_path, margins="uniform")
    title = margins_tables(other).sheets[1].title
    assert title.endswith(", equal margins (ranks)")
    assert {path.name for path in tmp_path.iterdir()} == {"main", "main-uniform"}


def test_the_target_is_there_and_its_margins_are_checked(tmp_path):
    assert TARGETS["margins"].place == "not there"
    with pytest.raises(InvalidSettingError, match="equal of reproduce"):
        reproduce(["margins"], tmp_path / "out", equal="as-is")
