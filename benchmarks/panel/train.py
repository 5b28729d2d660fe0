"""The panel, learned from what make.py wrote, judged on families left out, and shipped.

    python benchmarks/panel/train.py judge
    python benchmarks/panel/train.py ship
    python benchmarks/panel/train.py further

``judge`` writes benchmarks/results/panel.json and panel.md, ``further`` adds learning curves and
what each part is worth; ``ship`` writes the file of weights of the package. All always give the
same from the same chunks.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

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
from shipping import head_arrays, write_heads

from bqcd.methods.panel_voices import (
    AS_THEY_COME,
    MARGIN,
    ON_RANKS,
    RELATION,
    SCALES,
    TIES,
)

Vector = NDArray[np.float64]

RESULTS = Path(__file__).resolve().parents[1] / "results"
PANEL = (*RELATION, *SCALES, *TIES)
HEADS = {
    "panel": PANEL,
    "relation": (*RELATION, *TIES),
    "scales": (*SCALES, *TIES),
}
RECIPE = Recipe()
_FLOOR = replace(RECIPE, trees=60, heeded=False, ballot=0.0)
# Groups of families left out together; fewer where models are only compared with each other.
GROUPS, FEW_GROUPS = 6, 3
CURVE = (1000, 3000, 10_000, 30_000)


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

    def __init__(self, examples: Examples) -> None:
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

    def odds(self, names: Sequence[str], recipe: Recipe = RECIPE, *, few: bool = False) -> Vector:
        """Log-odds by models that have not seen the family, in groups of families."""
        groups = self.few_groups if few else self.groups
        return left_out(self.examples, partial(learned, names, recipe), groups, self.plain)

    def parts(self) -> dict[str, Vector]:
        """Log-odds of each head, groups of families left out."""
        found = {"margins": self.margins}
        self.line("majority of methods", majority(self.examples, (*ON_RANKS, *AS_THEY_COME)))
        self.line("margins alone", self.margins)
        for name in ("relation", "scales"):
            found[name] = self.odds(HEADS[name])
            self.line(name, found[name])
        found["panel"], scores = self._panel()
        self.line("panel", found["panel"])
        self.line("panel, both columns as normal scores", scores)
        return found

    def _panel(self) -> tuple[Vector, Vector]:
        """Log-odds of pairs as they come, and as normal scores, by the same models."""
        plain, scores = np.zeros((2, len(self.plain)))
        for rows in self.groups:
            model = odd_model(self.examples.of(~rows), PANEL, RECIPE, self.plain[~rows])
            unseen = self.examples.of(rows)
            plain[rows] = model.direction(unseen)
            scores[rows] = model.direction(on_normal_scores(unseen))
        return plain, scores

    def ablations(self) -> None:
        """What the panel is without some of its parts, and with the margins."""
        parts: dict[str, tuple[Sequence[str], Recipe]] = {
            "panel, three groups left out": (PANEL, RECIPE),
            "methods only": ((*ON_RANKS, *AS_THEY_COME, *TIES), RECIPE),
            "panel without a vote": (PANEL, replace(RECIPE, ballot=0.0)),
            "panel without ties": ((*RELATION, *SCALES), RECIPE),
            "panel that need not heed": (PANEL, replace(RECIPE, heeded=False)),
            "panel and margins": ((*RELATION, *SCALES, *MARGIN), RECIPE),
        }
        for name, (voices, recipe) in parts.items():
            self.line(name, self.odds(voices, recipe, few=True))

    def curve(self) -> None:
        """Learning from the first so many pairs."""
        total = len(self.examples.families)
        for count in CURVE:
            if count > total:
                break
            learn = partial(_from_first, count)
            found = left_out(self.examples, learn, self.few_groups, self.plain)
            self.line(f"panel from {count:,} pairs", found)

    def silences(self) -> None:
        """What is lost where a method is mute, of a panel that has learned with it."""
        found = {name: np.zeros(len(self.plain)) for name in ("", *_METHODS)}
        for rows in self.few_groups:
            model = odd_model(self.examples.of(~rows), PANEL, RECIPE, self.plain[~rows])
            unseen = self.examples.of(rows)
            found[""][rows] = model.direction(unseen)
            for name, forms in _METHODS.items():
                found[name][rows] = model.direction(silenced(unseen, forms))
        for name, log_odds in found.items():
            self.line(f"panel without {name}" if name else "panel, all voices", log_odds)


def _from_first(
    count: int, examples: Examples, weight: Vector | None
) -> Callable[[Examples], Vector]:
    first = np.arange(len(examples.families)) < count
    known = None if weight is None else weight[first]
    return learned(PANEL, RECIPE, examples.of(first), known)


_METHODS = {
    **{name: (name, f"ranks {name}") for name in AS_THEY_COME if name != "igci-u"},
    "bqcd": ("bqcd 1", "bqcd 3", "bqcd 7"),
    "igci-u": ("igci-u",),
    "quick numbers": tuple(name for name in PANEL if name not in (*ON_RANKS, *AS_THEY_COME, *TIES)),
}


def judge(examples: Examples) -> None:
    """Judge on families left out and write down what came out."""
    bench = Bench(examples)
    print(f"{len(bench.examples.families)} pairs with a direction, {len(examples.families)} in all")
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
        "answers": judged_answers(examples, PANEL),
        "by_family": by_family(bench, factor * parts["panel"]),
    }
    write_results(stored | {"lines": bench.lines})


def further(examples: Examples) -> None:
    """Add learning curves, what each voice is worth, and one family left out at a time."""
    bench = Bench(examples)
    stored = json.loads(RESULTS.joinpath("panel.json").read_text(encoding="utf-8"))
    bench.lines = stored["lines"]
    for more in (bench.curve, bench.ablations, bench.silences):
        more()
        write_results(stored)
    groups = folds(bench.examples.families)
    learn = partial(learned, PANEL, RECIPE)
    log_odds = stored["shrinkage"] * left_out(bench.examples, learn, groups, bench.plain)
    bench.line("panel, one family left out, shrunk", log_odds)
    write_results(stored | {"by_family": by_family(bench, log_odds)})


def by_family(bench: Bench, log_odds: Vector) -> dict[str, dict[str, float]]:
    """How good log-odds are in each family."""
    return {
        family: asdict(judged(log_odds[rows], bench.plain[rows]))
        for family in sorted(set(bench.examples.families.tolist()))
        if (rows := bench.examples.families == family).any()
    }


def write_results(stored: dict[str, object]) -> None:
    """Numbers and tables, as far as they go."""
    text = json.dumps(stored, indent=1) + "\n"
    RESULTS.joinpath("panel.json").write_text(text, encoding="utf-8")
    RESULTS.joinpath("panel.md").write_text(page(stored), encoding="utf-8")


def page(stored: dict[str, object]) -> str:
    """The same as tables."""
    from sheets import panel_page

    return panel_page(stored)


def ship(examples: Examples) -> None:
    """Learn from all pairs and write the file of weights."""
    bench = Bench(examples)
    stored = json.loads(RESULTS.joinpath("panel.json").read_text(encoding="utf-8"))
    heads = {}
    for name, voices in HEADS.items():
        model = odd_model(bench.examples, voices, RECIPE, bench.plain)
        heads[name] = head_arrays(model, stored["shrinkages"][name])
    for name, model in kind_models(examples, PANEL).items():
        heads[name] = head_arrays(model, stored["answers"][name]["shrinkage"], PRIOR_ODDS[name])
    print(f"{write_heads(heads):,} bytes")


def main() -> None:
    """Judge or ship."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("judge", "further", "ship"))
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args()
    examples = read_examples(options.folder)
    {"judge": judge, "further": further, "ship": ship}[options.what](examples)


if __name__ == "__main__":
    main()
