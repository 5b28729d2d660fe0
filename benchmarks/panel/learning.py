"""Examples, trees made odd, and how they are judged on families left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from make import chunk_paths
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier

from bqcd.methods.models.panel_model import context_of, squashed
from bqcd.methods.panel_voices import AS_THEY_COME, ON_RANKS, SCALES

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Rows = NDArray[np.bool_]

METHODS = (*ON_RANKS, *AS_THEY_COME)
"""Voices that are methods: they have a direction of their own, and a vote."""


@dataclass(frozen=True)
class Examples:
    """Voices and levels of simulated pairs, a row each, with x the cause where there is one.

    Parameters
    ----------
    names : tuple of str
        Names of the voices and levels.
    voices, levels : ndarray of shape (pairs, names)
        As :func:`bqcd.methods.panel_voices.heard` tells them.
    families : ndarray of str
        Family of each pair.
    kinds : ndarray of int
        0 if x causes y, 1 for a common cause alone, 2 for no link.
    """

    names: tuple[str, ...]
    voices: Matrix
    levels: Matrix
    families: NDArray[np.str_]
    kinds: NDArray[np.int64]

    def of(self, rows: Rows) -> Examples:
        """Some of the pairs."""
        parts = (self.voices[rows], self.levels[rows], self.families[rows], self.kinds[rows])
        return Examples(self.names, *parts)

    def columns(self, names: Sequence[str]) -> list[int]:
        """Places of some voices."""
        return [self.names.index(name) for name in names]

    def units(self, names: Sequence[str]) -> Vector:
        """Median size of each voice where it speaks."""
        return _median_sizes(self.voices[:, self.columns(names)])

    def level_units(self, names: Sequence[str]) -> Vector:
        """Median size of each level where there is one."""
        return _median_sizes(self.levels[:, self.columns(names)])

    def context(self) -> Matrix:
        """What surrounds the voices."""
        by_name = {name: self.levels[:, at] for at, name in enumerate(self.names)}
        return context_of(by_name)


def _median_sizes(table: Matrix) -> Vector:
    sizes = np.abs(table)
    found = [np.median(size[size > 0.0]) if (size > 0.0).any() else 1.0 for size in sizes.T]
    return np.array(found)


def read_examples(folder: Path) -> Examples:
    """Every chunk in a folder."""
    chunks = [np.load(path) for path in chunk_paths(folder, "rounds")]
    names = tuple(str(name) for name in chunks[0]["names"])
    parts = ("voices", "levels", "families", "kinds")
    return Examples(names, *(np.concatenate([chunk[part] for chunk in chunks]) for part in parts))


@dataclass(frozen=True)
class Recipe:
    """How trees are grown; every number was settled by families left out."""

    trees: int = 180
    leaves: int = 12
    rate: float = 0.08
    least: int = 60
    decay: float = 5.0
    # What a unanimous vote of the methods adds to the log-odds: the largest that costs at most a
    # hundredth of the right answers on families left out.
    ballot: float = 1.5
    # Whether a method that speaks louder for a direction can only ever speak for it.
    heeded: bool = True

    def grown(
        self, inputs: Matrix, target: Vector, weight: Vector, rising: Sequence[bool] = ()
    ) -> HistGradientBoostingClassifier:
        """Boosted trees, by scikit-learn, that rise with some of their inputs."""
        rises = [int(one) for one in rising] if any(rising) else None
        model = HistGradientBoostingClassifier(
            max_iter=self.trees,
            max_leaf_nodes=self.leaves,
            learning_rate=self.rate,
            min_samples_leaf=self.least,
            l2_regularization=self.decay,
            monotonic_cst=rises,
            early_stopping=False,
            random_state=0,
        )
        return model.fit(inputs, target, sample_weight=weight / weight.mean())


@dataclass(frozen=True)
class Model:
    """Trees, and what they see."""

    names: tuple[str, ...]
    units: Vector
    level_units: Vector
    trees: HistGradientBoostingClassifier
    ballot: float = 0.0

    @property
    def voters(self) -> list[int]:
        """Places of the methods among the voices."""
        return [at for at, name in enumerate(self.names) if name in METHODS] if self.ballot else []

    def direction(self, examples: Examples) -> Vector:
        """Log-odds of x -> y, not shrunk: they flip with the columns."""
        inputs, turned = (
            direction_inputs(examples, self.names, self.units, side) for side in (1.0, -1.0)
        )
        odds = self.trees.decision_function
        learned: Vector = 0.5 * (odds(inputs) - odds(turned))
        if not self.voters:
            return learned
        return learned + self.ballot * np.clip(inputs[:, self.voters], -1.0, 1.0).mean(axis=1)

    def kind(self, examples: Examples) -> Vector:
        """Log-odds of a kind of pair, not shrunk."""
        inputs = kind_inputs(examples, self.names, self.units, self.level_units)
        odds: Vector = self.trees.decision_function(inputs)
        return odds


def direction_inputs(
    examples: Examples, names: Sequence[str], units: Vector, side: float
) -> Matrix:
    """Voices of the pairs, or of their mirror images, and the context."""
    voices = squashed(examples.voices[:, examples.columns(names)], units)
    return np.hstack((side * voices, examples.context()))


def kind_inputs(
    examples: Examples, names: Sequence[str], units: Vector, level_units: Vector
) -> Matrix:
    """What is the same for both orders of the columns."""
    columns = examples.columns(names)
    sizes = np.abs(squashed(examples.voices[:, columns], units))
    levels = squashed(examples.levels[:, columns], level_units)
    return np.hstack((sizes, examples.context(), levels))


def equal_families(examples: Examples) -> Vector:
    """Weights that let every family count the same."""
    _, which, counts = np.unique(examples.families, return_inverse=True, return_counts=True)
    return len(which) / (len(counts) * counts[which])


def odd_model(
    examples: Examples, names: Sequence[str], recipe: Recipe, weight: Vector | None = None
) -> Model:
    """Trees that learn a direction from every pair and its mirror image.

    Where scales are heard, every pair is seen again as normal scores: tables of ranks and scores
    exist, and the scales tell nothing there.
    """
    units = examples.units(names)
    seen = [examples, on_normal_scores(examples)] if set(names) & set(SCALES) else [examples]
    inputs = np.vstack(
        [direction_inputs(one, names, units, side) for one in seen for side in (1.0, -1.0)]
    )
    target = np.tile(np.repeat([1.0, 0.0], len(examples.families)), len(seen))
    weight = equal_families(examples) if weight is None else weight
    rising = [recipe.heeded and name in METHODS for name in names]
    rising += [False] * (inputs.shape[1] - len(names))
    trees = recipe.grown(inputs, target, np.tile(weight, 2 * len(seen)), rising)
    return Model(tuple(names), units, np.ones_like(units), trees, recipe.ballot)


def on_normal_scores(examples: Examples) -> Examples:
    """The same pairs as if both columns had come as normal scores."""
    scales, ranks = (
        examples.columns(names) for names in (SCALES, [f"ranks {name}" for name in SCALES])
    )
    voices, levels = examples.voices.copy(), examples.levels.copy()
    voices[:, scales], levels[:, scales] = voices[:, ranks], levels[:, ranks]
    return Examples(examples.names, voices, levels, examples.families, examples.kinds)


def kind_model(
    examples: Examples,
    names: Sequence[str],
    recipe: Recipe,
    target: Rows,
    weight: Vector,
) -> Model:
    """Trees that learn a kind of pair."""
    units, level_units = examples.units(names), examples.level_units(names)
    inputs = kind_inputs(examples, names, units, level_units)
    trees = recipe.grown(inputs, target.astype(float), weight)
    return Model(tuple(names), units, level_units, trees)


def folds(families: NDArray[np.str_], count: int = 0) -> list[Rows]:
    """Rows of the families left out together: one family each, or so many groups of them."""
    known = sorted(set(families.tolist()))
    if not count:
        return [families == family for family in known]
    order = np.random.default_rng(0).permutation(len(known))
    groups = [[known[at] for at in order[start::count]] for start in range(count)]
    return [np.isin(families, group) for group in groups]


def left_out(
    examples: Examples,
    learn: Callable[[Examples, Vector | None], Callable[[Examples], Vector]],
    groups: Iterable[Rows],
    weight: Vector | None = None,
) -> Vector:
    """Log-odds of every pair by a model that has not seen its family."""
    found = np.zeros(len(examples.families))
    for rows in groups:
        known = None if weight is None else weight[~rows]
        found[rows] = learn(examples.of(~rows), known)(examples.of(rows))
    return found


@dataclass(frozen=True)
class Judged:
    """How good log-odds of the true direction are, every family counting the same."""

    right: float
    surer_half: float
    claimed: float
    error: float
    loss: float

    def __str__(self) -> str:
        return (
            f"right {self.right:.3f}  surer half {self.surer_half:.3f}  "
            f"claimed {self.claimed:.3f}  ECE {self.error:.3f}  loss {self.loss:.4f}"
        )


def judged(log_odds: Vector, weight: Vector, *, bins: int = 10) -> Judged:
    """Shares right in all and in the surer half, and calibration."""
    right = (log_odds > 0.0) + 0.5 * (log_odds == 0.0)
    claimed = 1.0 / (1.0 + np.exp(-np.abs(log_odds)))
    order = np.argsort(-claimed, kind="stable")
    surer = order[np.cumsum(weight[order]) <= 0.5 * weight.sum()]
    bin_of = np.minimum((2.0 * bins * (claimed - 0.5)).astype(int), bins - 1)
    gaps = [abs(float((weight * (claimed - right))[bin_of == at].sum())) for at in range(bins)]
    return Judged(
        float(np.average(right, weights=weight)),
        float(np.average(right[surer], weights=weight[surer])),
        float(np.average(claimed, weights=weight)),
        float(sum(gaps) / weight.sum()),
        float(np.average(np.logaddexp(0.0, -log_odds), weights=weight)),
    )


def best_factor(log_odds: Vector, weight: Vector) -> float:
    """Factor from 0 to 1.2 with which log-odds of the truth lose least."""
    factors = np.linspace(0.0, 1.2, 121)
    losses = [float(weight @ np.logaddexp(0.0, -factor * log_odds)) for factor in factors]
    return float(factors[int(np.argmin(losses))])
