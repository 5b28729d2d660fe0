"""The panel, learned from what make.py wrote, judged on families left out, and shipped.

    python benchmarks/panel/train.py judge
    python benchmarks/panel/train.py ship
    python benchmarks/panel/train.py further
    python benchmarks/panel/train.py judge --depth deep

``judge`` writes benchmarks/results/panel.json and panel.md, ``further`` adds learning curves and
what each part is worth; ``ship`` writes the file of weights of the package. All always give the
same from the same chunks. The deep panel has files of its own, panel_deep.json and so on, and a
paragraph of docs/panel.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent))

from answers import PRIOR_ODDS, judged_answers, kind_models
from learning import (
    Examples,
    Recipe,
    best_factor,
    equal_families,
    folds,
    judged,
    left_out,
    odd_model,
    on_normal_scores,
    read_examples,
)
from make import FOLDER
from sheets import deep_words, panel_page, with_words
from shipping import head_arrays, weights_path, write_heads

from bqcd.methods.models.panel_model import squashed
from bqcd.methods.panel import Depth
from bqcd.methods.panel_voices import MARGIN, NAMES, SLOW_ROWS, TIES, Names

Vector = NDArray[np.float64]

RESULTS = Path(__file__).resolve().parents[1] / "results"
PAGE = RESULTS.parents[1] / "docs" / "panel.md"


def heads_of(names: Names) -> dict[str, tuple[str, ...]]:
    """Voices that each head hears."""
    return {
        "panel": (*names.relation, *names.scales, *TIES),
        "relation": (*names.relation, *TIES),
        "scales": (*names.scales, *TIES),
    }


RECIPE = Recipe()
RECIPES: dict[Depth, Recipe] = {"quick": RECIPE, "deep": replace(RECIPE, reading=1.0)}
"""Of the deep panel, the reading of the evidence is what PRIOR.md says (version 10)."""

_FLOOR = replace(RECIPE, trees=60, heeded=False, ballot=0.0)
# Groups of families left out together; fewer where models are only compared with each other.
GROUPS, FEW_GROUPS = 6, 3
CURVE = (1000, 3000, 10_000, 30_000)


Learn = Callable[[Examples, Vector | None], Callable[[Examples], Vector]]


def learned(
    names: Sequence[str], recipe: Recipe, examples: Examples, weight: Vector | None
) -> Callable[[Examples], Vector]:
    """Log-odds of a model that has learned from some examples."""
    return odd_model(examples, names, recipe, weight).direction


def margin_odds(examples: Examples) -> Vector:
    """What the margins say of each pair, by models that have not seen its family."""
    groups = folds(examples.families, GROUPS)
    return left_out(examples, partial(learned, MARGIN, _FLOOR), groups)


def neutral_weights(examples: Examples, margins: Vector) -> Vector:
    """Weights that let families count the same, and margins tell nothing.

    A pair whose direction the margins give away counts as much less as they do: 1 - p, where p is
    what they give the true direction.
    """
    weight = 1.0 / (1.0 + np.exp(margins))
    for family in set(examples.families.tolist()):
        rows = examples.families == family
        weight[rows] /= weight[rows].mean()
    return weight * equal_families(examples)


def majority(examples: Examples, names: Sequence[str]) -> Vector:
    """Share of voices for x -> y less that against it, as log-odds of no great size."""
    voices = examples.voices[:, examples.columns(names)]
    return 2.0 * np.sign(voices).mean(axis=1)


def shrinkage(
    examples: Examples, log_odds: Vector, weight: Vector
) -> tuple[float, dict[str, float]]:
    """Factor of log-odds that is honest for half of the families, and that of each.

    A real table is a family that was not learned from, and nobody knows which.
    """
    factors = {
        family: best_factor(log_odds[rows], weight[rows])
        for family in sorted(set(examples.families.tolist()))
        if (rows := examples.families == family).any()
    }
    overall = best_factor(log_odds, weight)
    return min(overall, float(np.quantile(list(factors.values()), 0.5))), factors


def silenced(examples: Examples, names: Sequence[str]) -> Examples:
    """The same pairs with some voices mute."""
    voices = examples.voices.copy()
    voices[:, examples.columns(names)] = 0.0
    return Examples(examples.names, voices, examples.levels, examples.families, examples.kinds)


class Bench:
    """Examples with a direction, what they weigh, and lines about models."""

    def __init__(self, examples: Examples, depth: Depth) -> None:
        self.names, self.recipe = NAMES[depth], RECIPES[depth]
        self.heads = heads_of(self.names)
        self.examples = examples.of(examples.kinds == 0)
        self.margins = margin_odds(self.examples)
        self.plain = equal_families(self.examples)
        self.neutral = neutral_weights(self.examples, self.margins)
        self.groups = folds(self.examples.families, GROUPS)
        self.few_groups = folds(self.examples.families, FEW_GROUPS)
        self.lines: dict[str, dict[str, dict[str, float]]] = {}

    def line(self, name: str, log_odds: Vector) -> None:
        """Judge log-odds with pairs as drawn, and with margins that tell nothing."""
        found = {
            "as drawn": judged(log_odds, self.plain),
            "equal margins": judged(log_odds, self.neutral),
        }
        self.lines[name] = {where: asdict(value) for where, value in found.items()}
        print(f"{name:<34} {found['as drawn']}   |   {found['equal margins']}", flush=True)

    def odds(
        self, names: Sequence[str], recipe: Recipe | None = None, *, few: bool = False
    ) -> Vector:
        """Log-odds by models that have not seen the family, in groups of families."""
        groups, learn = self.few_groups if few else self.groups, self._learn(names, recipe)
        return left_out(self.examples, learn, groups, self.plain)

    def _learn(self, names: Sequence[str], recipe: Recipe | None = None) -> Learn:
        return partial(learned, names, recipe or self.recipe)

    def parts(self) -> dict[str, Vector]:
        """Log-odds of each head, groups of families left out."""
        found = {"margins": self.margins}
        self.line("majority of methods", majority(self.examples, self.names.methods))
        self.line("margins alone", self.margins)
        for name in ("relation", "scales"):
            found[name] = self.odds(self.heads[name])
            self.line(name, found[name])
        found["panel"], scores = self.panel(self.heads["panel"], self.recipe)
        self.line("panel", found["panel"])
        self.line("panel, both columns as normal scores", scores)
        return found

    def panel(self, names: Sequence[str], recipe: Recipe) -> tuple[Vector, Vector]:
        """Log-odds of pairs as they come, and as normal scores, by the same models."""
        plain, scores = np.zeros((2, len(self.plain)))
        for rows in self.groups:
            model = odd_model(self.examples.of(~rows), names, recipe, self.plain[~rows])
            unseen = self.examples.of(rows)
            plain[rows] = model.direction(unseen)
            scores[rows] = model.direction(on_normal_scores(unseen))
        return plain, scores

    def ablations(self) -> None:
        """What the panel is without some of its parts, and with the margins."""
        names, recipe = self.names, self.recipe
        untied, whole = (*names.relation, *names.scales), self.heads["panel"]
        parts: dict[str, tuple[Sequence[str], Recipe]] = {
            "panel, three groups left out": (whole, recipe),
            "methods only": ((*names.methods, *TIES), recipe),
            "panel without a vote": (whole, replace(recipe, ballot=0.0)),
            "panel without ties": (untied, recipe),
            "panel that need not heed": (whole, replace(recipe, heeded=False)),
            "panel and margins": ((*untied, *MARGIN), recipe),
        }
        if recipe.reading:
            parts["panel without a reading"] = (whole, replace(recipe, reading=0.0))
        for name, (voices, recipe) in parts.items():
            self.line(name, self.odds(voices, recipe, few=True))

    def curve(self) -> None:
        """Learning from the first so many pairs."""
        total = len(self.examples.families)
        for count in CURVE:
            if count > total:
                break
            learn = partial(_from_first, count, self._learn(self.heads["panel"]))
            found = left_out(self.examples, learn, self.few_groups, self.plain)
            self.line(f"panel from {count:,} pairs", found)

    def silences(self) -> None:
        """What is lost where a method is mute, of a panel that has learned with it."""
        voices = voices_of_methods(self.names)
        found = {name: np.zeros(len(self.plain)) for name in ("", *voices)}
        for rows in self.few_groups:
            known, weight = self.examples.of(~rows), self.plain[~rows]
            model = odd_model(known, self.heads["panel"], self.recipe, weight)
            unseen = self.examples.of(rows)
            found[""][rows] = model.direction(unseen)
            for name, forms in voices.items():
                found[name][rows] = model.direction(silenced(unseen, forms))
        for name, log_odds in found.items():
            self.line(f"panel without {name}" if name else "panel, all voices", log_odds)


def _from_first(
    count: int, learn: Learn, examples: Examples, weight: Vector | None
) -> Callable[[Examples], Vector]:
    first = np.arange(len(examples.families)) < count
    return learn(examples.of(first), None if weight is None else weight[first])


def voices_of_methods(names: Names) -> dict[str, tuple[str, ...]]:
    """Voices by the method that they belong to."""
    every = (*names.relation, *names.scales)
    found = {
        name: tuple(one for one in every if one in (*_forms(name), *_forms(f"{name} effect")))
        for name in names.as_they_come
    }
    found["bqcd"] = tuple(one for one in every if one.startswith("bqcd "))
    spoken = {*names.methods, *(one for forms in found.values() for one in forms)}
    return found | {"quick numbers": tuple(one for one in every if one not in spoken)}


def _forms(name: str) -> tuple[str, str]:
    return name, f"ranks {name}"


def judge(examples: Examples, depth: Depth) -> None:
    """Judge on families left out and write down what came out."""
    bench = Bench(examples, depth)
    print(f"{len(bench.examples.families)} pairs with a direction, {len(examples.families)} in all")
    if depth == "deep":
        _judge_quick(bench)
    parts = bench.parts()
    factor, factors = shrinkage(bench.examples, parts["panel"], bench.plain)
    bench.line("panel, shrunk", factor * parts["panel"])
    stored = {
        "pairs": len(examples.families),
        "with_direction": len(bench.examples.families),
        "shrinkage": factor,
        "shrinkages": {
            "panel": factor,
            **{
                name: min(1.0, best_factor(parts[name], bench.plain))
                for name in ("relation", "scales")
            },
        },
        "best_factor_by_family": factors,
        "by_family": by_family(bench, factor * parts["panel"]),
    }
    if depth == "quick":
        stored["answers"] = judged_answers(examples, bench.heads["panel"])
    write_results(stored | {"lines": bench.lines}, depth)


def _judge_quick(bench: Bench) -> None:
    """The quick panel learned from the same pairs, and the slow voice by itself."""
    plain, scores = bench.panel(heads_of(NAMES["quick"])["panel"], RECIPES["quick"])
    bench.line(QUICK, plain)
    factor, _ = shrinkage(bench.examples, plain, bench.plain)
    bench.line(f"{QUICK}, shrunk", factor * plain)
    bench.line(f"{QUICK}, both columns as normal scores", scores)
    names = ("gplvm",)
    for told, seen in (("", bench.examples), (SCORES, on_normal_scores(bench.examples))):
        loud = squashed(seen.voices[:, seen.columns(names)], seen.units(names))[:, 0]
        bench.line(f"gplvm by itself{told}", best_factor(loud, bench.plain) * loud)


QUICK, SCORES = "quick panel", ", both columns as normal scores"


def further(examples: Examples, depth: Depth) -> None:
    """Add learning curves, what each voice is worth, and one family left out at a time."""
    bench = Bench(examples, depth)
    stored = json.loads(results_path(depth, "json").read_text(encoding="utf-8"))
    bench.lines = stored["lines"]
    for more in (bench.curve, bench.ablations, bench.silences):
        more()
        write_results(stored, depth)
    groups = folds(bench.examples.families)
    learn = partial(learned, bench.heads["panel"], bench.recipe)
    log_odds = stored["shrinkage"] * left_out(bench.examples, learn, groups, bench.plain)
    bench.line("panel, one family left out, shrunk", log_odds)
    write_results(stored | {"by_family": by_family(bench, log_odds)}, depth)


def by_family(bench: Bench, log_odds: Vector) -> dict[str, dict[str, float]]:
    """How good log-odds are in each family."""
    return {
        family: asdict(judged(log_odds[rows], bench.plain[rows]))
        for family in sorted(set(bench.examples.families.tolist()))
        if (rows := bench.examples.families == family).any()
    }


def results_path(depth: Depth, suffix: str) -> Path:
    """Where results of a panel are."""
    return RESULTS / f"{'panel' if depth == 'quick' else 'panel_deep'}.{suffix}"


def write_results(stored: dict[str, object], depth: Depth) -> None:
    """Numbers and tables, as far as they go, and the paragraph about the deep panel."""
    text = json.dumps(stored, indent=1) + "\n"
    results_path(depth, "json").write_text(text, encoding="utf-8")
    results_path(depth, "md").write_text(panel_page(stored, depth, SLOW_ROWS), encoding="utf-8")
    if depth == "deep":
        page = with_words(PAGE.read_text(encoding="utf-8"), deep_words(stored))
        PAGE.write_text(page, encoding="utf-8")


def ship(examples: Examples, depth: Depth) -> None:
    """Learn from all pairs and write the file of weights."""
    bench = Bench(examples, depth)
    stored = json.loads(results_path(depth, "json").read_text(encoding="utf-8"))
    heads = {}
    for name, voices in bench.heads.items():
        model = odd_model(bench.examples, voices, bench.recipe, bench.plain)
        heads[name] = head_arrays(model, stored["shrinkages"][name])
    # Whether columns are linked, and directly, is asked of the quick panel at any depth.
    kinds = kind_models(examples, bench.heads["panel"]) if depth == "quick" else {}
    for name, model in kinds.items():
        heads[name] = head_arrays(model, stored["answers"][name]["shrinkage"], PRIOR_ODDS[name])
    print(f"{write_heads(heads, weights_path(depth)):,} bytes")


def main() -> None:
    """Judge or ship."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("judge", "further", "ship"))
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--depth", choices=get_args(Depth), default="quick")
    options = parser.parse_args()
    examples = read_examples(options.folder, options.depth)
    {"judge": judge, "further": further, "ship": ship}[options.what](examples, options.depth)


if __name__ == "__main__":
    main()
