"""Linked or not, directly or by a common cause: trees on what has no direction.

It is not identifiable in general: what the trees learn is what distinguishes the families of
the prior, and they are judged on families left out of the learning.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from learning import Examples, Model, Recipe, best_factor, folds, kind_model
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from bqcd.methods.panel import PRIOR_ODDS

Vector = NDArray[np.float64]

RECIPE = Recipe(trees=100)
GROUPS = 4


def judged_answers(examples: Examples, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Area under the curve, calibration and shrinkage of both, on families left out."""
    found = {}
    for name in PRIOR_ODDS:
        rows, target = _cases(examples, name)
        seen = examples.of(rows)
        log_odds = _left_out(seen, target, names)
        weight = _balanced(seen, target)
        side = np.where(target, 1.0, -1.0)
        factor = min(1.0, best_factor(side * log_odds, weight))
        chance = 1.0 / (1.0 + np.exp(-factor * log_odds))
        found[name] = {
            "pairs": len(target),
            "auc": float(roc_auc_score(target, log_odds, sample_weight=weight)),
            "ece": _calibration_error(chance, target, weight),
            "shrinkage": factor,
            **{
                f"mean at {family}": float(chance[seen.families == family].mean())
                for family in sorted(set(seen.families.tolist()))
            },
        }
        print(name, {key: round(value, 3) for key, value in found[name].items()}, flush=True)
    return found


def kind_models(examples: Examples, names: Sequence[str]) -> dict[str, Model]:
    """Models of both, learned from all pairs."""
    models = {}
    for name in PRIOR_ODDS:
        rows, target = _cases(examples, name)
        seen = examples.of(rows)
        models[name] = kind_model(seen, names, RECIPE, target, _balanced(seen, target))
    return models


def _cases(examples: Examples, name: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Rows that are asked, and which of them are so."""
    if name == "linked":
        return np.full(len(examples.kinds), True), examples.kinds < 2
    linked = examples.kinds < 2
    return linked, examples.kinds[linked] == 0


def _balanced(examples: Examples, target: NDArray[np.bool_]) -> Vector:
    """Weights that let both sides count the same, and families within a side."""
    weight = np.zeros(len(target))
    for side in (True, False):
        families = sorted(set(examples.families[target == side].tolist()))
        for family in families:
            rows = examples.families == family
            weight[rows] = 1.0 / (len(families) * rows.sum())
    return weight / weight.mean()


def _left_out(examples: Examples, target: NDArray[np.bool_], names: Sequence[str]) -> Vector:
    """Log-odds by models that have not seen the family, some of both sides left out at a time."""
    found = np.zeros(len(target))
    sides = [folds(np.where(target == side, examples.families, ""), GROUPS) for side in (1, 0)]
    for on_one, on_other in zip(*sides, strict=True):
        rows = (on_one & target) | (on_other & ~target)
        if not rows.any() or len(set(target[~rows].tolist())) < 2:
            continue
        seen = examples.of(~rows)
        weight = _balanced(seen, target[~rows])
        model = kind_model(seen, names, RECIPE, target[~rows], weight)
        found[rows] = model.kind(examples.of(rows))
    return found


def _calibration_error(chance: Vector, target: NDArray[np.bool_], weight: Vector) -> float:
    bins = np.minimum((10.0 * chance).astype(int), 9)
    gaps = [abs(float((weight * (chance - target))[bins == at].sum())) for at in range(10)]
    return float(sum(gaps) / weight.sum())
