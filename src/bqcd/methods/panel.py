"""A panel of methods, and what it has learned of whom to believe.

Many methods judge the pair, on its ranks and as it comes. How far each is to be believed was
learned from simulated pairs whose direction is known, of families that no benchmark holds. The
answer is a probability, and the voices are shown apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import copysign, exp, fsum, log
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, get_args

from numpy.random import Generator

from bqcd.data.pair import Pair
from bqcd.methods.answers import Answer
from bqcd.methods.cards import MethodCard
from bqcd.methods.draws import check_draws
from bqcd.methods.verdict import Verdict
from bqcd.runtime.settings import check_choice
from bqcd.statistics.subsampling import subsamples

if TYPE_CHECKING:
    from bqcd.methods.models.panel_scores import Sounds
    from bqcd.runtime.arrays import Vector

Sees = Literal["relation", "scales"]
Depth = Literal["quick", "deep"]
Columns = tuple["Vector", "Vector"]


@dataclass(frozen=True, kw_only=True)
class Panel:
    """Learned panel of methods: a calibrated probability of either direction.

    Parameters
    ----------
    max_rows : int, default=2000
        Longer pairs are judged on that many rows drawn at random; 0 takes all rows. Methods
        that take long are given 1,000 of them.
    draws : int, default=1
        Times rows are drawn, the voices of which are averaged.
    depth : {"deep", "quick"}, default="deep"
        Whether GPLVM is heard too, on 300 of the rows; without it, half of the time is saved.

    Notes
    -----
    The confidence is 2 p - 1, where p is the probability of x -> y. It is taken towards 0 where the
    columns are hardly linked, and where they look as columns with a common cause alone do.

    Methods speak twice, on normal scores, which know the relation only, and on the columns as they
    come. Boosted trees weigh the voices; they rise with the voice of every method, which can speak
    for its direction only. Exchanging the columns changes the sign of every voice, and the trees
    are made odd by construction. A plain vote is added to what they say. They have learned from
    simulated pairs only, and their log-odds are shrunk as far as families left out of the learning
    demand.

    To the log-odds of this quick panel the deep one adds what evidence, with function and hidden
    noise averaged out, says of the columns beyond what it says of their ranks, and changes
    nothing else: what the relation and the scales say is the quick voices'.

    What the margins alone would say is told and not used.

    The four answers split the probability between x -> y, y -> x, a common cause alone, and no
    link. Two columns cannot in general tell a common cause from a link: the shares are what
    simulated pairs, half of them linked directly, suggest, and no more.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-2.0, 2.0, 400)
    >>> y = np.tanh(2.0 * x) + 0.3 * rng.normal(size=400)
    >>> verdict = Panel().decide(Pair(x, y, "dose", "response"), rng)
    >>> verdict.cause, verdict.confidence > 0.2
    ('dose', True)
    >>> list(verdict.evidence.answers)
    ['x_to_y', 'y_to_x', 'common_cause', 'no_link']
    """

    max_rows: int = 2000
    draws: int = 1
    depth: Depth = "deep"

    def __post_init__(self) -> None:
        """Check the settings."""
        check_draws("Panel", self.max_rows, self.draws)
        check_choice("Panel", "depth", self.depth, get_args(Depth))

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Hear the voices and weigh them."""
        evidence = self.evidence(pair, rng)
        return Verdict(evidence.confidence, pair, evidence)

    def evidence(self, pair: Pair, rng: Generator) -> PanelEvidence:
        """The voices and probabilities behind :meth:`decide`; none if no draw varies."""
        drawn = subsamples(pair.x, pair.y, max_rows=self.max_rows, draws=self.draws, rng=rng)
        if not drawn:
            return PanelEvidence(
                dict.fromkeys((*DIRECTIONS, "margins"), 0.0), dict.fromkeys(KINDS, 0.0), (), 0, 0
            )
        from bqcd.methods.models.panel_model import shipped_heads
        from bqcd.methods.panel_voices import heard, mean_sounds

        sounds = mean_sounds([heard(Pair(x, y)) for x, y in drawn])
        heads = shipped_heads()
        odds = {name: heads[name].direction(sounds) for name in DIRECTIONS}
        odds["margins"] = fsum(_margins_odds(x, y) for x, y in drawn) / len(drawn)
        kinds = {name: heads[name].kind(sounds) for name in KINDS}
        slow: tuple[Voice, ...] = ()
        if self.depth == "deep":
            deep, slow = _deepened(odds["panel"], drawn)
            odds |= {"panel": deep, "quick": odds["panel"]}
        return PanelEvidence(odds, kinds, _voices(sounds), len(drawn[0][0]), len(drawn), slow)


DIRECTIONS = ("panel", "relation", "scales")
PRIOR_ODDS = {"linked": log(3.0), "direct": log(2.0)}
"""Log-odds before anything is seen: three of four pairs are linked, two of three links direct."""

KINDS = tuple(PRIOR_ODDS)

REAL_PAIRS: Mapping[Depth, Mapping[Answer, tuple[int, int]]] = MappingProxyType(
    {
        "quick": {"clear": (30, 27), "leaning": (15, 12), "cannot tell": (25, 13)},
        "deep": {"clear": (34, 31), "leaning": (12, 9), "cannot tell": (24, 13)},
    }
)
"""Of 70 real pairs of known direction: how many had which answer, and how many of them are right.

They were chosen before any method saw them; ``benchmarks/results/real_pairs.json`` has them all.
"""


@dataclass(frozen=True, slots=True)
class Voice:
    """What one method of the panel says.

    Parameters
    ----------
    name : str
        Name of the method.
    sees : {"relation", "scales"}
        Whether it saw ranks only, or the columns as they come.
    sign : int
        1 for x -> y, -1 for y -> x, 0 if it abstains.
    strength : float
        From 0 to 1; 0.5 is what is typical of it on simulated pairs.
    """

    name: str
    sees: Sees
    sign: int
    strength: float


@dataclass(frozen=True, slots=True)
class PanelEvidence:
    """What the panel heard and made of it.

    Parameters
    ----------
    log_odds : mapping of str to float
        Log-odds of x -> y by what was seen: all voices ("panel"), those on ranks
        ("relation"), those on the columns as they come ("scales"), and the margins alone
        ("margins"), which the panel does not use. Unless it is quick, also what it would say
        without the slow voices ("quick").
    kinds : mapping of str to float
        Log-odds that the columns are linked at all ("linked"), and that a link is direct
        rather than a common cause ("direct").
    voices : tuple of Voice
        What each method says.
    n_rows : int
        Rows that were judged.
    draws : int
        Times they were drawn; 0 if no draw varies.
    slow : tuple of Voice
        What GPLVM says of the columns and of their ranks; it is not among ``voices``, and a quick
        panel does not ask it.
    """

    log_odds: Mapping[str, float]
    kinds: Mapping[str, float]
    voices: tuple[Voice, ...]
    n_rows: int
    draws: int = 1
    slow: tuple[Voice, ...] = ()

    @property
    def confidence(self) -> float:
        """2 p - 1, where p is the probability of x -> y; less where there may be no direction."""
        odds = self.log_odds["panel"]
        told = copysign(1.0 - 2.0 / (1.0 + exp(abs(odds))), odds) if odds else 0.0
        return told * self.grounds

    @property
    def grounds(self) -> float:
        """How far there is a direction to be told, from 0 to 1.

        The probability of a link; less where the columns look like those with a common cause alone
        rather than a direct link, in the ratio of how likely either is to look so. Without
        grounds either direction has a probability of one half.
        """
        ratio = self.kinds["direct"] - PRIOR_ODDS["direct"]
        return probability(self.kinds["linked"]) * exp(min(0.0, ratio))

    @property
    def added(self) -> float:
        """Log-odds of x -> y that the slow voices add to those of the quick panel."""
        return self.log_odds["panel"] - self.log_odds.get("quick", self.log_odds["panel"])

    @property
    def probability(self) -> float:
        """Probability of x -> y, one half where there are no grounds for either."""
        return 0.5 * (1.0 + self.confidence)

    @property
    def probabilities(self) -> dict[str, float]:
        """Probability of x -> y by what was seen."""
        return {name: probability(odds) for name, odds in self.log_odds.items()}

    @property
    def answers(self) -> dict[str, float]:
        """Probabilities of x -> y, y -> x, a common cause alone, and no link; they add up to 1."""
        linked, direct = (probability(self.kinds[name]) for name in KINDS)
        odds = self.log_odds["panel"]
        return {
            "x_to_y": linked * direct * probability(odds),
            "y_to_x": linked * direct * probability(-odds),
            "common_cause": linked * (1.0 - direct),
            "no_link": 1.0 - linked,
        }

    def split(self) -> tuple[tuple[Voice, ...], tuple[Voice, ...]]:
        """Voices for the direction taken, and against it; those that abstain are in neither."""
        side = 1 if self.confidence > 0.0 else -1
        agreeing = tuple(voice for voice in self.voices if voice.sign == side)
        return agreeing, tuple(voice for voice in self.voices if voice.sign == -side)

    def as_dict(self, pair: Pair) -> dict[str, object]:
        """Probabilities, answers and voices."""
        from bqcd.methods.models.panel_model import shipped_version
        from bqcd.methods.panel_deep import deep_version

        return {
            "x_to_y": self.probabilities,
            "y_to_x": {name: probability(-odds) for name, odds in self.log_odds.items()},
            "answers": self.answers,
            "voices": _sides(self.voices),
            **({"slow_voices": _sides(self.slow)} if self.slow else {}),
            "n_rows": self.n_rows,
            "draws": self.draws,
            "weights": deep_version() if self.slow else shipped_version(),
        }


def _sides(voices: tuple[Voice, ...]) -> dict[str, list[dict[str, object]]]:
    """Voices by direction, ready for JSON."""
    return {
        side: [
            {"name": v.name, "sees": v.sees, "strength": v.strength}
            for v in voices
            if v.sign == sign
        ]
        for side, sign in (("x_to_y", 1), ("y_to_x", -1), ("abstaining", 0))
    }


def probability(log_odds: float) -> float:
    """Probability of log-odds; that of the negative and it add up to 1.

    Examples
    --------
    >>> probability(0.0), probability(2.0) + probability(-2.0)
    (0.5, 1.0)
    """
    tail = 1.0 / (1.0 + exp(abs(log_odds)))
    return 1.0 - tail if log_odds > 0.0 else tail


def _margins_odds(x: Vector, y: Vector) -> float:
    """Log-odds by the method ``margins``, on the same rows."""
    from bqcd.methods.margins import shipped_model
    from bqcd.statistics.margins import margin_features

    return shipped_model().log_odds(margin_features(x), margin_features(y), len(x))


def _deepened(quick: float, drawn: Sequence[Columns]) -> tuple[float, tuple[Voice, ...]]:
    """Log-odds with the slow voices, and what these say."""
    from bqcd.methods.panel_deep import SLOW, deep_sounds, shipped_deep_head
    from bqcd.methods.panel_voices import mean_sounds

    sounds, head = mean_sounds([deep_sounds(Pair(x, y)) for x, y in drawn]), shipped_deep_head()
    sees: tuple[Sees, ...] = ("scales", "relation")
    said = (
        _voice(name, seen, sounds[name][0], head.unit)
        for name, seen in zip(SLOW, sees, strict=True)
    )
    return head.log_odds(quick, sounds), tuple(said)


def _voices(sounds: Sounds) -> tuple[Voice, ...]:
    """Methods on ranks, then as they come."""
    from bqcd.methods.models.panel_model import shipped_units
    from bqcd.methods.panel_voices import AS_THEY_COME, ON_RANKS

    units = shipped_units()
    relation: tuple[Sees, tuple[str, ...]] = ("relation", ON_RANKS)
    scales: tuple[Sees, tuple[str, ...]] = ("scales", AS_THEY_COME)
    return tuple(
        _voice(name, sees, sounds[name][0], units[name])
        for sees, names in (relation, scales)
        for name in names
    )


def _voice(name: str, sees: Sees, loud: float, unit: float) -> Voice:
    sign = int(loud > 0.0) - int(loud < 0.0)
    return Voice(name.removeprefix("ranks "), sees, sign, abs(loud) / (abs(loud) + unit))


CARDS = (
    MethodCard(
        name="panel",
        build=Panel,
        assumes="some method of the panel is right, and it shows as on simulated pairs",
        reference="The bqcd developers: a panel of methods learned from simulated pairs, "
        "benchmarks/panel of this project",
        cost="n log n",
        seconds=0.1,
        seconds_beyond=(0.12, 0.23, 2.5),
        varies=1e-8,
        unchanged_by=frozenset({"shift and scale"}),
        probabilistic=True,
        chosen={
            "version": "learned from simulated pairs only, but of twelve frozen versions six were "
            "turned down with a look at these files in view, the last for its Tübingen pairs",
            "depth": "evidence on ranks is left out since a look at a version that heard it",
        },
    ),
)
"""Every look at a benchmark is written down in benchmarks/panel/LOOKS.md."""
